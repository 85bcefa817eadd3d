#include "instrument/options.h"

#include "abi/features.h"
#include "instrument/link_step.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/IR/Module.h"
#include "llvm/Support/CommandLine.h"

using namespace llvm;

namespace footrace {
namespace {

struct Preset {
  StringRef name;
  Placement placement;
  uint32_t features;
};
constexpr Preset presets[] = {
#define FR_PRESET(name, checks, features, summary) {#name, Placement::checks, features},
#include "abi/presets.def"
};

enum class Precision : uint8_t { Trace, Address };

cl::opt<std::string> preset("footrace-preset", cl::desc("Where Footrace places checks"),
                            cl::init(presets[0].name.str()));
cl::opt<Precision> precision(
    "footrace-precision", cl::desc("What a race may hide"),
    cl::values(clEnumValN(Precision::Trace, "trace", "a race may hide a later one that depends on it"),
               clEnumValN(Precision::Address, "address", "nothing: every racing address is found")),
    cl::init(Precision::Trace));
enum class LtoStep : uint8_t { Compile, Link };
cl::opt<LtoStep> lto_step(
    "footrace-lto", cl::desc("Where checks are placed with link-time optimisation"),
    cl::values(clEnumValN(LtoStep::Compile, "compile", "file by file, in the compile step"),
               clEnumValN(LtoStep::Link, "link",
                          "with other files in sight, in the link step, which must load the plugin")),
    cl::init(LtoStep::Compile));
cl::opt<bool> stats("footrace-stats", cl::desc("Print what Footrace checked and what it left out, and why"));

cl::opt<std::string> explain("footrace-explain", cl::value_desc("file"),
                             cl::desc("Append what became of each access to a file (instrument/explain.h)"));

// One switch per feature, so that a test can show what the feature changes.
cl::opt<bool> skip_nonescaping_alloca("footrace-skip-nonescaping-alloca", cl::Hidden, cl::init(true));
cl::opt<bool> skip_nonescaping_heap("footrace-skip-nonescaping-heap", cl::Hidden, cl::init(true));
cl::opt<bool> skip_constant("footrace-skip-constant", cl::Hidden, cl::init(true));
cl::opt<bool> skip_vtable("footrace-skip-vtable", cl::Hidden, cl::init(true));
cl::opt<bool> skip_tls("footrace-skip-tls", cl::Hidden, cl::init(true));
cl::opt<bool> skip_internal_global("footrace-skip-internal-global", cl::Hidden, cl::init(true));
cl::opt<bool> func_entry("footrace-func-entry", cl::Hidden, cl::init(true));
cl::opt<bool> inline_checks("footrace-inline-checks", cl::Hidden, cl::init(true));
cl::opt<bool> memory_intrinsics("footrace-memory-intrinsics", cl::Hidden, cl::init(true));
cl::opt<unsigned> solver_queries("footrace-solver-queries",
                                 cl::desc("How often Z3 may be asked in vain about ranges in a module"),
                                 cl::init(2));
cl::opt<bool> proxies("footrace-proxies", cl::Hidden, cl::init(true));
cl::opt<bool> note_accesses("footrace-note-accesses", cl::Hidden, cl::init(false));

const Preset* find_preset(StringRef name) {
  const Preset* found = find_if(presets, [&](const Preset& p) { return p.name == name; });
  return found != std::end(presets) ? found : nullptr;
}

std::string preset_names() {
  std::string names;
  for (const Preset& p : presets) names += (names.empty() ? "" : ", ") + p.name.str();
  return names;
}

} // namespace

bool wants_link_step() { return lto_step == LtoStep::Link; }

std::string words_of(const PassOptions& options) {
  std::string words = options.preset;
  if (options.placement.address_precision) words += " address";
  if (!options.placement.proxies) words += " no-proxies";
  if (options.note_accesses) words += " note-accesses";
  if (!options.inline_checks) words += " call";
  return words;
}

std::optional<PassOptions> read_options(const Module& module) {
  const std::optional<StringRef> left = options_of_link_step(module);
  SmallVector<StringRef, 4> words;
  left.value_or("").split(words, ' ');
  const auto has_left = [&](StringRef word) { return is_contained(words, word); };
  const std::string wanted = left ? words.front().str() : preset;
  const Preset* chosen = find_preset(wanted);
  if (chosen == nullptr) {
    module.getContext().emitError("footrace: unknown preset '" + wanted +
                                  "' in -footrace-preset; known presets: " + preset_names());
    return std::nullopt;
  }
  return PassOptions{
      .preset = wanted,
      .placement = {.placement = chosen->placement,
                    .address_precision = precision == Precision::Address || has_left("address"),
                    .proxies = proxies && !has_left("no-proxies")},
      .solver_queries = solver_queries,
      .features = chosen->features,
      .note_accesses = note_accesses || has_left("note-accesses"),
      .explain_file = explain,
      .stats = stats,
      .function_entry = func_entry,
      .inline_checks = inline_checks && !has_left("call"),
      .memory_intrinsics = memory_intrinsics,
      .race_freedom = {.nonescaping_alloca = skip_nonescaping_alloca,
                       .nonescaping_heap = skip_nonescaping_heap,
                       .constant = skip_constant,
                       .vtable = skip_vtable,
                       .thread_local_storage = skip_tls,
                       .internal_global = skip_internal_global}};
}

} // namespace footrace
