#include "findings/suppressions.h"

#include "findings/sample_finding.h"

#include <gtest/gtest.h>

namespace footrace::findings {
namespace {

struct PatternCase {
  const char* pattern;
  const char* text;
  bool matches;
};

TEST(Pattern, Table) {
  const PatternCase cases[] = {
      {"foo", "foo", true},
      {"foo", "my_foo_bar", true},
      {"foo", "fo", false},
      {"foo", "", false},
      {"*", "x", true},
      {"*", "", false},
      {"^foo", "foobar", true},
      {"^foo", "a foo", false},
      {"foo$", "a foo", true},
      {"foo$", "foobar", false},
      {"foo$", "foofoo", true},
      {"^foo$", "foo", true},
      {"^foo$", "foofoo", false},
      {"a*b", "xayybz", true},
      {"a*b", "ba", false},
      {"^a*b$", "aXbYb", true},
      {"^a*b$", "aXbY", false},
      {"a**b", "ab", true},
      {"*foo*", "xfoox", true},
      {"^*foo$", "xfoo", true},
      {"^foo*", "xfoo", false},
      {"f(int)", "f(int)", true},
      {"::$_0", "main::$_0", true},
      {"foo*$", "foobar", true},
      {"^", "x", true},
      {"$", "x", true},
      {"a*a*a*a$", "aaab", false},
      {"Foo", "foo", false},
  };
  for (const PatternCase& c : cases)
    EXPECT_EQ(matches_pattern(c.pattern, c.text), c.matches) << c.pattern << " on '" << c.text << "'";
}

bool suppressed_by(const std::string& rules, const Finding& finding) {
  Suppressions suppressions;
  std::vector<std::string> notes;
  EXPECT_TRUE(suppressions.parse(rules, "s", notes).empty());
  return suppressions.match(finding) != nullptr;
}

TEST(Suppressions, Race_MatchesAnyFrameOfEitherAccess) {
  Finding finding = sample_finding();
  EXPECT_TRUE(suppressed_by("race:deposit(Account&", finding));
  EXPECT_TRUE(suppressed_by("race:^_Z7deposit", finding)) << "mangled";
  EXPECT_TRUE(suppressed_by("race:audit", finding)) << "the previous access";
  EXPECT_TRUE(suppressed_by("race:^worker(int)$", finding)) << "an outer frame";
  EXPECT_TRUE(suppressed_by("race:/src/bank.cpp", finding)) << "file";
  EXPECT_TRUE(suppressed_by("race:libc.so", finding)) << "module";
  EXPECT_FALSE(suppressed_by("race:withdraw", finding));
}

TEST(Suppressions, Race_DoesNotMatchOtherStacks) {
  Finding finding = sample_finding();
  finding.threads[1].created = {sample_frame("spawn()", "/src/spawn.cpp", 1, 1)};
  finding.memory->allocated = {sample_frame("make()", "/src/make.cpp", 1, 1)};
  EXPECT_FALSE(suppressed_by("race:spawn", finding));
  EXPECT_FALSE(suppressed_by("race:make", finding));
  EXPECT_FALSE(suppressed_by("race:lock_guard", finding));
}

TEST(Suppressions, Race_MatchesGlobalByNameAndModule) {
  Finding finding = sample_finding();
  finding.memory->name = "counter";
  finding.memory->module = "/lib/libcounters.so";
  EXPECT_FALSE(suppressed_by("race:^counter$", finding)) << "a heap block has no name";
  finding.memory->region = Region::Global;
  EXPECT_TRUE(suppressed_by("race:^counter$", finding));
  EXPECT_TRUE(suppressed_by("race:libcounters", finding));
  EXPECT_FALSE(suppressed_by("race_top:^counter$", finding));
}

TEST(Suppressions, Race_MatchesGlobalAloneAndWithItsMember) {
  Finding finding = sample_finding();
  finding.memory->region = Region::Global;
  finding.memory->name = "account";
  finding.memory->member = ".balance";
  for (const char* pattern : {"race:^account$", "race:account.balance", "race:^account.balance$"})
    EXPECT_TRUE(suppressed_by(pattern, finding)) << pattern;
  EXPECT_FALSE(suppressed_by("race:account.number", finding));
  EXPECT_FALSE(suppressed_by("race:^balance", finding));
}

TEST(Suppressions, RaceTop_MatchesOnlyInnermostFrames) {
  EXPECT_TRUE(suppressed_by("race_top:deposit", sample_finding()));
  EXPECT_TRUE(suppressed_by("race_top:audit", sample_finding()));
  EXPECT_FALSE(suppressed_by("race_top:worker", sample_finding()));
}

TEST(Suppressions, CalledFromLib_MatchesTheCallersLibrary) {
  Finding finding = sample_finding();
  StackFrame memcpy_frame;
  memcpy_frame.function = "memcpy";
  finding.accesses[0].intercepted = "memcpy";
  finding.accesses[0].stack = {memcpy_frame, sample_frame("decode", "", 0, 0, "/usr/lib/libcodec.so.2", 0x10),
                               sample_frame("main", "", 0, 0, "/bin/player", 0x20)};
  EXPECT_TRUE(suppressed_by("called_from_lib:libcodec.so", finding));
  EXPECT_FALSE(suppressed_by("called_from_lib:player", finding)) << "only the direct caller";
  EXPECT_FALSE(suppressed_by("called_from_lib:decode", finding)) << "libraries, not functions";
}

TEST(Suppressions, Hits_AreCountedForTheFirstRuleThatMatches) {
  Suppressions suppressions;
  std::vector<std::string> notes;
  suppressions.parse("race:nothing\nrace:deposit\nrace:audit\n", "s", notes);
  suppressions.match(sample_finding());
  const Suppression* rule = suppressions.match(sample_finding());
  ASSERT_NE(rule, nullptr);
  EXPECT_EQ(rule->line, "race:deposit");
  EXPECT_EQ(rule->hits, 2u);
  EXPECT_EQ(suppressions.rules()[2].hits, 0u);
}

TEST(Suppressions, Syntax_CommentsSpacesAndLineEnds) {
  Suppressions suppressions;
  std::vector<std::string> notes;
  EXPECT_TRUE(
      suppressions.parse("# comment\n\n  race: std::a b \r\n\trace_top:x#y\ncalled_from_lib:z", "s", notes)
          .empty());
  ASSERT_EQ(suppressions.rules().size(), 3u);
  EXPECT_EQ(suppressions.rules()[0].pattern, "std::a b");
  EXPECT_EQ(suppressions.rules()[1].pattern, "x#y");
  EXPECT_TRUE(notes.empty());
}

TEST(Suppressions, BadLines_AreNamedAndTheOthersKept) {
  Suppressions suppressions;
  std::vector<std::string> notes;
  std::vector<std::string> problems =
      suppressions.parse("race:a\nrase:b\njust_a_name\nrace:\ndeadlock:m\nrace:c\n", "my.supp", notes);
  ASSERT_EQ(problems.size(), 3u);
  EXPECT_EQ(problems[0],
            "my.supp:2: unknown kind 'rase'; known are race, race_top, called_from_lib, finding");
  EXPECT_EQ(problems[1], "my.supp:3: 'just_a_name' has no kind; write race:just_a_name");
  EXPECT_EQ(problems[2], "my.supp:4: 'race:' has no pattern; 'race:*' would suppress everything");
  ASSERT_EQ(notes.size(), 1u);
  EXPECT_TRUE(notes[0].starts_with("my.supp:5: 'deadlock:' is accepted and has no effect"));
  EXPECT_EQ(suppressions.rules().size(), 2u);
}

TEST(Suppressions, MissingFile_IsExplained) {
  Suppressions suppressions;
  std::vector<std::string> notes;
  std::vector<std::string> problems = suppressions.read("/no/such.supp", notes);
  ASSERT_EQ(problems.size(), 1u);
  EXPECT_EQ(
      problems[0],
      "cannot read suppressions file '/no/such.supp': No such file or directory; nothing is suppressed");
}

TEST(Suppressions, KnownRace_NeedsTheLibraryAtBothAccesses) {
  Finding finding = sample_finding();
  auto inside = [](const char* function) {
    StackFrame frame;
    frame.function = function;
    frame.location = {"/usr/include/c++/12/bits/shared_ptr_atomic.h", 500, 1};
    return frame;
  };
  Suppressions known;
  known.add_known_races();
  auto is_suppressed = [&](const Finding& f) { return known.match(f) != nullptr; };
  EXPECT_FALSE(is_suppressed(finding));
  finding.accesses[0].stack.insert(
      finding.accesses[0].stack.begin(),
      inside("std::_Sp_atomic<std::shared_ptr<int>>::load(std::memory_order) const"));
  EXPECT_FALSE(is_suppressed(finding)) << "the other access is the user's";
  finding.accesses[1].stack.insert(
      finding.accesses[1].stack.begin(),
      inside("std::_Sp_atomic<std::shared_ptr<int>>::swap(std::shared_ptr<int>&, std::memory_order)"));
  EXPECT_TRUE(is_suppressed(finding));
  std::swap(finding.accesses[0], finding.accesses[1]);
  EXPECT_TRUE(is_suppressed(finding));
  for (Access& access : finding.accesses) access.stack.front().location.file = "/home/me/own.h";
  EXPECT_FALSE(is_suppressed(finding)) << "a user's class of that name";
}

TEST(Suppressions, OneFinding_IsNamedByItsFingerprintUntilADay) {
  Finding finding = sample_finding();
  std::vector<std::string> notes;
  Suppressions rules;
  rules.set_today("2026-11-19");
  EXPECT_TRUE(rules
                  .parse("finding:" + finding.fingerprint +
                             " until=2026-11-19 added=2026-01-02 reason=counts until= the release\n",
                         "s", notes)
                  .empty());
  const Suppression* rule = rules.match(finding);
  ASSERT_NE(rule, nullptr);
  EXPECT_EQ(rule->reason, "counts until= the release");
  rules.set_today("2026-11-20");
  EXPECT_EQ(rules.match(finding), nullptr) << "it has expired";
  EXPECT_EQ(rules.rules()[0].would_hit, 1u);
  finding.fingerprint = "0123";
  rules.set_today("2026-11-19");
  EXPECT_EQ(rules.match(finding), nullptr) << "it names another finding";
}

TEST(Suppressions, OneFinding_DamagedRulesAreExplained) {
  std::vector<std::string> notes;
  Suppressions rules;
  EXPECT_EQ(
      rules.parse("finding:12 until=soon\nfinding:12 untill=2026-11-19\n", "s", notes),
      (std::vector<std::string>{
          "s:1: 'soon' is not a date such as 2026-11-19",
          "s:2: 'untill=2026-11-19' is not known after a fingerprint; known are until=, added=, reason="}));
  EXPECT_TRUE(rules.rules().empty());
  EXPECT_TRUE(is_date(today()));
  EXPECT_FALSE(is_date("2026-13-01"));
}

} // namespace
} // namespace footrace::findings
