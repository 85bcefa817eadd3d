#include "runtime/history_add.h"
#include "runtime/options.h"
#include "runtime/thread.h"

#include <atomic>
#include <gtest/gtest.h>
#include <thread>
#include <tuple>

using namespace footrace;

namespace {

constexpr Tid kTid = 920;

struct HistoryTest : testing::Test {
  Thread t;
  Tid tid = kTid;
  HistoryTest() {
    context_start(t.context, 1 << 20, tid);
    at(1);
  }
  ~HistoryTest() override { context_finish(t.context, tid, 1, t.C.own); }

  void at(u64 clock) { t.C.owner = tid, t.C.own = clock, t.epoch = make_epoch(tid, clock); }
  bool has(u64 clock, uptr address, SiteId site, HistoryEntry* out = nullptr) {
    HistoryEntry entry;
    return history_find(make_epoch(tid, clock), address, site, out ? out : &entry);
  }
};

TEST_F(HistoryTest, Access_IsFoundByEpochSiteAndAnyOfItsBytes) {
  history_add(&t, 0x1000, 8, 5);
  HistoryEntry entry;
  ASSERT_TRUE(has(1, 0x1007, 5, &entry));
  EXPECT_EQ(entry.address, 0x1000u);
  EXPECT_EQ(entry.size, 8u);
  EXPECT_FALSE(has(1, 0x1008, 5));
  EXPECT_FALSE(has(1, 0xfff, 5));
  EXPECT_FALSE(has(1, 0x1000, 6));
  EXPECT_FALSE(has(2, 0x1000, 5));
  EXPECT_FALSE(history_find(make_epoch(kTid + 1, 1), 0x1000, 5, &entry));
}

TEST_F(HistoryTest, StackAndLocks_AreThoseOfTheAccess) {
  t.context.top++[0] = {0x42, 0, 0};
  lock_taken(&t, 0x77, LockMode::Exclusive, 0x43);
  history_add(&t, 0x1000, 4, 5);
  lock_dropped(&t, 0x77);
  t.context.top--;
  HistoryEntry entry;
  ASSERT_TRUE(has(1, 0x1000, 5, &entry));
  uptr pc;
  ASSERT_EQ(context_frames(entry.context, &pc, 1), 1u);
  EXPECT_EQ(pc, 0x42u);
  HeldLock lock;
  ASSERT_EQ(lock_set_members(entry.locks, &lock, 1), 1u);
  EXPECT_EQ(lock.address, 0x77u);
}

TEST_F(HistoryTest, NeighboursOfOneSite_ShareAnEntry) {
  u64 size = u64(options().history_size);
  history_add(&t, 0x1000, 4, 7);
  for (u64 i = 0; i < size; ++i) history_add(&t, 0x2000 + i * 8, 8, 5);
  history_add(&t, 0x2000, 8, 5);  // inside
  EXPECT_TRUE(has(1, 0x1000, 7)); // so none has aged out
  HistoryEntry entry;
  ASSERT_TRUE(has(1, 0x2000 + size * 8 - 1, 5, &entry));
  EXPECT_EQ(entry.address, 0x2000u);
  EXPECT_EQ(entry.size, size * 8);
}

TEST_F(HistoryTest, NeighboursOfAnotherEpochStackOrSite_DoNot) {
  history_add(&t, 0x1000, 8, 5);
  history_add(&t, 0x1008, 8, 5 + Context::kSites); // the same place among the open entries
  at(2);
  history_add(&t, 0x1010, 8, 5 + Context::kSites);
  t.context.top++[0] = {0x42, 0, 0};
  history_add(&t, 0x1018, 8, 5 + Context::kSites);
  t.context.top--;
  HistoryEntry entry;
  for (auto [clock, address, site] : {std::tuple{1, 0x1000, 5u},
                                      {1, 0x1008, 5u + Context::kSites},
                                      {2, 0x1010, 5u + Context::kSites},
                                      {2, 0x1018, 5u + Context::kSites}}) {
    ASSERT_TRUE(has(u64(clock), uptr(address), site, &entry));
    EXPECT_EQ(entry.address, uptr(address));
    EXPECT_EQ(entry.size, 8u);
    EXPECT_EQ(entry.context != 0, address == 0x1018);
  }
}

TEST_F(HistoryTest, FullRing_ForgetsTheOldestOnly) {
  u64 size = u64(options().history_size);
  for (u64 i = 0; i < size + 10; ++i) {
    at(i + 1);
    history_add(&t, 0x1000 + i * 8, 8, 5);
  }
  // One place is always the one to be written next.
  EXPECT_FALSE(has(11, 0x1000 + 10 * 8, 5));
  EXPECT_TRUE(has(12, 0x1000 + 11 * 8, 5));
  EXPECT_TRUE(has(size + 10, 0x1000 + (size + 9) * 8, 5));
}

TEST_F(HistoryTest, FinishedThread_IsStillFound) {
  at(7);
  history_add(&t, 0x1000, 8, 5);
  context_finish(t.context, tid, 1, 7);
  EXPECT_TRUE(has(7, 0x1000, 5));
  // The tid goes to another thread, whose clocks start later.
  context_start(t.context, 1 << 20, tid);
  at(8);
  history_add(&t, 0x2000, 8, 6);
  EXPECT_TRUE(has(7, 0x1000, 5));
  EXPECT_TRUE(has(8, 0x2000, 6));
  EXPECT_FALSE(has(8, 0x1000, 5));
}

TEST_F(HistoryTest, NewTid_KeepsWhatWasDoneUnderTheOldOne) {
  history_add(&t, 0x1000, 8, 5);
  context_new_tid(t.context, tid, 1, 1, kTid + 5);
  EXPECT_TRUE(has(1, 0x1000, 5));
  tid = kTid + 5;
  EXPECT_FALSE(has(1, 0x1000, 5));
  history_add(&t, 0x3000, 8, 5);
  EXPECT_TRUE(has(1, 0x3000, 5));
}

TEST_F(HistoryTest, ManyFinishedThreads_KeepTheMostRecent) {
  // More entries than the log of finished threads holds (4 MB).
  u64 size = u64(options().history_size);
  constexpr u32 kThreads = 60;
  for (u32 n = 0; n < kThreads; ++n) {
    Thread other;
    other.C.owner = kTid + 10 + n, other.C.own = 3;
    context_start(other.context, 1 << 20, kTid + 10 + n);
    for (u64 i = 0; i < size; ++i) history_add(&other, 0x5000 + i * 2, 1, 9);
    context_finish(other.context, kTid + 10 + n, 1, 3);
  }
  HistoryEntry entry;
  EXPECT_FALSE(history_find(make_epoch(kTid + 10, 3), 0x5000, 9, &entry));
  EXPECT_TRUE(history_find(make_epoch(kTid + 10 + kThreads - 1, 3), 0x5000, 9, &entry));
}

// Whatever a reader finds while the owner writes belongs together.
TEST_F(HistoryTest, ReaderOfALiveRing_NeverSeesHalfAnEntry) {
  std::atomic<bool> stop = false;
  std::atomic<u64> newest = 0;
  std::thread writer([&] {
    for (u64 clock = 1; !stop; ++clock) {
      at(clock);
      for (uptr i = 1; i < 4; ++i) history_add(&t, 0x1000 + i * 0x10000, 8, SiteId(clock % 1000 + 1));
      history_add(&t, 0x1000, clock % 1000 + 1, SiteId(clock % 1000 + 1));
      newest = clock;
    }
  });
  u32 found = 0;
  for (int i = 0; i < 20'000 || !found; ++i) {
    u64 clock = newest;
    HistoryEntry entry;
    if (!has(clock, 0x1000, SiteId(clock % 1000 + 1), &entry)) continue;
    ++found;
    EXPECT_EQ(entry.clock, clock);
    EXPECT_EQ(entry.address, 0x1000u);
    EXPECT_EQ(entry.size, clock % 1000 + 1);
  }
  stop = true;
  writer.join();
}

} // namespace
