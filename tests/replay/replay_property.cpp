// The detectors of traces and the oracle agree on every random trace, byte by byte:
//   precise     at each event, the bytes that it warns of are those that race for the first time in their life, and the previous access that it names is one that races
//   SlimState   defers its checks, so: in each life of a byte it warns of it once if it races, else never, and the two accesses that it names race
//   MultiRace   what it warns of races
#include "detectors/all.h"
#include "detectors/oracle/oracle.h"
#include "events/feasibility.h"
#include "events/text.h"
#include "tests/property/generator.h"

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <map>
#include <set>
#include <sstream>

namespace footrace::replay {
namespace {

using namespace detectors;

constexpr const char* kUsage =
    "usage: replay_property [--traces N] [--seed S] [--detector NAME] [--replay FILE]\n"
    "  --traces N       how many random traces (300000)\n"
    "  --seed S         of the first; trace i has the seed S+i (1)\n"
    "  --detector NAME  only this one\n"
    "  --replay FILE    compare on the trace in FILE (docs/events.md)\n"
    "exit code: 0 equal verdicts, 1 a difference, 2 usage\n";

struct Subject {
  const Description* description;
  bool must_find_all;
};

bool is_slim(const Description& d) { return std::string_view(d.name) == "SlimState"; }

std::vector<Subject> subjects(const std::string& only) {
  std::vector<Subject> all;
  for (const Description& d : all_detectors()) {
    const bool precise = d.guarantee == Guarantee::Precise && !is_slim(d),
               sound = std::string_view(d.name) == "MultiRace";
    if ((precise || sound) && (only.empty() || only == d.name)) all.push_back({&d, precise});
  }
  return all;
}

bool may_be(const Previous& previous, const Event& e) {
  return previous.has_thread && previous.thread == e.thread && previous.kind == kind_of(e.kind);
}

struct Statistics {
  u64 events = 0, racy_traces = 0, racy_bytes = 0;
  std::map<std::string, u64> rules;
};

class Comparison {
public:
  Comparison(const std::vector<Event>& trace, const std::vector<Subject>& subjects) : trace_(trace) {
    for (const Subject& s : subjects) runs_.push_back({s, s.description->make({}), {}});
  }

  // What differs first; empty if nothing does.
  std::string run(Statistics& statistics) {
    std::set<u64> raced; // bytes, in this life
    bool is_racy = false;
    for (size_t i = 0; i < trace_.size(); ++i) {
      const Event& e = trace_[i];
      const auto races = oracle_.append(e);
      std::set<u64> first;
      for (const oracle::Race& r : races)
        if (!raced.count(r.address)) first.insert(r.address);
      for (Run& run : runs_)
        if (auto what = step(run, i, races, first, raced); !what.empty()) return what;
      raced.insert(first.begin(), first.end());
      statistics.racy_bytes += first.size();
      is_racy |= !first.empty();
      if (e.kind == EventKind::Alloc)
        raced.erase(raced.lower_bound(e.target), raced.lower_bound(e.target + e.extent));
    }
    statistics.events += trace_.size();
    statistics.racy_traces += is_racy;
    for (Run& run : runs_)
      for (const RuleCount& rule : run.detector->cost().rules)
        statistics.rules[std::string(run.subject.description->name) + " " + rule.rule] += rule.count;
    return "";
  }

private:
  struct Run {
    Subject subject;
    std::unique_ptr<Detector> detector;
    Verdict verdict;
  };

  std::string step(Run& run, size_t i, const std::vector<oracle::Race>& races, const std::set<u64>& first,
                   const std::set<u64>& raced) {
    run.verdict.clear();
    run.detector->step(trace_[i], run.verdict);
    std::set<u64> warned;
    const auto differs = [&](u64 address, const std::string& what) {
      return std::string(run.subject.description->name) + ", event " + std::to_string(i) + " (" +
             to_text(trace_[i]) + "), byte " + std::to_string(address) + ": " + what;
    };
    for (const Warning& warning : run.verdict.warnings)
      for (u64 address = warning.address; address < warning.address + warning.size; ++address) {
        if (!warned.insert(address).second) return differs(address, "warned of twice");
        const bool is_race = std::any_of(races.begin(), races.end(), [&](const oracle::Race& r) {
          return r.address == address && may_be(warning.previous, trace_[r.previous]);
        });
        if (!is_race) return differs(address, "false alarm, or the wrong previous access");
      }
    if (!run.verdict.warnings.empty() && !run.verdict.may_race)
      return differs(0, "warned of, and passed as free of races");
    if (run.subject.must_find_all) {
      if (warned != first)
        return differs(warned.size() < first.size() ? *first.begin() : *warned.begin(),
                       "missed race, or not the first");
      const bool touches_raced = std::any_of(raced.begin(), raced.end(), [&](u64 address) {
        return has_access(trace_[i].kind) && address - trace_[i].target < trace_[i].extent;
      });
      if (run.verdict.may_race != (touches_raced || !first.empty()))
        return differs(0, "wrong answer of the prefilter");
    }
    return "";
  }

  const std::vector<Event>& trace_;
  oracle::Oracle oracle_;
  std::vector<Run> runs_;
};

// All memory of random traces is one array at first, or many small ones.
std::vector<Event> with_array(const std::vector<Event>& trace) {
  std::vector<Event> all;
  if (trace.empty()) return all;
  Event alloc;
  alloc.kind = EventKind::Alloc, alloc.thread = trace[0].thread;
  alloc.extent = trace.size() % 2 ? property::kMemory : 32;
  for (; alloc.target < property::kMemory; alloc.target += alloc.extent) all.push_back(alloc);
  all.insert(all.end(), trace.begin(), trace.end());
  return all;
}

class SlimComparison {
public:
  std::string run(const std::vector<Event>& trace, Statistics& statistics) {
    for (const Event& e : trace) {
      verdict_.clear();
      slim_->step(e, verdict_);
      if (auto what = take_warnings(); !what.empty()) return what;
      if (e.kind == EventKind::Alloc)
        if (auto what = end_lives(e.target, e.target + e.extent); !what.empty()) return what;
      for (const oracle::Race& race : oracle_.append(e)) {
        const Event& previous = oracle_.order().event(race.previous);
        races_[race.address].insert({who(e), who(previous)});
      }
    }
    verdict_.clear();
    slim_->finish(verdict_);
    if (auto what = take_warnings(); !what.empty()) return what;
    for (const RuleCount& rule : slim_->cost().rules)
      statistics.rules[std::string("SlimState ") + rule.rule] += rule.count;
    return end_lives(0, property::kMemory);
  }

private:
  using Who = std::pair<u32, AccessKind>;
  static Who who(const Event& e) { return {e.thread, kind_of(e.kind)}; }

  // Warnings are said before the accesses of the event, but of atomic ones; those are compared when the life ends.
  std::string take_warnings() {
    for (const Warning& w : verdict_.warnings)
      for (u64 address = w.address; address < w.address + w.size; ++address)
        if (!warned_.insert({address, {{w.thread, w.kind}, {w.previous.thread, w.previous.kind}}}).second)
          return "SlimState warns of byte " + std::to_string(address) + " twice";
    return "";
  }
  std::string end_lives(u64 begin, u64 end) {
    for (u64 address = begin; address < end; ++address) {
      const auto warned = warned_.find(address);
      const auto races = races_.find(address);
      const std::string at = "SlimState, byte " + std::to_string(address) + ": ";
      if (warned == warned_.end() && races != races_.end()) return at + "missed race";
      if (warned == warned_.end()) continue;
      const auto [a, b] = warned->second;
      if (races == races_.end() || !(races->second.count({a, b}) || races->second.count({b, a})))
        return at + "false alarm, or not the accesses that race";
      warned_.erase(warned), races_.erase(races);
    }
    return "";
  }

  oracle::Oracle oracle_;
  std::unique_ptr<Detector> slim_ = find_detector("SlimState")->make({});
  Verdict verdict_;
  std::map<u64, std::set<std::pair<Who, Who>>> races_; // of the present life
  std::map<u64, std::pair<Who, Who>> warned_;
};

// What differs first, of any detector.
std::string compare(const std::vector<Event>& trace, const std::vector<Subject>& subjects, bool with_slim,
                    Statistics& statistics) {
  std::string what;
  if (!subjects.empty()) what = Comparison(trace, subjects).run(statistics);
  if (what.empty() && with_slim) what = SlimComparison().run(with_array(trace), statistics);
  return what;
}

int tell(const std::vector<Event>& trace, const std::string& what) {
  std::printf("FAILED: %s\n%s", what.c_str(), to_text(trace).c_str());
  return 1;
}

// Leaves out events as long as something still differs.
std::vector<Event> shrink(std::vector<Event> trace, const std::vector<Subject>& subjects, bool with_slim) {
  for (bool again = true; again;) {
    again = false;
    for (size_t i = trace.size(); i-- > 0;) {
      auto less = trace;
      less.erase(less.begin() + ptrdiff_t(i));
      Statistics ignored;
      if (first_infeasible(less).index != less.size() || compare(less, subjects, with_slim, ignored).empty())
        continue;
      trace = std::move(less);
      again = true;
    }
  }
  return trace;
}

int compare_random(u64 traces, u64 seed, const std::vector<Subject>& subjects, bool with_slim) {
  Statistics statistics;
  for (u64 i = 0; i < traces; ++i) {
    const auto trace = property::random_trace(seed + i);
    if (compare(trace, subjects, with_slim, statistics).empty()) continue;
    const auto small = shrink(trace, subjects, with_slim);
    std::printf("# seed %llu, %zu of %zu events suffice\n", (unsigned long long)(seed + i), small.size(),
                trace.size());
    return tell(small, compare(small, subjects, with_slim, statistics));
  }
  std::printf("%llu traces, %llu events, %llu with races, %llu racy bytes\n", (unsigned long long)traces,
              (unsigned long long)statistics.events, (unsigned long long)statistics.racy_traces,
              (unsigned long long)statistics.racy_bytes);
  bool all_reached = traces < 10000;
  for (const auto& [rule, count] : statistics.rules)
    std::printf("  %s %llu\n", rule.c_str(), (unsigned long long)count);
  all_reached |=
      (statistics.racy_traces || subjects.empty()) &&
      std::all_of(statistics.rules.begin(), statistics.rules.end(), [](auto& r) { return r.second; });
  std::printf(all_reached ? "equal verdicts\n"
                          : "FAILED: a rule was never used, so this proves nothing of it\n");
  return all_reached ? 0 : 1;
}

int compare_file(const std::string& file, const std::vector<Subject>& subjects, bool with_slim) {
  std::stringstream text;
  text << std::ifstream(file).rdbuf();
  std::vector<Event> trace;
  if (auto error = parse_trace(text.str(), trace)) {
    std::fprintf(stderr, "%s:%llu: %s\n", file.c_str(), (unsigned long long)error->line,
                 error->reason.c_str());
    return 2;
  }
  Statistics statistics;
  const auto what = compare(trace, subjects, with_slim, statistics);
  return what.empty() ? 0 : tell(trace, what);
}

} // namespace
} // namespace footrace::replay

int main(int argc, char** argv) {
  using namespace footrace::replay;
  footrace::u64 traces = 300000, seed = 1;
  std::string only, file;
  for (int i = 1; i < argc; ++i) {
    const std::string name = argv[i];
    const char* value = i + 1 < argc ? argv[++i] : nullptr;
    if (!value || (name != "--traces" && name != "--seed" && name != "--detector" && name != "--replay"))
      return std::fprintf(stderr, "%s", kUsage), 2;
    if (name == "--traces") traces = std::strtoull(value, nullptr, 0);
    if (name == "--seed") seed = std::strtoull(value, nullptr, 0);
    if (name == "--detector") only = value;
    if (name == "--replay") file = value;
  }
  const auto all = subjects(only);
  const bool with_slim = only.empty() || only == "SlimState";
  if (all.empty() && !with_slim)
    return std::fprintf(stderr, "replay_property: no precise detector is called '%s'\n", only.c_str()), 2;
  return file.empty() ? compare_random(traces, seed, all, with_slim) : compare_file(file, all, with_slim);
}
