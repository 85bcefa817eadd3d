#include "runtime/reporter_process.h"

#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <fcntl.h>
#include <fstream>
#include <gtest/gtest.h>
#include <string>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

using namespace footrace;

namespace {

// Stands in for footrace-reporter: answers every line, ends when told to, and leaves a trace of how it was
// started.
std::string script_path() { return testing::TempDir() + "fake_reporter_" + std::to_string(getpid()); }
std::string note_path() { return script_path() + ".note"; }

// Before anything reads the environment, which the runtime does only once.
[[maybe_unused]] const bool prepared = [] {
  std::ofstream(script_path()) << "#!/bin/sh\n"
                                  "echo \"ppid=$PPID\" > "
                               << note_path()
                               << "\n"
                                  "while read -r line; do\n"
                                  "  case $line in die) exit 1 ;; odd) printf X ;; *) printf R ;; esac\n"
                                  "done\n"
                                  "echo done >> "
                               << note_path() << "\n";
  chmod(script_path().c_str(), 0755);
  setenv("FOOTRACE_REPORTER", script_path().c_str(), 1);
  return true;
}();

struct ReporterProcess : testing::Test {
  static void TearDownTestSuite() {
    remove(script_path().c_str());
    remove(note_path().c_str());
  }
  ~ReporterProcess() override {
    end_reporter();
    reporter_after_fork(); // forget how often it was started
  }
  static char ask(const std::string& line) {
    std::string text = line + "\n";
    return send_to_reporter(text.data(), text.size()) ? reporter_answer() : 0;
  }
  static std::string note() {
    std::ifstream in(note_path());
    return std::string(std::istreambuf_iterator<char>(in), {});
  }
};

TEST_F(ReporterProcess, Race_IsAnswered) {
  EXPECT_EQ(start_reporter(), ReporterStart::Started);
  EXPECT_EQ(ask("one"), 'R');
  EXPECT_EQ(start_reporter(), ReporterStart::Running);
  EXPECT_EQ(ask("two"), 'R');
}

TEST_F(ReporterProcess, Reporter_IsNobodysChild) {
  ASSERT_EQ(start_reporter(), ReporterStart::Started);
  EXPECT_EQ(ask("one"), 'R');
  errno = 0;
  EXPECT_EQ(waitpid(-1, nullptr, WNOHANG | __WALL), -1);
  EXPECT_EQ(errno, ECHILD);
  EXPECT_EQ(note().find("ppid=" + std::to_string(getpid()) + "\n"), std::string::npos) << note();
}

TEST_F(ReporterProcess, End_WaitsUntilTheReporterIsDone) {
  ASSERT_EQ(start_reporter(), ReporterStart::Started);
  EXPECT_EQ(ask("one"), 'R');
  end_reporter();
  EXPECT_NE(note().find("done"), std::string::npos);
}

TEST_F(ReporterProcess, DeadReporter_IsNoticedWithoutASignalAndStartedAgain) {
  ASSERT_EQ(start_reporter(), ReporterStart::Started);
  EXPECT_EQ(ask("die"), 0); // SIGPIPE would end this test
  EXPECT_NE(std::string(reporter_problem()).find("ended unexpectedly"), std::string::npos);
  EXPECT_EQ(start_reporter(), ReporterStart::Started);
  EXPECT_EQ(ask("one"), 'R');
}

TEST_F(ReporterProcess, UnknownAnswer_IsNoAnswer) {
  ASSERT_EQ(start_reporter(), ReporterStart::Started);
  EXPECT_EQ(ask("odd"), 0);
}

TEST_F(ReporterProcess, DescriptorClosedByTheProgram_IsNotUsedForAnythingElse) {
  ASSERT_EQ(start_reporter(), ReporterStart::Started);
  EXPECT_EQ(ask("one"), 'R');
  int ends[2];
  ASSERT_EQ(pipe(ends), 0);
  int ours = -1; // the program takes over our number
  for (int fd = 4; fd < 2000 && ours < 0; ++fd) {
    struct stat info;
    if (fd != ends[0] && fd != ends[1] && fstat(fd, &info) == 0 && S_ISSOCK(info.st_mode)) ours = fd;
  }
  ASSERT_GE(ours, 0);
  ASSERT_EQ(dup2(ends[1], ours), ours);
  EXPECT_FALSE(send_to_reporter("x\n", 2));
  fcntl(ends[0], F_SETFL, O_NONBLOCK);
  char byte;
  EXPECT_EQ(read(ends[0], &byte, 1), -1); // nothing was written to it
  EXPECT_EQ(start_reporter(), ReporterStart::Started);
  EXPECT_EQ(ask("two"), 'R');
  EXPECT_GE(fcntl(ours, F_GETFD), 0); // and it was not closed
  close(ours), close(ends[0]), close(ends[1]);
}

TEST_F(ReporterProcess, ReporterThatKeepsDying_IsGivenUp) {
  for (int i = 0; i < 5; ++i) {
    ASSERT_EQ(start_reporter(), ReporterStart::Started);
    EXPECT_EQ(ask("die"), 0);
  }
  EXPECT_EQ(start_reporter(), ReporterStart::Failed);
}

} // namespace
