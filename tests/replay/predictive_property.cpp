// Predicted races against an explorer of all reorderings (explorer.h), on small random traces:
//   SHB    every pair that it reports is a race of some reordering, and it reports what its definition promises
//   SyncP  every pair is a race of some reordering, and where a pair of an access with one thread's accesses of one kind is a race, it reports one
#include "detectors/all.h"
#include "events/text.h"
#include "tests/replay/explorer.h"
#include "tests/replay/small_traces.h"

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <map>
#include <string>

namespace footrace::replay {
namespace {

using namespace detectors;

struct Statistics {
  u64 races = 0, shb = 0, syncp = 0, beyond_shb = 0;
};

// What is reported of one access, by the earlier thread and kind.
using Reports = std::map<std::pair<u32, AccessKind>, Previous>;

Reports reports_of(Detector& detector, const Event& e) {
  Verdict verdict;
  detector.step(e, verdict);
  Reports reports;
  for (const Warning& w : verdict.warnings) reports[{w.previous.thread, w.previous.kind}] = w.previous;
  return reports;
}

class Comparison {
public:
  explicit Comparison(const std::vector<Event>& trace)
      : trace_(trace), races_(explore_races(trace)), shb_(find_shb_races(trace)) {}

  std::string run(Statistics& statistics) {
    auto shb = find_detector("SHB")->make({}), syncp = find_detector("SyncP")->make({});
    statistics.races += races_.size();
    for (size_t i = 0; i < trace_.size(); ++i) {
      const Reports by_shb = reports_of(*shb, trace_[i]), by_syncp = reports_of(*syncp, trace_[i]);
      statistics.shb += by_shb.size(), statistics.syncp += by_syncp.size();
      for (const auto& [who, previous] : by_shb) {
        if (!has_race(i, who)) return tell(i, who, "SHB reports what no reordering makes happen");
        if (!by_syncp.count(who)) return tell(i, who, "SHB reports what SyncP does not");
      }
      for (const Pair& race : shb_)
        if (!is_mixed_ && race.second == i && !by_shb.count(who_of(race.first)))
          return tell(i, who_of(race.first), "SHB misses a race");
      for (const auto& [who, previous] : by_syncp) {
        if (!races_.count({previous.event, i}))
          return tell(i, who, "SyncP reports what no reordering makes happen");
        statistics.beyond_shb += !by_shb.count(who);
      }
      for (const Pair& race : races_)
        if (race.second == i && !by_syncp.count(who_of(race.first)))
          return tell(i, who_of(race.first), "SyncP misses a race");
    }
    return "";
  }

private:
  std::pair<u32, AccessKind> who_of(size_t event) const {
    return {trace_[event].thread, kind_of(trace_[event].kind)};
  }
  bool has_race(size_t i, std::pair<u32, AccessKind> who) const {
    for (const Pair& race : races_)
      if (race.second == i && who_of(race.first) == who) return true;
    return false;
  }
  std::string tell(size_t i, std::pair<u32, AccessKind> who, const char* what) const {
    return std::string(what) + ": event " + std::to_string(i) + " (" + to_text(trace_[i]) + ") with T" +
           std::to_string(who.first) + ", kind " + std::to_string(u32(who.second));
  }
  const std::vector<Event>& trace_;
  const std::set<Pair> races_, shb_;
  const bool is_mixed_ = std::any_of(trace_.begin(), trace_.end(), [](const Event& e) {
    return has_range(e.kind) && !has_atomic_access(e.kind) && e.kind != EventKind::Read &&
           e.target + e.extent > kAtomic;
  });
};

} // namespace
} // namespace footrace::replay

int main(int argc, char** argv) {
  using namespace footrace::replay;
  const footrace::u64 traces =
      argc == 3 && std::string(argv[1]) == "--traces" ? std::strtoull(argv[2], nullptr, 0) : 0;
  if (!traces) return std::fprintf(stderr, "usage: predictive_property --traces N\n"), 2;
  Statistics s;
  for (footrace::u64 seed = 1; seed <= traces; ++seed) {
    const auto trace = small_trace(seed, Blocks::None);
    if (const auto what = Comparison(trace).run(s); !what.empty())
      return std::printf("FAILED: seed %llu: %s\n%s", (unsigned long long)seed, what.c_str(),
                         footrace::to_text(trace).c_str()),
             1;
  }
  std::printf("%llu traces; pairs: %llu races of reorderings; reports: SHB %llu, SyncP %llu, of which %llu "
              "beyond SHB\n",
              (unsigned long long)traces, (unsigned long long)s.races, (unsigned long long)s.shb,
              (unsigned long long)s.syncp, (unsigned long long)s.beyond_shb);
  if (s.shb && s.beyond_shb) return 0;
  return std::printf("FAILED: no race, or none beyond SHB: this proves nothing\n"), 1;
}
