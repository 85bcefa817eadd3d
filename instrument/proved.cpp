#include "instrument/proved.h"

#include "placement/marks.h"

#include "facts/embedded_ir.h"
#include "facts/proofs.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Module.h"
#include "llvm/Support/CommandLine.h"

using namespace llvm;

namespace footrace {
namespace {

cl::opt<bool> embeds_ir("footrace-embed-ir", cl::desc("Keep the unoptimised module in the object"));
cl::opt<std::string>
    use_proofs("footrace-use-proofs", cl::value_desc("file"),
               cl::desc("Leave out checks of accesses that 'footrace prove' proved race-free"));

// Compares the proofs with the module that is being compiled, and with the files of the whole program: what another file does may race with
// what this one does.
class Use {
public:
  Use(Module& module, const Proofs& proofs) : module_(module) {
    for (const SourceDigest& source : proofs.files) files_.insert(source.file);
    for (const FunctionProof& function : proofs.functions)
      functions_[{function.name, function.unit}].push_back(&function);
  }

  // Empty, or why the proofs are not about this program.
  std::string refusal(const Proofs& proofs) {
    for (const SourceDigest& source : proofs.files)
      if (digest_of_file(source.file) != source.digest) return "'" + source.file + "' has changed since";
    for (Function& function : module_) {
      if (function.isDeclaration()) continue;
      if (std::string why = compare(function); !why.empty()) return why;
    }
    return "";
  }

  void mark() {
    for (auto& [function, proof] : matches_)
      for (Instruction& inst : instructions(*function)) {
        // The vectoriser keeps no marks of ours but those of placement/marks.h.
        if (mark_race_free(inst, proof->race_free) && isa<LoadInst, StoreInst>(inst)) mark_covered(inst);
      }
  }

private:
  std::string compare(Function& function) {
    const std::string unit = unit_of(function);
    if (unit.empty())
      return ""; // made by the compiler; no place of the source, and so no access that could be left out
    if (!files_.contains(unit)) return "'" + unit + "' was no part of the program";
    const auto known = functions_.find({function.getName().str(), function.hasLocalLinkage() ? unit : ""});
    if (known == functions_.end()) return ""; // a body that only this optimisation level has
    const uint64_t shape = shape_of(function);
    const auto same =
        find_if(known->second, [&](const FunctionProof* proof) { return proof->shape == shape; });
    if (same == known->second.end())
      return "'" + function.getName().str() +
             "' was compiled otherwise (other options, or a header that has changed)";
    matches_.push_back({&function, *same});
    return "";
  }

  Module& module_;
  std::set<std::string> files_;
  std::map<std::pair<std::string, std::string>, std::vector<const FunctionProof*>> functions_;
  std::vector<std::pair<Function*, const FunctionProof*>> matches_;
};

} // namespace

PreservedAnalyses EmbedIrPass::run(Module& module, ModuleAnalysisManager&) {
  if (!embeds_ir) return PreservedAnalyses::all();
  embed_ir(module);
  return PreservedAnalyses::all();
}

PreservedAnalyses UseProofsPass::run(Module& module, ModuleAnalysisManager&) {
  if (use_proofs.empty()) return PreservedAnalyses::all();
  Expected<Proofs> proofs = read_proofs(use_proofs);
  if (!proofs) {
    module.getContext().emitError("footrace: " + toString(proofs.takeError()));
    return PreservedAnalyses::all();
  }
  Use use(module, *proofs);
  if (const std::string why = use.refusal(*proofs); !why.empty())
    module.getContext().emitError("footrace: the proofs in '" + use_proofs + "' are of another program: " +
                                  why + "; run 'footrace prove --proofs' again");
  else
    use.mark();
  return PreservedAnalyses::all();
}

} // namespace footrace
