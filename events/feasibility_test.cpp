#include "events/feasibility.h"
#include "events/text.h"

#include <gtest/gtest.h>

namespace footrace {
namespace {

// The line that cannot happen, from 1; 0 when all can.
size_t infeasible_line(const char* text) {
  std::vector<Event> trace;
  auto error = parse_trace(text, trace);
  EXPECT_FALSE(error) << error->reason;
  auto [index, reason] = first_infeasible(trace);
  EXPECT_EQ(reason.empty(), index == trace.size());
  return index == trace.size() ? 0 : index + 1;
}

TEST(Feasibility, OneExclusiveHolder_OrManyShared) {
  EXPECT_EQ(infeasible_line("T0|acq(L0)\nT0|rel(L0)\nT1|acq(L0)\n"), 0u);
  EXPECT_EQ(infeasible_line("T0|acq(L0)\nT1|acq(L0)\n"), 2u);
  EXPECT_EQ(infeasible_line("T0|acq(L0)\nT0|acq(L0)\n"), 2u);
  EXPECT_EQ(infeasible_line("T0|acq_shared(L0)\nT1|acq_shared(L0)\nT2|acq(L0)\n"), 3u);
  EXPECT_EQ(infeasible_line("T0|acq(L0)\nT1|acq_shared(L0)\n"), 2u);
}

TEST(Feasibility, ReleaseByAnotherThread_CannotHappen) {
  EXPECT_EQ(infeasible_line("T0|rel(L0)\n"), 1u);
  EXPECT_EQ(infeasible_line("T0|acq(L0)\nT1|rel(L0)\n"), 2u);
  EXPECT_EQ(infeasible_line("T0|acq_shared(L0)\nT0|rel(L0)\n"), 2u);
  EXPECT_EQ(infeasible_line("T0|acq(L0)\nT0|rel_shared(L0)\n"), 2u);
}

TEST(Feasibility, ThreadLives_BetweenForkAndEnd) {
  EXPECT_EQ(infeasible_line("T0|fork(T1)\nT1|exit()\nT0|join(T1)\n"), 0u);
  EXPECT_EQ(infeasible_line("T1|w(0x0,1)\nT0|fork(T1)\n"), 2u);
  EXPECT_EQ(infeasible_line("T0|fork(T1)\nT0|fork(T1)\n"), 2u);
  EXPECT_EQ(infeasible_line("T0|fork(T0)\n"), 1u);
  EXPECT_EQ(infeasible_line("T0|exit()\nT0|w(0x0,1)\n"), 2u);
  EXPECT_EQ(infeasible_line("T0|fork(T1)\nT0|join(T1)\nT1|w(0x0,1)\n"), 3u);
  EXPECT_EQ(infeasible_line("T0|join(T1)\n"), 1u);
}

TEST(Feasibility, Barrier_IsLeftAfterAllArrivals) {
  EXPECT_EQ(
      infeasible_line("T0|arrive(B0,0)\nT1|arrive(B0,0)\nT1|leave(B0,0)\nT1|arrive(B0,1)\nT0|leave(B0,0)\n"),
      0u);
  EXPECT_EQ(infeasible_line("T0|arrive(B0,0)\nT0|leave(B0,0)\nT1|arrive(B0,0)\n"), 3u);
  EXPECT_EQ(infeasible_line("T0|leave(B0,0)\n"), 1u);
  EXPECT_EQ(infeasible_line("T0|arrive(B0,0)\nT0|w(0x0,1)\n"), 2u);
  EXPECT_EQ(infeasible_line("T0|arrive(B0,0)\nT0|leave(B0,1)\n"), 2u);
  EXPECT_EQ(infeasible_line("T1|arrive(B0,0)\nT0|join(T1)\n"), 2u);
}

TEST(Feasibility, AtomicBlocks_EndWhatBegan) {
  EXPECT_EQ(infeasible_line("T0|begin(A1)\nT0|begin(A2)\nT1|begin()\nT0|end(A2)\nT0|end(A1)\n"), 0u);
  EXPECT_EQ(infeasible_line("T0|begin(A1)\nT1|end(A1)\n"), 2u);
  EXPECT_EQ(infeasible_line("T0|begin(A1)\nT0|end(A1)\nT0|end(A1)\n"), 3u);
}

TEST(Feasibility, MemoryOrders_AreThoseOfCxx20) {
  EXPECT_EQ(infeasible_line("T0|load(0x0,1,release)\n"), 1u);
  EXPECT_EQ(infeasible_line("T0|cas_fail(0x0,1,acq_rel)\n"), 1u);
  EXPECT_EQ(infeasible_line("T0|store(0x0,1,acquire)\n"), 1u);
  EXPECT_EQ(infeasible_line("T0|rmw(0x0,1,release)\nT0|fence(relaxed)\nT0|load(0x0,1,consume)\n"), 0u);
}

} // namespace
} // namespace footrace
