// [READ SAME EPOCH] of shared data by sets that are known (detectors/fasttrack/known_readers.h).
#include "detectors/fasttrack/access.h"
#include "detectors/fasttrack/simple_step.h"
#include "shadow/block.h"

#include <gtest/gtest.h>

namespace footrace::fasttrack {
namespace {

alignas(kBlockBytes) char g_memory[4 * kBlockBytes];

class KnownReadersTest : public testing::Test {
protected:
  KnownReadersTest() {
    static const char* failure = reserve_shadow();
    EXPECT_EQ(failure, nullptr);
    for (Tid i = 0; i < 3; ++i) initial(t[i], i, 1);
    publish_epoch(t[0], &in_line);
    t_share_credit = kMostShareCredit;
  }
  ~KnownReadersTest() override {
    forget(at(0), sizeof g_memory);
    for (ThreadState& one : t) drop_readers(one);
    release_cell_caches();
    EXPECT_EQ(sets_in_use(), 0u);
  }
  static uptr at(u64 cell) { return reinterpret_cast<uptr>(g_memory) + cell * 8; }
  u64 conflicts(ThreadState& thread, u64 cell, AccessKind kind, u32 site = 1) {
    return access(thread, at(cell), 8, kind, site, [](void*, const Conflict&) {}, nullptr).conflicts;
  }
  void read(ThreadState& thread, u64 cell) { EXPECT_EQ(conflicts(thread, cell, AccessKind::Read), 0u); }
  u64 readers(u64 cell) { return cell_of(at(cell))->R; }
  // Both threads read all of these cells, so that they have one set.
  void share(u64 cells) {
    for (u64 i = 0; i < cells; ++i) read(t[0], i);
    for (u64 i = 0; i < cells; ++i) read(t[1], i);
    ASSERT_TRUE(is_set(epoch_bits(readers(0))));
    ASSERT_EQ(readers(0), readers(cells - 1));
  }

  ThreadState t[3];
  InLine in_line;
};

TEST_F(KnownReadersTest, TheSecondLookKeepsTheSetAndTellsCodeInLine) {
  share(8);
  read(t[0], 0);
  EXPECT_FALSE(knows_readers(t[0], readers(0), kMaskBits));
  read(t[0], 1);
  EXPECT_TRUE(knows_readers(t[0], readers(5), kMaskBits));
  EXPECT_EQ(in_line.readers.word[slot_of_readers(readers(5))], readers(5) | kMaskBits);
}

TEST_F(KnownReadersTest, ASetOfAnEarlierEpochIsNotKnownByAWriteOfThisOne) {
  for (u64 i = 0; i < 4; ++i)
    access(t[0], at(i), 4, AccessKind::Read, 1, [](void*, const Conflict&) {}, nullptr);
  for (u64 i = 0; i < 4; ++i)
    access(t[1], at(i), 4, AccessKind::Read, 1, [](void*, const Conflict&) {}, nullptr);
  tick(t[0]);
  for (u64 i = 0; i < 4; ++i) {
    access(t[0], at(i) + 4, 4, AccessKind::Write, 2, [](void*, const Conflict&) {}, nullptr);
    access(
        t[0], at(i) + 4, 4, AccessKind::Read, 2, [](void*, const Conflict&) {},
        nullptr); // seen, but not as a reader
  }
  ASSERT_TRUE(is_set(epoch_bits(readers(0))));
  EXPECT_FALSE(knows_readers(t[0], readers(0), 0x0f));
}

TEST_F(KnownReadersTest, AnotherEpochKnowsNothing) {
  share(8);
  read(t[0], 0), read(t[0], 1);
  tick(t[0]);
  EXPECT_FALSE(knows_readers(t[0], readers(5), kMaskBits));
  EXPECT_EQ(in_line.readers.word[slot_of_readers(readers(5))], kNoEpochInLine);
}

TEST_F(KnownReadersTest, BytesThatNobodyReadAreNotKnown) {
  share(8);
  read(t[0], 0), read(t[0], 1);
  EXPECT_FALSE(knows_readers(t[0], epoch_bits(readers(0)) | 0x0f, kMaskBits));
  EXPECT_TRUE(knows_readers(t[0], epoch_bits(readers(0)) | 0x0f, 0x0f));
  EXPECT_FALSE(knows_readers(t[0], 0, kMaskBits)); // a cell without a word of its own
  EXPECT_FALSE(knows_readers(t[0], kEmptyWord, kMaskBits));
}

TEST_F(KnownReadersTest, AKeptSetStaysAsItIs) {
  share(2);
  read(t[0], 0), read(t[0], 1);
  const u64 kept = readers(0);
  forget(at(0), 16); // nobody else has it
  EXPECT_TRUE(set_contains(epoch_bits(kept), t[0].epoch));
  // Other sets come and go; none of them gets its reference while it is kept.
  for (u64 i = 0; i < 5000; ++i) {
    tick(t[1]);
    read(t[1], 3), read(t[2], 3);
    EXPECT_NE(epoch_bits(readers(3)), epoch_bits(kept));
    forget(at(3), 8);
  }
  EXPECT_TRUE(set_contains(epoch_bits(kept), t[0].epoch));
}

TEST_F(KnownReadersTest, AWriteOfAnotherThreadStillRacesWithTheRead) {
  share(8);
  read(t[0], 0), read(t[0], 1), read(t[0], 2);
  EXPECT_GT(conflicts(t[2], 2, AccessKind::Write), 0u);
  EXPECT_FALSE(knows_readers(t[0], readers(2), kMaskBits));
  EXPECT_GT(conflicts(t[0], 2, AccessKind::Read), 0u);
}

TEST_F(KnownReadersTest, ASetOfOneCellIsNotKept) {
  t_share_credit = 0; // now and then it is tried all the same, but not twice in a row
  for (u64 cell = 0; cell < 2; ++cell) read(t[0], cell), read(t[1], cell);
  const u64 own = looks_own(epoch_bits(readers(0))) ? 0 : 1;
  ASSERT_TRUE(looks_own(epoch_bits(readers(own))));
  read(t[0], own), read(t[0], own), read(t[0], own);
  EXPECT_FALSE(knows_readers(t[0], readers(own), kMaskBits));
}

} // namespace
} // namespace footrace::fasttrack
