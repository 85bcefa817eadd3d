#include "prove/addresses.h"

#include "llvm/IR/GlobalVariable.h"
#include "llvm/IR/Instructions.h"

namespace footrace::prove {

const llvm::Value* Equalities::representative(InstanceId instance, const llvm::Value* value) const {
  auto found = same_.find({instance, value});
  return found == same_.end() ? value : found->second;
}

Address address_of(const llvm::Value* pointer, const llvm::DataLayout& data) {
  llvm::APInt offset(64, 0);
  if (!pointer->getType()->isPointerTy()) return {pointer, 0};
  const llvm::Value* root =
      pointer->stripAndAccumulateConstantOffsets(data, offset, /*AllowNonInbounds=*/true);
  return {root, offset.getSExtValue()};
}

Address address_of(const llvm::Value* pointer, const llvm::DataLayout& data, const Equalities& equalities,
                   InstanceId instance) {
  Address address = address_of(pointer, data);
  while (true) {
    const llvm::Value* same = equalities.representative(instance, address.root);
    if (same == address.root) return address;
    Address next = address_of(same, data);
    address = {next.root, next.offset + address.offset};
  }
}

bool is_shared_variable(const llvm::Value* root) {
  const auto* variable = llvm::dyn_cast_or_null<llvm::GlobalVariable>(root);
  return variable && !variable->isThreadLocal();
}

} // namespace footrace::prove
