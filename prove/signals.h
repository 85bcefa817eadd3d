// Order by signals: one thread makes something known after an access, another one waits for it before its own. A signal
// is a flag (a variable that is zero until it is set: atomic, or read and written under one lock, as with condition
// variables) or a semaphore that begins with zero.
//
//   T1: a; set(signal)         T2: wait(signal); b
//
// a happens before b if every set of the signal comes after every run of a in the one thread T1, or after b in the one
// thread T2, and b comes after a successful wait on every way.
#pragma once

#include "prove/history.h"
#include "prove/locks.h"

namespace footrace::prove {

class Signals {
public:
  Signals(const PointsTo& pointers, const Accesses& accesses, const Executions& executions,
          const Locks& locks);

  bool must_be_ordered(const Access& a, const Access& b) const {
    return must_precede(a, b) || must_precede(b, a);
  }

private:
  struct Signal {
    LocationId location;
    std::vector<InstanceId> setters;
    bool is_usable = true;
    unsigned set() const { return 2 * number; }
    unsigned seen() const { return 2 * number + 1; }
    unsigned number;
  };

  void find_flags(Events& events);
  void use_semaphores(Events& events);
  std::optional<LocationId> flag_at(InstanceId instance, const llvm::Value* pointer) const;
  bool may_begin_with_zero(LocationId location) const;
  std::optional<std::set<LocationId>> locks_of_setters(const Signal& flag, Events& events);
  bool must_precede(const Access& a, const Access& b) const;

  const PointsTo& pointers_;
  const Accesses& accesses_;
  const Executions& executions_;
  const Locks& locks_;
  std::vector<Signal> signals_;
  std::optional<History> history_;
  std::vector<bool> is_one_thread_; // by origin
};

} // namespace footrace::prove
