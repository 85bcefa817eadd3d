#include "prove/shared_mappings.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/IR/Constants.h"
#include "llvm/IR/InstrTypes.h"
#include "llvm/IR/Module.h"

#include <sys/mman.h>

namespace footrace::prove {
namespace {

constexpr unsigned flags_argument = 3;
// Names in library.def; the second is what is listed as not modelled.
constexpr llvm::StringLiteral shared_mapping = "mmap with MAP_SHARED",
                              mapping_beside_fork = "mmap with MAP_SHARED, beside fork";

bool is_used(const llvm::Module& module, llvm::StringRef name) {
  const llvm::Function* function = module.getFunction(name);
  return function && function->isDeclaration() && !function->use_empty();
}

bool has_processes(const llvm::Module& module) {
  return llvm::any_of(std::initializer_list<llvm::StringRef>{"fork", "vfork", "_Fork", "clone", "daemon"},
                      [&](llvm::StringRef name) { return is_used(module, name); });
}

// Nobody else gets the memory that the use asks for: it is a call, and its flags are known.
bool must_be_own_memory(const llvm::Use& use, bool has_processes) {
  const auto* call = llvm::dyn_cast<llvm::CallBase>(use.getUser());
  if (!call || !call->isCallee(&use) || call->arg_size() <= flags_argument) return false;
  const auto* flags = llvm::dyn_cast<llvm::ConstantInt>(call->getArgOperand(flags_argument));
  if (!flags) return false;
  const std::uint64_t bits = flags->getZExtValue();
  if ((bits & MAP_TYPE) == MAP_PRIVATE) return true;
  return (bits & MAP_ANONYMOUS) && !has_processes;
}

void merge(llvm::Function& map, bool has_processes) {
  const llvm::StringRef name = has_processes ? mapping_beside_fork : shared_mapping;
  auto may_be_shared = [&](const llvm::Use& use) { return !must_be_own_memory(use, has_processes); };
  if (llvm::none_of(map.uses(), may_be_shared)) return;
  llvm::Value* merged = map.getParent()->getOrInsertFunction(name, map.getFunctionType()).getCallee();
  map.replaceUsesWithIf(merged, [&](llvm::Use& use) { return may_be_shared(use); });
}

} // namespace

void merge_shared_mappings(llvm::Module& module) {
  const bool is_beside_fork = has_processes(module);
  for (const char* name : {"mmap", "mmap64"})
    if (llvm::Function* map = module.getFunction(name); map && map->isDeclaration())
      merge(*map, is_beside_fork);
}

} // namespace footrace::prove
