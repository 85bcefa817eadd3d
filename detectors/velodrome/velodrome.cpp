#include "detectors/velodrome/velodrome.h"

namespace footrace::detectors {
namespace {

bool may_read(EventKind k) { return k == EventKind::Read || may_read_atomically(k); }

} // namespace

Velodrome::Thread& Velodrome::thread(Tid t) {
  if (t >= threads_.size()) threads_.resize(t + 1);
  return threads_[t];
}

void Velodrome::set_reader(std::vector<Reader>& readers, Tid t, Ref read) {
  for (Reader& r : readers)
    if (r.t == t) {
      r.read = read;
      return;
    }
  readers.push_back({t, read});
}

// What the step comes after: the transactions that it conflicts with.
void Velodrome::gather(const Event& e, Tid t) {
  const auto add = [&](Ref r) {
    if (graph_.is_alive(r)) before_.push_back(r);
  };
  const auto add_all = [&](const std::vector<Reader>& readers) {
    for (const Reader& r : readers) add(r.read);
  };
  const auto add_state = [&](const State& x, bool is_write) {
    add(x.write);
    if (is_write) add_all(x.readers);
  };
  switch (e.kind) {
  case EventKind::Acquire:
    add(locks_[e.target].released), add_all(locks_[e.target].shared);
    break;
  case EventKind::AcquireShared:
    add(locks_[e.target].released);
    break;
  case EventKind::Join:
    add(thread(names_.tid(u32(e.target))).last);
    break;
  case EventKind::VolatileRead:
  case EventKind::VolatileWrite:
    add_state(volatiles_[e.target], e.kind == EventKind::VolatileWrite);
    break;
  case EventKind::BarrierLeave:
    for (Ref arrival : barriers_[{e.target, e.extent}].arrivals) add(arrival);
    break;
  default:
    if (has_access(e.kind))
      memory_.for_each(e.target, e.extent,
                       [&](State& x, const Bytes&) { add_state(x, may_write(kind_of(e.kind))); });
  }
  add(threads_[t].last);
}

void Velodrome::order(Ref from, Ref to, std::vector<Violation>& violations) {
  std::vector<Ref> cycle;
  if (graph_.order(from, to, cycle)) return;
  for (Ref r : cycle) { // begins with `to`, the current one
    if (!graph_[r].is_block) continue;
    if (graph_[r].is_reported) return;
    graph_.set_reported(r);
    violations.push_back({true, graph_[r].begin, graph_[r].begin_index,
                          "Steps of other threads come after a part of it and before another part"});
    return;
  }
}

// The transaction that the step belongs to. Outside of blocks: none if nothing that can be in a cycle comes before it, the thread's last
// one if that is all that does.
Velodrome::Ref Velodrome::transaction_for(Thread& t, const Event& e, u64 index,
                                          std::vector<Violation>& violations) {
  if (t.depth) {
    for (Ref from : before_) order(from, t.current, violations);
    return t.current;
  }
  const bool may_merge = !graph_.is_alive(t.last) || !graph_[t.last].is_block;
  bool is_last_only = may_merge;
  for (Ref from : before_) is_last_only &= from == t.last;
  if (is_last_only) {
    ++merged_;
    return graph_.is_alive(t.last) ? t.last : Ref();
  }
  ++transactions_;
  const Ref own = graph_.add(false, e, index);
  for (Ref from : before_) order(from, own, violations);
  t.last = own;
  return own;
}

void Velodrome::begin(Thread& t, const Event& e, u64 index, std::vector<Violation>& violations) {
  if (t.depth++) return;
  ++transactions_;
  t.current = graph_.add(true, e, index);
  order(t.last, t.current, violations);
  t.last = t.current;
}

void Velodrome::end(Thread& t) {
  if (!t.depth || --t.depth) return;
  graph_.close(t.current);
  t.current = Ref();
}

// What comes after the step, when it comes.
void Velodrome::record(const Event& e, Tid t, Ref own) {
  switch (e.kind) {
  case EventKind::Release:
    locks_[e.target].released = own;
    locks_[e.target].shared.clear();
    return;
  case EventKind::ReleaseShared:
    return set_reader(locks_[e.target].shared, t, own);
  case EventKind::Fork:
    thread(names_.tid(u32(e.target))).last = own;
    return;
  case EventKind::VolatileRead:
    return set_reader(volatiles_[e.target].readers, t, own);
  case EventKind::VolatileWrite:
    volatiles_[e.target].write = own;
    volatiles_[e.target].readers.clear();
    return;
  case EventKind::BarrierArrive:
    barriers_[{e.target, e.extent}].arrivals.push_back(own);
    ++barriers_[{e.target, e.extent}].inside;
    return;
  case EventKind::BarrierLeave:
    if (auto barrier = barriers_.find({e.target, e.extent}); barrier->second.inside < 2)
      barriers_.erase(barrier);
    else
      --barrier->second.inside;
    return;
  default:
    break;
  }
  if (!has_access(e.kind)) return;
  memory_.for_each(e.target, e.extent, [&](State& x, const Bytes&) {
    if (may_write(kind_of(e.kind))) x.write = own, x.readers.clear();
    if (may_read(e.kind)) set_reader(x.readers, t, own);
  });
}

void Velodrome::step(const Event& e, u64 index, std::vector<Violation>& violations) {
  const Tid t = names_.tid(e.thread);
  thread(t);
  if (e.kind == EventKind::Fork || e.kind == EventKind::Join)
    thread(names_.tid(u32(e.target))); // may move threads_
  if (e.kind == EventKind::Begin) return begin(threads_[t], e, index, violations);
  if (e.kind == EventKind::End) return end(threads_[t]);
  if (e.kind == EventKind::Alloc) return memory_.reset(e.target, e.extent);
  before_.clear();
  gather(e, t);
  const Ref own = transaction_for(threads_[t], e, index, violations);
  record(e, t, own);
  if (!threads_[t].depth) graph_.close(own);
}

Cost Velodrome::cost() const {
  return {0,
          0,
          memory_.memory() + graph_.memory(),
          {{"transaction", transactions_},
           {"merge", merged_},
           {"edge", graph_.edges()},
           {"collected", graph_.collected()}}};
}

} // namespace footrace::detectors
