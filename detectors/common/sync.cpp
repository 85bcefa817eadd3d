#include "detectors/common/sync.h"

namespace footrace::detectors {

Tid Sync::tid(u32 thread) {
  const Tid t = names_.tid(thread);
  if (t >= threads_.size()) {
    threads_.emplace_back();
    tick(t); // sigma_0: inc_t(bottom)
  }
  return t;
}

void Sync::tick(Tid t) {
  ThreadState& state = threads_[t];
  state.C.set(t, state.C.get(t) + 1, counts_);
  state.epoch = Epoch::of(t, state.C.get(t));
}

void Sync::learn_atomic(const Event& e, ThreadState& t) {
  const auto L = atomics_.find(e.target);
  if (L != atomics_.end()) (has_acquire(e.order) ? t.C : t.relaxed_reads).join(L->second, counts_);
}

Tid Sync::before(const Event& e) {
  const Tid t = tid(e.thread);
  const auto join = [&](const auto& map, const auto& key, auto clock_of) {
    if (auto found = map.find(key); found != map.end()) clock_of(found->second);
  };
  Clock& C = threads_[t].C;
  switch (e.kind) {
  case EventKind::Acquire:
    join(locks_, e.target, [&](const LockState& m) { C.join(m.L, counts_), C.join(m.readers, counts_); });
    break;
  case EventKind::AcquireShared:
    join(locks_, e.target, [&](const LockState& m) { C.join(m.L, counts_); });
    break;
  case EventKind::Join: {
    const Tid u = tid(u32(e.target)); // may move threads_
    threads_[t].C.join(threads_[u].C, counts_);
    break;
  }
  case EventKind::VolatileRead:
    join(volatiles_, e.target, [&](const Clock& L) { C.join(L, counts_); });
    break;
  case EventKind::BarrierLeave:
    join(barriers_, std::pair(e.target, e.extent), [&](const BarrierState& b) { C.join(b.L, counts_); });
    break;
  case EventKind::AtomicLoad:
  case EventKind::AtomicCasFail:
  case EventKind::AtomicRmw:
    learn_atomic(e, threads_[t]);
    break;
  case EventKind::Fence:
    if (has_acquire(e.order)) C.join(threads_[t].relaxed_reads, counts_), threads_[t].relaxed_reads.clear();
    break;
  default:
    break;
  }
  return t;
}

// A store starts a release sequence, which is empty unless it or a fence before it releases; a read-modify-write continues the one there is.
void Sync::publish_atomic(const Event& e, Tid t) {
  ThreadState& state = threads_[t];
  const Clock& what = has_release(e.order) ? state.C : state.release_fence;
  if (e.kind == EventKind::AtomicStore)
    if (what.is_bottom())
      atomics_.erase(e.target);
    else
      atomics_[e.target].copy(what, counts_);
  else if (!what.is_bottom())
    atomics_[e.target].join(what, counts_);
  if (has_release(e.order)) tick(t);
}

void Sync::after(const Event& e, Tid t) {
  switch (e.kind) {
  case EventKind::Release: {
    LockState& m = locks_[e.target];
    m.L.copy(threads_[t].C, counts_);
    m.readers.clear(); // they are in C_t
    return tick(t);
  }
  case EventKind::ReleaseShared:
    locks_[e.target].readers.join(threads_[t].C, counts_);
    return tick(t);
  case EventKind::Fork: {
    const Tid u = tid(u32(e.target));
    threads_[u].C.join(threads_[t].C, counts_);
    return tick(t);
  }
  case EventKind::VolatileWrite:
    volatiles_[e.target].join(threads_[t].C, counts_);
    return tick(t);
  case EventKind::BarrierArrive: {
    BarrierState& barrier = barriers_[{e.target, e.extent}];
    barrier.L.join(threads_[t].C, counts_);
    ++barrier.inside;
    return tick(t);
  }
  case EventKind::BarrierLeave: {
    const auto barrier = barriers_.find({e.target, e.extent});
    if (barrier != barriers_.end() && --barrier->second.inside == 0) barriers_.erase(barrier);
    return;
  }
  case EventKind::AtomicStore:
  case EventKind::AtomicRmw:
    return publish_atomic(e, t);
  case EventKind::Fence:
    if (!has_release(e.order)) return;
    threads_[t].release_fence.copy(threads_[t].C, counts_);
    return tick(t);
  case EventKind::Alloc:
  case EventKind::Free: // the atomic objects there are gone
    atomics_.erase(atomics_.lower_bound(e.target), atomics_.lower_bound(e.target + e.extent));
    return;
  default:
    return;
  }
}

u64 Sync::memory() const {
  u64 bytes = threads_.size() * sizeof(ThreadState);
  for (const ThreadState& t : threads_)
    bytes += t.C.bytes() + t.release_fence.bytes() + t.relaxed_reads.bytes();
  for (const auto& [m, lock] : locks_) bytes += sizeof lock + lock.L.bytes() + lock.readers.bytes();
  for (const auto& [v, clock] : volatiles_) bytes += sizeof clock + clock.bytes();
  for (const auto& [b, barrier] : barriers_) bytes += sizeof barrier + barrier.L.bytes();
  for (const auto& [a, clock] : atomics_) bytes += sizeof clock + clock.bytes();
  return bytes;
}

} // namespace footrace::detectors
