// End to end: starts footrace-reporter, sends it races at this program's own functions, looks at what it
// writes.
#include "findings/json.h"

#include <gtest/gtest.h>

#include <csignal>
#include <fcntl.h>
#include <filesystem>
#include <fstream>
#include <link.h>
#include <sstream>
#include <sys/wait.h>
#include <unistd.h>

// The lines of the next two functions are part of the expectations below.
[[gnu::noinline]] std::uintptr_t address_of_call() {
  return reinterpret_cast<std::uintptr_t>(__builtin_return_address(0));
}
[[gnu::always_inline]] inline std::uintptr_t inlined_into_caller() { return address_of_call(); }
constexpr unsigned inlined_line = __LINE__ - 1;
[[gnu::noinline]] std::uintptr_t call_with_inlining(int) { return inlined_into_caller() + 0; }
constexpr unsigned caller_line = __LINE__ - 1;
[[clang::no_sanitize("address")]] int raced_global[4]; // a red zone would count as part of it

namespace footrace::findings {
namespace {

std::string read_file(const std::string& path) {
  std::ifstream in(path);
  std::stringstream text;
  text << in.rdbuf();
  return text.str();
}

struct Outcome {
  std::string answers, errors, program_output;
  int status = -1;
};

class ReporterTest : public testing::Test {
protected:
  void SetUp() override {
    std::string pattern = testing::TempDir() + "/footrace_reporter_XXXXXX";
    ASSERT_NE(mkdtemp(pattern.data()), nullptr);
    folder_ = pattern;
    dl_iterate_phdr(
        [](dl_phdr_info* info, std::size_t, void* out) {
          *static_cast<std::uintptr_t*>(out) = info->dlpi_addr;
          return 1; // the first one is the program
        },
        &base_);
  }
  void TearDown() override { std::filesystem::remove_all(folder_); }

  std::string hello(const std::string& options = "") {
    return R"({"type":"hello","version":1,"pid":77,"exe":"/proc/self/exe","options":{"color":"never")" +
           (options.empty() ? "" : "," + options) + "}}\n" +
           modules(std::filesystem::read_symlink("/proc/self/exe"));
  }
  std::string modules(const std::string& path) {
    return R"({"type":"modules","modules":[{"path":")" + path + R"(","base":")" + to_hex(base_) +
           R"(","begin":")" + to_hex(base_) + R"(","end":")" + to_hex(base_ + (1 << 28)) + "\"}]}\n";
  }
  static std::string site(unsigned line, const std::string& function = "_Z7depositi") {
    return R"("site":{"file":"/src/bank.cpp","line":)" + std::to_string(line) +
           R"(,"column":3,"function":")" + function + R"(","inlined":[]})";
  }
  static std::string access(const std::string& kind, const std::string& where, const std::string& stack = "",
                            const std::string& more = "") {
    return R"({"kind":")" + kind + R"(","size":4,"address":"0x10","thread":0,)" + where + R"(,"stack":[)" +
           stack + R"(],"locks":[])" + more + "}";
  }
  static std::string race(const std::string& current, const std::string& previous,
                          const std::string& memory = R"({"region":"unknown","address":"0x10"})") {
    return R"({"type":"race","id":1,"accesses":[)" + current + "," + previous + R"(],"memory":)" + memory +
           R"(,"threads":[{"number":0,"name":"t","os_id":77,"finished":false,"stack":[]}]})" + "\n";
  }
  static std::string race_at(unsigned line) {
    return race(access("write", site(line)), access("read", site(1)));
  }
  static std::string hex(std::uintptr_t address) { return '"' + to_hex(address) + '"'; }

  // Runs the reporter over `input`; `disturb` gets its pid before the input is sent.
  Outcome run(const std::string& input, void (*disturb)(pid_t) = nullptr) {
    int to[2], from[2];
    EXPECT_EQ(pipe2(to, O_CLOEXEC), 0);
    EXPECT_EQ(pipe2(from, O_CLOEXEC), 0);
    std::string errors = folder_ + "/stderr", output = folder_ + "/stdout";
    pid_t pid = fork();
    if (pid == 0) {
      int errors_fd = open(errors.c_str(), O_WRONLY | O_CREAT | O_TRUNC, 0600);
      int output_fd = open(output.c_str(), O_WRONLY | O_CREAT | O_TRUNC, 0600);
      // Above the targets first: one of these may be the descriptor that another is to become.
      int moved[] = {fcntl(to[0], F_DUPFD, 100), fcntl(from[1], F_DUPFD, 100), fcntl(errors_fd, F_DUPFD, 100),
                     fcntl(output_fd, F_DUPFD, 100)};
      for (int i = 0; i < 4; ++i) dup2(moved[i], i);
      execl(REPORTER_PATH, REPORTER_PATH, nullptr);
      _exit(127);
    }
    close(to[0]);
    close(from[1]);
    Outcome outcome;
    char byte;
    if (disturb) {
      // The first answer shows that it is past start-up.
      std::string first = hello() + race_at(1000);
      EXPECT_EQ(write(to[1], first.data(), first.size()), static_cast<ssize_t>(first.size()));
      EXPECT_EQ(read(from[0], &byte, 1), 1);
      disturb(pid);
    }
    EXPECT_EQ(write(to[1], input.data(), input.size()), static_cast<ssize_t>(input.size()));
    close(to[1]);
    while (read(from[0], &byte, 1) == 1) outcome.answers += byte;
    close(from[0]);
    waitpid(pid, &outcome.status, 0);
    outcome.errors = read_file(errors);
    outcome.program_output = read_file(output);
    return outcome;
  }

  std::string folder_;
  std::uintptr_t base_ = 0;
};

bool has_text(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

TEST_F(ReporterTest, Stacks_AreSymbolisedWithInlinedFrames) {
  std::string global =
      R"({"region":"global","address":)" + hex(reinterpret_cast<std::uintptr_t>(&raced_global[1])) + "}";
  Outcome outcome = run(hello() + race(access("write", site(12), hex(call_with_inlining(1))),
                                       access("read", R"("pc":)" + hex(call_with_inlining(1)), "",
                                              R"(,"intercepted":"memcpy")"),
                                       global));
  EXPECT_EQ(outcome.answers, "R");
  EXPECT_EQ(outcome.status, 0);
  std::string file = __FILE__;
  const std::string& report = outcome.errors;
  EXPECT_TRUE(has_text(report, "WARNING: footrace: data race (pid=77)\n")) << report;
  EXPECT_TRUE(has_text(report, "    #0 deposit(int) /src/bank.cpp:12:3\n    #1 inlined_into_caller"))
      << report;
  EXPECT_TRUE(has_text(report, file + ':' + std::to_string(inlined_line) + ":")) << report;
  EXPECT_TRUE(
      has_text(report, "    #2 call_with_inlining(int) " + file + ':' + std::to_string(caller_line) + ":"));
  EXPECT_TRUE(has_text(report, "    #0 memcpy\n    #1 inlined_into_caller")) << report;
  EXPECT_TRUE(has_text(report, "Location is global 'raced_global[1]' in 'raced_global' of size 16 at"))
      << report;
  EXPECT_TRUE(has_text(report, "(offset 4)")) << report;
  EXPECT_TRUE(has_text(report, std::to_string(inlined_line) + " | [[gnu::always_inline]] inline"))
      << "excerpt";
  EXPECT_TRUE(has_text(report, "SUMMARY: footrace: data race bank.cpp:12:3 in deposit(int)\n"));
  EXPECT_TRUE(report.ends_with("footrace: 1 data race found\n"));
}

TEST_F(ReporterTest, Unsymbolisable_PrintsModuleAndOffset) {
  std::string stack = hex(base_ + 0x1001) + ",\"0x5\"";
  Outcome outcome = run(hello() + modules("/no/such/library.so") +
                        race(access("write", site(12), stack), access("read", site(13))));
  EXPECT_EQ(outcome.answers, "R");
  EXPECT_TRUE(has_text(outcome.errors, "#1 <unknown function> (library.so+0x1000)")) << outcome.errors;
  EXPECT_TRUE(has_text(outcome.errors, "#2 <unknown module> at 0x4")) << outcome.errors;
}

TEST_F(ReporterTest, SamePairOfSites_IsADuplicateInEitherOrder) {
  std::string a = access("write", site(12)), b = access("read", site(13));
  Outcome outcome =
      run(hello() + race(a, b) + race(b, a) + race(a, b) + race(a, a) + race(access("read", site(12)), b));
  EXPECT_EQ(outcome.answers, "RDDRD");
  EXPECT_TRUE(outcome.errors.ends_with("footrace: 2 data races found\n"));
}

TEST_F(ReporterTest, ReadAndWriteOfOneIncrement_AreOneDefect) {
  auto at_address = [](std::string line, const std::string& address) {
    for (std::size_t at; (at = line.find("\"0x10\"")) != std::string::npos;) line.replace(at, 6, address);
    return line;
  };
  std::string read = access("read", site(12)), write = access("write", site(12));
  Outcome outcome =
      run(hello() + race(read, write) + race(write, write) + at_address(race(write, write), "\"0x20\""));
  EXPECT_EQ(outcome.answers, "RDD");
  // Other kinds at another address: a copy of a structure races on what it reads and on what it writes.
  outcome = run(hello() + race(read, write) + at_address(race(write, write), "\"0x20\""));
  EXPECT_EQ(outcome.answers, "RR");
}

TEST_F(ReporterTest, Suppressions_AreAppliedAndListed) {
  std::ofstream(folder_ + "/s.supp") << "race:^audit\nrace:unused\nnonsense\ndeadlock:m\n";
  Outcome outcome = run(hello(R"("suppressions":")" + folder_ + R"(/s.supp","print_suppressions":"1")") +
                        race(access("write", site(1, "_Z5auditv")), access("read", site(2))) +
                        race(access("write", site(3, "_Z5auditv")), access("read", site(2))) +
                        "{\"type\":\"bye\",\"races\":0}\n");
  EXPECT_EQ(outcome.answers, "SS");
  EXPECT_EQ(outcome.errors, "footrace: " + folder_ +
                                "/s.supp:3: 'nonsense' has no kind; write race:nonsense\n" +
                                "footrace: 2 race(s) suppressed by:\n  2 race:^audit\n");
}

TEST_F(ReporterTest, Suppressions_MissingFileIsExplainedAndNothingSuppressed) {
  Outcome outcome = run(hello(R"("suppressions":"/no/such.supp")") + race_at(2));
  EXPECT_EQ(outcome.answers, "R");
  EXPECT_TRUE(
      outcome.errors.starts_with("footrace: cannot read suppressions file '/no/such.supp': No such file"));
}

TEST_F(ReporterTest, Suppressions_IgnoredKindsAreNotedWhenVerbose) {
  std::ofstream(folder_ + "/s.supp") << "mutex:m\n";
  Outcome outcome = run(hello(R"("verbosity":"1","suppressions":")" + folder_ + R"(/s.supp")"));
  EXPECT_TRUE(has_text(outcome.errors, "/s.supp:1: 'mutex:' is accepted and has no effect"))
      << outcome.errors;
}

TEST_F(ReporterTest, FindingsFile_IsAppendedAndReadsBack) {
  std::string file = folder_ + "/races.jsonl";
  std::string input = hello(R"("findings":")" + file + "\"") + race_at(2) + race_at(3) + race_at(3);
  run(input);
  run(input);
  ReadResult result = read_findings(file);
  EXPECT_TRUE(result.problems.empty());
  ASSERT_EQ(result.findings.size(), 4u);
  EXPECT_EQ(result.findings[0].fingerprint, result.findings[2].fingerprint);
  // Without their source the two lines have one fingerprint; both are reported all the same.
  EXPECT_EQ(result.findings[0].fingerprint, result.findings[1].fingerprint);
  EXPECT_EQ(result.findings[1].summary, "data race bank.cpp:3:3 in deposit(int)");
}

TEST_F(ReporterTest, UnwritableFiles_AreExplainedAndRacesStillReported) {
  Outcome outcome = run(hello(R"("findings":"/no/such/f.jsonl","log_path":"/no/such/log")") + race_at(2));
  EXPECT_EQ(outcome.answers, "R");
  EXPECT_TRUE(has_text(outcome.errors, "footrace: cannot write the findings file '/no/such/f.jsonl'"));
  EXPECT_TRUE(has_text(outcome.errors, "footrace: cannot write the log '/no/such/log.77'"));
  EXPECT_TRUE(has_text(outcome.errors, "WARNING: footrace: data race"));
}

TEST_F(ReporterTest, LogPath_GoesToFileOrProgramsOutput) {
  Outcome outcome = run(hello(R"("log_path":")" + folder_ + "/log\"") + race_at(2));
  EXPECT_EQ(outcome.errors, "");
  EXPECT_TRUE(has_text(read_file(folder_ + "/log.77"), "WARNING: footrace: data race"));
  outcome = run(hello(R"("log_path":"stdout")") + race_at(2));
  EXPECT_EQ(outcome.errors, "");
  EXPECT_EQ(outcome.answers, "R");
  EXPECT_TRUE(has_text(outcome.program_output, "WARNING: footrace: data race"));
}

TEST_F(ReporterTest, ReportLimit_CountsTheRest) {
  std::string input = hello(R"("report_limit":"2")");
  for (unsigned line = 1; line <= 5; ++line) input += race_at(line);
  Outcome outcome = run(input);
  EXPECT_EQ(outcome.answers, "RRRRR");
  EXPECT_TRUE(
      outcome.errors.ends_with("==================\n"
                               "footrace: report_limit=2 reached: further races are counted, not printed\n"
                               "footrace: 5 data races found\n"));
}

TEST_F(ReporterTest, BadInput_EveryRaceIsAnsweredAndNothingElse) {
  Outcome outcome =
      run("garbage\n[]\n{}\n" + hello() + R"({"type":"race","id":1,"acc)" + "\n" + R"({"type":"race"})" +
          "\n\n" + std::string(100000, '{') + "\n" + race_at(2) + R"({"type":"race","id":2)");
  EXPECT_EQ(outcome.answers, "RRRR");
  EXPECT_EQ(outcome.status, 0);
  EXPECT_TRUE(has_text(outcome.errors, "footrace: unreadable line from the runtime: not JSON: "));
  EXPECT_TRUE(has_text(outcome.errors, "footrace: a race was found, but its description is damaged: "));
  EXPECT_TRUE(outcome.errors.ends_with("footrace: 4 data races found\n"));
}

TEST_F(ReporterTest, NoRaces_NoOutput) {
  Outcome outcome = run(hello() + "{\"type\":\"bye\",\"races\":0}\n");
  EXPECT_EQ(outcome.answers + outcome.errors + outcome.program_output, "");
  EXPECT_EQ(run("").errors, "");
}

TEST_F(ReporterTest, Signals_DoNotEndIt) {
  Outcome outcome = run(race_at(2), [](pid_t pid) {
    for (int signal : {SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGPIPE}) kill(pid, signal);
  });
  EXPECT_EQ(outcome.answers, "R");
  EXPECT_EQ(outcome.status, 0);
  EXPECT_TRUE(outcome.errors.ends_with("footrace: 2 data races found\n"));
}

TEST_F(ReporterTest, OtherProtocolVersion_IsExplained) {
  Outcome outcome = run("{\"type\":\"hello\",\"version\":9,\"pid\":1}\n" + race_at(2));
  EXPECT_EQ(outcome.answers, "R");
  EXPECT_TRUE(has_text(outcome.errors, "another version of the runtime (protocol 9, this reporter reads 1)"));
}

} // namespace
} // namespace footrace::findings
