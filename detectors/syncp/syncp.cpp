#include "detectors/syncp/syncp.h"

namespace footrace::detectors {

size_t& SyncP::History::done_for(Tid by) {
  for (Progress& p : progress)
    if (p.t == by) return p.done;
  progress.push_back({by, 0});
  return progress.back().done;
}

u64 SyncP::State::bytes() const {
  u64 sum = histories.capacity() * sizeof(History);
  for (const History& h : histories)
    sum += h.accesses.capacity() * sizeof(Access) + h.progress.capacity() * sizeof(Progress);
  return sum;
}

SyncP::Thread& SyncP::thread(Tid t) {
  if (t >= threads_.size()) threads_.resize(t + 1);
  return threads_[t];
}

// Whoever has an event has all that comes before it.
void SyncP::learn(Tid t, const Stamp& what) {
  Thread& self = threads_[t];
  if (what.t == t || (what.own && self.others && self.others->get(what.t) >= what.own)) return;
  if (!what.own && !what.others) return;
  auto others = std::make_shared<Clock>();
  if (self.others) others->copy(*self.others, counts_);
  if (what.others) others->join(*what.others, counts_);
  if (what.own) others->set(what.t, what.own, counts_);
  self.others = std::move(others);
}

// A read of what was written.
void SyncP::learn_writes(const Event& e, Tid t) {
  memory_.for_each(e.target, e.extent, [&](State& x, const Bytes& bytes) {
    if (x.last_write.own) return learn(t, x.last_write);
    bytes.for_each_run([&](u64 address, u64 size) {
      for (u64 at = address; at < address + size; ++at)
        if (const Stamp* allocation = allocations_.find(at)) learn(t, *allocation);
    });
  });
}

// Stamps of all but accesses.
void SyncP::synchronize(const Event& e, Tid t) {
  const u64 local = threads_[t].events;
  switch (e.kind) {
  case EventKind::Acquire:
  case EventKind::AcquireShared:
    locks_[e.target].acquire(t, e.kind == EventKind::AcquireShared, local, events_);
    break;
  case EventKind::Release:
  case EventKind::ReleaseShared:
    locks_[e.target].release(t, e.kind == EventKind::ReleaseShared, stamp(t));
    break;
  case EventKind::Fork: {
    const Tid u = names_.tid(u32(e.target));
    thread(u);
    learn(u, stamp(t));
    break;
  }
  case EventKind::Join: {
    const Tid u = names_.tid(u32(e.target));
    thread(u);
    learn(t, stamp(u)); // of its fork, if it did nothing
    break;
  }
  case EventKind::VolatileRead:
    if (const auto write = volatiles_.find(e.target); write != volatiles_.end()) learn(t, write->second);
    break;
  case EventKind::VolatileWrite:
    volatiles_[e.target] = stamp(t);
    break;
  case EventKind::BarrierArrive: {
    Barrier& barrier = barriers_[{e.target, e.extent}];
    barrier.arrivals.push_back(stamp(t));
    ++barrier.inside;
    break;
  }
  case EventKind::BarrierLeave:
    if (const auto barrier = barriers_.find({e.target, e.extent}); barrier != barriers_.end()) {
      for (const Stamp& arrival : barrier->second.arrivals) learn(t, arrival);
      if (--barrier->second.inside == 0) barriers_.erase(barrier);
    }
    break;
  default:
    break;
  }
}

bool SyncP::is_race(const Stamp& before, Tid u, const Access& earlier) {
  ++checks_;
  syncp::Ideal ideal(before, counts_);
  ideal.add({u, earlier.local - 1, earlier.others});
  for (bool grew = true; grew && !ideal.has(u, earlier.local);) {
    grew = false;
    ++closures_;
    for (const auto& [m, lock] : locks_) grew |= lock.close(ideal);
  }
  return !ideal.has(u, earlier.local) && !ideal.has(before.t, before.own + 1);
}

void SyncP::check(State& x, Tid t, AccessKind kind, const Stamp& before, const Bytes& bytes,
                  Verdict& verdict) {
  for (History& h : x.histories) {
    if (h.t == t || !may_conflict(h.kind, kind)) continue;
    size_t& done = h.done_for(t);
    while (done < h.accesses.size() && !is_race(before, h.t, h.accesses[done])) ++done;
    if (done == h.accesses.size()) continue;
    Previous previous = Previous::of(names_.thread(h.t), h.kind);
    previous.event = h.accesses[done].event;
    bytes.for_each_run([&](u64 address, u64 size) { verdict.warn(address, size, previous); });
  }
}

void SyncP::remember(State& x, Tid t, AccessKind kind, const Stamp& before) {
  History* mine = nullptr;
  for (History& h : x.histories)
    if (h.t == t && h.kind == kind) mine = &h;
  if (!mine) mine = &x.histories.emplace_back(History{t, kind, ~u64(0), {}, {}});
  const u64 published = threads_[t].published;
  const bool is_repeated = mine->published == published && mine->accesses.back().others == before.others;
  mine->published = published;
  if (!is_repeated) mine->accesses.push_back({events_, before.own + 1, before.others});
}

void SyncP::step(const Event& e, Verdict& verdict) {
  const Tid t = names_.tid(e.thread);
  Thread& self = thread(t);
  const Stamp before = stamp(t);
  ++self.events;
  if (e.kind == EventKind::Alloc) {
    memory_.reset(e.target, e.extent);
    allocations_.set(e.target, e.extent, stamp(t));
  } else if (has_access(e.kind)) {
    const AccessKind kind = kind_of(e.kind);
    memory_.for_each(e.target, e.extent, [&](State& x, const Bytes& bytes) {
      check(x, t, kind, before, bytes, verdict);
      remember(x, t, kind, before);
    });
    if (may_read(e.kind)) learn_writes(e, t);
    if (may_write(kind))
      memory_.for_each(e.target, e.extent, [&](State& x, const Bytes&) { x.last_write = stamp(t); });
  } else {
    synchronize(e, t);
  }
  if (e.kind != EventKind::Read) ++threads_[t].published;
  ++events_;
}

Cost SyncP::cost() const {
  u64 bytes = memory_.memory() + threads_.capacity() * sizeof(Thread);
  for (const auto& [m, lock] : locks_) bytes += sizeof lock + lock.memory();
  return {counts_.allocated, counts_.operations, bytes, {{"check", checks_}, {"closure", closures_}}};
}

} // namespace footrace::detectors
