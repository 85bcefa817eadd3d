#include "findings/report/history.h"

#include "findings/report/writers.h"
#include "findings/sample_finding.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <unistd.h>

namespace footrace::findings {
namespace {

class HistoryTest : public testing::Test {
protected:
  HistoryTest() : file_(testing::TempDir() + "/footrace_history_" + std::to_string(getpid()) + ".db") {}
  ~HistoryTest() override { std::filesystem::remove(file_); }

  static Report report_of(const std::vector<std::string>& expressions) {
    Collector collector;
    for (const std::string& expression : expressions) {
      Finding finding = sample_finding();
      for (Access& access : finding.accesses) access.expression = expression;
      seal(finding);
      collector.add(finding);
    }
    return collector.finish({}, "2026-11-19");
  }
  static std::string history_of(const Report& report, const std::string& expression) {
    for (const Entry& entry : report.entries)
      if (entry.finding.accesses[0].expression == expression) return entry.history;
    return "no such entry";
  }
  std::string file_;
};

TEST_F(HistoryTest, RunsAddUp) {
  Report first = report_of({"a", "b"}), second = report_of({"a", "it's \"c\""}), third = report_of({"a"});
  EXPECT_EQ(record(file_, "v1", "2026-11-17 10:00:00", first), "");
  EXPECT_EQ(record(file_, "v2", "2026-11-18 10:00:00", second), "");
  EXPECT_EQ(record(file_, "", "2026-11-19 10:00:00", third), "");
  EXPECT_EQ(history_of(first, "a"), "first seen 2026-11-17 in v1, in 1 of 1 run");
  EXPECT_EQ(history_of(second, "it's \"c\""), "first seen 2026-11-18 in v2, in 1 of 2 runs");
  EXPECT_EQ(history_of(third, "a"), "first seen 2026-11-17 in v1, in 3 of 3 runs");
  ASSERT_EQ(third.runs.size(), 3u);
  EXPECT_EQ(third.runs[1].commit, "v2");
  EXPECT_EQ(third.runs[1].findings, 2u);
  EXPECT_EQ(third.runs[1].added, 1u);
  EXPECT_EQ(third.runs[2].added, 0u);
  std::string page = write_report_html(third, {});
  EXPECT_NE(page.find("\"commit\":\"v2\",\"findings\":2,\"added\":1"), std::string::npos);
}

TEST_F(HistoryTest, OtherFiles_AreRefusedAndLeftAsTheyAre) {
  std::ofstream(file_) << "not a database, but long enough to be read as the beginning of one: "
                       << std::string(200, 'x');
  const auto size = std::filesystem::file_size(file_);
  Report report = report_of({"a"});
  EXPECT_EQ(record(file_, "v1", "2026-11-19 10:00:00", report),
            "cannot use the database '" + file_ + "': file is not a database");
  EXPECT_EQ(std::filesystem::file_size(file_), size);
  EXPECT_EQ(history_of(report, "a"), "");
  EXPECT_NE(
      record("/no/such/folder/x.db", "", "2026-11-19 10:00:00", report).find("unable to open database file"),
      std::string::npos);
}

} // namespace
} // namespace footrace::findings
