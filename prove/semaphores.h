// Semaphores: who uses them, and with what they begin. One that begins with zero is a signal (signals.h), one that begins with one may be a lock
// (lock_words.h).
#pragma once

#include "prove/pointsto.h"

#include <map>
#include <optional>

namespace footrace::prove {

struct SemaphoreUse {
  InstanceId instance;
  const llvm::CallBase* call;
};

struct Semaphore {
  std::vector<SemaphoreUse> starts, posts,
      waits; // waits: those that wait for certain, and for no other semaphore
  std::optional<std::uint64_t> begins_with;
};

// By location. None if there are signal handlers: a wait that one interrupts returns without a post.
std::map<LocationId, Semaphore> find_semaphores(const PointsTo& pointers);

} // namespace footrace::prove
