#include "driver/run_options.h"

#include "gtest/gtest.h"
#include <filesystem>
#include <fstream>
#include <unistd.h>

namespace footrace::driver {
namespace {

using Words = std::vector<std::string>;

struct Taken {
  bool ours;
  int code;
  size_t next;
  RunOptions options;
};

Taken take(const Words& words) {
  Taken taken{false, 0, 0, {}};
  taken.ours = take_run_option(words, taken.next, taken.options, taken.code);
  return taken;
}

TEST(RunOptions, ValueBesideOrBehindTheName_IsTheSame) {
  EXPECT_EQ(take({"--findings", "x"}).options.findings, "x");
  EXPECT_EQ(take({"--findings", "x"}).next, 2u);
  EXPECT_EQ(take({"--findings=x"}).options.findings, "x");
  EXPECT_EQ(take({"--findings=x"}).next, 1u);
}

TEST(RunOptions, MissingValue_IsAnError) {
  EXPECT_EQ(take({"--log-path"}).code, 2);
  EXPECT_EQ(take({"--log-path", "--"}).code, 2);
  EXPECT_EQ(take({"--log-path="}).code, 2);
}

TEST(RunOptions, SuppressionsThatDoNotExist_AreAnError) {
  EXPECT_EQ(take({"--suppressions=/no/such"}).code, 2);
}

TEST(RunOptions, OtherWords_AreNotOurs) {
  EXPECT_FALSE(take({"--finding"}).ours);
  EXPECT_FALSE(take({"--findingsx=1"}).ours);
}

TEST(RunOptions, CommandLine_ComesAfterTheEnvironment) {
  RunOptions options;
  options.options = "exitcode=3";
  options.findings = "/tmp/a b:c";
  options.stats = true;
  EXPECT_EQ(runtime_options("exitcode=2", options),
            "exitcode=2:exitcode=3:findings=\"/tmp/a b:c\":stats=\"1\"");
}

TEST(RunOptions, NothingAsked_LeavesTheEnvironmentAlone) {
  EXPECT_EQ(runtime_options("verbosity=1", {}), "verbosity=1");
  EXPECT_EQ(runtime_options("", {}), "");
}

TEST(RunOptions, LogPathOfAStream_IsNotAFile) {
  RunOptions options;
  options.log_path = "stdout";
  EXPECT_EQ(runtime_options("", options), "log_path=\"stdout\"");
}

TEST(RunOptions, FileOfFindings_IsCreatedAndKept) {
  RunOptions options;
  options.findings = testing::TempDir() + "footrace-findings-" + std::to_string(getpid());
  EXPECT_EQ(prepare_output_files(options), 0);
  EXPECT_EQ(std::filesystem::file_size(options.findings), 0u);
  std::ofstream(options.findings) << "earlier";
  EXPECT_EQ(prepare_output_files(options), 0);
  EXPECT_EQ(std::filesystem::file_size(options.findings), 7u);
  std::filesystem::remove(options.findings);
}

TEST(RunOptions, OutputThatCannotBeWritten_IsAnError) {
  RunOptions findings, log;
  findings.findings = testing::TempDir(); // a folder
  EXPECT_EQ(prepare_output_files(findings), 2);
  log.log_path = "/no/such/folder/log";
  EXPECT_EQ(prepare_output_files(log), 2);
  log.log_path = "stderr";
  EXPECT_EQ(prepare_output_files(log), 0);
}

} // namespace
} // namespace footrace::driver
