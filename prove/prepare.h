// What happens to the module before it is analysed: transformations that keep every access to memory that could be
// shared, and make the analyses more precise. None of them deletes, merges or moves such an access.
//   - calls through pointers to member functions say what no such pointer can be (member_pointers.h);
//   - local variables become SSA values (SROA);
//   - small functions are inlined: for the analyses this is call-site sensitivity without a bound, and lock guards
//     become plain lock and unlock of one SSA value;
//   - equal computations get one name;
//   - branches on constants are resolved; blocks that cannot be reached go away;
//   - main runs the initialisers of global variables first, and their destructors last; threads delete their states at the end;
//   - calls of functions with static data of their own write a variable that stands for it;
//   - functions named __VERIFIER_atomic_* begin and end the verifier's global lock.
#pragma once

namespace llvm {
class Module;
}

namespace footrace::prove {

struct PrepareOptions {
  unsigned inline_limit = 60;   // instructions of a function that is inlined
  unsigned caller_limit = 8000; // instructions of a function that still takes in others
};

void prepare(llvm::Module& module, const PrepareOptions& options = {});

} // namespace footrace::prove
