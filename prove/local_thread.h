// Local threads (paper 001, section 5.1.2): the thread's argument takes the place of the lock. If two threads were
// given different objects, what they reach through them is different too.
//
// In Java every thread is its own object. In C it must be shown that no two threads get the same argument: each is
// allocated anew for its thread, or is another element of an array.
#pragma once

#include "prove/accesses.h"
#include "prove/heap_effects.h"
#include "prove/paths.h"
#include "prove/thread_numbers.h"
#include "prove/threads.h"

namespace footrace::prove {

class LocalThread {
public:
  LocalThread(const PointsTo& pointers, const Accesses& accesses, const Executions& executions,
              const Threads& threads, const HeapEffects& effects, const Paths& paths)
      : pointers_(pointers), accesses_(accesses), threads_(threads), effects_(effects), paths_(paths),
        numbers_(pointers, accesses, executions, threads) {}

  bool must_be_apart(const Access& a, const Access& b) const;

private:
  std::set<ObjectId> argument_objects(OriginId origin) const;
  std::optional<std::uint64_t> own_element_size(OriginId origin) const;
  bool is_within_element(const Access& access, std::uint64_t size) const;
  Derived derivation(const Access& access) const;

  const PointsTo& pointers_;
  const Accesses& accesses_;
  const Threads& threads_;
  const HeapEffects& effects_;
  const Paths& paths_;
  ThreadNumbers numbers_;
};

} // namespace footrace::prove
