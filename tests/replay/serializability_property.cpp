// Velodrome against the definition of serialisability on small random traces: it reports a block exactly when the conflicts of the
// transactions so far have their first cycle.
#include "detectors/all.h"
#include "events/text.h"
#include "tests/replay/small_traces.h"

#include <cstdio>
#include <cstdlib>
#include <map>
#include <set>
#include <string>

namespace footrace::replay {
namespace {

using namespace detectors;

bool touches_volatile(const Event& e) { return operands_of(e.kind) == Operands::Var; }

// Of steps of two threads, the first one before the second; `lives`: allocations of each byte before each event.
bool may_order(const std::vector<Event>& trace, const std::vector<std::map<u64, int>>& lives, size_t i,
               size_t j) {
  const Event &e = trace[i], &f = trace[j];
  if (e.thread == f.thread || (e.kind == EventKind::Fork && e.target == f.thread)) return true;
  const bool same_target = e.target == f.target;
  switch (f.kind) {
  case EventKind::Acquire:
    return same_target && (e.kind == EventKind::Release || e.kind == EventKind::ReleaseShared);
  case EventKind::AcquireShared:
    return same_target && e.kind == EventKind::Release;
  case EventKind::Join:
    return e.thread == f.target || (e.kind == EventKind::Fork && same_target);
  case EventKind::BarrierLeave:
    return e.kind == EventKind::BarrierArrive && same_target && e.extent == f.extent;
  default:
    break;
  }
  if (touches_volatile(e) && touches_volatile(f))
    return same_target && (e.kind == EventKind::VolatileWrite || f.kind == EventKind::VolatileWrite);
  if (!has_access(e.kind) || !has_access(f.kind)) return false;
  if (!footrace::may_write(e.kind) && !footrace::may_write(f.kind)) return false;
  for (u64 address = f.target; address < f.target + f.extent; ++address)
    if (address - e.target < e.extent && lives[i].at(address) == lives[j].at(address)) return true;
  return false;
}

// The event with which the transactions get their first cycle; the trace's size if they have none.
size_t first_cycle(const std::vector<Event>& trace) {
  std::vector<size_t> transaction(trace.size()); // the number of its first event
  std::vector<std::map<u64, int>> lives(trace.size());
  std::map<u32, std::pair<int, size_t>> open; // by thread: depth and first event
  std::map<u64, int> life;
  for (u64 address = 0; address < 8; ++address) life[address] = 0;
  std::map<size_t, std::set<size_t>> reaches; // transitive
  for (size_t j = 0; j < trace.size(); ++j) {
    auto& [depth, first] = open[trace[j].thread];
    if (trace[j].kind == EventKind::Begin && !depth++) first = j;
    transaction[j] = depth ? first : j;
    if (trace[j].kind == EventKind::End) --depth;
    if (trace[j].kind == EventKind::Alloc)
      for (u64 a = 0; a < trace[j].extent; ++a) ++life[trace[j].target + a];
    lives[j] = life;
    for (size_t i = 0; i < j; ++i) {
      if (transaction[i] == transaction[j] || !may_order(trace, lives, i, j)) continue;
      std::set<size_t> targets = reaches[transaction[j]];
      targets.insert(transaction[j]);
      if (targets.count(transaction[i])) return j;
      for (auto& [from, to] : reaches)
        if (from == transaction[i] || to.count(transaction[i])) to.insert(targets.begin(), targets.end());
      reaches[transaction[i]].insert(targets.begin(), targets.end());
    }
  }
  return trace.size();
}

// The event at which Velodrome first reports a block.
size_t first_report(const std::vector<Event>& trace) {
  auto velodrome = find_checker("Velodrome")->make();
  std::vector<Violation> violations;
  for (size_t i = 0; i < trace.size(); ++i) {
    velodrome->step(trace[i], i, violations);
    if (!violations.empty()) return i;
  }
  return trace.size();
}

} // namespace
} // namespace footrace::replay

int main(int argc, char** argv) {
  using namespace footrace::replay;
  const footrace::u64 traces =
      argc == 3 && std::string(argv[1]) == "--traces" ? std::strtoull(argv[2], nullptr, 0) : 0;
  if (!traces) return std::fprintf(stderr, "usage: serializability_property --traces N\n"), 2;
  footrace::u64 found = 0;
  for (footrace::u64 seed = 1; seed <= traces; ++seed) {
    const auto trace = small_trace(seed, Blocks::Some);
    const size_t defined = first_cycle(trace), reported = first_report(trace);
    found += defined != trace.size();
    if (defined == reported) continue;
    std::printf("FAILED: seed %llu: the first cycle is at event %zu, and reported at %zu of %zu\n%s",
                (unsigned long long)seed, defined, reported, trace.size(), footrace::to_text(trace).c_str());
    return 1;
  }
  std::printf("%llu traces, %llu not serialisable\n", (unsigned long long)traces, (unsigned long long)found);
  if (found && found < traces) return 0;
  return std::printf("FAILED: this proves nothing\n"), 1;
}
