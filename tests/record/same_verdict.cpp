// Whether a recorded run and its trace say the same: the oracle finds races in the trace if and only if the runtime has reported some, and what the runtime has
// reported is among them, byte and threads. There the oracle also knows what was ordered before an allocation (Fresh::KeepsOrdered), as the runtime may.
//   same_verdict TRACE FINDINGS [MOST_EVENTS]
#include "detectors/oracle/oracle.h"
#include "events/feasibility.h"
#include "events/text.h"
#include "events/trace_reader.h"
#include "findings/json.h"

#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <map>
#include <set>

using namespace footrace;

namespace {

constexpr int kSame = 0, kDiffers = 1, kUsage = 2, kSkipped = 77;

// The oracle looks at every byte: of an allocation, only those count that are accessed. (Whole stacks begin and end their lives with threads.)
std::vector<Event> without_unused_bytes(const std::vector<Event>& trace, u64& bytes) {
  std::map<u64, u64> used; // begin -> end, apart from each other
  for (const Event& e : trace) {
    if (!has_access(e.kind) || e.kind == EventKind::Free) continue;
    u64 begin = e.target, end = e.target + e.extent;
    auto at = used.upper_bound(begin);
    if (at != used.begin() && std::prev(at)->second >= begin) --at;
    for (; at != used.end() && at->first <= end; at = used.erase(at))
      begin = min(begin, at->first), end = max(end, at->second);
    used[begin] = end;
  }
  std::vector<Event> result;
  for (const Event& e : trace) {
    if (e.kind != EventKind::Alloc && e.kind != EventKind::Free) {
      result.push_back(e);
      bytes += has_range(e.kind) ? e.extent : 0;
      continue;
    }
    auto at = used.upper_bound(e.target);
    if (at != used.begin() && std::prev(at)->second > e.target) --at;
    for (; at != used.end() && at->first < e.target + e.extent; ++at) {
      Event part = e;
      part.target = max(e.target, at->first);
      part.extent = min(e.target + e.extent, at->second) - part.target;
      result.push_back(part);
      bytes += part.extent;
    }
  }
  return result;
}

using Threads = std::pair<u32, u32>;
using Races = std::map<u64, std::set<Threads>>; // by byte
Races races_of(const std::vector<Event>& trace, oracle::Fresh fresh) {
  Races races;
  oracle::Oracle oracle(oracle::Report::Every, fresh);
  for (const Event& e : trace)
    for (const oracle::Race& race : oracle.append(e)) {
      const u32 a = e.thread, b = trace[race.previous].thread;
      races[race.address].insert({min(a, b), max(a, b)});
    }
  return races;
}

bool confirms(const Races& races, const findings::Finding& finding) {
  if (finding.accesses.size() < 2) return false;
  const findings::Access &a = finding.accesses[0], &b = finding.accesses[1];
  if (!a.address || !a.thread || !b.thread) return false;
  for (u64 byte = *a.address; byte < *a.address + a.size; ++byte) {
    auto found = races.find(byte);
    if (found != races.end() &&
        found->second.contains({min(*a.thread, *b.thread), max(*a.thread, *b.thread)}))
      return true;
  }
  return false;
}

} // namespace

int main(int argc, char** argv) {
  if (argc < 3) return fprintf(stderr, "usage: same_verdict TRACE FINDINGS [MOST_EVENTS]\n"), kUsage;
  const u64 most = argc > 3 ? strtoull(argv[3], nullptr, 0) : 20'000;
  std::string why;
  auto bytes = open_trace_file(argv[1], why);
  if (!bytes) return fprintf(stderr, "%s\n", why.c_str()), kUsage;
  TraceReader reader(std::move(bytes), argv[1]);
  std::vector<Event> trace;
  Feasibility feasibility;
  for (Event e; reader.next(e);) {
    if (trace.size() == most) return printf("more than %llu events\n", (unsigned long long)most), kSkipped;
    if (why = feasibility.why_not(e); !why.empty())
      return printf("event %zu, %s, cannot happen: %s\n", trace.size(), to_text(e).c_str(), why.c_str()),
             kDiffers;
    feasibility.append(e);
    trace.push_back(e);
  }
  if (reader.error()) return printf("%s\n", reader.error()->reason.c_str()), kDiffers;
  if (!reader.unfinished().empty()) return printf("unfinished: %s\n", reader.unfinished().c_str()), kDiffers;

  constexpr u64 kMostBytes = 5'000'000;
  u64 looks = 0;
  trace = without_unused_bytes(trace, looks);
  if (looks > kMostBytes) return printf("accesses of %llu bytes\n", (unsigned long long)looks), kSkipped;

  findings::ReadResult reported;
  if (std::filesystem::exists(argv[2])) reported = findings::read_findings(argv[2]);
  const Races races = races_of(trace, oracle::Fresh::Forgets),
              possible = races_of(trace, oracle::Fresh::KeepsOrdered);
  int differences = 0;
  for (const findings::Finding& finding : reported.findings) {
    if (finding.rule != "data-race" || confirms(possible, finding)) continue;
    printf("reported, and not in the trace: %s\n", finding.summary.c_str());
    ++differences;
  }
  if (!races.empty() && reported.findings.empty()) {
    const auto& [byte, threads] = *races.begin();
    printf("in the trace, and not reported: byte 0x%llx by T%u and T%u\n", (unsigned long long)byte,
           threads.begin()->first, threads.begin()->second);
    ++differences;
  }
  printf("%zu events, %zu findings, %zu racing bytes\n", trace.size(), reported.findings.size(),
         races.size());
  return differences ? kDiffers : kSame;
}
