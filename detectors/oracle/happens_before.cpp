#include "detectors/oracle/happens_before.h"

#include <algorithm>

namespace footrace::oracle {

void ClockVector::set(size_t thread, u32 count) {
  if (entries_.size() <= thread) entries_.resize(thread + 1);
  entries_[thread] = count;
}

void ClockVector::join(const ClockVector& other) {
  if (entries_.size() < other.entries_.size()) entries_.resize(other.entries_.size());
  for (size_t t = 0; t < other.entries_.size(); ++t) entries_[t] = std::max(entries_[t], other.entries_[t]);
}

const HappensBefore::ThreadHistory* HappensBefore::history_of(u32 thread) const {
  auto found = threads_.find(thread);
  return found == threads_.end() ? nullptr : &found->second;
}

HappensBefore::ThreadHistory& HappensBefore::history_of_new(u32 thread) {
  auto [history, fresh] = threads_.try_emplace(thread);
  if (fresh) history->second.number = threads_.size() - 1;
  return history->second;
}

// What an acquire that reads the current value of the object synchronises with. The value was written by W.
// It belongs to the release sequence of every release operation from which modification order leads to W by
// read-modify-writes alone; a release fence before a write makes that write head a (hypothetical) release
// sequence.
std::vector<EventIndex> HappensBefore::heads_of_value(u64 address) const {
  std::vector<EventIndex> heads;
  auto order = modification_order_.find(address);
  if (order == modification_order_.end()) return heads;
  for (auto w = order->second.rbegin(); w != order->second.rend(); ++w) {
    const Event& write = events_[w->event];
    if (has_release(write.order)) heads.push_back(w->event);
    if (w->release_fence) heads.push_back(*w->release_fence);
    if (write.kind != EventKind::AtomicRmw) break; // any other store ends what came before it
  }
  return heads;
}

std::vector<EventIndex> HappensBefore::synchronizes_with(const Event& e) const {
  std::vector<EventIndex> from;
  auto add = [&](const std::vector<EventIndex>& events) {
    from.insert(from.end(), events.begin(), events.end());
  };
  const ThreadHistory* self = history_of(e.thread);
  if (self && !self->last && self->forked_by) from.push_back(*self->forked_by);
  switch (e.kind) {
  case EventKind::Join:
    if (auto u = history_of(u32(e.target))) {
      // A thread that did nothing still starts after its fork.
      if (auto last = u->last ? u->last : u->forked_by) from.push_back(*last);
    }
    break;
  case EventKind::Acquire:
  case EventKind::AcquireShared:
    if (auto lock = locks_.find(e.target); lock != locks_.end()) {
      add(lock->second.exclusive_releases);
      if (e.kind == EventKind::Acquire) add(lock->second.shared_releases);
    }
    break;
  case EventKind::VolatileRead:
    if (auto writes = volatile_writes_.find(e.target); writes != volatile_writes_.end()) add(writes->second);
    break;
  case EventKind::BarrierLeave:
    if (auto arrived = arrivals_.find({e.target, e.extent}); arrived != arrivals_.end()) add(arrived->second);
    break;
  case EventKind::AtomicLoad:
  case EventKind::AtomicCasFail:
  case EventKind::AtomicRmw:
    if (has_acquire(e.order)) add(heads_of_value(e.target));
    break;
  case EventKind::Fence:
    // Reads before an earlier acquire fence need no edge here: that fence is sequenced before this one.
    if (has_acquire(e.order) && self) add(self->heads_read);
    break;
  default:
    break;
  }
  return from;
}

ClockVector HappensBefore::clock_of_next(const Event& e) const {
  ClockVector clock;
  const ThreadHistory* self = history_of(e.thread);
  if (self && self->last) clock = clocks_[*self->last];
  auto from = synchronizes_with(e);
  // The latest first: a covered event brings nothing, as its clock is covered too.
  std::sort(from.begin(), from.end(), std::greater<>());
  for (EventIndex i : from)
    if (!ordered(i, clock)) clock.join(clocks_[i]);
  clock.set(self ? self->number : threads_.size(), (self ? self->events : 0) + 1);
  return clock;
}

void HappensBefore::append(const Event& e) {
  const EventIndex index = EventIndex(events_.size());
  ClockVector clock = clock_of_next(e);
  ThreadHistory& self = history_of_new(e.thread);
  if (may_read_atomically(e.kind)) {
    auto heads = heads_of_value(e.target);
    self.heads_read.insert(self.heads_read.end(), heads.begin(), heads.end());
  }
  switch (e.kind) {
  case EventKind::Fork:
    history_of_new(u32(e.target)).forked_by = index;
    break;
  case EventKind::Release:
    locks_[e.target].exclusive_releases.push_back(index);
    break;
  case EventKind::ReleaseShared:
    locks_[e.target].shared_releases.push_back(index);
    break;
  case EventKind::VolatileWrite:
    volatile_writes_[e.target].push_back(index);
    break;
  case EventKind::BarrierArrive:
    arrivals_[{e.target, e.extent}].push_back(index);
    break;
  case EventKind::AtomicStore:
  case EventKind::AtomicRmw:
    modification_order_[e.target].push_back({index, self.release_fence});
    break;
  case EventKind::Fence:
    if (has_release(e.order)) self.release_fence = index;
    if (has_acquire(e.order)) self.heads_read.clear();
    break;
  case EventKind::Alloc:
  case EventKind::Free: // the atomic objects there are gone
    modification_order_.erase(modification_order_.lower_bound(e.target),
                              modification_order_.lower_bound(e.target + e.extent));
    break;
  default:
    break;
  }
  thread_.push_back(self.number);
  position_.push_back(++self.events);
  self.last = index;
  clocks_.push_back(std::move(clock));
  events_.push_back(e);
}

} // namespace footrace::oracle
