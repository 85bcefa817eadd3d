// Hand-made logs: checks that stand for others each time, and checks that forget to.
#include "tests/placement/validator/precise_checks.h"
#include "tests/placement/validator/proxies.h"

#include <gtest/gtest.h>

namespace footrace::validation {
namespace {

constexpr u64 f = 0x1000, g = 0x2000, h = 0x3000;

Event event(EventType type, u64 address, bool write = true) {
  Event made{};
  made.type = type;
  made.write = write;
  made.must_be_covered = true;
  made.elements = {address, 8, 0, 1};
  return made;
}
Event check(u64 address, bool write = true) { return event(EventType::Check, address, write); }
Event access(u64 address, bool write = true) { return event(EventType::Access, address, write); }
Event proxied(u64 address, u64 proxy, bool write = true) {
  Event made = event(EventType::Proxied, address, write);
  made.elements.stride = i64(proxy - address);
  return made;
}
Event end() { return event(EventType::End, 0); }

size_t violations(const std::vector<Event>& events) {
  ThreadValidator thread(1);
  for (const Event& made : events) thread.step(made);
  thread.finish();
  return thread.violations().size();
}

TEST(Proxies, AccessIsCoveredByTheCheckOfItsProxy) {
  EXPECT_EQ(violations({check(g), proxied(f, g), access(f), access(g), end()}), 0u);
  EXPECT_EQ(violations({check(g), access(f), access(g), end()}), 1u) << "nothing stands for f";
}

TEST(Proxies, ReleaseEndsWhatTheProxyStandsFor) {
  EXPECT_EQ(violations({check(g), proxied(f, g), access(f), access(g), event(EventType::Release, 0),
                        access(f), end()}),
            1u);
}

TEST(Proxies, CheckThatStandsForWhatIsNotAccessed_IsNotLegitimate) {
  EXPECT_EQ(violations({check(g), proxied(f, g), access(g), end()}), 1u);
}

TEST(Proxies, ReadCheckDoesNotStandForWrites) {
  EXPECT_EQ(violations({check(g, false), proxied(f, g, false), access(f), access(g, false), end()}), 1u);
}

TEST(Proxies, EveryCheckOfTheProxyMustStandForTheSame) {
  const std::vector<Event> both = {check(g), proxied(f, g), proxied(h, g)};
  EXPECT_TRUE(find_broken_proxies({both, both}).empty());
  EXPECT_EQ(find_broken_proxies({both, {check(g)}}).size(), 1u) << "the proxy alone";
  EXPECT_EQ(find_broken_proxies({both, {check(g), proxied(f, g)}}).at(0).bytes, h) << "one of two is missing";
  EXPECT_TRUE(find_broken_proxies({both, {check(h)}}).empty()) << "checks of others are no matter";
}

TEST(Proxies, KindsMustAgree) {
  EXPECT_EQ(find_broken_proxies({{check(g), proxied(f, g, false)}}).size(), 1u);
}

} // namespace
} // namespace footrace::validation
