#include "prove/proofs.h"

#include "llvm/IR/DebugInfoMetadata.h"
#include "llvm/IR/Instructions.h"

#include <map>

namespace footrace::prove {
namespace {

// The functions of the program by what debug information calls them: an inlined access still belongs to its own function.
class Functions {
public:
  explicit Functions(std::vector<FunctionProof>& functions) {
    for (FunctionProof& function : functions) by_name_[function.name].push_back(&function);
  }

  // All that the access may belong to: a name may stand for local functions of several files.
  llvm::ArrayRef<FunctionProof*> of(const llvm::Instruction& inst) const {
    const llvm::DILocation* at = inst.getDebugLoc();
    if (!at) return {};
    const llvm::DISubprogram* function = at->getScope()->getSubprogram();
    llvm::StringRef linkage = function->getLinkageName();
    auto found = by_name_.find((linkage.empty() ? function->getName() : linkage).str());
    if (found == by_name_.end()) return {};
    return found->second;
  }

private:
  std::map<std::string, std::vector<FunctionProof*>> by_name_;
};

// Reads and writes at the place of the instruction: what the preparation made of one instruction shares its place.
void forget(const llvm::Instruction& inst, const Functions& functions) {
  const llvm::DebugLoc& at = inst.getDebugLoc();
  for (FunctionProof* function : functions.of(inst))
    for (bool is_write : {false, true}) function->race_free.erase({at.getLine(), at.getCol(), is_write});
}

} // namespace

Proofs race_free_accesses(const Program& program, const Analysis& analysis) {
  Proofs proofs;
  proofs.functions = program.functions;
  Functions functions(proofs.functions);
  for (const Tuple& tuple : analysis.remaining)
    for (AccessId id : {tuple.a, tuple.b}) forget((*analysis.accesses)[id].inst[0], functions);
  for (const Crowd& crowd : analysis.crowds)
    for (AccessId id : crowd.accesses) forget((*analysis.accesses)[id].inst[0], functions);
  // Memory that points-to knows nothing about is memory that nothing was proved about.
  for (AccessId id = 0; id < analysis.accesses->all().size(); id++)
    if (analysis.accesses->locations(id).empty()) forget((*analysis.accesses)[id].inst[0], functions);
  for (const std::string& file : program.files)
    if (std::uint64_t digest = digest_of_file(file)) proofs.files.push_back({file, digest});
  return proofs;
}

} // namespace footrace::prove
