// Addresses as a value plus a constant: what is known about two pointers of one activation of a function without
// asking where they point.
#pragma once

#include "prove/pointsto.h"

#include "llvm/IR/DataLayout.h"
#include "llvm/IR/Value.h"

namespace footrace::prove {

struct Address {
  const llvm::Value* root = nullptr; // null: not expressible here
  std::int64_t offset = 0;
  auto operator<=>(const Address&) const = default;
};

// Loads that must give the same value as an earlier value of the same activation (section 5.2).
class Equalities {
public:
  void set(InstanceId instance, const llvm::Value* value, const llvm::Value* same) {
    same_[{instance, value}] = same;
  }
  const llvm::Value* representative(InstanceId instance, const llvm::Value* value) const;

private:
  llvm::DenseMap<std::pair<InstanceId, const llvm::Value*>, const llvm::Value*> same_;
};

Address address_of(const llvm::Value* pointer, const llvm::DataLayout& data);
Address address_of(const llvm::Value* pointer, const llvm::DataLayout& data, const Equalities& equalities,
                   InstanceId instance);

// A variable that all threads share: its address is a constant.
bool is_shared_variable(const llvm::Value* root);

} // namespace footrace::prove
