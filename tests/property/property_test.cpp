// FastTrack and the oracle agree on every random trace, byte by byte.
#include "check/arrays.h"
#include "events/feasibility.h"
#include "events/text.h"
#include "tests/property/compare.h"
#include "tests/property/generator.h"

#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <sstream>

namespace footrace::property {
namespace {

constexpr const char* kUsage =
    "usage: property_test [--traces N] [--seed S] [--fault NAME | --every-fault] [--replay FILE] [--print]\n"
    "  --traces N     how many random traces (200000; with faults, the most that may be needed to see one: "
    "50000)\n"
    "  --seed S       of the first trace; trace i has the seed S+i (1)\n"
    "  --fault NAME   make a deliberate mistake in the driver: the comparison must fail\n"
    "  --every-fault  succeed if each of the deliberate mistakes is found\n"
    "  --replay FILE  compare on the trace in FILE (docs/events.md)\n"
    "  --print        only print the trace of --seed\n"
    "exit code: 0 equal verdicts, 1 a difference, 2 usage\n";

struct Options {
  u64 traces = 0, seed = 1;
  Fault fault = Fault::None;
  bool every_fault = false, print = false;
  std::string replay;
};

[[noreturn]] void usage_error(const std::string& what) {
  std::fprintf(stderr, "property_test: %s\n%s", what.c_str(), kUsage);
  std::exit(2);
}

Options parse_options(int argc, char** argv) {
  Options options;
  for (int i = 1; i < argc; ++i) {
    std::string name = argv[i];
    auto value = [&]() -> std::string {
      if (++i >= argc) usage_error(name + " needs a value");
      return argv[i];
    };
    auto number = [&] {
      std::string text = value();
      char* end = nullptr;
      u64 n = std::strtoull(text.c_str(), &end, 0);
      if (text.empty() || *end) usage_error(name + " needs a number, not '" + text + "'");
      return n;
    };
    if (name == "--traces")
      options.traces = number();
    else if (name == "--seed")
      options.seed = number();
    else if (name == "--replay")
      options.replay = value();
    else if (name == "--every-fault")
      options.every_fault = true;
    else if (name == "--print")
      options.print = true;
    else if (name == "--fault") {
      std::string fault = value(), known;
      for (auto f : fault_names()) known += " " + std::string(f);
      if (auto f = fault_of(fault))
        options.fault = *f;
      else
        usage_error("unknown fault '" + fault + "'; known are" + known);
    } else
      usage_error("unknown option '" + name + "'");
  }
  if (!options.traces) options.traces = options.every_fault || options.fault != Fault::None ? 50000 : 200000;
  return options;
}

void tell(const std::vector<Event>& trace, const Difference& difference) {
  std::printf("event %zu, byte 0x%llx: %s\n", difference.event, (unsigned long long)difference.address,
              difference.what.c_str());
  for (size_t i = 0; i < trace.size(); ++i)
    std::printf("%s%s\n", to_text(trace[i]).c_str(), i == difference.event ? "   # here" : "");
}

void tell_shrunk(const std::vector<Event>& trace, Fault fault) {
  auto small = shrink(trace, fault);
  auto difference = compare(small, fault);
  std::printf("# %zu of %zu events suffice; replay with property_test --replay FILE\n", small.size(),
              trace.size());
  tell(small, *difference);
}

int replay(const Options& options) {
  std::ifstream file(options.replay);
  std::stringstream text;
  text << file.rdbuf();
  if (!file) usage_error("cannot read '" + options.replay + "'");
  std::vector<Event> trace;
  if (auto error = parse_trace(text.str(), trace)) {
    std::fprintf(stderr, "%s:%llu: %s\n", options.replay.c_str(), (unsigned long long)error->line,
                 error->reason.c_str());
    return 2;
  }
  if (auto bad = first_infeasible(trace); bad.index != trace.size())
    usage_error("event " + std::to_string(bad.index) + " (" + to_text(trace[bad.index]) +
                ") cannot happen: " + bad.reason);
  for (const Event& e : trace)
    if (has_range(e.kind) && e.target + e.extent > kMemory)
      usage_error(to_text(e) + " lies beyond the " + std::to_string(kMemory) + " bytes that traces may use");
  auto difference = compare(trace, options.fault);
  if (difference)
    tell(trace, *difference);
  else
    std::printf("equal verdicts on %zu events\n", trace.size());
  return difference ? 1 : 0;
}

void tell_statistics(const Statistics& s) {
  auto count = [](u64 n) { return (unsigned long long)n; };
  std::printf("%llu traces, %llu events, %llu accesses (%llu by quick steps); %llu traces with races (%llu "
              "race late), %llu racy bytes\n",
              count(s.traces), count(s.events), count(s.accesses), count(s.quick), count(s.racy_traces),
              count(s.late_traces), count(s.racy_bytes));
  std::printf("rules:");
#define X(name) std::printf(" %s %llu", #name, count(s.rules[u32(Rule::name)]));
  FOOTRACE_ACCESS_RULES(X)
#undef X
  std::printf("\nblocks of %llu bytes; sets, bytes, blocks:", count(kBlockBytes));
#define X(name) std::printf(" %s %llu", #name, count(s.transitions[u32(Transition::name)]));
  FOOTRACE_SHADOW_TRANSITIONS(X)
#undef X
  std::printf("\nevents:");
  for (u32 k = 0; k < kEventKinds; ++k) std::printf(" %s %llu", name_of(EventKind(k)), count(s.kinds[k]));
  std::printf("\n");
}

// A generator that no longer reaches a rule or an operation would make the comparison pass for the wrong
// reason.
bool has_full_coverage(const Statistics& s) {
  bool full = s.racy_traces && s.racy_traces < s.traces && s.late_traces && s.quick;
  for (u64 n : s.rules) full = full && n;
  for (u32 x = 0; x < kTransitions; ++x) {
    const bool is_of_blocks = Transition(x) == Transition::block_coarse_step ||
                              Transition(x) == Transition::block_refined ||
                              Transition(x) == Transition::block_coarsened;
    full = full && (s.transitions[x] || Transition(x) == Transition::bytes_waited ||
                    (is_of_blocks && kBlockBytes > kStretch));
  }
  for (u32 k = 0; k < kEventKinds; ++k) // atomic blocks are nothing to a detector of races
    full = full && (s.kinds[k] || operands_of(EventKind(k)) == Operands::Block);
  if (!full)
    std::printf("FAILED: some rule, transition, operation or kind of trace was never reached (see the "
                "counts above)\n");
  return full;
}

// The seed of the first trace on which the verdicts differ.
std::optional<u64> find_difference(const Options& options, Fault fault, Statistics* statistics) {
  for (u64 i = 0; i < options.traces; ++i) {
    auto trace = random_trace(options.seed + i);
    if (compare(trace, fault, statistics)) return options.seed + i;
  }
  return std::nullopt;
}

int run_every_fault(const Options& options) {
  int result = 0;
  for (auto name : fault_names()) {
    Fault fault = *fault_of(name);
    if (auto seed = find_difference(options, fault, nullptr)) {
      std::printf("\n%s: found after %llu traces\n", std::string(name).c_str(),
                  (unsigned long long)(*seed - options.seed + 1));
      tell_shrunk(random_trace(*seed), fault);
    } else {
      std::printf("\nFAILED: %s: not found in %llu traces\n", std::string(name).c_str(),
                  (unsigned long long)options.traces);
      result = 1;
    }
  }
  return result;
}

int run(const Options& options) {
  const u64 clocks = clock_nodes_in_use();
  Statistics statistics;
  if (auto seed = find_difference(options, options.fault, &statistics)) {
    std::printf("FAILED: the verdicts differ on the trace of seed %llu\n", (unsigned long long)*seed);
    tell_shrunk(random_trace(*seed), options.fault);
    return 1;
  }
  tell_statistics(statistics);
  if (clock_nodes_in_use() != clocks) {
    std::printf("FAILED: %llu clock nodes of forgotten traces are still in use\n",
                (unsigned long long)(clock_nodes_in_use() - clocks));
    return 1;
  }
  if (options.traces >= 10000 && !has_full_coverage(statistics)) return 1;
  std::printf("equal verdicts\n");
  return 0;
}

} // namespace
} // namespace footrace::property

int main(int argc, char** argv) {
  using namespace footrace::property;
  Options options = parse_options(argc, argv);
  if (!options.replay.empty()) return replay(options);
  if (options.print) return std::printf("%s", footrace::to_text(random_trace(options.seed)).c_str()), 0;
  return options.every_fault ? run_every_fault(options) : run(options);
}
