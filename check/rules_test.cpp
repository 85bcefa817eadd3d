// Every rule of FastTrack (PLDI'09, Figures 2, 3 and section 4) and of its extension to C++ atomics, by name.
#include "check/rules_test.h"

using namespace footrace;
using namespace footrace::fasttrack;

namespace {

TEST_F(Rules, ReadSameEpoch_LeavesCellUnchanged) {
  EXPECT_EQ(reads(t[0]), 0u);
  EXPECT_EQ(reads(t[0]), 0u);
  EXPECT_EQ(W(), Word());
  EXPECT_EQ(R(), Word(t[0].epoch));
  EXPECT_EQ(count(t[0], Rule::read_exclusive), 1u);
}

TEST_F(Rules, ReadExclusive_ReplacesAnOrderedReader) {
  reads(t[0]);
  order(t[0], t[1]);
  EXPECT_EQ(reads(t[1]), 0u);
  EXPECT_EQ(R(), Word(t[1].epoch));
}

TEST_F(Rules, ReadShare_KeepsBothConcurrentReaders) {
  reads(t[0]);
  EXPECT_EQ(reads(t[1]), 0u);
  EXPECT_EQ(count(t[1], Rule::read_share), 1u);
  ASSERT_TRUE(R().is_set());
  EXPECT_EQ(set_size(R()), 2u);
}

TEST_F(Rules, ReadShared_AddsToTheSet) {
  for (u32 i = 0; i < 3; ++i) EXPECT_EQ(reads(t[i]), 0u);
  EXPECT_EQ(count(t[2], Rule::read_shared), 1u);
  EXPECT_EQ(set_size(R()), 3u);
}

TEST_F(Rules, ReadShared_DropsReadersOrderedBefore) {
  reads(t[0]);
  reads(t[1]);
  order(t[0], t[2]);
  order(t[1], t[2]);
  EXPECT_EQ(reads(t[2]), 0u);
  EXPECT_EQ(R(), Word(t[2].epoch));
}

TEST_F(Rules, WriteSameEpoch_LeavesCellUnchanged) {
  writes(t[0]);
  EXPECT_EQ(writes(t[0]), 0u);
  EXPECT_EQ(W(), Word(t[0].epoch));
  EXPECT_EQ(R(), Word(t[0].epoch));
  EXPECT_EQ(count(t[0], Rule::write_exclusive), 1u);
}

TEST_F(Rules, WriteExclusive_TakesOverAfterOrderedAccesses) {
  writes(t[0]);
  reads(t[0]);
  order(t[0], t[1]);
  EXPECT_EQ(writes(t[1]), 0u);
  EXPECT_EQ(W(), Word(t[1].epoch));
  EXPECT_EQ(R(), Word(t[1].epoch));
}

TEST_F(Rules, WriteExclusive_ReportsWriteWriteRace) {
  writes(t[0]);
  ASSERT_EQ(writes(t[1]), 1u);
  EXPECT_EQ(seen[0].previous, t[0].epoch);
  EXPECT_EQ(seen[0].previous_kind, AccessKind::Write);
  EXPECT_EQ(seen[0].address, at());
  EXPECT_EQ(seen[0].size, 8u);
  EXPECT_EQ(seen[0].kind, AccessKind::Write);
}

TEST_F(Rules, WriteExclusive_ReportsReadWriteRace) {
  reads(t[0]);
  ASSERT_EQ(writes(t[1]), 1u);
  EXPECT_EQ(seen[0].previous_kind, AccessKind::Read);
}

TEST_F(Rules, Read_ReportsWriteReadRace) {
  writes(t[0]);
  ASSERT_EQ(reads(t[1]), 1u);
  EXPECT_EQ(seen[0].previous_kind, AccessKind::Write);
}

TEST_F(Rules, WriteShared_ForgetsOrderedReaders) {
  reads(t[0]);
  reads(t[1]);
  order(t[0], t[2]);
  order(t[1], t[2]);
  EXPECT_EQ(writes(t[2]), 0u);
  EXPECT_EQ(count(t[2], Rule::write_shared), 1u);
  EXPECT_FALSE(R().is_set());
}

TEST_F(Rules, WriteShared_ReportsTheOneUnorderedReader) {
  reads(t[0]);
  reads(t[1]);
  reads(t[2]);
  order(t[0], t[3]);
  order(t[2], t[3]);
  ASSERT_EQ(writes(t[3]), 1u);
  EXPECT_EQ(tid_of(seen[0].previous), t[1].tid());
}

// Figure 4 of the paper: R goes from an epoch to a set, back to nothing at the write, and to an epoch again.
TEST_F(Rules, Figure4_AdaptsTheReadHistory) {
  begin(t[0], 1, 7);
  writes(t[0]);
  fork(t[0], t[1]);
  reads(t[1]);
  EXPECT_FALSE(R().is_set());
  reads(t[0]);
  EXPECT_TRUE(R().is_set());
  join(t[0], t[1].C);
  EXPECT_EQ(writes(t[0]), 0u);
  EXPECT_FALSE(R().is_set());
  EXPECT_EQ(reads(t[0]), 0u);
}

TEST_F(Rules, Initial_ForgetsTheFencesOfTheThreadBefore) {
  Clock x;
  fence(t[0], Order::Release);
  atomic_store(t[1], x, Order::Release);
  atomic_load(t[0], x, Order::Relaxed);
  initial(t[0], 1, 10);
  EXPECT_TRUE(t[0].release_fence.empty());
  EXPECT_TRUE(t[0].acquire_fence.empty());
}

TEST_F(Rules, PublishEpoch_FollowsEveryTick) {
  InLine in_line;
  publish_epoch(t[0], &in_line);
  EXPECT_EQ(in_line.epoch, u64(t[0].epoch.raw) << 32 | t[0].epoch.raw);
  tick(t[0]);
  EXPECT_EQ(in_line.epoch, u64(t[0].epoch.raw) << 32 | t[0].epoch.raw);
  publish_epoch(t[0], nullptr);
  EXPECT_EQ(in_line.epoch, kNoEpochInLine);
}

TEST_F(Rules, SeenInThisEpoch_IsTrueInEveryRepresentation) {
  EXPECT_FALSE(seen_in_this_epoch(t[0], at(), 8, false));
  reads(t[0]);
  EXPECT_TRUE(seen_in_this_epoch(t[0], at(), 8, false)); // an epoch
  EXPECT_TRUE(seen_in_this_epoch(t[0], at(3), 2, false));
  EXPECT_FALSE(seen_in_this_epoch(t[0], at(), 8, true));
  EXPECT_FALSE(seen_in_this_epoch(t[0], at(4), 8, false));
  reads(t[1]);
  EXPECT_TRUE(seen_in_this_epoch(t[0], at(), 8, false)); // a set
  EXPECT_TRUE(seen_in_this_epoch(t[1], at(), 8, false));
  EXPECT_FALSE(seen_in_this_epoch(t[2], at(), 8, false));
  writes(t[2], 8, 4);
  EXPECT_TRUE(seen_in_this_epoch(t[2], at(8), 4, true)); // a granule
  EXPECT_FALSE(seen_in_this_epoch(t[2], at(8), 8, true));
}

// Whoever is ordered after R is ordered after W: a write stamps both, and a read that races with the write leaves R a set.
TEST_F(Rules, ReadThatRacesWithTheWrite_MakesASetOfOne) {
  writes(t[0]);
  EXPECT_EQ(reads(t[1]), 1u);
  EXPECT_EQ(W(), Word(t[0].epoch));
  ASSERT_TRUE(R().is_set());
  EXPECT_EQ(set_size(R()), 1u);
  order(t[1], t[2]);
  EXPECT_EQ(reads(t[2]), 1u) << "ordered after the read, not after the write";
}

TEST_F(Rules, ReadOfItsOwnWrite_ChangesNothing) {
  writes(t[0]);
  EXPECT_EQ(reads(t[0]), 0u);
  EXPECT_EQ(R(), Word(t[0].epoch));
  EXPECT_EQ(reads(t[1]), 1u);
  EXPECT_EQ(seen[0].previous_kind, AccessKind::Write);
}

TEST_F(Rules, WriteBehindAReadOfItsEpoch_IsRecorded) {
  reads(t[0]);
  EXPECT_EQ(writes(t[0]), 0u);
  EXPECT_EQ(W(), Word(t[0].epoch));
  EXPECT_EQ(reads(t[1]), 1u);
}

// The halves of a cell never share a state.
TEST_F(Rules, HalvesOfACell_RaceEachForItself) {
  writes(t[0], 0, 4);
  writes(t[1], 4, 4);
  EXPECT_EQ(W(0), Word(t[0].epoch));
  EXPECT_EQ(W(4), Word(t[1].epoch));
  order(t[0], t[2]);
  ASSERT_EQ(reads(t[2]), 1u);
  EXPECT_EQ(seen[0].address, at(4));
  EXPECT_EQ(seen[0].size, 4u);
}

// Different writes below one read, and the same read below different sets.
TEST_F(Rules, CellThatWasWrittenByHalves_TellsTheHalfThatRaces) {
  writes(t[0], 0, 4);
  order(t[0], t[1]);
  writes(t[1], 4, 4);
  Clock m;
  release(t[0], m), acquire(t[2], m);
  order(t[1], t[0]);
  EXPECT_EQ(reads(t[0]), 0u);
  ASSERT_EQ(reads(t[2]), 1u) << "not ordered after t1";
  EXPECT_EQ(seen[0].address, at(4));
  EXPECT_EQ(tid_of(seen[0].previous), t[1].tid());
}

TEST_F(Rules, ReadersOfACellAndOfAHalf_AreKeptApart) {
  reads(t[0]);
  reads(t[1]);
  const Word both = R();
  reads(t[2], 0, 4);
  EXPECT_NE(R(0), both);
  EXPECT_EQ(R(4), both);
  EXPECT_EQ(writes(t[3], 4, 4), 2u);
  EXPECT_EQ(writes(t[3], 0, 4), 3u);
}

TEST_F(Rules, AccessOfAnySize_MeetsEveryByte) {
  for (u64 from = 0; from < 12; ++from)
    for (u64 size = 1; size <= 24; ++size) {
      forget(&t[0], at(), 64);
      writes(t[0], from, size);
      reads(t[1], 0, 64);
      u64 racing = 0, first = 64;
      for (const Conflict& c : seen) racing += c.size, first = min(first, c.address - at());
      ASSERT_EQ(racing, size) << from;
      ASSERT_EQ(first, from) << size;
    }
}

TEST_F(Rules, Acquire_JoinsTheLocksClock) {
  Clock m;
  release(t[0], m);
  acquire(t[1], m);
  EXPECT_EQ(t[1].C.get(t[0].tid()), 1u);
}

TEST_F(Rules, Release_TicksTheThread) {
  Clock m;
  Epoch before = t[0].epoch;
  release(t[0], m);
  EXPECT_TRUE(m.covers(before));
  EXPECT_EQ(clock_of(t[0].epoch), clock_of(before) + 1);
  EXPECT_FALSE(m.covers(t[0].epoch));
}

TEST_F(Rules, Release_WithoutAStep_KeepsTheEpoch) {
  Clock m, n;
  reads(t[0]);
  const Epoch stepped = t[0].epoch;
  release(t[0], m);
  const Epoch now = t[0].epoch;
  release(t[0], n);
  EXPECT_EQ(t[0].epoch, now);
  EXPECT_TRUE(n.covers(stepped));
  EXPECT_FALSE(n.covers(now)) << "what it does next is not published";
  acquire(t[1], n);
  writes(t[0], 8);
  EXPECT_EQ(writes(t[1]), 0u);
  EXPECT_EQ(writes(t[1], 8), 1u);
}

// The later of two releases in one epoch has the same number, and more behind it.
TEST_F(Rules, CoversClock_OnlyWithWhatWasLearnedBetweenReleasesOfOneEpoch) {
  Clock early, lesson, late;
  reads(t[0]);
  release(t[0], early);
  acquire(t[1], early);
  EXPECT_TRUE(covers_clock(t[1], early));
  writes(t[2]);
  release(t[2], lesson);
  acquire(t[0], lesson);
  release(t[0], late);
  EXPECT_EQ(late.own, early.own);
  EXPECT_FALSE(covers_clock(t[1], late));
  acquire(t[1], late);
  EXPECT_EQ(writes(t[1]), 0u);
  release(t[0], early); // nothing new, and now it does not matter which of the two is asked
  reads(t[0], 8);
  release(t[0], late);
  EXPECT_FALSE(covers_clock(t[1], late));
  acquire(t[1], late);
  EXPECT_TRUE(covers_clock(t[1], early));
  EXPECT_TRUE(covers_clock(t[1], late));
}

TEST_F(Rules, Fork_OrdersTheParentsPastOnly) {
  Epoch before = t[0].epoch;
  fork(t[0], t[1]);
  EXPECT_TRUE(t[1].C.covers(before));
  EXPECT_FALSE(t[1].C.covers(t[0].epoch));
}

TEST_F(Rules, Join_OrdersAllOfTheChild) {
  fork(t[0], t[1]);
  Epoch last = t[1].epoch;
  EXPECT_FALSE(t[0].C.covers(last));
  join(t[0], t[1].C);
  EXPECT_TRUE(t[0].C.covers(last));
}

TEST_F(Rules, ReadVolatile_OrdersAfterEveryWriteVolatile) {
  Clock v;
  Epoch a = t[0].epoch, b = t[1].epoch;
  write_volatile(t[0], v);
  write_volatile(t[1], v);
  read_volatile(t[2], v);
  EXPECT_TRUE(t[2].C.covers(a));
  EXPECT_TRUE(t[2].C.covers(b));
}

TEST_F(Rules, BarrierRelease_OrdersPastAndNotFuture) {
  Clock generation;
  Epoch before[3];
  for (u32 i = 0; i < 3; ++i) before[i] = t[i].epoch, barrier_arrive(t[i], generation);
  for (u32 i = 0; i < 3; ++i) barrier_leave(t[i], generation);
  for (u32 i = 0; i < 3; ++i)
    for (u32 j = 0; j < 3; ++j) {
      EXPECT_TRUE(t[i].C.covers(before[j]));
      if (i != j) EXPECT_FALSE(t[i].C.covers(t[j].epoch));
    }
}

TEST_F(Rules, AtomicStore_RelaxedCutsTheReleaseSequence) {
  Clock x;
  Epoch before = t[0].epoch;
  atomic_store(t[0], x, Order::Release);
  atomic_store(t[0], x, Order::Relaxed); // also by the same thread, since C++20
  atomic_load(t[1], x, Order::Acquire);
  EXPECT_FALSE(t[1].C.covers(before));
}

TEST_F(Rules, AtomicRmw_RelaxedContinuesTheReleaseSequence) {
  Clock x;
  Epoch before = t[0].epoch;
  atomic_store(t[0], x, Order::Release);
  atomic_rmw(t[1], x, Order::Relaxed);
  atomic_load(t[2], x, Order::Acquire);
  EXPECT_TRUE(t[2].C.covers(before));
  EXPECT_FALSE(t[1].C.covers(before));
}

TEST_F(Rules, Fence_ReleaseAndAcquireSynchroniseThroughRelaxedOperations) {
  Clock x;
  Epoch before = t[0].epoch;
  fence(t[0], Order::Release);
  Epoch after = t[0].epoch;
  atomic_store(t[0], x, Order::Relaxed);
  atomic_load(t[1], x, Order::Relaxed);
  EXPECT_FALSE(t[1].C.covers(before));
  fence(t[1], Order::Acquire);
  EXPECT_TRUE(t[1].C.covers(before));
  EXPECT_FALSE(t[1].C.covers(after)); // what follows the release fence is not published
}

TEST_F(Rules, AtomicAccesses_DoNotRaceWithEachOther) {
  EXPECT_EQ(does(t[0], AccessKind::AtomicWrite), 0u);
  EXPECT_EQ(does(t[1], AccessKind::AtomicWrite), 0u);
  EXPECT_EQ(does(t[2], AccessKind::AtomicRead), 0u);
}

TEST_F(Rules, AtomicWrites_AreAllRemembered) {
  does(t[0], AccessKind::AtomicWrite);
  does(t[1], AccessKind::AtomicWrite);
  order(t[1], t[2]);
  ASSERT_EQ(reads(t[2]), 1u); // ordered after one of the two
  EXPECT_EQ(tid_of(seen[0].previous), t[0].tid());
  EXPECT_EQ(seen[0].previous_kind, AccessKind::AtomicWrite);
}

TEST_F(Rules, AtomicRead_RacesWithPlainWriteOnly) {
  does(t[0], AccessKind::AtomicRead);
  EXPECT_EQ(reads(t[1]), 0u);
  EXPECT_EQ(writes(t[2]), 2u);
}

TEST_F(Rules, AtomicWrite_KeepsPlainReadersForTheNextAtomicWriter) {
  reads(t[0]);
  order(t[0], t[1]);
  EXPECT_EQ(does(t[1], AccessKind::AtomicWrite), 0u);
  ASSERT_EQ(does(t[2], AccessKind::AtomicWrite), 1u);
  EXPECT_EQ(seen[0].previous_kind, AccessKind::Read);
}

TEST_F(Rules, NeighbouringBytes_DoNotRace) {
  for (u64 b = 0; b < 8; ++b) EXPECT_EQ(writes(t[b % 4], b, 1), 0u);
  for (u64 b = 0; b < 8; ++b) EXPECT_EQ(writes(t[b % 4], b, 1), 0u);
  ASSERT_EQ(writes(t[1], 4, 1), 1u);
  EXPECT_EQ(seen[0].address, at(4));
  EXPECT_EQ(seen[0].size, 1u);
}

TEST_F(Rules, OverlappingSizes_RaceOnTheCommonBytes) {
  writes(t[0], 6, 4); // crosses two cells
  ASSERT_EQ(reads(t[1], 0, 16), 4u);
  for (u64 i = 0; i < 4; ++i) {
    EXPECT_EQ(seen[i].address, at(6 + i));
    EXPECT_EQ(seen[i].size, 1u);
  }
}

TEST_F(Rules, ReportedByte_DoesNotHideItsNeighbour) {
  writes(t[0], 0, 8);
  EXPECT_EQ(writes(t[1], 0, 1), 1u);
  ASSERT_EQ(writes(t[2], 1, 1), 1u);
  EXPECT_EQ(tid_of(seen[0].previous), t[0].tid());
}

TEST_F(Rules, Forget_ClearsExactlyTheRange) {
  writes(t[0], 0, 32);
  forget(&t[1], at(3), 10);
  EXPECT_EQ(writes(t[1], 3, 10), 0u);
  EXPECT_EQ(writes(t[2], 2, 1), 1u);
  EXPECT_EQ(writes(t[2], 13, 1), 1u);
}

TEST_F(Rules, ManyReaders_AreAllRemembered) {
  std::vector<std::unique_ptr<ThreadState>> readers;
  for (Tid i = 0; i < 300; ++i) {
    readers.push_back(std::make_unique<ThreadState>());
    begin(*readers.back(), 10 + i);
    EXPECT_EQ(reads(*readers.back()), 0u);
  }
  for (Tid i = 0; i < 300; ++i)
    if (i != 177) order(*readers[i], t[0]);
  ASSERT_EQ(writes(t[0]), 1u);
  EXPECT_EQ(tid_of(seen[0].previous), 187u);
}

// The first granule of an array gets a set of its own, since it may be the only one; all that follow have one in common.
TEST_F(Rules, ReadSharedArray_SharesOneSet) {
  for (u64 i = 0; i < 16; ++i) reads(t[0], i * 8);
  for (u64 i = 0; i < 16; ++i) reads(t[1], i * 8);
  EXPECT_EQ(R(0).kind(), Reference::CellSet);
  EXPECT_EQ(R(8).kind(), Reference::CommonSet);
  for (u64 i = 2; i < 16; ++i) EXPECT_EQ(R(i * 8), R(8));
  EXPECT_EQ(count(t[1], Transition::set_made), 2u);
}

TEST_F(Rules, ReadSharedCellAgainAndAgain_ChangesItsOwnSet) {
  reads(t[0]);
  reads(t[1]);
  const Word set = R();
  for (u32 round = 0; round < 3; ++round)
    for (u32 i = 0; i < 2; ++i) {
      tick(t[i]);
      EXPECT_EQ(reads(t[i]), 0u);
      EXPECT_TRUE(seen_in_this_epoch(t[i], at(), 8, false));
      EXPECT_EQ(R(), set);
    }
  order(t[1], t[2]);
  ASSERT_EQ(writes(t[2]), 1u) << "t[1]'s last read is known, and t[0]'s is still there";
  EXPECT_EQ(seen[0].previous, t[0].epoch);
}

// The same for atomic accesses: no entry is lost or left behind.
TEST_F(Rules, AtomicAgainAndAgain_MovesItsEntryOn) {
  for (u32 round = 0; round < 3; ++round)
    for (u32 i = 0; i < 2; ++i) {
      tick(t[i]);
      EXPECT_EQ(does(t[i], AccessKind::AtomicWrite), 0u);
      EXPECT_EQ(does(t[i], AccessKind::AtomicRead), 0u);
    }
  order(t[1], t[2]);
  ASSERT_EQ(reads(t[2]), 1u) << "t[0]'s last atomic write";
  EXPECT_EQ(seen[0].previous, t[0].epoch);
  ASSERT_EQ(writes(t[1]), 2u) << "t[0]'s last atomic write, which stands for its read, and t[2]'s read";
}

// An entry that could move on does not hide the plain accesses that came between.
TEST_F(Rules, AtomicAgain_MeetsThePlainReadBetween) {
  does(t[0], AccessKind::AtomicWrite);
  order(t[0], t[1]);
  EXPECT_EQ(reads(t[1]), 0u);
  EXPECT_EQ(does(t[0], AccessKind::AtomicRead), 0u);
  ASSERT_EQ(does(t[0], AccessKind::AtomicWrite), 1u);
  EXPECT_EQ(tid_of(seen[0].previous), t[1].tid());
}
TEST_F(Rules, AtomicAgain_MeetsThePlainWriteBetween) {
  writes(t[1]);
  EXPECT_EQ(does(t[0], AccessKind::AtomicRead), 1u);
  tick(t[0]);
  EXPECT_EQ(does(t[0], AccessKind::AtomicRead), 1u) << "still not ordered";
}
// A set that two cells have is changed for one of them only.
TEST_F(Rules, ReadSharedTogether_IsChangedInOneCellOnly) {
  for (u32 i = 0; i < 2; ++i) reads(t[i], 0, 24);
  EXPECT_EQ(R(8), R(16));
  order(t[0], t[2]);
  order(t[1], t[2]);
  for (u32 i = 0; i < 2; ++i) reads(t[i], 8, 8); // in a later epoch
  EXPECT_EQ(writes(t[2], 16), 0u);
  EXPECT_EQ(writes(t[2], 8), 2u);
}

// An atomic access stands for an atomic read, a read for no atomic write.
TEST_F(Rules, AtomicReadBehindAnAtomicWrite_AddsNothing) {
  does(t[0], AccessKind::AtomicWrite);
  EXPECT_EQ(does(t[0], AccessKind::AtomicRead), 0u);
  EXPECT_EQ(set_size(R()), 1u);
  EXPECT_EQ(reads(t[0]), 0u);
  EXPECT_EQ(set_size(R()), 2u);
  EXPECT_EQ(does(t[1], AccessKind::AtomicWrite), 1u) << "races with the read alone";
}

} // namespace
