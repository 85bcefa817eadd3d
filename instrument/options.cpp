#include "instrument/options.h"

#include "llvm/IR/LLVMContext.h"
#include "llvm/Support/CommandLine.h"

using namespace llvm;

namespace footrace {
namespace {

cl::opt<std::string> preset("footrace-preset", cl::desc("Where Footrace places checks: fasttrack"),
                            cl::init("fasttrack"));
cl::opt<bool> stats("footrace-stats", cl::desc("Print what Footrace checked and what it left out, and why"));

// One switch per feature, so that a test can show what the feature changes.
cl::opt<bool> skip_nonescaping_alloca("footrace-skip-nonescaping-alloca", cl::Hidden, cl::init(true));
cl::opt<bool> skip_constant("footrace-skip-constant", cl::Hidden, cl::init(true));
cl::opt<bool> skip_vtable("footrace-skip-vtable", cl::Hidden, cl::init(true));
cl::opt<bool> skip_tls("footrace-skip-tls", cl::Hidden, cl::init(true));
cl::opt<bool> skip_internal_global("footrace-skip-internal-global", cl::Hidden, cl::init(true));
cl::opt<bool> func_entry("footrace-func-entry", cl::Hidden, cl::init(true));
cl::opt<bool> inline_checks("footrace-inline-checks", cl::Hidden, cl::init(true));
cl::opt<bool> memory_intrinsics("footrace-memory-intrinsics", cl::Hidden, cl::init(true));

} // namespace

std::optional<PassOptions> read_options(LLVMContext& context) {
  if (preset != "fasttrack") {
    context.emitError("footrace: unknown preset '" + preset +
                      "' in -footrace-preset; known presets: fasttrack");
    return std::nullopt;
  }
  return PassOptions{.stats = stats,
                     .function_entry = func_entry,
                     .inline_checks = inline_checks,
                     .memory_intrinsics = memory_intrinsics,
                     .race_freedom = {.nonescaping_alloca = skip_nonescaping_alloca,
                                      .constant = skip_constant,
                                      .vtable = skip_vtable,
                                      .thread_local_storage = skip_tls,
                                      .internal_global = skip_internal_global}};
}

} // namespace footrace
