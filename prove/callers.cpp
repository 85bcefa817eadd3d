#include "prove/callers.h"

#include "llvm/IR/InstIterator.h"
#include "llvm/IR/InstrTypes.h"

namespace footrace::prove {

Callers::Callers(const PointsTo& pointers) : callers_(pointers.instances().size()) {
  for (InstanceId id = 0; id < pointers.instances().size(); id++)
    for (const llvm::Instruction& inst : llvm::instructions(*pointers.instances()[id].function))
      if (const auto* call = llvm::dyn_cast<llvm::CallBase>(&inst)) {
        bool is_plain = pointers.library_callees(id, call).empty();
        for (InstanceId callee : pointers.callees(id, call)) callers_[callee].push_back({id, call, is_plain});
        for (InstanceId entry : pointers.spawned(id, call)) callers_[entry].push_back({id, call, false});
      }
}

} // namespace footrace::prove
