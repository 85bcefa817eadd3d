#include "runtime/thread.h"

#include <gtest/gtest.h>
#include <vector>

using namespace footrace;

namespace {

struct LockSetTest : testing::Test {
  Thread t;
  LockSetTest() { context_start(&t, 1 << 20); }
  ~LockSetTest() override { context_finish(&t); }

  void take(uptr address) { lock_taken(&t, address, LockMode::Exclusive, /*pc=*/address + 1); }
  // In the order they were taken.
  std::vector<uptr> held() {
    std::vector<HeldLock> members(10'000);
    u32 count = lock_set_members(current_lock_set(&t), members.data(), 10'000);
    std::vector<uptr> out;
    while (count--) out.push_back(members[count].address);
    return out;
  }
};

TEST_F(LockSetTest, NoLocks_IsSetZero) {
  EXPECT_EQ(current_lock_set(&t), 0u);
  EXPECT_TRUE(held().empty());
}

TEST_F(LockSetTest, Locks_AreListedInTheOrderTheyWereTaken) {
  take(0x30), take(0x10), take(0x20);
  EXPECT_EQ(held(), (std::vector<uptr>{0x30, 0x10, 0x20}));
}

TEST_F(LockSetTest, DroppingFromTheMiddle_KeepsTheOthers) {
  take(1), take(2), take(3);
  EXPECT_EQ(held().size(), 3u);
  lock_dropped(&t, 2);
  EXPECT_EQ(held(), (std::vector<uptr>{1, 3}));
  lock_dropped(&t, 1);
  EXPECT_EQ(held(), (std::vector<uptr>{3}));
}

TEST_F(LockSetTest, RecursiveLock_IsHeldUntilItsLastUnlock) {
  take(1), take(1);
  lock_dropped(&t, 1);
  EXPECT_EQ(held(), (std::vector<uptr>{1}));
  lock_dropped(&t, 1);
  EXPECT_TRUE(held().empty());
}

TEST_F(LockSetTest, UnlockOfALockTakenElsewhere_ChangesNothing) {
  take(1);
  lock_dropped(&t, 2);
  EXPECT_EQ(held(), (std::vector<uptr>{1}));
}

TEST_F(LockSetTest, AnotherSet_IsAnotherEra) {
  const u32 before = t.log.era;
  take(1);
  const u32 taken = t.log.era;
  EXPECT_NE(taken, before);
  take(1);
  lock_dropped(&t, 1);
  EXPECT_EQ(t.log.era, taken) << "a recursive lock changes nothing";
  lock_dropped(&t, 1);
  EXPECT_NE(t.log.era, taken);
}

TEST_F(LockSetTest, SameLocksAgain_GiveTheSameSet) {
  take(1), take(2);
  LockSetId set = current_lock_set(&t);
  lock_dropped(&t, 2), lock_dropped(&t, 1);
  EXPECT_EQ(current_lock_set(&t), 0u);
  take(1), take(2);
  EXPECT_EQ(current_lock_set(&t), set);
}

TEST_F(LockSetTest, LockTakenAgainInItsPlace_HasItsSetAtOnce) {
  take(1);
  const LockSetId set = current_lock_set(&t);
  lock_dropped(&t, 1);
  EXPECT_EQ(t.log.locks, 0u);
  take(1);
  EXPECT_EQ(t.log.locks, set);
}

TEST_F(LockSetTest, LockTakenAgainUnderAnotherOne_HasNot) {
  take(1);
  current_lock_set(&t);
  lock_dropped(&t, 1);
  take(2), take(1);
  EXPECT_EQ(t.log.locks, kUnknownLocks);
  EXPECT_EQ(held(), (std::vector<uptr>{2, 1}));
}

TEST_F(LockSetTest, OneLockInTwoPlaces_IsTwoSets) {
  std::vector<LockSetId> sets;
  for (const uptr pc : {0x100, 0x200, 0x100}) {
    lock_taken(&t, 1, LockMode::Exclusive, pc);
    sets.push_back(current_lock_set(&t));
    lock_dropped(&t, 1);
  }
  EXPECT_NE(sets[0], sets[1]);
  EXPECT_EQ(sets[0], sets[2]);
}

TEST_F(LockSetTest, ModeAndPlace_AreKept) {
  lock_taken(&t, 7, LockMode::Shared, 0x1234);
  HeldLock lock;
  ASSERT_EQ(lock_set_members(current_lock_set(&t), &lock, 1), 1u);
  EXPECT_EQ(lock.mode, LockMode::Shared);
  uptr pc;
  ASSERT_EQ(context_frames(lock.taken, &pc, 1), 1u);
  EXPECT_EQ(pc, 0x1234u);
}

TEST_F(LockSetTest, ThousandsOfLocks_AreAllRemembered) {
  for (uptr i = 1; i <= 5000; ++i) take(i);
  std::vector<uptr> all = held();
  ASSERT_EQ(all.size(), 5000u);
  EXPECT_EQ(all.front(), 1u);
  EXPECT_EQ(all.back(), 5000u);
}

} // namespace
