// A trace that is written as a file and read back is the same trace: with every stamp, event for event; with stamps of synchronisation only, as far as
// happens-before and races go.
#include "detectors/oracle/oracle.h"
#include "events/feasibility.h"
#include "events/text.h"
#include "events/trace_reader.h"
#include "events/trace_writer.h"
#include "tests/property/generator.h"

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <set>
#include <sstream>
#include <unistd.h>

namespace footrace::property {
namespace {

using Trace = std::vector<Event>;

// An event by its thread and its place there: that does not depend on how threads are interleaved.
using EventName = std::pair<u32, u32>;
std::vector<EventName> names_of(const Trace& trace) {
  std::map<u32, u32> count;
  std::vector<EventName> names;
  for (const Event& e : trace) names.emplace_back(e.thread, count[e.thread]++);
  return names;
}

// Bytes that are accessed by an event that nothing orders with their allocation: which life it belongs to is anybody's guess.
std::set<u64> undecided_bytes(const Trace& trace) {
  oracle::HappensBefore order;
  for (const Event& e : trace) order.append(e);
  std::set<u64> bytes;
  for (u32 a = 0; a < trace.size(); ++a)
    for (u32 b = 0; trace[a].kind == EventKind::Alloc && b < trace.size(); ++b) {
      const bool is_ordered = a < b ? order.ordered(a, order.clock(b)) : order.ordered(b, order.clock(a));
      if (is_ordered || !has_range(trace[b].kind)) continue;
      for (u64 i = 0; i < trace[b].extent; ++i)
        if (trace[b].target + i - trace[a].target < trace[a].extent) bytes.insert(trace[b].target + i);
    }
  return bytes;
}

// (byte, access, access), whichever came first.
using Pair = std::tuple<u64, EventName, EventName>;
std::set<Pair> racing_pairs(const Trace& trace, const std::set<u64>& undecided) {
  const std::vector<EventName> names = names_of(trace);
  std::set<Pair> pairs;
  for (const oracle::Race& race : oracle::find_races(trace)) {
    EventName a = names[race.event], b = names[race.previous];
    if (b < a) std::swap(a, b);
    if (!undecided.contains(race.address)) pairs.emplace(race.address, a, b);
  }
  return pairs;
}

std::map<u32, Trace> by_thread(const Trace& trace) {
  std::map<u32, Trace> threads;
  for (const Event& e : trace) threads[e.thread].push_back(e);
  return threads;
}

struct File {
  std::string path;
  ~File() { std::remove(path.c_str()); }
};

std::string write(const Trace& trace, const std::string& path, const TraceWriter::Options& options) {
  std::string why;
  auto writer = TraceWriter::create(path, options, why);
  if (!writer) return why;
  for (const Event& e : trace) writer->append(e);
  writer->finish();
  return writer->error();
}

std::string read(const std::string& path, Trace& trace) {
  std::string why;
  auto bytes = open_trace_file(path, why);
  if (!bytes) return why;
  TraceReader reader(std::move(bytes), path);
  for (Event e; reader.next(e);) trace.push_back(e);
  return reader.error() ? reader.error()->where + ": " + reader.error()->reason : reader.unfinished();
}

// Empty, or how they differ.
std::string difference(const Trace& written, const Trace& back, bool every_event_has_stamp) {
  if (every_event_has_stamp) return back == written ? "" : "the events are not the same";
  if (by_thread(back) != by_thread(written)) return "a thread's events are not the same";
  if (auto wrong = first_infeasible(back); !wrong.reason.empty())
    return "event " + std::to_string(wrong.index) + " cannot happen: " + wrong.reason;
  const std::set<u64> undecided = undecided_bytes(written);
  return racing_pairs(back, undecided) == racing_pairs(written, undecided) ? ""
                                                                           : "the races are not the same";
}

// Must be seen to differ, or the comparison is worth nothing.
enum class Mistake { None, SwapsThreads, LosesStamp };

std::string round_trip(Trace trace, u64 seed, const std::string& path, Mistake mistake) {
  for (bool every : {true, false}) {
    TraceWriter::Options options;
    options.every_event_has_stamp = every;
    options.block_bytes = u32(1 + seed * 7919 % 300);
    if (auto why = write(trace, path, options); !why.empty()) return why;
    Trace back;
    if (auto why = read(path, back); !why.empty()) return why;
    std::remove(path.c_str()); // some file systems write out at once what is truncated and written again
    if (mistake == Mistake::LosesStamp && !back.empty()) back.erase(back.begin() + i64(seed % back.size()));
    for (size_t i = 1; mistake == Mistake::SwapsThreads && i < back.size(); ++i)
      if (has_stamp(back[i].kind) && has_stamp(back[i - 1].kind)) std::swap(back[i], back[i - 1]);
    if (auto why = difference(trace, back, every); !why.empty())
      return why + (every ? " (every event has a stamp)" : " (stamps of synchronisation)") + "\nwritten:\n" +
             to_text(trace) + "read:\n" + to_text(back);
  }
  return "";
}

} // namespace
} // namespace footrace::property

int main(int argc, char** argv) {
  using namespace footrace::property;
  footrace::u64 traces = 0, seen = 0;
  Mistake mistake = Mistake::None;
  for (int i = 1; i < argc; ++i) {
    if (!strcmp(argv[i], "--traces") && i + 1 < argc)
      traces = strtoull(argv[++i], nullptr, 0);
    else if (!strcmp(argv[i], "--swap-threads"))
      mistake = Mistake::SwapsThreads;
    else if (!strcmp(argv[i], "--lose-event"))
      mistake = Mistake::LosesStamp;
    else
      traces = 0, i = argc;
  }
  if (!traces) {
    fprintf(stderr, "usage: round_trip_test --traces N [--swap-threads | --lose-event]\n"
                    "  with a mistake: succeeds if the comparison finds it\n");
    return 2;
  }
  File file{"round_trip." + std::to_string(getpid()) + ".ftr"};
  for (footrace::u64 seed = 1; seed <= traces; ++seed) {
    const std::string why = round_trip(random_trace(seed), seed, file.path, mistake);
    seen += !why.empty();
    if (mistake != Mistake::None || why.empty()) continue;
    printf("trace %llu: %s\n", (unsigned long long)seed, why.c_str());
    return 1;
  }
  printf("%llu traces, %llu differ\n", (unsigned long long)traces, (unsigned long long)seen);
  return mistake != Mistake::None && !seen;
}
