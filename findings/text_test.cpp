#include "findings/text.h"

#include "findings/sample_finding.h"

#include <gtest/gtest.h>

#include <cstdlib>
#include <fcntl.h>
#include <filesystem>
#include <fstream>
#include <unistd.h>

namespace footrace::findings {
namespace {

bool has_text(const std::string& report, const std::string& part) {
  return report.find(part) != std::string::npos;
}

TEST(Text, CompleteFinding_PrintsEveryPart) {
  EXPECT_EQ(write_text(sample_finding(), {}), R"(==================
WARNING: footrace: data race (pid=123)
  Write of size 4 at 0x7b10 by thread T1 'worker':
    #0 deposit(Account&, int) /src/bank.cpp:12:15
    #1 worker(int) /src/bank.cpp:20:3 (bank+0x1234)
    holding no locks

  Previous read of size 8 at 0x7b10 by main thread:
    #0 audit() /src/bank.cpp:18:7
    #1 main /src/bank.cpp:30:1 (bank+0x1300)
    holding mutex M1 'bank_mutex' (0x4050) taken at audit() /src/bank.cpp:17:5 (bank+0x1208)

  Location is heap block of size 40 at 0x7b08 (offset 8) allocated by main thread:
    #0 main /src/bank.cpp:30:1 (bank+0x1300)

  Thread T1 'worker' (tid=124, finished) created by main thread at:
    #0 main /src/bank.cpp:30:1 (bank+0x1300)

SUMMARY: footrace: data race bank.cpp:12:15 in deposit(Account&, int)
==================
)");
}

TEST(Text, StaticFinding_HasNoOrderAndNoAddresses) {
  Finding finding;
  finding.rule = "unprotected-write";
  finding.part = "scan";
  Access write, read;
  write.kind = AccessKind::Write;
  write.stack = {sample_frame("Bank::deposit", "/src/bank.cpp", 12, 15)};
  read.kind = AccessKind::Read;
  read.stack = {sample_frame("Bank::sum", "/src/bank.cpp", 18, 7),
                sample_frame("Bank::audit", "/src/bank.cpp", 25, 3)};
  read.locks = {{0, "this->mutex_", LockMode::Shared, {}}};
  finding.accesses = {write, read};
  finding.memory.emplace().name = "this->balance_";
  finding.explanation = "Why.";
  seal(finding);
  EXPECT_EQ(write_text(finding, {}), R"(==================
WARNING: footrace: unprotected write
  Write:
    #0 Bank::deposit /src/bank.cpp:12:15
    holding no locks

  and read:
    #0 Bank::sum /src/bank.cpp:18:7
    #1 Bank::audit /src/bank.cpp:25:3
    holding 'this->mutex_' shared

  Location is 'this->balance_'

  Why.

SUMMARY: footrace: unprotected write bank.cpp:12:15 in Bank::deposit
==================
)");
}

TEST(Text, AgedOutHistory_KeepsTheLineAndSaysSo) {
  Finding finding = sample_finding();
  Access& previous = finding.accesses[1];
  previous.stack.resize(1);
  previous.stack_lost = previous.locks_lost = true;
  previous.locks.clear();
  EXPECT_TRUE(has_text(write_text(finding, {}), R"(
  Previous read of size 8 at 0x7b10 by main thread:
    #0 audit() /src/bank.cpp:18:7
    (callers and locks no longer known: history aged out; raise history_size)

)"));
  previous.locks_lost = false;
  EXPECT_TRUE(has_text(write_text(finding, {}), R"(
    (callers no longer known: history aged out; raise history_size)
    holding no locks
)"));
}

TEST(Text, WithoutDebugInformation_SaysWhatToDo) {
  Finding finding = sample_finding();
  finding.accesses[0].stack = {sample_frame("deposit", "", 0, 0, "/bin/bank", 0x1188)};
  EXPECT_TRUE(has_text(write_text(finding, {}), R"(
    #0 deposit (bank+0x1188)
    (no line known: compile with -g)
)"));
}

TEST(Text, MemoryRegions_AreNamed) {
  Finding finding = sample_finding();
  auto location = [&](Memory memory) {
    finding.memory = std::move(memory);
    std::string report = write_text(finding, {});
    std::size_t begin = report.find("  Location");
    return report.substr(begin, report.find('\n', begin) - begin);
  };
  Memory memory;
  memory.address = 0x4010;
  EXPECT_EQ(location(memory), "  Location is not known, at 0x4010");
  memory.region = Region::Stack;
  memory.thread = 1;
  EXPECT_EQ(location(memory), "  Location is stack of thread T1 'worker', at 0x4010");
  memory.region = Region::ThreadLocal;
  memory.thread = 0;
  EXPECT_EQ(location(memory), "  Location is thread-local storage of main thread, at 0x4010");
  memory.region = Region::Global;
  memory.module = "/bin/bank";
  memory.offset = 0x10;
  EXPECT_EQ(location(memory), "  Location is global memory at 0x4010 (bank+0x10)");
  memory.name = "counter";
  memory.begin = 0x4010;
  memory.size = 4;
  memory.location = {"/src/bank.cpp", 5, 0};
  EXPECT_EQ(location(memory),
            "  Location is global 'counter' of size 4 at 0x4010, declared at /src/bank.cpp:5 (bank+0x10)");
  memory.region = Region::Heap;
  memory.freed = true;
  memory.thread.reset();
  EXPECT_EQ(location(memory),
            "  Location is freed heap block of size 4 at 0x4010 (offset 0) allocated by an unknown thread:");
}

TEST(Text, FreeBeforeTheAllocation_IsToldFromTheFreeOfTheBlock) {
  Finding finding = sample_finding();
  finding.memory->region = Region::Heap;
  finding.accesses[1].kind = AccessKind::Free;
  const char* note = "The free ended an earlier block";
  EXPECT_NE(write_text(finding, {}).find(note), std::string::npos);
  finding.memory->freed = true;
  EXPECT_EQ(write_text(finding, {}).find(note), std::string::npos);
}

TEST(Text, LockTakenByHelper_ShowsFramesUpToTheCommonCallers) {
  Finding finding = sample_finding();
  HeldLock& lock = finding.accesses[1].locks[0];
  lock.mode = LockMode::Shared;
  lock.name.clear();
  lock.taken.insert(lock.taken.begin() + 1,
                    sample_frame("enter()", "/src/bank.cpp", 9, 2, "/bin/bank", 0x1100));
  EXPECT_TRUE(has_text(write_text(finding, {}), R"(
    holding mutex M1 (0x4050) shared, taken at:
      #0 enter() /src/bank.cpp:9:2 (bank+0x1100)
      #1 audit() /src/bank.cpp:17:5 (bank+0x1208)
      ... then the same callers as the access
)"));
}

TEST(Text, SameLockOnBothSides_HasOneNumber) {
  Finding finding = sample_finding();
  finding.accesses[0].locks = {{0x9000, "", LockMode::Exclusive, {}}, finding.accesses[1].locks[0]};
  std::string report = write_text(finding, {});
  EXPECT_TRUE(has_text(report, "holding mutex M1 (0x9000), taken at an unknown place\n"));
  std::size_t first = report.find("holding mutex M2 'bank_mutex'");
  ASSERT_NE(first, std::string::npos);
  EXPECT_NE(report.find("holding mutex M2 'bank_mutex'", first + 1), std::string::npos);
}

TEST(Text, AllFrames_ShowsTrampolines) {
  EXPECT_FALSE(has_text(write_text(sample_finding(), {}), "start_thread"));
  EXPECT_TRUE(
      has_text(write_text(sample_finding(), {.all_frames = true}), "#2 start_thread (libc.so.6+0x88)"));
}

TEST(Text, OriginInsideLibrary_StartsAtTheUsersFrame) {
  Finding finding = sample_finding();
  Stack& stack = finding.threads[1].created;
  StackFrame library =
      sample_frame("std::thread::thread(main::$_0&&)", "/usr/include/c++/12/bits/std_thread.h", 142, 2);
  stack.insert(stack.begin(), 3, library);
  EXPECT_TRUE(has_text(write_text(finding, {}), R"(created by main thread at:
    ... 3 library frames ...
    #3 main /src/bank.cpp:30:1 (bank+0x1300)
)"));
  EXPECT_TRUE(
      has_text(write_text(finding, {.all_frames = true}), "created by main thread at:\n    #0 std::thread"));
}

TEST(Text, DeepRecursion_KeepsBothEnds) {
  Finding finding = sample_finding();
  finding.accesses[0].stack.clear();
  for (unsigned i = 0; i < 5000; ++i)
    finding.accesses[0].stack.push_back(sample_frame("walk()", "/src/bank.cpp", i + 1, 1));
  std::string report = write_text(finding, {});
  EXPECT_TRUE(
      has_text(report, "    #39 walk() /src/bank.cpp:40:1\n    ... 4944 more frames ...\n    #4984 walk()"));
  EXPECT_TRUE(has_text(report, "#4999 walk()"));
}

TEST(Text, ReadableSource_ShowsTheLineWithACaret) {
  std::string file = testing::TempDir() + "/footrace_text_test.cpp";
  std::ofstream(file) << "int x;\n\tx = 1;\n";
  Finding finding = sample_finding();
  finding.accesses[0].stack[0].location = {file, 2, 4};
  finding.accesses[1].stack[0].location = {file, 99, 1}; // the file has no such line
  SourceLines source;
  std::string report = write_text(finding, {.source = &source});
  EXPECT_TRUE(has_text(report, ":2:4\n         2 | \tx = 1;\n           | \t  ^\n    #1 worker(int)"))
      << report;
  EXPECT_TRUE(has_text(report, ":99:1\n    #1 main"));
  std::filesystem::remove(file);
}

TEST(Text, StaticFinding_ClaimsNoThreadOrAddress) {
  Finding finding = sample_finding();
  finding.part = "scan";
  finding.pid = 0;
  finding.memory.reset();
  finding.threads.clear();
  for (Access& access : finding.accesses) {
    access.address.reset();
    access.thread.reset();
    access.locks.clear();
  }
  finding.explanation = "both paths start at bank.cpp:30\nno lock is common";
  std::string report = write_text(finding, {});
  EXPECT_TRUE(has_text(report, "WARNING: footrace: data race\n  Write of size 4:\n"));
  EXPECT_TRUE(has_text(report, "  both paths start at bank.cpp:30\n  no lock is common\n\nSUMMARY"));
}

TEST(Text, EmptyFinding_DoesNotCrash) {
  Finding finding;
  finding.accesses.resize(1);
  finding.memory.emplace();
  finding.threads.resize(2);
  seal(finding);
  EXPECT_TRUE(has_text(write_text(finding, {}), "  Access:\n    (stack not known)\n"));
}

TEST(Color, OnlyWhereItIsWanted) {
  EXPECT_FALSE(has_text(write_text(sample_finding(), {}), "\033"));
  EXPECT_TRUE(has_text(write_text(sample_finding(), {.color = true}), "\033[1;31mWARNING: footrace"));
  int ends[2];
  ASSERT_EQ(pipe(ends), 0);
  EXPECT_FALSE(wants_color("auto", ends[1]));
  EXPECT_FALSE(wants_color("", ends[1]));
  EXPECT_TRUE(wants_color("always", ends[1]));
  close(ends[0]);
  close(ends[1]);
}

TEST(Color, Terminal_DependsOnEnvironmentAndOption) {
  int terminal = posix_openpt(O_RDWR | O_NOCTTY);
  if (terminal < 0 || !isatty(terminal)) GTEST_SKIP() << "no pseudo-terminals here";
  unsetenv("NO_COLOR");
  setenv("TERM", "xterm", 1);
  EXPECT_TRUE(wants_color("auto", terminal));
  EXPECT_FALSE(wants_color("never", terminal));
  setenv("NO_COLOR", "1", 1);
  EXPECT_FALSE(wants_color("auto", terminal));
  unsetenv("NO_COLOR");
  setenv("TERM", "dumb", 1);
  EXPECT_FALSE(wants_color("auto", terminal));
  close(terminal);
}

TEST(Text, StripPrefix_IsTakenFromPathsThatHaveIt) {
  Finding finding = sample_finding();
  finding.accesses[0].stack[0].location.file = "/build/agent/project/src/bank.cpp";
  finding.accesses[0].stack[1].location.file = "/elsewhere/main.cpp";
  std::string report = write_text(finding, {.strip_prefix = "/project/"});
  EXPECT_TRUE(has_text(report, " src/bank.cpp:")) << report;
  EXPECT_TRUE(has_text(report, " /elsewhere/main.cpp:")) << report;
  EXPECT_FALSE(has_text(report, "/build/agent")) << report;
  EXPECT_TRUE(has_text(write_text(finding, {}), " /build/agent/project/src/bank.cpp:"));
  // A prefix that is the whole path would leave nothing.
  EXPECT_TRUE(
      has_text(write_text(finding, {.strip_prefix = "/elsewhere/main.cpp"}), " /elsewhere/main.cpp:"));
}

} // namespace
} // namespace footrace::findings
