#include "findings/report/picture.h"

#include "findings/report/report.h"
#include "findings/sample_finding.h"

#include <gtest/gtest.h>

#include <algorithm>

namespace footrace::findings {
namespace {

std::vector<std::string> texts_of(const Picture& picture) {
  std::vector<std::string> all;
  for (const Moment& moment : picture.moments) all.push_back(moment.text);
  return all;
}

std::string lines_of(const Finding& finding) {
  std::string text;
  for (const std::string& line : picture_lines(picture_of(finding))) text += line + '\n';
  return text;
}

// T1 writes; T2, which has taken M after T1 had released it, writes.
Finding race_of_siblings() {
  Finding finding = sample_finding();
  finding.accesses[0].thread = 2;
  finding.accesses[1].thread = 1;
  finding.accesses[0].locks = {{0x10, "M", LockMode::Exclusive, {}}};
  finding.threads.push_back({2, "", 125, false, 0, {}});
  return finding;
}

TEST(Picture, HasLanesCreationsLocksAndAccessesInOrder) {
  Picture picture = picture_of(sample_finding());
  ASSERT_EQ(picture.lanes.size(), 2u);
  EXPECT_EQ(picture.lanes[0].title, "main thread");
  EXPECT_EQ(picture.lanes[1].title, "T1 'worker'");
  EXPECT_TRUE(picture.lanes[1].has_ended);
  EXPECT_TRUE(picture.is_timed);
  EXPECT_EQ(texts_of(picture),
            (std::vector<std::string>{"main thread creates T1 'worker'", "main thread locks bank_mutex",
                                      "main thread: read of account.balance, holding bank_mutex",
                                      "T1 'worker': write of account.balance, holding no locks"}));
  EXPECT_EQ(picture.moments[1].place.line, 17u) << "where the user takes it, not where the library does";
}

TEST(Picture, JoinThatIsOver_ComesBeforeTheLaterAccess) {
  Finding finding = race_of_siblings();
  finding.threads[1].joiner = 0;
  finding.threads[1].joined = true;
  std::vector<std::string> texts = texts_of(picture_of(finding));
  auto join = std::ranges::find(texts, "T1 'worker' has ended, and main thread has joined it");
  ASSERT_NE(join, texts.end());
  EXPECT_LT(std::ranges::find(texts, "T1 'worker': read of account.balance, holding bank_mutex"), join);
  EXPECT_LT(join, texts.end() - 1);
  finding.threads[1].joined = false; // somebody waits for it: it will be an edge, later
  EXPECT_EQ(texts_of(picture_of(finding)).back(), "main thread waits for the end of T1 'worker'");
}

TEST(Picture, LockThatWasHandedOver_IsAnEdgeBeforeTheEarlierAccess) {
  Finding finding = race_of_siblings();
  EXPECT_EQ(std::ranges::count(texts_of(picture_of(finding)), "T2 locks M"), 1) << "the twin without an edge";
  finding.accesses[0].locks[0].after = 1;
  Picture picture = picture_of(finding);
  auto edge = std::ranges::find(picture.moments, MomentKind::HandsOver, &Moment::kind);
  ASSERT_NE(edge, picture.moments.end());
  EXPECT_EQ(edge->text, "T1 'worker' unlocks M, then T2 locks it");
  EXPECT_EQ(picture.lanes[edge->lane].name, "T1");
  EXPECT_EQ(picture.lanes[*edge->to].name, "T2");
  EXPECT_LT(edge, std::ranges::find(picture.moments, MomentKind::Accesses, &Moment::kind));
}

TEST(Picture, WhatIsKnownOfTheOtherThread_IsSaid) {
  Finding finding = race_of_siblings();
  EXPECT_EQ(picture_of(finding).note, "");
  finding.order = Order::None;
  EXPECT_TRUE(picture_of(finding).note.starts_with(
      "Nothing that T1 'worker' did is ordered before the access by T2"));
  finding.slept = {sample_frame("audit()", "/src/bank.cpp", 16, 5)};
  EXPECT_TRUE(picture_of(finding).note.starts_with("T2 slept (bank.cpp:16:5) after the other access"));
  finding.order = Order::Earlier;
  finding.through = "flag";
  EXPECT_EQ(std::ranges::count(texts_of(picture_of(finding)),
                               "T1 'worker' released flag before its access, then T2 acquired it"),
            1);
  finding.accesses[0].locks[0].after = 1;
  EXPECT_EQ(std::ranges::count(picture_of(finding).moments, MomentKind::HandsOver, &Moment::kind), 1)
      << "said once";
}

TEST(Picture, OfAnAnalysis_HasNoTime) {
  Finding finding = sample_finding();
  finding.part = "scan";
  finding.threads.clear();
  for (Access& access : finding.accesses) access.thread.reset();
  Picture picture = picture_of(finding);
  EXPECT_FALSE(picture.is_timed);
  ASSERT_EQ(picture.lanes.size(), 2u);
  EXPECT_NE(lines_of(finding).find("NO ORDER: either may come first"), std::string::npos);
  for (Access& access : finding.accesses) access.thread = 1; // one of many that a loop makes
  EXPECT_EQ(picture_of(finding).lanes.size(), 2u);
}

TEST(Picture, AsText_IsAColumnForEachLane) {
  Finding finding = sample_finding();
  finding.threads[1].joiner = 0;
  EXPECT_EQ(lines_of(finding), "main  T1\n"
                               "o---->o  main thread creates T1 'worker' (bank.cpp:30:1)\n"
                               "o     |  main thread locks bank_mutex (bank.cpp:17:5)\n"
                               "#     |  main thread: read of account.balance, holding bank_mutex\n"
                               "|     |  (bank.cpp:18:7)\n"
                               "|     |  NO ORDER: nothing leads from the access above to the one below\n"
                               "|     #  T1 'worker': write of account.balance, holding no locks\n"
                               "|     |  (bank.cpp:12:15)\n"
                               "o<....o  main thread waits for the end of T1 'worker'\n");
}

TEST(Picture, LongNames_StayInEightyColumns) {
  Finding finding = race_of_siblings();
  finding.accesses[0].expression = std::string(50, 'x');
  for (unsigned i = 3; i < 12; ++i) {
    finding.accesses[0].locks.push_back({i, std::string(40, 'm'), LockMode::Exclusive, {}, i});
    finding.threads.push_back({i, "", i, false, 0, {}});
  }
  for (const std::string& line : picture_lines(picture_of(finding))) EXPECT_LE(line.size(), 78u) << line;
}

} // namespace
} // namespace footrace::findings
