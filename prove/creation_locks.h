// Locks that are held for a thread: an ancestor took the lock before it created the thread, and does not release it
// while the thread may run. Whatever the thread does is then as good as guarded, except against the ancestor itself and
// other threads that it holds the lock for.
#pragma once

#include "prove/locks.h"
#include "prove/threads.h"

namespace footrace::prove {

class CreationLocks {
public:
  CreationLocks(const PointsTo& pointers, const Threads& threads, const Locks& locks);

  struct Guard {
    LocationId lock;
    OriginId holder;
    bool is_shared = false;
    auto operator<=>(const Guard&) const = default;
  };
  using Guards = std::set<Guard>;

  // Held by others for as long as the thread lives.
  const Guards& of(OriginId thread) const {
    static const Guards none;
    return guards_[thread] ? *guards_[thread] : none;
  }
  // Two threads hold one lock, each for one of the accesses.
  bool must_exclude(const Access& a, const Access& b) const;

private:
  void collect_releases();
  void add_release(InstanceId instance, const llvm::CallBase& call);
  bool may_outlive(OriginId thread, const Guard& guard) const;
  Guards at_creation(OriginId thread, const Spawn& spawn) const;
  void solve();
  Guards guards_of(const Access& access) const;

  const PointsTo& pointers_;
  const Threads& threads_;
  const Locks& locks_;
  std::map<std::pair<OriginId, LocationId>, OriginSet>
      at_release_;                               // threads that may run when it releases the lock
  std::map<OriginId, OriginSet> at_any_release_; // ... when it may release any lock
  std::vector<std::optional<Guards>> guards_;    // by thread; nothing: not reached
};

} // namespace footrace::prove
