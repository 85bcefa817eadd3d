// Which functions a call may run, where that set is closed: nothing outside of the module can add to it.
//
// Closed are: a direct call; a pointer that is chosen among known functions, read from a constant table, or from a variable
// of the module that only known functions are stored to; a parameter of a function that only the module calls; what
// LLVM's !callees metadata lists; and in a whole program, any function of the right type whose address is taken.
// Never closed: a pointer that a library hands out (dlsym), and virtual calls whose classes a library may derive from or
// implement. annotate_virtual_callees turns closed class hierarchies into !callees while LTO still knows the types.
#pragma once

#include "facts/summaries.h"

#include "llvm/ADT/SmallPtrSet.h"
#include "llvm/ADT/SmallVector.h"

#include <optional>

namespace llvm {
class FunctionType;
class GlobalVariable;
class Value;
} // namespace llvm

namespace footrace {

using CalleeList = llvm::SmallVector<const llvm::Function*, 4>;

class Callees {
public:
  Callees(const llvm::Module& module, World world);

  // All functions that the call may run, or nothing if others are possible.
  std::optional<CalleeList> of(const llvm::CallBase& call) const;

  // All functions that the value may be; of a callback argument, for example.
  std::optional<CalleeList> functions(const llvm::Value& pointer) const;

private:
  std::optional<CalleeList> of_type(const llvm::CallBase& call) const;

  World world_;
  bool may_get_foreign_functions_; // the program asks the loader for functions by name
  llvm::DenseMap<const llvm::FunctionType*, CalleeList> address_taken_;
};

} // namespace footrace
