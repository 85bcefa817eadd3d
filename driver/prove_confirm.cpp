#include "driver/prove_confirm.h"

#include "driver/messages.h"
#include "driver/process.h"
#include "findings/json.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/Bitcode/BitcodeReader.h"
#include "llvm/Bitcode/BitcodeWriter.h"
#include "llvm/IR/DebugInfoMetadata.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/LLVMContext.h"
#include "llvm/IR/Module.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/raw_ostream.h"

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <map>

namespace footrace::driver {
namespace {

using findings::Finding;

constexpr const char* points_source =
#include "driver/confirm_points.c.inc"
    ;
// Since C++20 libstdc++'s allocators of letters are code to be inlined, of which no library has a copy, and what was kept for the proof only calls it.
constexpr const char* instances_source = R"(#include <memory>
template class std::allocator<char>;
template class std::allocator<wchar_t>;
)";

bool lacks_allocators(const llvm::Module& module) {
  return llvm::any_of(module, [](const llvm::Function& function) {
    llvm::StringRef name = function.getName();
    return function.isDeclaration() && !function.use_empty() &&
           (name.consume_front("_ZNSaIcE") || name.consume_front("_ZNSaIwE")) &&
           (name.starts_with("8allocate") || name.starts_with("10deallocate"));
  });
}

constexpr const char* seconds_per_run = "60";

bool write_module(const llvm::Module& module, const std::string& file) {
  std::error_code error;
  llvm::raw_fd_ostream out(file, error, llvm::sys::fs::OF_None);
  if (!error) llvm::WriteBitcodeToFile(module, out);
  out.close();
  if (!error && !out.has_error()) return true;
  out.clear_error();
  failure("cannot write '" + file + "'");
  return false;
}

// Where in the source an access is, without its file: the function says that.
using Place = std::tuple<std::string, unsigned, unsigned>;

std::optional<Place> place_of(const llvm::Instruction& inst) {
  const llvm::DILocation* at = inst.getDebugLoc();
  if (!at) return std::nullopt;
  const llvm::DISubprogram* function = at->getScope()->getSubprogram();
  llvm::StringRef name =
      function->getLinkageName().empty() ? function->getName() : function->getLinkageName();
  return Place{name.str(), at->getLine(), at->getColumn()};
}

std::map<Place, std::vector<unsigned>> places_of(const std::vector<Finding>& pairs) {
  std::map<Place, std::vector<unsigned>> places;
  for (unsigned i = 0; i < pairs.size(); i++)
    for (unsigned side = 0; side < pairs[i].accesses.size(); side++) {
      const findings::Stack& stack = pairs[i].accesses[side].stack;
      if (stack.empty()) continue;
      places[{stack[0].linkage_name, stack[0].location.line, stack[0].location.column}].push_back(2 * i +
                                                                                                  side);
    }
  return places;
}

class Points {
public:
  Points(llvm::Module& module, const std::vector<Finding>& pairs)
      : module_(module), places_(places_of(pairs)) {}

  void add() {
    llvm::LLVMContext& context = module_.getContext();
    llvm::Type* nothing = llvm::Type::getVoidTy(context);
    point_ =
        module_.getOrInsertFunction("__footrace_confirm_point", nothing, llvm::Type::getInt32Ty(context));
    noise_ = module_.getOrInsertFunction("__footrace_confirm_noise", nothing);
    for (llvm::Function& function : module_) {
      if (function.isDeclaration()) continue;
      function.addFnAttr(llvm::Attribute::SanitizeThread); // every access, as the proof saw it
      for (llvm::Instruction& inst : llvm::make_early_inc_range(llvm::instructions(function)))
        add_before(inst);
    }
  }

private:
  void add_before(llvm::Instruction& inst) {
    if (!inst.mayReadOrWriteMemory() || llvm::isa<llvm::PHINode>(inst)) return;
    llvm::IRBuilder<> at(&inst);
    const auto* call = llvm::dyn_cast<llvm::CallBase>(&inst);
    if (call && !llvm::isa<llvm::IntrinsicInst>(call) && call->getCalledFunction() &&
        call->getCalledFunction()->isDeclaration())
      at.CreateCall(noise_);
    std::optional<Place> place = place_of(inst);
    auto known = place ? places_.find(*place) : places_.end();
    if (known == places_.end()) return;
    for (unsigned point : known->second) at.CreateCall(point_, at.getInt32(point));
  }

  llvm::Module& module_;
  std::map<Place, std::vector<unsigned>> places_;
  llvm::FunctionCallee point_, noise_;
};

bool is_at(const findings::Access& seen, const findings::Access& reported) {
  return seen.location.line == reported.location.line &&
         findings::file_name(seen.location.file) == findings::file_name(reported.location.file);
}

bool is_race_of(const Finding& seen, const Finding& pair) {
  if (seen.accesses.size() != 2 || pair.accesses.size() != 2) return false;
  return (is_at(seen.accesses[0], pair.accesses[0]) && is_at(seen.accesses[1], pair.accesses[1])) ||
         (is_at(seen.accesses[0], pair.accesses[1]) && is_at(seen.accesses[1], pair.accesses[0]));
}

void mark_confirmed(Finding& pair) {
  findings::add_evidence(pair, {findings::EvidenceKind::Confirmed, 1});
  if (pair.confidence == findings::Confidence::Certain) return;
  pair.confidence = findings::Confidence::Certain;
  pair.level = findings::Level::Error;
  pair.explanation += "; confirmed by a run of the program";
}

void mark_confirmed(const std::vector<Finding>& seen_in_run, std::vector<Finding>& pairs) {
  const std::size_t known = pairs.size();
  for (Finding& pair : pairs)
    if (llvm::any_of(seen_in_run, [&](const Finding& seen) { return is_race_of(seen, pair); }))
      mark_confirmed(pair);
  for (const Finding& seen : seen_in_run) {
    if (std::any_of(pairs.begin(), pairs.begin() + static_cast<std::ptrdiff_t>(known),
                    [&](const Finding& pair) { return is_race_of(seen, pair); }))
      continue;
    pairs.push_back(seen); // a race is a race, whatever the proof thought
    pairs.back().explanation += "seen in a run of the program, on lines that no pair names";
  }
}

} // namespace

bool Confirmation::keep(const llvm::Module& module) { return write_module(module, file("program.bc")); }

void Confirmation::confirm(const ProveOptions& options, const Installation& installation,
                           std::vector<Finding>& pairs) {
  if (!add_points(pairs) || !build(options, installation)) return;
  for (unsigned number = 0; number < options.confirm_runs; number++)
    mark_confirmed(run(number, options.confirm_arguments), pairs);
  std::ranges::sort(pairs, {}, [](const Finding& pair) { return std::pair(pair.confidence, pair.summary); });
}

bool Confirmation::add_points(const std::vector<Finding>& pairs) {
  llvm::LLVMContext context;
  auto buffer = llvm::MemoryBuffer::getFile(file("program.bc"));
  if (!buffer) return failure("the program that was kept is gone"), false;
  llvm::Expected<std::unique_ptr<llvm::Module>> module = llvm::parseBitcodeFile(**buffer, context);
  if (!module) return failure(llvm::toString(module.takeError())), false;
  Points(**module, pairs).add();
  lacks_allocators_ = lacks_allocators(**module);
  return write_module(**module, file("confirm.bc"));
}

bool Confirmation::build(const ProveOptions& options, const Installation& installation) {
  std::ofstream(file("points.c")) << points_source;
  const std::string compiler = installation.driver + "-clang";
  if (run_and_wait({compiler, "-O1", "-w", "-c", file("points.c"), "-o", file("points.o")}) != 0)
    return false;
  std::vector<std::string> command = {compiler + "++",      "--preset=fasttrack", "-O0",           "-w",
                                      "-Qunused-arguments", "-pthread",           file("points.o")};
  if (lacks_allocators_) {
    std::ofstream(file("instances.cpp")) << instances_source;
    if (run_and_wait({compiler + "++", "-O1", "-w", "-std=c++20", "-c", file("instances.cpp"), "-o",
                      file("instances.o")}) != 0)
      return false;
    command.push_back(file("instances.o"));
  }
  llvm::append_range(
      command, std::vector<std::string>{"-x", "ir", file("confirm.bc"), "-x", "none", "-o", file("program")});
  llvm::append_range(command, options.clang_arguments);
  if (run_and_wait(command) == 0) return true;
  note("nothing is confirmed: the program does not link; libraries go after '--' (-- -lz)");
  return false;
}

std::vector<Finding> Confirmation::run(unsigned number, const std::vector<std::string>& arguments) {
  const std::string seen = file("seen.jsonl");
  std::error_code ignored;
  std::filesystem::remove(seen, ignored);
  std::vector<std::string> command = {"/bin/sh",
                                      "-c",
                                      R"(log=$1 && shift && exec timeout -k 5 "$@" >"$log" 2>&1 </dev/null)",
                                      "sh",
                                      file("log"),
                                      seconds_per_run,
                                      "/usr/bin/env",
                                      "FOOTRACE_OPTIONS=report_limit=0:findings=" + seen,
                                      "FOOTRACE_CONFIRM_RUN=" + std::to_string(number),
                                      file("program")};
  llvm::append_range(command, arguments);
  if (int code = run_and_wait(command); code == 124 || code == 137)
    note("run " + llvm::Twine(number + 1) + " of the program did not end within " + seconds_per_run +
         " seconds");
  return findings::read_findings(seen).findings;
}

} // namespace footrace::driver
