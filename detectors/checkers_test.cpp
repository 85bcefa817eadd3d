// Second stages: what their papers say of blocks and schedules, each with the nearest trace where it is not so. Velodrome is also compared
// with its definition (tests/replay).
#include "detectors/all.h"
#include "events/feasibility.h"
#include "events/text.h"

#include <gtest/gtest.h>

namespace footrace::detectors {
namespace {

// The events at which the checker reports, as "event" or "event<begin of the block".
std::string reports(const char* name, const std::string& text) {
  std::vector<Event> trace;
  auto error = parse_trace(text, trace);
  EXPECT_FALSE(error) << error->reason;
  EXPECT_EQ(first_infeasible(trace).reason, "");
  auto checker = find_checker(name)->make();
  std::string all;
  std::vector<Violation> violations;
  for (size_t i = 0; i < trace.size(); ++i) {
    checker->step(trace[i], i, violations);
    for (const Violation& v : violations)
      all += (all.empty() ? "" : " ") + std::to_string(i) +
             (v.has_block ? "<" + std::to_string(v.begin_index) : "");
    violations.clear();
  }
  return all;
}

// Two sections of one lock in a block, and another thread's section between.
const std::string kTorn = "T0|begin()\nT0|acq(L0)\nT0|r(x)\nT0|rel(L0)\nT1|acq(L0)\nT1|w(x)\nT1|rel(L0)\nT0|"
                          "acq(L0)\nT0|w(x)\nT0|rel(L0)\nT0|end()\n";
// The same blocks, where nothing came between this time.
const std::string kLucky = "T0|begin()\nT0|acq(L0)\nT0|r(x)\nT0|rel(L0)\nT0|acq(L0)\nT0|w(x)\nT0|rel(L0)\nT0|"
                           "end()\nT1|acq(L0)\nT1|w(x)\nT1|rel(L0)\n";
const std::string kOneSection =
    "T0|begin()\nT0|acq(L0)\nT0|r(x)\nT0|w(x)\nT0|rel(L0)\nT0|end()\nT1|acq(L0)\nT1|w(x)\nT1|rel(L0)\n";

TEST(Velodrome, BlockWithAnotherThreadInIt_IsReported) {
  EXPECT_EQ(reports("Velodrome", kTorn), "7<0");
  EXPECT_EQ(reports("Velodrome", kLucky), ""); // this trace is serialisable
  EXPECT_EQ(reports("Velodrome", kOneSection), "");
}
TEST(Velodrome, InnerBlocks_ArePartOfTheOuterOne) {
  EXPECT_EQ(reports("Velodrome", "T0|begin()\nT0|begin()\nT0|r(x)\nT0|end()\nT1|w(x)\nT0|w(x)\nT0|end()\n"),
            "5<0");
  EXPECT_EQ(reports("Velodrome", "T0|begin()\nT0|r(x)\nT0|end()\nT1|w(x)\nT0|begin()\nT0|w(x)\nT0|end()\n"),
            "");
}
// The paper's introduction: locks hand over from block to block without any conflict being out of order, which Atomizer takes for an error.
TEST(Velodrome, HandoverByAVolatile_IsNoFalseAlarm_WhereAtomizerHasOne) {
  const std::string text = "T0|begin()\nT0|w(x)\nT0|vol_w(V0)\nT0|end()\nT1|begin()\nT1|vol_r(V0)\nT1|w(x)"
                           "\nT1|vol_w(V0)\nT1|end()\nT0|begin()\nT0|vol_r(V0)\nT0|w(x)\nT0|end()\n";
  EXPECT_EQ(reports("Velodrome", text), "");
  EXPECT_NE(reports("Atomizer", text), "");
}
TEST(Velodrome, LongTraceOutsideOfBlocks_KeepsNoTransactions) {
  std::string text = "T0|fork(T1)\n";
  for (int i = 0; i < 5000; ++i)
    for (const char* t : {"T0", "T1"})
      text += std::string(t) + "|acq(L0)\n" + t + "|begin()\n" + t + "|w(x)\n" + t + "|end()\n" + t +
              "|rel(L0)\n";
  std::vector<Event> trace;
  ASSERT_FALSE(parse_trace(text, trace));
  auto checker = find_checker("Velodrome")->make();
  std::vector<Violation> violations;
  for (size_t i = 0; i < trace.size(); ++i) checker->step(trace[i], i, violations);
  EXPECT_TRUE(violations.empty());
  EXPECT_LT(checker->cost().memory, 100000u);
}

TEST(Atomizer, AcquireBehindARelease_IsReported_AlsoWhenNobodyCameBetween) {
  EXPECT_EQ(reports("Atomizer", kTorn), "7<0");
  EXPECT_EQ(reports("Atomizer", kLucky), "4<0");
  EXPECT_EQ(reports("Atomizer", kOneSection), "");
}
TEST(Atomizer, OneRacyAccess_IsTheCommitPoint_TwoAreTooMany) {
  const std::string shared = "T0|w(x)\nT1|w(x)\n"; // no lock protects it
  EXPECT_EQ(reports("Atomizer", shared + "T0|begin()\nT0|w(x)\nT0|end()\n"), "");
  EXPECT_EQ(reports("Atomizer", shared + "T0|begin()\nT0|r(x)\nT0|w(x)\nT0|end()\n"), "4<2");
  EXPECT_EQ(reports("Atomizer", "T0|begin()\nT0|r(y)\nT0|w(y)\nT0|end()\n"), ""); // its own
}

TEST(SingleTrack, ForkJoinAndBarriers_AreDeterministic_LocksAreNot) {
  EXPECT_EQ(reports("SingleTrack", "T0|w(x)\nT0|fork(T1)\nT1|w(x)\nT1|exit()\nT0|join(T1)\nT0|r(x)\n"), "");
  EXPECT_EQ(reports("SingleTrack", "T0|w(x)\nT0|arrive(B0,1)\nT1|arrive(B0,1)\nT1|leave(B0,1)\nT1|w(x)\n"),
            "");
  EXPECT_EQ(reports("SingleTrack", "T0|acq(L0)\nT0|w(x)\nT0|rel(L0)\nT1|acq(L0)\nT1|w(x)\nT1|rel(L0)\n"),
            "3 4");
  EXPECT_EQ(reports("SingleTrack", "T0|acq_shared(L0)\nT1|acq_shared(L0)\n"), "");
}
TEST(SingleTrack, AtomicsAndVolatiles_AreUpToTheSchedule) {
  EXPECT_EQ(reports("SingleTrack", "T0|rmw(0x8,8,seq_cst)\nT1|rmw(0x8,8,seq_cst)\n"), "1");
  EXPECT_EQ(reports("SingleTrack", "T0|load(0x8,8,seq_cst)\nT1|load(0x8,8,seq_cst)\n"), "");
  EXPECT_EQ(reports("SingleTrack", "T0|vol_w(V0)\nT1|vol_r(V0)\n"), "1");
}

TEST(Checkers, InfeasibleTrace_Ends) {
  std::vector<Event> trace;
  ASSERT_FALSE(parse_trace("T0|end()\nT0|rel(L0)\nT1|rel_shared(L0)\nT0|leave(B0,0)\nT0|join(T0)\nT0|fork(T0)"
                           "\nT0|begin()\nT1|w(x)\n",
                           trace));
  for (const CheckerDescription& c : all_checkers()) {
    auto checker = c.make();
    std::vector<Violation> violations;
    for (size_t i = 0; i < trace.size(); ++i) checker->step(trace[i], i, violations);
  }
}

TEST(ThreadLocal, MemoryOfOneThread_IsCleared) {
  auto detector = find_detector("TL")->make({});
  const auto passes = [&](const char* line) {
    std::vector<Event> trace;
    EXPECT_FALSE(parse_trace(line, trace));
    Verdict verdict;
    for (const Event& e : trace) verdict.clear(), detector->step(e, verdict);
    return verdict.may_race;
  };
  EXPECT_FALSE(passes("T0|w(0x10,4)\n"));
  EXPECT_FALSE(passes("T0|r(0x10,4)\n"));
  EXPECT_TRUE(passes("T1|r(0x12,1)\n"));
  EXPECT_TRUE(passes("T0|r(0x12,1)\n"));
  EXPECT_FALSE(passes("T0|r(0x10,1)\n")); // the other bytes are still its own
  EXPECT_FALSE(passes("T1|alloc(0x10,4)\nT1|w(0x12,1)\n"));
}

} // namespace
} // namespace footrace::detectors
