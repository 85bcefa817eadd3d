#include "detectors/oracle/oracle.h"
#include "events/feasibility.h"
#include "events/text.h"

#include <gtest/gtest.h>

namespace footrace::oracle {
namespace {

std::vector<Event> trace_of(const std::string& text) {
  std::vector<Event> trace;
  auto error = parse_trace(text, trace);
  EXPECT_FALSE(error) << error->line << ": " << error->reason;
  auto infeasible = first_infeasible(trace);
  EXPECT_EQ(infeasible.index, trace.size()) << infeasible.reason;
  return trace;
}

std::vector<Race> races_of(const std::string& text, Report report = Report::Every) {
  return find_races(trace_of(text), report);
}

bool has_race(const std::string& text) { return !races_of(text).empty(); }

TEST(Oracle, UnorderedWrites_Race) {
  EXPECT_EQ(races_of("T0|w(0x8,1)\nT1|w(0x8,1)\n"), (std::vector<Race>{{1, 8, 0}}));
  EXPECT_TRUE(has_race("T0|w(0x8,1)\nT1|r(0x8,1)\n"));
  EXPECT_TRUE(has_race("T0|r(0x8,1)\nT1|w(0x8,1)\n"));
  EXPECT_FALSE(has_race("T0|r(0x8,1)\nT1|r(0x8,1)\n"));
  EXPECT_FALSE(has_race("T0|w(0x8,1)\nT0|w(0x8,1)\n"));
}

// The trace of Figure 4: reads by both threads, a join, a write and a read after it.
TEST(Oracle, PaperFigure4_IsRaceFree) {
  const char* figure = "T0|w(0x0,4)\nT0|fork(T1)\nT1|r(0x0,4)\nT0|r(0x0,4)\nT1|exit()\nT0|join(T1)\nT0|w(0x0,"
                       "4)\nT0|r(0x0,4)\n";
  EXPECT_FALSE(has_race(figure));
}

TEST(Oracle, PaperFigure4_WithoutItsJoin_RacesWithTheRead) {
  auto races = races_of("T0|w(0x0,1)\nT0|fork(T1)\nT1|r(0x0,1)\nT0|r(0x0,1)\nT0|w(0x0,1)\n");
  EXPECT_EQ(races, (std::vector<Race>{{4, 0, 2}}));
}

TEST(Oracle, BytesOfOneWord_AreApart) {
  EXPECT_FALSE(has_race("T0|w(0x0,1)\nT1|w(0x1,1)\n"));
  EXPECT_EQ(races_of("T0|w(0x0,4)\nT1|w(0x3,4)\n"), (std::vector<Race>{{1, 3, 0}}));
}

TEST(Oracle, FirstPerByte_LeavesRacedByteUntilItIsAllocated) {
  const char* twice = "T0|w(0x0,1)\nT1|w(0x0,2)\nT2|w(0x0,2)\n";
  EXPECT_EQ(races_of(twice), (std::vector<Race>{{1, 0, 0}, {2, 0, 0}, {2, 0, 1}, {2, 1, 1}}));
  EXPECT_EQ(races_of(twice, Report::FirstPerByte), (std::vector<Race>{{1, 0, 0}, {2, 1, 1}}));
  auto again =
      races_of("T0|w(0x0,1)\nT1|w(0x0,1)\nT1|alloc(0x0,8)\nT1|w(0x0,1)\nT0|w(0x0,1)\n", Report::FirstPerByte);
  EXPECT_EQ(again, (std::vector<Race>{{1, 0, 0}, {4, 0, 3}}));
}

TEST(Oracle, Lock_OrdersCriticalSections) {
  EXPECT_FALSE(has_race("T0|acq(L0)\nT0|w(0x0,1)\nT0|rel(L0)\nT1|acq(L0)\nT1|w(0x0,1)\n"));
  EXPECT_TRUE(has_race("T0|acq(L0)\nT0|w(0x0,1)\nT0|rel(L0)\nT1|acq(L1)\nT1|w(0x0,1)\n"));
  EXPECT_TRUE(has_race("T0|acq(L0)\nT0|rel(L0)\nT0|w(0x0,1)\nT1|acq(L0)\nT1|w(0x0,1)\n"));
}

TEST(Oracle, SharedHolders_AreUnordered) {
  const std::string reader = "T0|acq_shared(L0)\nT0|w(0x0,1)\nT0|rel_shared(L0)\n";
  EXPECT_TRUE(has_race(reader + "T1|acq_shared(L0)\nT1|w(0x0,1)\n"));
  EXPECT_FALSE(has_race(reader + "T1|acq(L0)\nT1|w(0x0,1)\n"));
  EXPECT_FALSE(has_race("T0|acq(L0)\nT0|w(0x0,1)\nT0|rel(L0)\nT1|acq_shared(L0)\nT1|r(0x0,1)\n"));
  // The writer in between passes the first reader on.
  EXPECT_FALSE(has_race(reader + "T2|acq(L0)\nT2|rel(L0)\nT1|acq_shared(L0)\nT1|w(0x0,1)\n"));
}

TEST(Oracle, ForkAndJoin_Order) {
  EXPECT_FALSE(has_race("T0|w(0x0,1)\nT0|fork(T1)\nT1|w(0x0,1)\nT1|exit()\nT0|join(T1)\nT0|w(0x0,1)\n"));
  EXPECT_TRUE(has_race("T0|fork(T1)\nT0|w(0x0,1)\nT1|w(0x0,1)\n"));
  // A thread that does nothing still carries its creator's past to whoever joins it.
  EXPECT_FALSE(has_race("T0|w(0x0,1)\nT0|fork(T1)\nT2|join(T1)\nT2|w(0x0,1)\n"));
}

TEST(Oracle, Volatile_EveryEarlierWriteOrdersTheRead) {
  EXPECT_FALSE(has_race("T0|w(0x0,1)\nT0|vol_w(V0)\nT1|vol_w(V0)\nT2|vol_r(V0)\nT2|w(0x0,1)\n"));
  EXPECT_TRUE(has_race("T0|w(0x0,1)\nT0|vol_w(V0)\nT1|vol_w(V0)\nT1|w(0x0,1)\n"));
}

TEST(Oracle, Barrier_OrdersItsGenerationOnly) {
  const std::string both = "T0|w(0x0,1)\nT0|arrive(B0,0)\nT1|arrive(B0,0)\nT1|leave(B0,0)\n";
  EXPECT_FALSE(has_race(both + "T1|w(0x0,1)\n"));
  EXPECT_TRUE(has_race(both + "T1|w(0x1,1)\nT0|leave(B0,0)\nT0|w(0x1,1)\n"));
  // A fast thread arrives again: the slow one leaves the old generation without what came in between.
  EXPECT_TRUE(has_race(both + "T1|w(0x1,1)\nT1|arrive(B0,1)\nT0|leave(B0,0)\nT0|w(0x1,1)\n"));
}

TEST(Oracle, MessagePassing_NeedsReleaseAndAcquire) {
  auto passing = [](const std::string& store, const std::string& load) {
    return has_race("T0|w(0x0,1)\nT0|store(0x8,4," + store + ")\nT1|load(0x8,4," + load + ")\nT1|r(0x0,1)\n");
  };
  EXPECT_FALSE(passing("release", "acquire"));
  EXPECT_FALSE(passing("seq_cst", "seq_cst"));
  EXPECT_FALSE(passing("release", "consume"));
  EXPECT_TRUE(passing("release", "relaxed"));
  EXPECT_TRUE(passing("relaxed", "acquire"));
}

TEST(Oracle, MessagePassing_ThroughFences) {
  const std::string release = "T0|w(0x0,1)\nT0|fence(release)\nT0|store(0x8,4,relaxed)\n";
  EXPECT_FALSE(has_race(release + "T1|load(0x8,4,relaxed)\nT1|fence(acquire)\nT1|r(0x0,1)\n"));
  EXPECT_FALSE(has_race(release + "T1|load(0x8,4,acquire)\nT1|r(0x0,1)\n"));
  EXPECT_TRUE(has_race(release + "T1|fence(acquire)\nT1|load(0x8,4,relaxed)\nT1|r(0x0,1)\n"));
  EXPECT_TRUE(has_race(release + "T1|load(0x8,4,relaxed)\nT1|fence(release)\nT1|r(0x0,1)\n"));
  // What comes after the release fence is not published.
  EXPECT_TRUE(has_race(
      "T0|fence(release)\nT0|w(0x0,1)\nT0|store(0x8,4,relaxed)\nT1|load(0x8,4,acquire)\nT1|r(0x0,1)\n"));
  // Fences alone do not synchronise.
  EXPECT_TRUE(has_race("T0|w(0x0,1)\nT0|fence(seq_cst)\nT1|fence(seq_cst)\nT1|r(0x0,1)\n"));
  EXPECT_FALSE(has_race(
      "T0|w(0x0,1)\nT0|fence(seq_cst)\nT0|rmw(0x8,4,relaxed)\nT1|rmw(0x8,4,relaxed)\nT1|fence(seq_cst)\n"
      "T1|r(0x0,1)\n"));
}

TEST(Oracle, Fence_OfTheForkingThreadIsNotTheChilds) {
  EXPECT_TRUE(has_race(
      "T0|w(0x0,1)\nT0|fence(release)\nT0|fork(T1)\nT1|store(0x8,4,relaxed)\nT2|load(0x8,4,acquire)\n"
      "T2|r(0x0,1)\n"));
}

TEST(Oracle, ReleaseSequence_IsContinuedByAnyThreadsRmw) {
  const std::string head = "T0|w(0x0,1)\nT0|store(0x8,4,release)\n";
  EXPECT_FALSE(has_race(head + "T2|rmw(0x8,4,relaxed)\nT1|load(0x8,4,acquire)\nT1|r(0x0,1)\n"));
  // A second head joins the sequence and does not replace the first.
  EXPECT_FALSE(has_race(head + "T2|w(0x1,1)\nT2|rmw(0x8,4,release)\nT1|load(0x8,4,acquire)\nT1|r(0x0,2)\n"));
  // The continuing thread itself acquires nothing.
  EXPECT_TRUE(has_race(head + "T2|rmw(0x8,4,release)\nT2|r(0x0,1)\n"));
}

TEST(Oracle, ReleaseSequence_IsCutByAnyStore) {
  const std::string head = "T0|w(0x0,1)\nT0|store(0x8,4,release)\n",
                    tail = "T1|load(0x8,4,acquire)\nT1|r(0x0,1)\n";
  EXPECT_FALSE(has_race(head + tail));
  EXPECT_TRUE(has_race(head + "T2|store(0x8,4,relaxed)\n" + tail));
  EXPECT_TRUE(has_race(head + "T0|store(0x8,4,relaxed)\n" + tail)); // also by the same thread since C++20
  EXPECT_TRUE(has_race(head + "T2|store(0x8,4,release)\n" + tail)); // whose release is T2's
}

TEST(Oracle, FailedCompareExchange_ReadsWithItsFailureOrder) {
  const std::string head = "T0|w(0x0,1)\nT0|store(0x8,4,release)\n";
  EXPECT_FALSE(has_race(head + "T1|cas_fail(0x8,4,acquire)\nT1|r(0x0,1)\n"));
  EXPECT_TRUE(has_race(head + "T1|cas_fail(0x8,4,relaxed)\nT1|r(0x0,1)\n"));
  EXPECT_FALSE(has_race("T0|r(0x8,4)\nT1|cas_fail(0x8,4,relaxed)\n")); // it writes nothing
  EXPECT_TRUE(has_race("T0|w(0x0,1)\nT0|cas_fail(0x8,4,seq_cst)\nT1|load(0x8,4,acquire)\nT1|r(0x0,1)\n"));
}

TEST(Oracle, AtomicAgainstPlain_Races) {
  EXPECT_FALSE(has_race("T0|store(0x8,4,relaxed)\nT1|rmw(0x8,4,relaxed)\n"));
  EXPECT_TRUE(has_race("T0|store(0x8,4,relaxed)\nT1|r(0x8,1)\n"));
  EXPECT_TRUE(has_race("T0|w(0x8,1)\nT1|load(0x8,4,relaxed)\n"));
  EXPECT_FALSE(has_race("T0|r(0x8,1)\nT1|load(0x8,4,relaxed)\n"));
  EXPECT_EQ(races_of("T0|w(0x8,8)\nT1|store(0x0,16,seq_cst)\n").size(), 8u);
  // An acquire happens after what its release published, also on the atomic's own bytes.
  EXPECT_FALSE(has_race("T0|w(0x8,4)\nT0|store(0x8,4,release)\nT1|load(0x8,4,acquire)\nT1|w(0x8,4)\n"));
}

TEST(Oracle, Free_ConflictsWithEverythingUnordered) {
  EXPECT_TRUE(has_race("T0|r(0x8,1)\nT1|free(0x0,16)\n"));
  EXPECT_TRUE(has_race("T0|load(0x8,1,seq_cst)\nT1|free(0x0,16)\n"));
  EXPECT_TRUE(has_race("T0|free(0x0,16)\nT1|r(0x8,1)\n"));
  EXPECT_FALSE(has_race("T0|r(0x8,1)\nT1|free(0x0,8)\n"));
}

TEST(Oracle, Alloc_ForgetsItsBytesOnly) {
  EXPECT_FALSE(has_race("T0|w(0x0,8)\nT1|alloc(0x0,8)\nT1|w(0x0,8)\n"));
  EXPECT_EQ(races_of("T0|w(0x0,8)\nT1|alloc(0x0,7)\nT1|w(0x0,8)\n"), (std::vector<Race>{{2, 7, 0}}));
  // The old object's release sequence died with it.
  EXPECT_TRUE(has_race(
      "T0|w(0x0,1)\nT0|store(0x8,4,release)\nT1|alloc(0x8,4)\nT1|load(0x8,4,acquire)\nT1|r(0x0,1)\n"));
}

TEST(Oracle, FreshKeepsOrdered_AllocKeepsWhatHappensBeforeIt) {
  auto races_across_lives = [](const std::string& text) {
    Oracle oracle(Report::Every, Fresh::KeepsOrdered);
    size_t races = 0;
    for (const Event& e : trace_of(text)) races += oracle.append(e).size();
    return races;
  };
  EXPECT_EQ(races_across_lives("T0|w(0x0,1)\nT0|alloc(0x0,1)\nT1|w(0x0,1)\n"), 1u);
  EXPECT_EQ(
      races_across_lives("T0|w(0x0,1)\nT0|alloc(0x0,1)\nT0|acq(L0)\nT0|rel(L0)\nT1|acq(L0)\nT1|w(0x0,1)\n"),
      0u);
  EXPECT_EQ(races_across_lives("T0|w(0x0,1)\nT1|alloc(0x0,1)\nT1|w(0x0,1)\n"), 0u);
}

TEST(Oracle, OneUnorderedReaderAmongOrderedOnes_IsFound) {
  std::string text;
  for (int t = 1; t <= 50; ++t) text += "T0|fork(T" + std::to_string(t) + ")\n";
  for (int t = 1; t <= 50; ++t) text += "T" + std::to_string(t) + "|r(0x0,4)\n";
  for (int t = 1; t <= 50; ++t)
    if (t != 23) text += "T0|join(T" + std::to_string(t) + ")\n";
  auto races = races_of(text + "T0|w(0x0,1)\n");
  ASSERT_EQ(races.size(), 1u);
  EXPECT_EQ(trace_of(text)[races[0].previous].thread, 23u);
}

TEST(Oracle, MayRace_AgreesWithAppend) {
  Oracle oracle;
  for (const Event& e : trace_of("T0|w(0x0,2)\nT1|r(0x2,1)\nT1|w(0x1,1)\nT0|w(0x0,1)\n")) {
    bool may = oracle.may_race(e);
    EXPECT_EQ(may, !oracle.append(e).empty());
  }
}

} // namespace
} // namespace footrace::oracle
