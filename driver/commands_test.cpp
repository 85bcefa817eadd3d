#include "driver/commands.h"
#include "driver/process.h"

#include "gtest/gtest.h"

namespace footrace::driver {
namespace {

TEST(Commands, EveryCommand_IsFoundByItsName) {
  for (const Command& command : all_commands()) EXPECT_EQ(find_command(command.name), &command);
  EXPECT_EQ(find_command("chek"), nullptr);
}

TEST(Commands, NearestName_IsOnlyGivenWhenNear) {
  EXPECT_EQ(nearest_name("chek"), "check");
  EXPECT_EQ(nearest_name("rum"), "run");
  EXPECT_EQ(nearest_name("zzzzzz"), "");
  EXPECT_EQ(nearest_name("x"), "");
}

TEST(Process, ShellCommand_QuotesWhatAShellWouldChange) {
  EXPECT_EQ(as_shell_command({"clang", "-DA=1", "a b", "it's", ""}), "clang -DA=1 'a b' 'it'\\''s' ''");
}

TEST(Process, ExitCodesAndSignals_ArePassedOn) {
  EXPECT_EQ(run_and_wait({"/bin/sh", "-c", "exit 7"}), 7);
  EXPECT_EQ(run_and_wait({"/bin/sh", "-c", "kill -TERM $$"}), 128 + 15);
  EXPECT_EQ(run_and_wait({"/no/such/program"}), 1);
}

} // namespace
} // namespace footrace::driver
