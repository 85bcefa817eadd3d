// The numbers are those of the rules in feasibility.h.
#include "events/feasibility.h"

namespace footrace {
namespace {

bool may_have_order(EventKind kind, MemoryOrder order) {
  switch (kind) {
  case EventKind::AtomicLoad:
  case EventKind::AtomicCasFail:
    return order != MemoryOrder::Release && order != MemoryOrder::AcqRel;
  case EventKind::AtomicStore:
    return order == MemoryOrder::Relaxed || order == MemoryOrder::Release || order == MemoryOrder::SeqCst;
  default:
    return true;
  }
}

} // namespace

const Feasibility::ThreadLife* Feasibility::life_of(u64 thread) const {
  auto found = threads_.find(thread);
  return found == threads_.end() ? nullptr : &found->second;
}

std::string Feasibility::why_not_lock(const Event& e) const { // (1) (2)
  static const LockHolders nobody;
  auto found = locks_.find(e.target);
  const LockHolders& lock = found == locks_.end() ? nobody : found->second;
  switch (e.kind) {
  case EventKind::Acquire:
    return lock.held || !lock.shared.empty() ? "the lock is held" : "";
  case EventKind::AcquireShared:
    if (lock.held) return "the lock is held exclusively";
    return lock.shared.count(e.thread) ? "the thread already holds the lock" : "";
  case EventKind::Release:
    return lock.held && lock.owner == e.thread ? "" : "the thread does not hold the lock";
  default:
    return lock.shared.count(e.thread) ? "" : "the thread does not hold the lock in shared mode";
  }
}

std::string Feasibility::why_not_thread(const Event& e) const { // (3) (4)
  const ThreadLife* other = life_of(e.target);
  if (e.target == e.thread) return "a thread cannot fork or join itself";
  if (e.kind == EventKind::Fork) return other ? "the thread exists already" : "";
  if (!other) return "the joined thread never existed";
  return other->waiting ? "the joined thread waits at a barrier" : "";
}

std::string Feasibility::why_not(const Event& e) const {
  const ThreadLife* self = life_of(e.thread);
  if (self && self->ended) return "the thread has ended";
  if (self && self->waiting &&
      !(e.kind == EventKind::BarrierLeave && e.target == self->barrier && e.extent == self->generation))
    return "the thread waits at a barrier";
  if (has_order(e.kind) && !may_have_order(e.kind, e.order)) return "C++20 forbids this memory order here";
  switch (operands_of(e.kind)) {
  case Operands::Range:
  case Operands::Atomic:
    return e.extent ? "" : "the range is empty";
  case Operands::Lock:
    return why_not_lock(e);
  case Operands::Thread:
    return why_not_thread(e);
  case Operands::Barrier: // (5)
    if (e.kind == EventKind::BarrierLeave) return self && self->waiting ? "" : "the thread has not arrived";
    return left_.count({e.target, e.extent}) ? "this generation has been left already" : "";
  case Operands::Block: // (7)
    return e.kind == EventKind::Begin || (self && self->open_blocks) ? "" : "no atomic block is open";
  default:
    return "";
  }
}

void Feasibility::append(const Event& e) {
  ThreadLife& self = threads_[e.thread];
  switch (e.kind) {
  case EventKind::Acquire:
    locks_[e.target].held = true, locks_[e.target].owner = e.thread;
    break;
  case EventKind::Release:
    locks_[e.target].held = false;
    break;
  case EventKind::AcquireShared:
    locks_[e.target].shared.insert(e.thread);
    break;
  case EventKind::ReleaseShared:
    locks_[e.target].shared.erase(e.thread);
    break;
  case EventKind::Exit:
    self.ended = true;
    break;
  case EventKind::BarrierArrive:
    self.waiting = true, self.barrier = e.target, self.generation = e.extent;
    break;
  case EventKind::BarrierLeave:
    self.waiting = false, left_.insert({e.target, e.extent});
    break;
  case EventKind::Fork:
    threads_[e.target];
    break; // exists from here on
  case EventKind::Join:
    threads_[e.target].ended = true;
    break;
  case EventKind::Begin:
    ++self.open_blocks;
    break;
  case EventKind::End:
    --self.open_blocks;
    break;
  default:
    break;
  }
}

InfeasibleEvent first_infeasible(const std::vector<Event>& trace) {
  Feasibility state;
  for (size_t i = 0; i < trace.size(); ++i) {
    if (auto why = state.why_not(trace[i]); !why.empty()) return {i, why};
    state.append(trace[i]);
  }
  return {trace.size(), ""};
}

} // namespace footrace
