#include "tests/property/compare.h"

#include "detectors/oracle/oracle.h"
#include "events/feasibility.h"
#include "events/text.h"

#include <algorithm>
#include <set>

namespace footrace::property {

using oracle::Race;

namespace {

std::string describe(const FoundByte& found) {
  static constexpr const char* kinds[] = {"read", "write", "atomic read", "atomic write"};
  return std::string("the previous ") + kinds[u8(found.previous_kind)] + " by T" +
         std::to_string(found.previous_thread);
}

bool may_be(const FoundByte& found, const Event& previous) {
  return found.previous_thread == previous.thread && found.previous_kind == access_kind_of(previous.kind);
}

// Compares the verdicts on event i. `raced` are the bytes that both have told before; `races` must be told, and of `allowed`, which holds
// them, may be.
std::optional<Difference> compare_event(const std::vector<Event>& trace, size_t i,
                                        const std::vector<Race>& races, const std::vector<Race>& allowed,
                                        const std::vector<FoundByte>& found, const std::set<u64>& raced) {
  for (const FoundByte& f : found) {
    if (raced.count(f.address)) continue;
    auto has_address = [&](const Race& r) { return r.address == f.address; };
    if (std::none_of(allowed.begin(), allowed.end(), has_address))
      return Difference{i, f.address, "false alarm: fasttrack names " + describe(f)};
    if (std::none_of(allowed.begin(), allowed.end(),
                     [&](const Race& r) { return has_address(r) && may_be(f, trace[r.previous]); }))
      return Difference{i, f.address, "wrong previous access: nothing that races here is " + describe(f)};
  }
  for (const Race& r : races)
    if (!raced.count(r.address) &&
        std::none_of(found.begin(), found.end(), [&](const FoundByte& f) { return f.address == r.address; }))
      return Difference{i, r.address,
                        "missed race with event " + std::to_string(r.previous) + ": " +
                            to_text(trace[r.previous])};
  return std::nullopt;
}

} // namespace

std::optional<Difference> compare(const std::vector<Event>& trace, Fault fault, Statistics* statistics) {
  oracle::Oracle oracle(oracle::Report::FirstPerByte);
  oracle::Oracle across_lives(oracle::Report::Every, oracle::Fresh::KeepsOrdered);
  FastTrackDriver fasttrack(fault);
  std::set<u64> raced;
  std::optional<size_t> first_race;
  std::optional<Difference> difference;
  for (size_t i = 0; i < trace.size() && !difference; ++i) {
    auto races = oracle.append(trace[i]);
    const auto& found = fasttrack.append(trace[i]);
    difference = compare_event(trace, i, races, across_lives.append(trace[i]), found, raced);
    for (const Race& r : races) raced.insert(r.address);
    for (const FoundByte& f : found) raced.insert(f.address);
    if (!races.empty() && !first_race) first_race = i;
    if (statistics) {
      ++statistics->kinds[u32(trace[i].kind)];
      statistics->accesses += has_access(trace[i].kind);
      for (size_t r = 0; r < races.size(); ++r)
        statistics->racy_bytes += !r || races[r].address != races[r - 1].address;
    }
    if (trace[i].kind == EventKind::Alloc)
      raced.erase(raced.lower_bound(trace[i].target), raced.lower_bound(trace[i].target + trace[i].extent));
  }
  if (statistics) {
    ++statistics->traces;
    statistics->events += trace.size();
    statistics->racy_traces += first_race.has_value();
    statistics->late_traces += first_race && *first_race >= trace.size() * 3 / 4;
    statistics->quick += fasttrack.quick();
    fasttrack.add_rule_counts(statistics->rules);
    fasttrack.add_transition_counts(statistics->transitions);
  }
  return difference;
}

// Delta debugging: leave out ever smaller stretches as long as the rest can happen and still differs.
std::vector<Event> shrink(std::vector<Event> trace, Fault fault) {
  auto differs = [&](const std::vector<Event>& candidate) {
    return first_infeasible(candidate).index == candidate.size() && compare(candidate, fault).has_value();
  };
  auto without_stretches = [&](size_t length) {
    bool any = false;
    for (size_t at = 0; at < trace.size();) {
      std::vector<Event> candidate(trace.begin(), trace.begin() + at);
      candidate.insert(candidate.end(), trace.begin() + min(at + length, trace.size()), trace.end());
      if (differs(candidate))
        trace = std::move(candidate), any = true;
      else
        at += length;
    }
    return any;
  };
  // Events that only make sense together: an acquire and its release, a barrier's arrival and its leave.
  auto without_pairs = [&] {
    bool any = false;
    for (size_t i = 0; i < trace.size(); ++i)
      for (size_t j = i + 1; j < trace.size() && i < trace.size();) {
        auto candidate = trace;
        candidate.erase(candidate.begin() + j);
        candidate.erase(candidate.begin() + i);
        if (differs(candidate))
          trace = std::move(candidate), any = true;
        else
          ++j;
      }
    return any;
  };
  auto with_narrow_ranges = [&] {
    bool any = false;
    for (size_t i = 0; i < trace.size(); ++i) {
      if (!has_range(trace[i].kind) || has_atomic_access(trace[i].kind)) continue;
      for (bool from_front : {false, true})
        for (u64 cut = trace[i].extent / 2; cut;) {
          auto candidate = trace;
          candidate[i].extent -= cut;
          if (from_front) candidate[i].target += cut;
          if (differs(candidate))
            trace = std::move(candidate), any = true;
          else
            cut /= 2;
          cut = min(cut, trace[i].extent - 1);
        }
    }
    return any;
  };
  if (auto difference = compare(trace, fault)) trace.resize(difference->event + 1);
  for (bool again = true; again;) {
    again = false;
    for (size_t length = max<size_t>(trace.size() / 2, 1); length; length /= 2)
      again |= without_stretches(length);
    again |= with_narrow_ranges();
    again |= without_pairs();
  }
  return trace;
}

} // namespace footrace::property
