#include "findings/protocol.h"

#include <gtest/gtest.h>

namespace footrace::findings {
namespace {

TEST(Protocol, Hello_CarriesProcessAndOptions) {
  Message message = parse_message(
      R"({"type":"hello","version":1,"pid":123,"exe":"/bin/bank","options":{"color":"never","exitcode":"66"}})");
  ASSERT_EQ(message.type, Message::Type::Hello);
  EXPECT_TRUE(message.problems.empty());
  EXPECT_EQ(message.hello.pid, 123u);
  EXPECT_EQ(message.hello.program, "/bin/bank");
  EXPECT_EQ(message.hello.options.at("exitcode"), "66");
}

TEST(Protocol, Race_IsReadCompletely) {
  Message message = parse_message(
      R"({"type":"race","id":1,"accesses":[)"
      R"({"kind":"atomic write","size":8,"address":"0x10","thread":3,"site":{"file":"/a.h","line":7,"column":3,)"
      R"("function":"_Z1fv","record":"0x99","inlined":[{"file":"/a.cpp","line":9,"column":1,"function":"main"}]},)"
      R"("stack":["0x1","0xffffffffffffffff"],"locks":[{"address":"0x20","mode":"shared","after":2,"stack":["0x5"]}]},)"
      R"({"kind":"free","size":40,"address":"0x10","thread":0,"pc":"0x77","intercepted":"free","stack":[],)"
      R"("stack_lost":true,"locks":[],"locks_lost":true}],)"
      R"("memory":{"region":"heap","address":"0x10","begin":"0x8","size":40,"thread":0,"freed":true,"stack":["0x6"]},)"
      R"("threads":[{"number":3,"name":"w","os_id":4711,"finished":true,"parent":0,"stack":["0x9"],)"
      R"("joiner":0,"joined":true,"join":["0x30"]}],"order":"earlier","through":"0x40"})");
  ASSERT_EQ(message.type, Message::Type::Race);
  ASSERT_TRUE(message.problems.empty()) << message.problems.front();
  const RawAccess& current = message.race.accesses.at(0);
  EXPECT_EQ(current.kind, AccessKind::AtomicWrite);
  EXPECT_EQ(current.thread, 3u);
  ASSERT_EQ(current.sites.size(), 2u);
  EXPECT_EQ(current.sites[1].function, "main");
  EXPECT_EQ(current.record, 0x99u);
  EXPECT_EQ(current.stack, (std::vector<std::uint64_t>{1, ~std::uint64_t(0)}));
  EXPECT_EQ(current.locks.at(0).mode, LockMode::Shared);
  const RawAccess& previous = message.race.accesses.at(1);
  EXPECT_EQ(previous.kind, AccessKind::Free);
  EXPECT_EQ(previous.pc, 0x77u);
  EXPECT_EQ(previous.intercepted, "free");
  EXPECT_TRUE(previous.stack_lost && previous.locks_lost);
  EXPECT_TRUE(message.race.memory->freed);
  EXPECT_EQ(message.race.threads.at(0).os_id, 4711u);
  EXPECT_EQ(message.race.threads.at(0).parent, 0u);
  EXPECT_EQ(current.locks.at(0).after, 2u);
  EXPECT_EQ(message.race.threads.at(0).joiner, 0u);
  EXPECT_TRUE(message.race.threads.at(0).joined);
  EXPECT_EQ(message.race.threads.at(0).join, std::vector<std::uint64_t>{0x30});
  EXPECT_EQ(message.race.order, Order::Earlier);
  EXPECT_EQ(message.race.through, 0x40u);
}

TEST(Protocol, DamagedRace_KeepsWhatCanBeRead) {
  Message message =
      parse_message(R"({"type":"race","accesses":[{"kind":"poke","size":"four","address":16,)"
                    R"("thread":-1,"site":[],"stack":["0x1",2,"zz"]},{"kind":"read"}],"memory":7})");
  EXPECT_EQ(message.type, Message::Type::Race);
  EXPECT_EQ(message.race.accesses.size(), 2u);
  EXPECT_EQ(message.race.accesses[0].stack, std::vector<std::uint64_t>{1});
  EXPECT_EQ(message.race.accesses[1].kind, AccessKind::Read);
  EXPECT_GE(message.problems.size(), 7u);
  EXPECT_EQ(message.problems[0], "accesses[0].kind: unknown value 'poke'");
}

TEST(Protocol, TruncatedRace_IsStillARace) {
  std::string line = R"({"type":"race","id":1,"accesses":[{"kind":"write"}]})";
  for (std::size_t size = 14; size < line.size(); ++size)
    EXPECT_EQ(parse_message(line.substr(0, size)).type, Message::Type::Race) << size;
}

TEST(Protocol, Garbage_IsUnreadable) {
  for (const char* line :
       {"x", "[]", "{}", "7", "\"race\"", R"({"type":"party"})", R"({"type":7})", "{\"type\":\"hel"}) {
    Message message = parse_message(line);
    EXPECT_EQ(message.type, Message::Type::Unreadable) << line;
    EXPECT_FALSE(message.problems.empty()) << line;
  }
}

} // namespace
} // namespace footrace::findings
