// Virtual calls whose class hierarchy is closed: their possible callees, as !callees metadata that stays with the call.
//
// The types are known only as long as llvm.type.test is in the code (-fwhole-program-vtables), which is before the
// passes that place checks. A hierarchy is closed if no vtable of the type can be anywhere else (!vcall_visibility).
#pragma once

#include "llvm/ADT/STLFunctionalExtras.h"

namespace llvm {
class DominatorTree;
class Function;
class Module;
} // namespace llvm

namespace footrace {

// Where the vtables of this module can be used from.
enum class VtableUsers : unsigned char {
  File,        // other files are still to come: only types of this file are closed
  LinkageUnit, // all files that are linked together are here (full LTO)
};

// The number of calls that were annotated.
unsigned annotate_virtual_callees(llvm::Module& module, VtableUsers users,
                                  llvm::function_ref<llvm::DominatorTree&(llvm::Function&)> dominators);

} // namespace footrace
