#include "findings/report/report.h"

#include "findings/json.h"
#include "findings/report/writers.h"
#include "findings/sample_finding.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <unistd.h>

namespace footrace::findings {
namespace {

Finding finding_on(const std::string& expression, const std::string& part = "dynamic") {
  Finding finding = sample_finding();
  for (Access& access : finding.accesses) access.expression = expression;
  finding.part = part;
  finding.evidence.clear();
  seal(finding);
  return finding;
}

Report report_of(const std::vector<Finding>& findings) {
  Collector collector;
  for (const Finding& finding : findings) collector.add(finding);
  return collector.finish({}, "2026-11-19");
}

class ReportFiles : public testing::Test {
protected:
  ReportFiles() : folder_(testing::TempDir() + "/footrace_report_" + std::to_string(getpid())) {
    std::filesystem::create_directories(folder_);
  }
  ~ReportFiles() override { std::filesystem::remove_all(folder_); }
  std::string write(const std::string& name, const std::string& text) {
    std::ofstream(folder_ + "/" + name, std::ios::binary) << text;
    return folder_ + "/" + name;
  }
  std::string folder_;
};

TEST(Merging, SameFingerprint_IsOneEntryWithItsEvidenceAdded) {
  Finding of_other_process = finding_on("a");
  of_other_process.pid += 1;
  Report report = report_of({finding_on("a", "scan"), finding_on("a"), finding_on("a", "prove"),
                             of_other_process, finding_on("b")});
  ASSERT_EQ(report.entries.size(), 2u);
  EXPECT_EQ(report.read, 5u);
  const Finding& merged = report.entries[0].finding.accesses[0].expression == "a" ? report.entries[0].finding
                                                                                  : report.entries[1].finding;
  EXPECT_EQ(evidence_text(merged), "observed 2 times, suspected, not proved");
  EXPECT_EQ(merged.part, "dynamic") << "what a run knows is kept";
}

TEST_F(ReportFiles, EvidenceOfOneProcessOrAnalysis_CountsOnce) {
  Finding other_place = finding_on("a"), other_process = finding_on("a"), pair = finding_on("a", "prove");
  other_place.accesses[0].location.line += 1;
  other_process.pid += 1;
  const std::string file = write("one", write_json(finding_on("a")) + write_json(other_place) +
                                            write_json(pair) + write_json(pair));
  Collector collector;
  collector.add_file(file);
  EXPECT_EQ(evidence_text(collector.finish({}, "").entries[0].finding), "observed once, not proved");
  Collector more;
  more.add_file(file);
  more.add_file(write("two", write_json(other_process)));
  more.add_file(file); // another machine may have the same numbers
  EXPECT_EQ(evidence_text(more.finish({}, "").entries[0].finding), "observed 3 times, not proved 2 times");
}

TEST(Merging, PlacesAndPrograms_AreKeptOnce) {
  Finding moved = finding_on("a");
  moved.accesses[0].stack[0].location.line += 10;
  moved.program = "/bin/other";
  seal(moved);
  Report report = report_of({finding_on("a"), moved, finding_on("a")});
  ASSERT_EQ(report.entries.size(), 1u);
  EXPECT_EQ(report.entries[0].places.size(), 2u);
  EXPECT_EQ(report.entries[0].programs, (std::set<std::string>{"bank", "other"}));
}

Finding proof_of(std::vector<std::string> sources) {
  Finding proof;
  proof.rule = "race-free";
  proof.part = "prove";
  proof.sources = std::move(sources);
  proof.evidence = {{EvidenceKind::ProvedSafe, 1}};
  seal(proof);
  return proof;
}

TEST(Proofs, SettleWhatIsOnlySuspectedInTheirFiles) {
  Report report = report_of({finding_on("a", "scan"), proof_of({"/src/bank.cpp"})});
  ASSERT_EQ(report.entries.size(), 1u);
  EXPECT_EQ(evidence_text(report.entries[0].finding), "suspected, proved safe");
  EXPECT_FALSE(needs_action(report, report.entries[0]));
  EXPECT_EQ(report.proofs, std::vector<std::string>{"race-free: bank.cpp"});
}

TEST(Proofs, DoNotSettleOtherFilesNorWhatWasObserved) {
  EXPECT_EQ(count_needing_action(report_of({finding_on("a", "scan"), proof_of({"/src/other.cpp"})})), 1u);
  EXPECT_EQ(count_needing_action(report_of({finding_on("a"), proof_of({"/src/bank.cpp"})})), 1u);
}

TEST_F(ReportFiles, Baseline_TellsNewKnownAndFixed) {
  std::string before = write("before", write_json(finding_on("known")) + write_json(finding_on("fixed")));
  Collector collector;
  collector.add(finding_on("known"));
  collector.add(finding_on("new"));
  EXPECT_TRUE(collector.add_baseline(before).empty());
  Report report = collector.finish({}, "2026-11-19");
  ASSERT_EQ(report.entries.size(), 3u);
  EXPECT_EQ(report.entries[0].state, State::New);
  EXPECT_EQ(report.entries[1].state, State::Known);
  EXPECT_EQ(report.entries[2].state, State::Fixed);
  EXPECT_EQ(report.entries[2].finding.accesses[0].expression, "fixed");
  EXPECT_EQ(count_needing_action(report), 1u);
}

TEST_F(ReportFiles, EmptyBaseline_MakesEverythingNew) {
  Collector collector;
  collector.add(finding_on("a"));
  EXPECT_TRUE(collector.add_baseline(write("empty", "")).empty());
  EXPECT_EQ(count_needing_action(collector.finish({}, "")), 1u);
}

TEST(Suppressing, HidesUntilTheDayAndIsShownThen) {
  Finding finding = finding_on("a");
  std::vector<std::string> notes;
  Suppressions rules;
  std::string rule = "finding:" + finding.fingerprint + " until=2026-11-19 reason=known since May";
  ASSERT_TRUE(rules.parse(rule + "\nfinding:0123456789abcdef reason=gone\n", "s", notes).empty());
  Collector first, second;
  first.add(finding);
  Report report = first.finish(rules, "2026-11-19");
  EXPECT_EQ(report.entries[0].suppressed, "known since May");
  EXPECT_EQ(count_needing_action(report), 0u);
  EXPECT_TRUE(report.expired.empty());
  EXPECT_EQ(report.unused.size(), 1u);
  second.add(finding);
  report = second.finish(rules, "2026-11-20");
  EXPECT_EQ(count_needing_action(report), 1u);
  EXPECT_EQ(report.expired, std::vector<std::string>{rule});
}

TEST_F(ReportFiles, WhatCannotBeRead_IsExplained) {
  Collector collector;
  EXPECT_EQ(collector.add_file(folder_ + "/none"),
            std::vector<std::string>{folder_ + "/none: cannot read: No such file or directory"});
  EXPECT_FALSE(collector.could_open());
  Collector damaged;
  EXPECT_TRUE(damaged.add_file(write("empty", "")).empty()) << "a clean run leaves an empty file";
  EXPECT_FALSE(damaged.has_damage());
  std::string cut = write_json(finding_on("a")) + write_json(finding_on("b")).substr(0, 200);
  std::vector<std::string> messages = damaged.add_file(write("cut", cut));
  ASSERT_EQ(messages.size(), 1u);
  EXPECT_NE(messages[0].find("cut:2: truncated line (was the writer interrupted?)"), std::string::npos);
  EXPECT_TRUE(damaged.has_damage());
  EXPECT_EQ(damaged.finish({}, "").entries.size(), 1u) << "the line before is kept";
}

TEST_F(ReportFiles, OtherFiles_AreNotReadToTheirEnd) {
  Collector collector;
  std::string junk;
  for (int i = 0; i < 5000; ++i) junk += "junk\n";
  std::vector<std::string> messages = collector.add_file(write("junk", junk));
  ASSERT_EQ(messages.size(), 1u);
  EXPECT_NE(messages[0].find("the first 1000 lines are no findings; is this a file of findings?"),
            std::string::npos);
  messages = collector.add_file(write("long", std::string(20 << 20, '[')));
  ASSERT_EQ(messages.size(), 1u);
  EXPECT_NE(messages[0].find(":1: a line of 20 MB is no finding"), std::string::npos);
}

TEST(Advice, NamesTheLockThatOthersHold) {
  Finding finding = finding_on("a");
  Report report = report_of({finding});
  Advice advice = advice_for(report, finding);
  EXPECT_EQ(advice.lock, "bank_mutex");
  EXPECT_EQ(advice.text, "hold bank_mutex in deposit too: other accesses to it do.");
  finding.accesses[1].locks.clear();
  seal(finding);
  EXPECT_EQ(advice_for(report_of({finding}), finding).lock, "");
}

TEST(Advice, FindsTheLockInOtherFindingsOnTheSameMember) {
  Finding unlocked = finding_on("total"), locked = finding_on("total");
  for (Access& access : unlocked.accesses) access.locks.clear();
  unlocked.accesses[0].stack[0].function = "Bank::add(int)";
  unlocked.accesses[1].stack[0].function = "Bank::add(int)";
  locked.accesses[0].stack[0].function = "Bank::sub(int)";
  locked.accesses[1].stack[0].function = "Bank::sum()";
  seal(unlocked);
  seal(locked);
  EXPECT_EQ(advice_for(report_of({unlocked, locked}), unlocked).lock, "bank_mutex");
  for (Access& access : locked.accesses) access.expression = "other";
  seal(locked);
  EXPECT_EQ(advice_for(report_of({unlocked, locked}), unlocked).lock, "")
      << "another member's lock says nothing";
}

TEST(Advice, GlobalsOfOtherFiles_AreOthers) {
  auto on_global = [](const std::string& file, const std::string& function) {
    Finding finding = finding_on("");
    for (Access& access : finding.accesses) {
      access.expression.clear();
      access.stack[0].function = function;
      if (function == "plain()") access.locks.clear();
    }
    finding.memory->region = Region::Global;
    finding.memory->name = "shared";
    finding.memory->location = {file, 3, 0};
    seal(finding);
    return finding;
  };
  Finding plain = on_global("/src/a.c", "plain()");
  EXPECT_EQ(advice_for(report_of({plain, on_global("/src/a.c", "locked()")}), plain).lock, "bank_mutex");
  EXPECT_EQ(advice_for(report_of({plain, on_global("/src/b.c", "locked()")}), plain).lock, "");
  Finding other_member = on_global("/src/a.c", "locked()");
  other_member.memory->address += 16;
  EXPECT_EQ(advice_for(report_of({plain, other_member}), plain).lock, "");
}

TEST(Advice, LocksWithoutANameAreNamedByWhoTakesThem) {
  Finding finding = finding_on("a");
  HeldLock& lock = finding.accesses[1].locks[0];
  lock.name.clear();
  EXPECT_EQ(lock_name(lock), "a mutex taken in audit");
  EXPECT_EQ(advice_for(report_of({finding}), finding).lock, "a mutex taken in audit");
  finding.accesses[0].locks = {lock};
  finding.accesses[0].locks[0].address += 64;
  EXPECT_EQ(advice_for(report_of({finding}), finding).text,
            "both hold a mutex taken in audit, but not the same one: let one lock protect both.");
  lock.taken.clear();
  EXPECT_EQ(lock_name(lock), "the mutex at 0x4050");
}

TEST(Advice, PrefersTheLockOfOneOfTheTwo) {
  Finding finding = finding_on("a"), elsewhere = finding_on("a");
  for (Access& access : elsewhere.accesses) {
    access.stack[0].function = "g()";
    access.locks = {{7, "another", LockMode::Exclusive, {}}};
  }
  elsewhere.accesses[0].use = "write";
  seal(elsewhere);
  EXPECT_EQ(advice_for(report_of({finding, elsewhere, elsewhere}), finding).lock, "bank_mutex");
}

} // namespace
} // namespace footrace::findings
