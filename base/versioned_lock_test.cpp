#include "base/platform.h"

#include <gtest/gtest.h>
#include <thread>
#include <vector>

using namespace footrace;

namespace {

TEST(VersionedLock, Version_ChangesWithEveryHolderAndTellsWhetherItIsHeld) {
  VersionedLock lock;
  const u32 before = lock.version();
  EXPECT_FALSE(VersionedLock::is_held(before));
  lock.lock();
  EXPECT_TRUE(VersionedLock::is_held(lock.version()));
  lock.unlock();
  EXPECT_FALSE(VersionedLock::is_held(lock.version()));
  EXPECT_NE(lock.version(), before);
}

TEST(VersionedLock, TryLock_TakesItOnlyIfNobodyHoldsIt) {
  VersionedLock lock;
  ASSERT_TRUE(lock.try_lock());
  EXPECT_TRUE(VersionedLock::is_held(lock.version()));
  const u32 held = lock.version();
  EXPECT_FALSE(lock.try_lock());
  EXPECT_EQ(lock.version(), held);
  lock.unlock();
  EXPECT_TRUE(lock.try_lock());
}

TEST(VersionedLock, ManyThreads_HoldItOneAtATime) {
  VersionedLock lock;
  u64 count = 0;
  std::vector<std::thread> threads;
  for (int i = 0; i < 4; ++i)
    threads.emplace_back([&] {
      for (int round = 0; round < 20'000; ++round) {
        lock.lock();
        ++count;
        lock.unlock();
      }
    });
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(count, 80'000u);
  EXPECT_EQ(lock.version(), 160'000u);
}

// Two words that the holder changes together are never seen apart by a reader whose version did not change.
TEST(VersionedLock, ReaderWithoutTheLock_KnowsWhenItHasReadAMix) {
  VersionedLock lock;
  u64 a = 0, b = 0;
  bool stop = false;
  std::thread writer([&] {
    for (u64 i = 1; !__atomic_load_n(&stop, __ATOMIC_RELAXED); ++i) {
      lock.lock();
      __atomic_store_n(&a, i, __ATOMIC_RELAXED);
      __atomic_store_n(&b, i, __ATOMIC_RELAXED);
      lock.unlock();
      std::this_thread::yield();
    }
  });
  for (int good = 0; good < 10'000;) {
    const u32 version = lock.version();
    const u64 first = __atomic_load_n(&b, __ATOMIC_RELAXED), second = __atomic_load_n(&a, __ATOMIC_RELAXED);
    __atomic_thread_fence(__ATOMIC_ACQUIRE);
    if (VersionedLock::is_held(version) || lock.version() != version) continue;
    ASSERT_EQ(first, second);
    ++good;
  }
  __atomic_store_n(&stop, true, __ATOMIC_RELAXED);
  writer.join();
}

} // namespace
