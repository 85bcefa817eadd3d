// Loops that join every thread of a std::vector, from begin to end:
//
//   for (std::thread& thread : threads) thread.join();      // or: if (thread.joinable()) thread.join();
#pragma once

#include <optional>

namespace llvm {
class BasicBlock;
class CallBase;
class Value;
} // namespace llvm

namespace footrace::prove {

struct VectorWalk {
  const llvm::Value* vector;
  const llvm::BasicBlock* exit; // reached only when all elements have been joined
};

// The loop around the join, if it is such a loop and nothing in it can change the vector.
std::optional<VectorWalk> walk_over_vector(const llvm::CallBase& join);

} // namespace footrace::prove
