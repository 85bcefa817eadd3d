// Hand-made logs: every way to be right and every way to be wrong. A trace is written as words:
//   r:x w:x    the program reads, writes x (4 bytes)          R:x W:x    read check, write check of x
//   acq rel    acquire, release                               new:x      x is allocated or freed
//   race-free:x  a write of x that cannot race                end        the thread ends
#include "tests/placement/validator/precise_checks.h"

#include <cstring>
#include <gtest/gtest.h>
#include <sstream>

namespace footrace::validation {
namespace {

Event memory_event(EventType type, bool write, u64 address, u64 size, i64 stride = 0, u64 count = 1) {
  Event event{};
  event.type = type;
  event.write = write;
  event.must_be_covered = true;
  event.elements.address = address;
  event.elements.size = size;
  event.elements.stride = stride;
  event.elements.count = count;
  return event;
}

Event event_of(const std::string& word) {
  Event event{};
  if (word == "acq" || word == "rel") {
    event.type = word == "acq" ? EventType::Acquire : EventType::Release;
    std::strcpy(event.name, word.c_str());
    return event;
  }
  if (word == "end") {
    event.type = EventType::End;
    return event;
  }
  const size_t colon = word.find(':');
  const std::string what = word.substr(0, colon);
  const u64 address = u64(word.at(colon + 1)) * 16;
  if (what == "new") return memory_event(EventType::Forget, false, address, 4);
  if (what == "r" || what == "w") return memory_event(EventType::Access, what == "w", address, 4);
  if (what == "R" || what == "W") return memory_event(EventType::Check, what == "W", address, 4);
  EXPECT_EQ(what, "race-free");
  event = memory_event(EventType::Access, true, address, 4);
  event.must_be_covered = false;
  return event;
}

std::vector<Violation> violations(const std::vector<Event>& events) {
  ThreadValidator thread(1);
  for (const Event& event : events) thread.step(event);
  thread.finish();
  return thread.violations();
}

// What is wrong with the trace: "access" and "check" for each violation, in order.
std::string verdict(const std::string& trace) {
  std::istringstream words(trace);
  std::vector<Event> events;
  for (std::string word; words >> word;) events.push_back(event_of(word));
  std::string wrong;
  for (const Violation& violation : violations(events))
    wrong += (wrong.empty() ? "" : " ") +
             std::string(violation.event.type == EventType::Access ? "access" : "check");
  return wrong;
}

// Section 2, covering: "precedes the access with no intervening release".
TEST(Covering, CheckBeforeTheAccess) { EXPECT_EQ(verdict("W:x w:x end"), ""); }
TEST(Covering, CheckBeforeTheAccessWithAnAcquireBetweenStillCovers) {
  // The check is legitimate for the first access, and covers the second.
  EXPECT_EQ(verdict("w:x W:x acq w:x end"), "");
}
TEST(Covering, CheckBeforeTheAccessWithAReleaseBetweenDoesNot) {
  EXPECT_EQ(verdict("w:x W:x rel w:x end"), "access");
}

// Section 2, covering: "succeeds the access with no intervening acquire".
TEST(Covering, CheckAfterTheAccess) { EXPECT_EQ(verdict("w:x W:x end"), ""); }
TEST(Covering, CheckAfterTheAccessWithAReleaseBetweenStillCovers) {
  EXPECT_EQ(verdict("w:x rel w:x W:x end"), "");
}
TEST(Covering, CheckAfterTheAccessWithAnAcquireBetweenDoesNot) {
  EXPECT_EQ(verdict("w:x acq w:x W:x end"), "access");
}

TEST(Covering, NoCheckAtAll) {
  EXPECT_EQ(verdict("w:x end"), "access");
  EXPECT_EQ(verdict("r:x acq rel end"), "access");
}
TEST(Covering, CheckOfOtherBytes) { EXPECT_EQ(verdict("w:x w:y W:y end"), "access"); }
TEST(Covering, AccessesThatCannotRaceNeedNone) { EXPECT_EQ(verdict("race-free:x end"), ""); }

// Figure 3: one check covers three accesses, though it is legitimate for the second only.
TEST(Covering, Figure3) { EXPECT_EQ(verdict("w:x rel w:x W:x acq w:x end"), ""); }
TEST(Covering, Figure3WithoutTheSecondAccess) { EXPECT_EQ(verdict("w:x rel W:x acq w:x end"), "check"); }

// Section 2, legitimate: "precedes the access with no intervening acquire".
TEST(Legitimate, CheckBeforeTheAccessWithAReleaseBetween) {
  // Legitimate, though it covers nothing: the access has a check of its own.
  EXPECT_EQ(verdict("W:x rel w:x W:x end"), "");
}
TEST(Legitimate, CheckBeforeTheAccessWithAnAcquireBetweenIsNot) {
  EXPECT_EQ(verdict("W:x acq w:x end"), "check");
}

// Section 2, legitimate: "succeeds the access with no intervening release".
TEST(Legitimate, CheckAfterTheAccessWithAnAcquireBetween) { EXPECT_EQ(verdict("w:x W:x acq W:x end"), ""); }
TEST(Legitimate, CheckAfterTheAccessWithAReleaseBetweenIsNot) {
  EXPECT_EQ(verdict("w:x W:x rel W:x end"), "check");
}

TEST(Legitimate, CheckOfWhatIsNeverAccessed) { EXPECT_EQ(verdict("W:x end"), "check"); }
TEST(Legitimate, AccessesThatCannotRaceJustifyAsWell) { EXPECT_EQ(verdict("W:x race-free:x end"), ""); }

// Section 5: "A write check can cover write or read accesses, but a read check can only cover read accesses."
TEST(Kinds, ReadCheckDoesNotCoverAWrite) {
  EXPECT_EQ(verdict("R:x w:x end"), "access");
  EXPECT_EQ(verdict("w:x R:x end"), "access");
}
TEST(Kinds, WriteCheckCoversReads) { EXPECT_EQ(verdict("r:x w:x W:x r:x end"), ""); }
// "A write check is only legitimate for a write access, but a read check is legitimate for both."
TEST(Kinds, WriteCheckIsNotLegitimateForReads) {
  EXPECT_EQ(verdict("r:x W:x end"), "check");
  EXPECT_EQ(verdict("W:x r:x end"), "check");
}
TEST(Kinds, ReadCheckIsLegitimateForAWrite) { EXPECT_EQ(verdict("w:x R:x W:x end"), ""); }

TEST(Lifetime, AllocationOrReleaseOfTheMemorySeparates) {
  EXPECT_EQ(verdict("w:x new:x W:x end"), "access check");
  EXPECT_EQ(verdict("w:x W:x new:x w:x end"), "access");
  EXPECT_EQ(verdict("w:x W:x new:y r:x end"), "");
}
TEST(Lifetime, LargeAllocationsSeparateToo) {
  Event all = memory_event(EventType::Forget, false, 0, u64(1) << 40);
  EXPECT_EQ(violations({event_of("w:x"), all, event_of("W:x"), event_of("end")}).size(), 2u);
}

TEST(End, ThreadThatWasCutOffMayHaveBeenAboutToCheck) {
  EXPECT_EQ(verdict("w:x"), "");
  EXPECT_EQ(verdict("W:x"), "");
  EXPECT_EQ(verdict("w:x acq"), "access"); // it may not any more
}
TEST(End, EndOfTheThreadIsTheLastChance) { EXPECT_EQ(verdict("r:x rel end"), "access"); }

TEST(Bytes, PartlyCoveredAccessNamesTheBytes) {
  auto found = violations({memory_event(EventType::Check, true, 100, 4),
                           memory_event(EventType::Access, true, 100, 8), event_of("end")});
  ASSERT_EQ(found.size(), 1u);
  EXPECT_EQ(found[0].first, 104u);
  EXPECT_EQ(found[0].bytes, 4u);
  EXPECT_EQ(found[0].before, Before::Nothing);
  EXPECT_EQ(found[0].ended_by, "the end of the thread");
}
TEST(Bytes, RangeThatIsOneElementTooLong) {
  auto found = violations({memory_event(EventType::Check, false, 100, 12),
                           memory_event(EventType::Access, false, 100, 4),
                           memory_event(EventType::Access, false, 104, 4), event_of("end")});
  ASSERT_EQ(found.size(), 1u);
  EXPECT_EQ(found[0].event.type, EventType::Check);
  EXPECT_EQ(found[0].first, 108u);
  EXPECT_EQ(found[0].bytes, 4u);
}
TEST(Bytes, StridedCheckTouchesNothingBetween) {
  const Event check = memory_event(EventType::Check, true, 100, 4, 12, 3);
  const auto write = [](u64 address) { return memory_event(EventType::Access, true, address, 4); };
  EXPECT_TRUE(violations({write(100), write(112), write(124), check, event_of("end")}).empty());
  EXPECT_EQ(violations({write(100), write(104), write(112), write(124), check, event_of("end")}).size(), 1u);
  EXPECT_EQ(violations({write(100), write(124), check, event_of("end")}).size(), 1u);
}
TEST(Bytes, StrideMayBeNegative) {
  EXPECT_TRUE(violations({memory_event(EventType::Check, true, 124, 4, -12, 3),
                          memory_event(EventType::Access, true, 100, 4),
                          memory_event(EventType::Access, true, 112, 4),
                          memory_event(EventType::Access, true, 124, 4), event_of("end")})
                  .empty());
}

TEST(Why, SaysWhatWasKnownBefore) {
  const auto before = [](const std::string& trace) {
    std::istringstream words(trace);
    std::vector<Event> events;
    for (std::string word; words >> word;) events.push_back(event_of(word));
    return violations(events).at(0).before;
  };
  EXPECT_EQ(before("w:x W:x rel w:x end"), Before::PastRelease);
  EXPECT_EQ(before("r:x R:x w:x end"), Before::OnlyReadCheck);
  EXPECT_EQ(before("r:x R:x W:x end"), Before::OnlyReads);
  EXPECT_EQ(before("w:x W:x rel W:x end"), Before::PastRelease);
}

} // namespace
} // namespace footrace::validation
