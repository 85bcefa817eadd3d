// Global variables whose every access is in sight: the closed world that shadow proxies need (RedCard, section 5).
//
// A variable is closed if only this module knows its name (local linkage) and its address goes nowhere: all uses are plain loads and
// stores. So no library, no other file, no pointer and no `memcpy` gets to its bytes.
#pragma once

#include "llvm/ADT/DenseSet.h"
#include "llvm/ADT/STLFunctionalExtras.h"

#include <cstdint>
#include <optional>

namespace llvm {
class DataLayout;
class GlobalVariable;
class Instruction;
class Module;
class Value;
} // namespace llvm

namespace footrace {

// Bytes of a global variable.
struct GlobalBytes {
  llvm::GlobalVariable* variable = nullptr;
  uint64_t begin = 0, end = 0;
};

// `size` bytes at `address` + `offset`, if the address is a known place in a variable.
std::optional<GlobalBytes> global_bytes(llvm::Value& address, int64_t offset, uint64_t size,
                                        const llvm::DataLayout& layout);

// Whether the accesses must be at places in the variable that are known while compiling.
enum class Places : uint8_t { Known, Any };

class ClosedGlobals {
public:
  // `has_checks` says of which accesses the checks are known.
  ClosedGlobals(llvm::Module& module, llvm::function_ref<bool(const llvm::Instruction&)> has_checks,
                Places places = Places::Known);

  bool empty() const { return closed_.empty(); }
  bool contains(const llvm::GlobalVariable& variable) const { return closed_.contains(&variable); }
  // global_bytes, if they are in a closed variable.
  std::optional<GlobalBytes> bytes(llvm::Value& address, int64_t offset, uint64_t size) const;

private:
  const llvm::DataLayout& layout_;
  llvm::DenseSet<const llvm::GlobalVariable*> closed_;
};

} // namespace footrace
