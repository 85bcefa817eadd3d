#include "events/text.h"

#include <gtest/gtest.h>

namespace footrace {
namespace {

std::vector<Event> parsed(const char* text) {
  std::vector<Event> trace;
  auto error = parse_trace(text, trace);
  EXPECT_FALSE(error) << error->line << ": " << error->reason;
  return trace;
}

std::string reason_of(const char* text, u64 line) {
  std::vector<Event> trace;
  auto error = parse_trace(text, trace);
  EXPECT_TRUE(error) << text;
  if (!error) return "";
  EXPECT_EQ(error->line, line);
  return error->reason;
}

constexpr const char* kOneOfEach = "T0|alloc(0x40,16)|1\n"
                                   "T0|fork(T7)\n"
                                   "T7|r(0x41,3)|2\n"
                                   "T7|w(0x48,8)|3\n"
                                   "T0|acq(L1)\n"
                                   "T0|rel(L1)\n"
                                   "T0|acq_shared(L2)\n"
                                   "T0|rel_shared(L2)\n"
                                   "T0|vol_w(V5)\n"
                                   "T7|vol_r(V5)\n"
                                   "T0|load(0x40,4,acquire)|4\n"
                                   "T0|store(0x40,4,relaxed)|4\n"
                                   "T0|rmw(0x40,4,acq_rel)|4\n"
                                   "T0|cas_fail(0x40,4,consume)|4\n"
                                   "T0|fence(seq_cst)\n"
                                   "T0|arrive(B3,2)\n"
                                   "T0|leave(B3,2)\n"
                                   "T7|exit()\n"
                                   "T0|join(T7)\n"
                                   "T0|free(0x40,16)|9\n"
                                   "T0|begin(A4)|5\n"
                                   "T0|end(A4)|6\n";

TEST(Text, EveryKind_SurvivesTheRoundTrip) {
  auto trace = parsed(kOneOfEach);
  ASSERT_EQ(trace.size(), kEventKinds);
  EXPECT_EQ(to_text(trace), kOneOfEach);
  EXPECT_EQ(parsed(to_text(trace).c_str()), trace);
}

TEST(Text, CommentsBlanksAndSpaces_AreSkipped) {
  auto trace = parsed("# header\n\n  T1 | w ( 0x10 , 4 ) | 7  # why\r\n");
  ASSERT_EQ(trace.size(), 1u);
  EXPECT_EQ(to_text(trace[0]), "T1|w(0x10,4)|7");
}

TEST(Text, NamesOfStdTraces_GetDistinctNumbers) {
  auto trace = parsed("T0|w(V1.2[3])|5\nT1|r(x)|6\nT0|r(V1.2[3])|7\nmain|acq(mutex)|1\nT1|acq(L4)|1\n");
  EXPECT_EQ(trace[0].target, trace[2].target);
  EXPECT_NE(trace[0].target, trace[1].target);
  EXPECT_EQ(trace[0].extent, 8u);
  EXPECT_NE(trace[3].target, trace[4].target);
  EXPECT_GT(trace[3].thread, 1u);
}

TEST(Text, Errors_NameLineAndReason) {
  EXPECT_NE(reason_of("T0|r(0x0,1)\nT0|read(0x0,1)\n", 2).find("unknown operation 'read'"),
            std::string::npos);
  EXPECT_NE(reason_of("T0 r(0x0,1)", 1).find("expected THREAD|OPERATION"), std::string::npos);
  EXPECT_NE(reason_of("|r(0x0,1)", 1).find("thread is missing"), std::string::npos);
  EXPECT_NE(reason_of("T0|r(0x0)", 1).find("size"), std::string::npos);
  EXPECT_NE(reason_of("T0|r(0x0,0)", 1).find("size"), std::string::npos);
  EXPECT_NE(reason_of("T0|r(0x0,)", 1).find("missing"), std::string::npos);
  EXPECT_NE(reason_of("T0|r(0xffffffffffffffff,2)", 1).find("wraps"), std::string::npos);
  EXPECT_NE(reason_of("T0|load(0x0,4)", 1).find("ORDER"), std::string::npos);
  EXPECT_NE(reason_of("T0|load(0x0,4,strong)", 1).find("unknown memory order 'strong'"), std::string::npos);
  EXPECT_NE(reason_of("T0|exit(T1)", 1).find("expected ()"), std::string::npos);
  EXPECT_NE(reason_of("T0|arrive(B0)", 1).find("GENERATION"), std::string::npos);
  EXPECT_NE(reason_of("T0|r(0x0,1)|", 1).find("SITE"), std::string::npos);
  EXPECT_NE(reason_of("T0|r(0x0,1)|a|b", 1).find("SITE"), std::string::npos);
  EXPECT_NE(reason_of("T0|r(0x0,1)|4294967296", 1).find("32 bits"), std::string::npos);
  EXPECT_NE(reason_of("T0|r|5", 1).find("OPERANDS"), std::string::npos);
  EXPECT_NE(reason_of("T0|r(0x0,1", 1).find("OPERANDS"), std::string::npos);
  EXPECT_NE(reason_of("T4294967296|exit()", 1).find("32 bits"), std::string::npos);
}

} // namespace
} // namespace footrace
