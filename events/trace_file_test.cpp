#include "events/feasibility.h"
#include "events/open_trace.h"
#include "events/text.h"
#include "events/trace_reader.h"
#include "events/trace_writer.h"

#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <gtest/gtest.h>
#include <sstream>
#include <sys/resource.h>
#include <unistd.h>

namespace footrace {
namespace {

// A file that goes away with the test.
struct TraceFile {
  std::string path = ::testing::TempDir() + "trace." + std::to_string(getpid()) + ".ftr";
  ~TraceFile() { std::remove(path.c_str()); }
  std::unique_ptr<TraceWriter> writer(TraceWriter::Options options = {}) const {
    std::string why;
    auto writer = TraceWriter::create(path, options, why);
    EXPECT_EQ(why, "");
    return writer;
  }
  std::string bytes() const {
    std::ifstream file(path, std::ios::binary);
    std::ostringstream text;
    text << file.rdbuf();
    return text.str();
  }
};

struct ReadBack {
  std::vector<Event> events;
  std::string error, unfinished;
};
ReadBack read_back(std::string bytes) {
  TraceReader reader(trace_in_memory(std::move(bytes)), "t.ftr");
  ReadBack result;
  for (Event e; reader.next(e);) result.events.push_back(e);
  if (reader.error()) result.error = reader.error()->where + ": " + reader.error()->reason;
  result.unfinished = reader.unfinished();
  return result;
}

std::vector<Event> parsed(const char* text) {
  std::vector<Event> trace;
  EXPECT_FALSE(parse_trace(text, trace));
  return trace;
}

const char* const kMessage =
    "T0|w(0x10,4)|1\nT0|fork(T1)\nT0|w(0x20,8)|2\nT0|acq(L5)|3\nT0|rel(L5)|4\n"
    "T1|acq(L5)|3\nT1|r(0x20,8)|5\nT1|rel(L5)|4\nT1|exit()\nT0|join(T1)\nT0|r(0x10,2)|6\n";

std::string bytes_of(const std::vector<Event>& trace, TraceWriter::Options options = {}) {
  TraceFile file;
  auto writer = file.writer(options);
  for (const Event& e : trace) writer->append(e);
  writer->finish();
  EXPECT_EQ(writer->error(), "");
  EXPECT_EQ(writer->bytes(), file.bytes().size());
  return file.bytes();
}

TEST(TraceFile, WithEveryStamp_ComesBackAsItWas) {
  const auto trace = parsed(kMessage);
  const ReadBack back = read_back(bytes_of(trace, {.every_event_has_stamp = true}));
  EXPECT_EQ(back.events, trace);
  EXPECT_EQ(back.error + back.unfinished, "");
}

TEST(TraceFile, WithStampsOfSynchronisation_KeepsThreadsAndTheirOrder) {
  const auto trace = parsed(kMessage);
  const ReadBack back = read_back(bytes_of(trace));
  ASSERT_EQ(back.events.size(), trace.size());
  EXPECT_EQ(first_infeasible(back.events).reason, "");
  std::vector<Event> stamped[2];
  for (int side = 0; side < 2; ++side)
    for (const Event& e : side ? back.events : trace)
      if (has_stamp(e.kind)) stamped[side].push_back(e);
  EXPECT_EQ(stamped[0], stamped[1]);
  for (u32 thread : {0u, 1u}) {
    std::vector<Event> of_thread[2];
    for (int side = 0; side < 2; ++side)
      for (const Event& e : side ? back.events : trace)
        if (e.thread == thread) of_thread[side].push_back(e);
    EXPECT_EQ(of_thread[0], of_thread[1]);
  }
}

TEST(TraceFile, ThreadThatIsJoinedWithoutExit_HasDoneAllBefore) {
  const auto trace = parsed("T0|fork(T1)\nT0|acq(L1)\nT0|rel(L1)\nT1|w(0x10,4)\nT1|w(0x20,4)\nT0|join(T1)\n");
  const ReadBack back = read_back(bytes_of(trace));
  EXPECT_EQ(back.events.size(), trace.size());
  EXPECT_EQ(first_infeasible(back.events).reason, "");
}

TEST(TraceFile, ManyBlocks_AreReadInOrder) {
  TraceFile file;
  auto writer = file.writer({.block_bytes = 64});
  for (u64 i = 0; i < 5000; ++i) {
    const u32 thread = u32(i % 7);
    writer->append({.kind = i % 3 ? EventKind::Read : EventKind::VolatileWrite,
                    .thread = thread,
                    .target = i * i,
                    .extent = i % 3 ? 4u : 0u});
  }
  writer->finish();
  const ReadBack back = read_back(file.bytes());
  EXPECT_EQ(back.error + back.unfinished, "");
  ASSERT_EQ(back.events.size(), 5000u);
  u64 last_write = 0;
  std::map<u32, u64> last;
  for (const Event& e : back.events) {
    if (has_stamp(e.kind)) EXPECT_GE(e.target, last_write), last_write = e.target;
    EXPECT_GE(e.target, last[e.thread]);
    last[e.thread] = e.target;
  }
}

TEST(TraceFile, Names_AreFoundByTheirNumbers) {
  TraceFile file;
  auto writer = file.writer();
  const TraceSite site = {{{"f(int)", "a.cpp", 12, 3, "/bin/a", 0x40}, {"main", "a.cpp", 30, 1, "", 0}}};
  writer->program("./a --fast");
  writer->module({"/bin/a", 0x5000, 0x5000, 0x9000});
  writer->thread(1, {"worker", 4711});
  writer->site(5, site);
  writer->stack(1, 0, 8);
  writer->stack(4, 1, 5);
  writer->append({.kind = EventKind::Write, .thread = 1, .site = 5, .stack = 4, .target = 16, .extent = 4});
  writer->finish("the disk is full");
  TraceReader reader(trace_in_memory(file.bytes()), "t.ftr");
  Event e;
  ASSERT_TRUE(reader.next(e));
  EXPECT_EQ(e.stack, 4u);
  EXPECT_EQ(reader.program(), "./a --fast");
  ASSERT_EQ(reader.modules().size(), 1u);
  EXPECT_EQ(reader.modules()[0], (TraceModule{"/bin/a", 0x5000, 0x5000, 0x9000}));
  ASSERT_TRUE(reader.site(5));
  EXPECT_EQ(reader.site(5)->frames, site.frames);
  EXPECT_FALSE(reader.site(6));
  ASSERT_TRUE(reader.stack(4));
  EXPECT_EQ(*reader.stack(4), (std::vector<u32>{5, 8}));
  EXPECT_FALSE(reader.stack(9));
  ASSERT_TRUE(reader.thread(1));
  EXPECT_EQ(reader.thread(1)->name, "worker");
  EXPECT_EQ(reader.unfinished(), "the disk is full");
  EXPECT_FALSE(reader.next(e));
  EXPECT_FALSE(reader.error());
}

TEST(TraceFile, CutAnywhere_IsReadAsFarAsItGoesAndSaysSo) {
  const auto trace = parsed(kMessage);
  const std::string whole = bytes_of(trace, {.block_bytes = 1});
  for (size_t size = 0; size < whole.size(); ++size) {
    const ReadBack back = read_back(whole.substr(0, size));
    EXPECT_NE(back.error + back.unfinished, "") << size;
    EXPECT_EQ(back.error.empty(), size >= kTraceHeaderBytes) << size;
    EXPECT_EQ(first_infeasible(back.events).reason, "");
    EXPECT_LE(back.events.size(), trace.size());
  }
}

TEST(TraceFile, OneChangedByte_NeverComesBackAsAnotherTrace) {
  const auto trace = parsed(kMessage);
  const std::string whole = bytes_of(trace, {.every_event_has_stamp = true});
  for (size_t at = 0; at < whole.size(); ++at) {
    std::string damaged = whole;
    damaged[at] ^= 0x10;
    const ReadBack back = read_back(damaged);
    // Some bits of a compressed block mean nothing.
    EXPECT_TRUE(back.error + back.unfinished != "" || back.events == trace) << at;
  }
}

TEST(TraceFile, MissingStamp_EndsTheTraceThere) {
  TraceFile file;
  auto writer = file.writer();
  auto lock = [&](EventKind kind, u32 thread, u64 stamp) {
    writer->append({.kind = kind, .thread = thread, .target = 1}, stamp);
  };
  writer->append({.kind = EventKind::Fork, .thread = 0, .target = 1}, 1);
  lock(EventKind::Acquire, 0, 2); // its release, 3, is lost
  lock(EventKind::Acquire, 1, 4);
  lock(EventKind::Release, 1, 5);
  writer->finish();
  const ReadBack back = read_back(file.bytes());
  EXPECT_EQ(back.events.size(), 2u);
  EXPECT_EQ(back.error, "");
  EXPECT_EQ(back.unfinished, "the event with stamp 3 of 5 is missing, so what came behind it is left out");
}

TEST(TraceFile, TwoEventsWithOneStamp_AreAnError) {
  TraceFile file;
  auto writer = file.writer();
  for (u32 thread : {0u, 1u})
    writer->append({.kind = EventKind::VolatileWrite, .thread = thread, .target = 1}, 1);
  writer->finish();
  EXPECT_NE(read_back(file.bytes()).error.find("two events have the stamp 1"), std::string::npos);
}

TEST(TraceFile, FilesThatAreNoTraces_SayWhat) {
  EXPECT_NE(read_back("").error.find("the file has 0 bytes"), std::string::npos);
  EXPECT_NE(read_back(std::string(100, 'x')).error.find("does not begin with 'footrace'"), std::string::npos);
  const std::string newer = to_bytes(TraceHeader{kTraceVersion + 1, 0});
  EXPECT_NE(read_back(newer).error.find("format version 2 is of a newer Footrace"), std::string::npos);
  std::string why;
  EXPECT_FALSE(open_trace_file("/", why));
  EXPECT_NE(why.find("is not a file"), std::string::npos);
  EXPECT_FALSE(open_trace_file("/nowhere/x.ftr", why));
  EXPECT_NE(why.find("No such file"), std::string::npos);
}

TEST(TraceFile, OpenTrace_KnowsBothForms) {
  const auto trace = parsed(kMessage);
  const std::string binary = bytes_of(trace, {.every_event_has_stamp = true});
  TraceFile file;
  for (bool text : {false, true}) {
    if (text)
      std::ofstream(file.path) << to_text(trace);
    else
      std::ofstream(file.path, std::ios::binary) << binary;
    TraceError error;
    auto source = open_trace(file.path, error);
    ASSERT_TRUE(source) << error.reason;
    std::vector<Event> back;
    for (Event e; source->next(e);) back.push_back(e);
    EXPECT_EQ(back, trace);
  }
}

TEST(TraceFile, FullDisk_LeavesWhatWasWrittenReadable) {
  TraceFile file;
  auto writer = file.writer({.block_bytes = 256});
  rlimit old = {};
  getrlimit(RLIMIT_FSIZE, &old);
  const rlimit small = {1500, old.rlim_max};
  signal(SIGXFSZ, SIG_IGN);
  setrlimit(RLIMIT_FSIZE, &small);
  u64 events = 0;
  for (u64 random = 1; writer->error().empty() && events < 100'000; ++events) {
    random = random * 0x9e37'79b9'7f4a'7c15 + 1;
    writer->append({.kind = EventKind::Write, .thread = 0, .target = random, .extent = 4});
  }
  writer->finish();
  setrlimit(RLIMIT_FSIZE, &old);
  EXPECT_NE(writer->error().find("cannot write '" + file.path + "'"), std::string::npos);
  EXPECT_LT(events, 100'000u);
  const ReadBack back = read_back(file.bytes());
  EXPECT_EQ(back.error, "");
  EXPECT_GT(back.events.size(), 0u);
  EXPECT_LT(back.events.size(), events);
  EXPECT_NE(back.unfinished.find("the recorder did not come to finish it"), std::string::npos);
}

} // namespace
} // namespace footrace
