#include "events/std_export.h"

#include "events/feasibility.h"
#include "events/text.h"

#include <gtest/gtest.h>

namespace footrace {
namespace {

std::string exported(const char* text) {
  std::vector<Event> trace;
  EXPECT_FALSE(parse_trace(text, trace));
  EXPECT_EQ(first_infeasible(trace).reason, "");
  std::string out;
  for (const Event& e : trace) append_std(e, out);
  std::vector<Event> again;
  EXPECT_FALSE(parse_trace(out, again));
  EXPECT_EQ(first_infeasible(again).reason, "") << out;
  return out;
}

TEST(StdExport, OperationsOfStd_StayAsTheyAre) {
  EXPECT_EQ(
      exported("T0|fork(T1)|1\nT0|acq(L2)|2\nT0|r(0x10,8)|3\nT0|w(0x10,4)|4\nT0|rel(L2)|5\nT0|join(T1)|6\n"
               "T0|begin(A1)|7\nT0|end(A1)|8\n"),
      "T0|fork(T1)|1\nT0|acq(L2)|2\nT0|r(V2)|3\nT0|w(V2)|4\nT0|rel(L2)|5\nT0|join(T1)|6\nT0|begin|7\nT0|end|"
      "8\n");
}

TEST(StdExport, RangeOverSeveralUnits_IsALineForEach) {
  EXPECT_EQ(exported("T0|w(0xe,4)|1\n"), "T0|w(V1)|1\nT0|w(V2)|1\n");
  EXPECT_EQ(exported("T0|w(0x10,8)|1\n"), "T0|w(V2)|1\n");
}

TEST(StdExport, WhatStdCannotSay_OrdersAtLeastAsMuch) {
  EXPECT_EQ(exported("T0|arrive(B3,1)|1\nT1|arrive(B3,1)|1\nT0|leave(B3,1)|1\n"),
            "T0|acq(LB3.1)|1\nT0|rel(LB3.1)|1\nT1|acq(LB3.1)|1\nT1|rel(LB3.1)|1\nT0|acq(LB3.1)|1\nT0|rel(LB3."
            "1)|1\n");
  EXPECT_EQ(exported("T0|store(0x8,8,release)|1\n"), "T0|acq(LA8)|1\nT0|rel(LA8)|1\n");
  EXPECT_EQ(
      exported("T0|acq_shared(L1)\nT1|acq_shared(L1)\nT0|rel_shared(L1)\nT1|rel_shared(L1)\nT0|acq(L1)\n"),
      "T0|acq(L1)|0\nT0|rel(L1)|0\nT1|acq(L1)|0\nT1|rel(L1)|0\nT0|acq(L1)|0\nT0|rel(L1)|0\nT1|acq(L1)|0\n"
      "T1|rel(L1)|0\nT0|acq(L1)|0\n");
}

} // namespace
} // namespace footrace
