#include "tests/replay/explorer.h"

#include <algorithm>
#include <map>
#include <optional>

namespace footrace::replay {
namespace {

constexpr int kNobody = -1;

bool is_read(EventKind k) { return k == EventKind::Read || may_read_atomically(k); }
bool is_write(EventKind k) { return may_write(k) || k == EventKind::Alloc; }

// Whose value each byte and each volatile variable has.
using Writers = std::map<u64, int>;
constexpr u64 kVolatiles = u64(1) << 32; // after all bytes

template <class Fn> void for_each_place(const Event& e, Fn fn) {
  if (e.kind == EventKind::VolatileRead || e.kind == EventKind::VolatileWrite)
    return fn(kVolatiles + e.target);
  if (has_range(e.kind))
    for (u64 address = e.target; address < e.target + e.extent; ++address) fn(address);
}
bool may_write_place(const Event& e) { return is_write(e.kind) || e.kind == EventKind::VolatileWrite; }
bool may_read_place(const Event& e) { return is_read(e.kind) || e.kind == EventKind::VolatileRead; }

class Explorer {
public:
  explicit Explorer(const std::vector<Event>& trace)
      : trace_(trace), read_(trace.size()), life_(trace.size()) {
    Writers writers;
    std::map<u64, int> lives;
    for (size_t i = 0; i < trace.size(); ++i) {
      const Event& e = trace[i];
      threads_[e.thread].push_back(i);
      for_each_place(e, [&](u64 place) {
        if (may_read_place(e)) read_[i].push_back(writer(writers, place));
        if (may_write_place(e)) writers[place] = int(i);
        lives[place] += e.kind == EventKind::Alloc;
        life_[i].push_back({place, lives[place]});
      });
    }
  }

  std::set<Pair> find_shb_races() const {
    std::vector<std::set<size_t>> before(trace_.size()); // of each event, itself included
    std::set<Pair> races;
    for (size_t i = 0; i < trace_.size(); ++i) {
      for (size_t j = 0; j < i; ++j)
        if (has_edge(j, i)) before[i].insert(before[j].begin(), before[j].end());
      for (size_t j = 0; j < i && !has_atomic_access(trace_[i].kind); ++j)
        if (!before[i].count(j) && may_race(j, i)) races.insert({j, i});
      for (int writer : read_[i])
        if (writer != kNobody) before[i].insert(before[size_t(writer)].begin(), before[size_t(writer)].end());
      before[i].insert(i);
    }
    return races;
  }

  std::set<Pair> run() {
    std::map<u32, size_t> start;
    for (const auto& [thread, events] : threads_) start[thread] = 0;
    visit(start, {});
    return races_;
  }

private:
  using Positions = std::map<u32, size_t>;

  // But for reads of what was written.
  bool has_edge(size_t from, size_t to) const {
    const Event &e = trace_[from], &f = trace_[to];
    if (e.thread == f.thread || (e.kind == EventKind::Fork && e.target == f.thread)) return true;
    switch (f.kind) {
    case EventKind::Join:
      return e.thread == f.target || (e.kind == EventKind::Fork && e.target == f.target);
    case EventKind::Acquire:
      return (e.kind == EventKind::Release || e.kind == EventKind::ReleaseShared) && e.target == f.target;
    case EventKind::AcquireShared:
      return e.kind == EventKind::Release && e.target == f.target;
    case EventKind::VolatileRead:
      return e.kind == EventKind::VolatileWrite && e.target == f.target;
    case EventKind::BarrierLeave:
      return e.kind == EventKind::BarrierArrive && e.target == f.target && e.extent == f.extent;
    default:
      return false;
    }
  }

  static int writer(const Writers& writers, u64 place) {
    const auto found = writers.find(place);
    return found == writers.end() ? kNobody : found->second;
  }
  bool is_done(const Positions& at, size_t event) const {
    const auto& events = threads_.at(trace_[event].thread);
    const size_t done = at.at(trace_[event].thread);
    return done && events[done - 1] >= event;
  }
  std::optional<size_t> next_of(const Positions& at, u32 thread) const {
    const auto& events = threads_.at(thread);
    if (at.at(thread) == events.size()) return std::nullopt;
    for (size_t i = 0; i < trace_.size(); ++i) // not before its fork
      if (trace_[i].kind == EventKind::Fork && trace_[i].target == thread && !is_done(at, i))
        return std::nullopt;
    return events[at.at(thread)];
  }

  // Everything but the values that are read.
  bool may_happen(const Positions& at, size_t event) const {
    const Event& e = trace_[event];
    for (size_t i = 0; i < trace_.size(); ++i) {
      const Event& other = trace_[i];
      if (e.kind == EventKind::Join && other.thread == e.target && !is_done(at, i)) return false;
      if (e.kind == EventKind::Join && other.kind == EventKind::Fork && other.target == e.target &&
          !is_done(at, i))
        return false;
      if (e.kind == EventKind::BarrierLeave && other.kind == EventKind::BarrierArrive &&
          other.target == e.target && other.extent == e.extent && !is_done(at, i))
        return false;
    }
    return (e.kind != EventKind::Acquire && e.kind != EventKind::AcquireShared) || may_acquire(at, event);
  }

  bool may_acquire(const Positions& at, size_t event) const {
    const Event& e = trace_[event];
    std::map<u32, int> holders; // by thread: sections that exclude this one
    for (size_t i = 0; i < trace_.size(); ++i) {
      const Event& other = trace_[i];
      if (operands_of(other.kind) != Operands::Lock || other.target != e.target || !is_done(at, i)) continue;
      const bool excludes = e.kind == EventKind::Acquire || other.kind == EventKind::Acquire ||
                            other.kind == EventKind::Release;
      if (!excludes) continue;
      const bool is_acquire = other.kind == EventKind::Acquire || other.kind == EventKind::AcquireShared;
      if (is_acquire && i > event) return false; // the order of sections
      holders[other.thread] += is_acquire ? 1 : -1;
    }
    return std::all_of(holders.begin(), holders.end(), [](const auto& h) { return h.second == 0; });
  }

  bool reads_the_same(const Writers& writers, size_t event) const {
    if (!may_read_place(trace_[event])) return true;
    size_t k = 0;
    bool same = true;
    for_each_place(trace_[event], [&](u64 place) { same &= writer(writers, place) == read_[event][k++]; });
    return same;
  }

  bool may_race(size_t a, size_t b) const {
    const Event &e = trace_[a], &f = trace_[b];
    if (!has_access(e.kind) || !has_access(f.kind) || e.thread == f.thread) return false;
    if (!(footrace::may_write(e.kind) || footrace::may_write(f.kind)) ||
        (has_atomic_access(e.kind) && has_atomic_access(f.kind)))
      return false;
    return std::any_of(life_[a].begin(), life_[a].end(), [&](const auto& place) {
      return std::find(life_[b].begin(), life_[b].end(), place) != life_[b].end();
    });
  }

  void visit(const Positions& at, const Writers& writers) {
    if (!visited_.insert({at, writers}).second) return;
    std::vector<size_t> next;
    for (const auto& [thread, done] : at)
      if (const auto event = next_of(at, thread)) next.push_back(*event);
    for (size_t a : next)
      for (size_t b : next)
        if (a < b && may_race(a, b)) races_.insert({a, b});
    for (size_t event : next) {
      if (!may_happen(at, event) || !reads_the_same(writers, event)) continue;
      Positions later = at;
      Writers values = writers;
      ++later[trace_[event].thread];
      if (may_write_place(trace_[event]))
        for_each_place(trace_[event], [&](u64 place) { values[place] = int(event); });
      visit(later, values);
    }
  }

  const std::vector<Event>& trace_;
  std::map<u32, std::vector<size_t>> threads_;
  std::vector<std::vector<int>> read_;                 // by event: the writers, place by place
  std::vector<std::vector<std::pair<u64, int>>> life_; // by event: places and their lives
  std::set<std::pair<Positions, Writers>> visited_;
  std::set<Pair> races_;
};

} // namespace

std::set<Pair> explore_races(const std::vector<Event>& trace) { return Explorer(trace).run(); }
std::set<Pair> find_shb_races(const std::vector<Event>& trace) { return Explorer(trace).find_shb_races(); }

} // namespace footrace::replay
