// std::thread gives the state of a new thread away: libstdc++'s _M_start_thread takes the unique_ptr that holds it and leaves it empty. Here the
// caller empties it before the call, so that whoever destroys it afterwards is seen to have nothing to delete.
#pragma once

namespace llvm {
class Module;
} // namespace llvm

namespace footrace::prove {

void hand_over_thread_states(llvm::Module& module);

// The thread deletes its state at its end: what the closure holds is destroyed there, and not by who created the thread.
void delete_thread_states(llvm::Module& module);

} // namespace footrace::prove
