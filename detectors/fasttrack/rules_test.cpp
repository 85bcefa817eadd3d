// Every rule of FastTrack (PLDI'09, Figures 2, 3 and section 4) and of its extension to C++ atomics, by name.
#include "detectors/fasttrack/rules_test.h"
#include "shadow/split.h"

using namespace footrace;
using namespace footrace::fasttrack;

namespace {

TEST_F(Rules, ReadSameEpoch_LeavesCellUnchanged) {
  EXPECT_EQ(reads(t[0]), 0u);
  Cell before = cell();
  EXPECT_EQ(reads(t[0]), 0u);
  EXPECT_EQ(cell().W, before.W);
  EXPECT_EQ(cell().R, before.R);
  EXPECT_EQ(count(t[0], Rule::read_exclusive), 1u);
}

TEST_F(Rules, ReadExclusive_ReplacesAnOrderedReader) {
  reads(t[0]);
  order(t[0], t[1]);
  EXPECT_EQ(reads(t[1]), 0u);
  EXPECT_EQ(epoch_bits(cell().R), t[1].epoch);
}

TEST_F(Rules, ReadShare_KeepsBothConcurrentReaders) {
  reads(t[0]);
  EXPECT_EQ(reads(t[1]), 0u);
  EXPECT_EQ(count(t[1], Rule::read_share), 1u);
  ASSERT_TRUE(is_set(epoch_bits(cell().R)));
  EXPECT_EQ(set_size(epoch_bits(cell().R)), 2u);
}

TEST_F(Rules, ReadShared_AddsToTheSet) {
  for (u32 i = 0; i < 3; ++i) EXPECT_EQ(reads(t[i]), 0u);
  EXPECT_EQ(count(t[2], Rule::read_shared), 1u);
  EXPECT_EQ(set_size(epoch_bits(cell().R)), 3u);
}

TEST_F(Rules, ReadShared_DropsReadersOrderedBefore) {
  reads(t[0]);
  reads(t[1]);
  order(t[0], t[2]);
  order(t[1], t[2]);
  EXPECT_EQ(reads(t[2]), 0u);
  EXPECT_EQ(epoch_bits(cell().R), t[2].epoch);
}

TEST_F(Rules, WriteSameEpoch_LeavesCellUnchanged) {
  writes(t[0]);
  Cell before = cell();
  EXPECT_EQ(writes(t[0]), 0u);
  EXPECT_EQ(cell().W, before.W);
  EXPECT_EQ(cell().R, before.R);
}

TEST_F(Rules, WriteExclusive_TakesOverAfterOrderedAccesses) {
  writes(t[0]);
  reads(t[0]);
  order(t[0], t[1]);
  EXPECT_EQ(writes(t[1]), 0u);
  EXPECT_EQ(epoch_bits(cell().W), t[1].epoch);
}

TEST_F(Rules, WriteExclusive_ReportsWriteWriteRace) {
  writes(t[0], 0, 8, 11);
  ASSERT_EQ(writes(t[1]), 1u);
  EXPECT_EQ(seen[0].previous, t[0].epoch);
  EXPECT_EQ(seen[0].previous_kind, AccessKind::Write);
  EXPECT_EQ(seen[0].previous_site, 11u);
  EXPECT_EQ(seen[0].bytes, 0xff);
}

TEST_F(Rules, WriteExclusive_ReportsReadWriteRace) {
  reads(t[0], 0, 8, 12);
  ASSERT_EQ(writes(t[1]), 1u);
  EXPECT_EQ(seen[0].previous_kind, AccessKind::Read);
  EXPECT_EQ(seen[0].previous_site, 12u);
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
  EXPECT_FALSE(is_set(epoch_bits(cell().R)));
}

TEST_F(Rules, WriteShared_ReportsTheOneUnorderedReader) {
  reads(t[0]);
  reads(t[1]);
  reads(t[2]);
  order(t[0], t[3]);
  order(t[2], t[3]);
  ASSERT_EQ(writes(t[3]), 1u);
  EXPECT_EQ(tid_of(seen[0].previous), 1u);
}

// Figure 4 of the paper: R goes from an epoch to a set, back to nothing at the write, and to an epoch again.
TEST_F(Rules, Figure4_AdaptsTheReadHistory) {
  initial(t[0], 0, 7);
  writes(t[0]);
  fork(t[0], t[1]);
  reads(t[1]);
  EXPECT_FALSE(is_set(epoch_bits(cell().R)));
  reads(t[0]);
  EXPECT_TRUE(is_set(epoch_bits(cell().R)));
  join(t[0], t[1].C);
  EXPECT_EQ(writes(t[0]), 0u);
  EXPECT_FALSE(is_set(epoch_bits(cell().R)));
  EXPECT_EQ(reads(t[0]), 0u);
}

TEST_F(Rules, Initial_ForgetsTheFencesOfTheThreadBefore) {
  Clock x;
  fence(t[0], Order::Release);
  atomic_store(t[1], x, Order::Release);
  atomic_load(t[0], x, Order::Relaxed);
  initial(t[0], 0, 10);
  EXPECT_TRUE(t[0].release_fence.empty());
  EXPECT_TRUE(t[0].acquire_fence.empty());
}

TEST_F(Rules, PublishEpoch_FollowsEveryTick) {
  InLine in_line;
  publish_epoch(t[0], &in_line);
  EXPECT_EQ(in_line.epoch, t[0].epoch | 0xff);
  tick(t[0]);
  EXPECT_EQ(in_line.epoch, t[0].epoch | 0xff);
  publish_epoch(t[0], nullptr);
  EXPECT_EQ(in_line.epoch, kNoEpochInLine);
  EXPECT_FALSE(same_epoch(0, kNoEpochInLine & ~0xffull, 0xff)); // an empty cell is not a hit
}

TEST_F(Rules, SeenInThisEpoch_IsTrueInEveryRepresentation) {
  EXPECT_FALSE(seen_in_this_epoch(t[0], at(), 8, false));
  reads(t[0]);
  EXPECT_TRUE(seen_in_this_epoch(t[0], at(), 8, false)); // simple
  EXPECT_FALSE(seen_in_this_epoch(t[0], at(), 8, true));
  reads(t[1]);
  EXPECT_TRUE(seen_in_this_epoch(t[0], at(), 8, false)); // a set
  EXPECT_TRUE(seen_in_this_epoch(t[1], at(), 8, false));
  writes(t[1], 12, 2);
  tick(t[1]);
  writes(t[1], 9, 1);
  ASSERT_EQ(form_of(cell(8).W), kWriteOver);
  EXPECT_TRUE(seen_in_this_epoch(t[1], at(9), 1, true)); // split
  EXPECT_FALSE(seen_in_this_epoch(t[1], at(12), 2, true));
  EXPECT_FALSE(seen_in_this_epoch(t[1], at(12), 2, false));
  reads(t[0], 10, 1);
  ASSERT_TRUE(has_records(cell(8).W));
  EXPECT_TRUE(seen_in_this_epoch(t[1], at(9), 1, true)); // groups
  EXPECT_FALSE(seen_in_this_epoch(t[1], at(12), 2, true));
}

// Byte by byte in a new epoch: each form of shadow/split.h, from its first byte to a plain cell.
TEST_F(Rules, BytesReadAgain_SplitTheCellUntilAllAreRead) {
  writes(t[0], 8, 8), tick(t[0]);
  reads(t[0], 8, 8), tick(t[0]);
  for (u32 i = 0; i < 7; ++i) {
    reads(t[0], 8 + i, 1);
    ASSERT_EQ(form_of(cell(8).W), kReadOver);
    EXPECT_TRUE(seen_in_this_epoch(t[0], at(8 + i), 1, false));
    EXPECT_FALSE(seen_in_this_epoch(t[0], at(9 + i), 1, false));
  }
  reads(t[0], 15, 1);
  EXPECT_EQ(cell(8).W, make_epoch(0, clock_of(t[0].epoch) - 2) | 0xff);
  EXPECT_EQ(cell(8).R, t[0].epoch | 0xff);
}

TEST_F(Rules, BytesWrittenAgain_SplitTheCellUntilAllAreWritten) {
  writes(t[0], 8, 8), tick(t[0]);
  for (u32 i = 0; i < 7; ++i) {
    reads(t[0], 8 + i, 1);
    writes(t[0], 8 + i, 1);
    ASSERT_EQ(form_of(cell(8).W), kWriteOver);
    EXPECT_TRUE(seen_in_this_epoch(t[0], at(8 + i), 1, true));
    EXPECT_FALSE(seen_in_this_epoch(t[0], at(9 + i), 1, true));
  }
  writes(t[0], 15, 1);
  EXPECT_EQ(cell(8).W, t[0].epoch | 0xff);
  EXPECT_EQ(cell(8).R, t[0].epoch | 0xff);
}

TEST_F(Rules, BytesWrittenOverReads_SplitTheCellUntilAllAreWritten) {
  writes(t[0], 8, 8), tick(t[0]);
  reads(t[0], 8, 8), tick(t[0]);
  for (u32 i = 0; i < 7; ++i) {
    writes(t[0], 8 + i, 1);
    ASSERT_EQ(form_of(cell(8).W), kWriteOverReads);
    EXPECT_TRUE(seen_in_this_epoch(t[0], at(8 + i), 1, true));
    EXPECT_FALSE(seen_in_this_epoch(t[0], at(9 + i), 1, false));
  }
  writes(t[0], 15, 1);
  EXPECT_EQ(cell(8).W, t[0].epoch | 0xff);
}

// The nearest cells that must not be split: the older reads are another thread's, too old, or not of all bytes.
TEST_F(Rules, ReadsThatDoNotFitASplitCell_BecomeGroups) {
  writes(t[0], 8, 8), tick(t[0]);
  reads(t[0], 8, 8);
  for (u32 i = 0; i < 256; ++i) tick(t[0]);
  reads(t[0], 8, 1);
  EXPECT_TRUE(has_records(cell(8).W));
  reads(t[0], 16, 4), tick(t[0]);
  reads(t[0], 18, 1);
  EXPECT_TRUE(has_records(cell(16).W));
}

// Every byte of a split cell still conflicts with what touched it, and with nothing else.
TEST_F(Rules, SplitCell_KeepsTheHistoryOfEveryByte) {
  Clock m;
  writes(t[0], 8, 8), release(t[0], m); // t[1] is ordered after the old accesses, not after the new one
  acquire(t[1], m);
  writes(t[0], 9, 1);
  ASSERT_EQ(form_of(cell(8).W), kWriteOver);
  EXPECT_EQ(reads(t[1], 8, 1), 0u);
  EXPECT_EQ(reads(t[1], 9, 1), 1u);
}

TEST_F(Rules, Acquire_JoinsTheLocksClock) {
  Clock m;
  release(t[0], m);
  acquire(t[1], m);
  EXPECT_EQ(t[1].C.get(0), 1u);
}

TEST_F(Rules, Release_TicksTheThread) {
  Clock m;
  Epoch before = t[0].epoch;
  release(t[0], m);
  EXPECT_TRUE(m.covers(before));
  EXPECT_EQ(clock_of(t[0].epoch), clock_of(before) + 1);
  EXPECT_FALSE(m.covers(t[0].epoch));
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
  EXPECT_EQ(tid_of(seen[0].previous), 0u);
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
  EXPECT_EQ(seen[0].bytes, 0x10);
}

TEST_F(Rules, OverlappingSizes_RaceOnTheCommonBytes) {
  writes(t[0], 6, 4); // crosses two cells
  ASSERT_EQ(reads(t[1], 0, 16), 2u);
  EXPECT_EQ(seen[0].bytes, 0xc0);
  EXPECT_EQ(seen[1].bytes, 0x03);
}

TEST_F(Rules, ReportedByte_DoesNotHideItsNeighbour) {
  writes(t[0], 0, 8);
  EXPECT_EQ(writes(t[1], 0, 1), 1u);
  ASSERT_EQ(writes(t[2], 1, 1), 1u);
  EXPECT_EQ(tid_of(seen[0].previous), 0u);
}

TEST_F(Rules, SitesOfOneEpoch_StayApart) {
  writes(t[0], 0, 4, 21);
  writes(t[0], 4, 4, 22);
  EXPECT_FALSE(has_records(cell().W)); // one simple cell with a combined site
  ASSERT_EQ(reads(t[1], 4, 4), 1u);
  EXPECT_EQ(seen[0].previous_site, 22u);
  ASSERT_EQ(reads(t[2], 0, 4), 1u);
  EXPECT_EQ(seen[0].previous_site, 21u);
}

TEST_F(Rules, Forget_ClearsExactlyTheRange) {
  writes(t[0], 0, 32);
  forget(at(3), 10);
  EXPECT_EQ(writes(t[1], 3, 10), 0u);
  EXPECT_EQ(writes(t[2], 2, 1), 1u);
  EXPECT_EQ(writes(t[2], 13, 1), 1u);
}

TEST_F(Rules, ManyReaders_AreAllRemembered) {
  std::vector<std::unique_ptr<ThreadState>> readers;
  for (Tid i = 0; i < 300; ++i) {
    readers.push_back(std::make_unique<ThreadState>());
    initial(*readers.back(), 10 + i, 1);
    EXPECT_EQ(reads(*readers.back()), 0u);
  }
  for (Tid i = 0; i < 300; ++i)
    if (i != 177) order(*readers[i], t[0]);
  ASSERT_EQ(writes(t[0]), 1u);
  EXPECT_EQ(tid_of(seen[0].previous), 187u);
}

TEST_F(Rules, SideStructures_AreReturned) {
  u64 sets = sets_in_use(), blocks = record_blocks_in_use();
  reads(t[0], 0, 64);
  reads(t[1], 0, 64);
  writes(t[2], 3, 2);
  does(t[3], AccessKind::AtomicWrite, 16, 4);
  EXPECT_GT(sets_in_use(), sets);
  EXPECT_GT(record_blocks_in_use(), blocks);
  forget(at(), 256);
  EXPECT_EQ(sets_in_use(), sets);
  EXPECT_EQ(record_blocks_in_use(), blocks);
}

TEST_F(Rules, ReadSharedArray_SharesOneSet) {
  t_share_credit = kMostShareCredit; // whatever other tests have left
  u64 before = sets_in_use();
  for (u64 i = 0; i < 16; ++i) reads(t[0], i * 8);
  for (u64 i = 0; i < 16; ++i) reads(t[1], i * 8);
  EXPECT_EQ(sets_in_use(), before + 1);
}

// Where nothing is read together sharing does not pay: the cell gets a set of its own, whose entries move on in place.
TEST_F(Rules, ReadSharedCellAgainAndAgain_ChangesItsOwnSet) {
  t_share_credit = 0;
  reads(t[0]);
  reads(t[1]);
  const u64 sets = sets_in_use();
  for (u32 round = 0; round < 3; ++round)
    for (u32 i = 0; i < 2; ++i) {
      tick(t[i]);
      EXPECT_EQ(reads(t[i]), 0u);
      EXPECT_TRUE(seen_in_this_epoch(t[i], at(), 8, false));
    }
  EXPECT_EQ(sets_in_use(), sets);
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
  ASSERT_EQ(writes(t[1]), 3u) << "t[0]'s last atomic write and read, t[2]'s read";
}

// An entry that could move on does not hide the plain accesses that came between.
TEST_F(Rules, AtomicAgain_MeetsThePlainReadBetween) {
  does(t[0], AccessKind::AtomicWrite);
  order(t[0], t[1]);
  EXPECT_EQ(reads(t[1]), 0u);
  EXPECT_EQ(does(t[0], AccessKind::AtomicRead), 0u);
  ASSERT_EQ(does(t[0], AccessKind::AtomicWrite), 1u);
  EXPECT_EQ(tid_of(seen[0].previous), 1u);
}
TEST_F(Rules, AtomicAgain_MeetsThePlainWriteBetween) {
  writes(t[1]);
  EXPECT_EQ(does(t[0], AccessKind::AtomicRead), 1u);
  tick(t[0]);
  EXPECT_EQ(does(t[0], AccessKind::AtomicRead), 1u) << "still not ordered";
}
// A set that two cells have is changed for one of them only.
TEST_F(Rules, ReadSharedTogether_IsChangedInOneCellOnly) {
  t_share_credit = kMostShareCredit;
  for (u32 i = 0; i < 2; ++i) reads(t[i], 0, 16);
  EXPECT_EQ(epoch_bits(cell(0).R), epoch_bits(cell(8).R));
  order(t[0], t[2]);
  order(t[1], t[2]);
  t_share_credit = 0;
  for (u32 i = 0; i < 2; ++i) reads(t[i], 0, 8); // in a later epoch
  EXPECT_EQ(writes(t[2], 8), 0u);
  EXPECT_EQ(writes(t[2], 0), 2u);
}

} // namespace
