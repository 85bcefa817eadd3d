// Fresh memory (detectors/fasttrack/forget.cpp): what an allocation keeps and what it forgets, in every representation.
#include "detectors/fasttrack/access.h"
#include "detectors/fasttrack/atomic_step.h"
#include "shadow/block.h"

#include <gtest/gtest.h>

using namespace footrace;
using namespace footrace::fasttrack;

namespace {

class Forget : public ::testing::Test {
protected:
  void SetUp() override {
    ASSERT_EQ(reserve_shadow(), nullptr);
    g_compress_blocks = true;
    for (Tid i = 0; i < 3; ++i) initial(t[i], i, 1);
    forget(at(), sizeof memory);
  }
  void TearDown() override {
    forget(at(), sizeof memory);
    release_cell_caches(); // the next test uses the same epochs
    g_compress_blocks = false;
  }

  uptr at(u64 offset = 0) { return reinterpret_cast<uptr>(memory) + offset; }
  u32 does(ThreadState& who, AccessKind kind, u64 offset, u64 size) {
    return access(who, at(offset), size, kind, 7, [](void*, const Conflict&) {}, nullptr).conflicts;
  }
  u32 writes(ThreadState& who, u64 offset, u64 size) { return does(who, AccessKind::Write, offset, size); }
  void order(ThreadState& from, ThreadState& to) {
    Clock m;
    release(from, m);
    acquire(to, m);
  }
  void expect_sound_blocks() {
    for (u64 block = 0; block < sizeof memory; block += kBlockBytes)
      EXPECT_EQ(broken_invariant(at(block)), nullptr);
  }

  alignas(kBlockBytes) char memory[4 * kBlockBytes];
  ThreadState t[3];
};

TEST_F(Forget, AllocationByTheThreadThatFreed_LeavesItsStamps) {
  does(t[0], AccessKind::AtomicWrite, 496, 8); // the block is fine
  writes(t[0], 0, 40);
  const Cell before = *cell_of(at(8));
  EXPECT_FALSE(forget_unordered(t[0], at(), 40));
  EXPECT_EQ(cell_of(at(8))->W, before.W);
  EXPECT_EQ(cell_of(at(8))->R, before.R);
  expect_sound_blocks();
}

TEST_F(Forget, AccessOrderedAfterTheAllocation_MeetsNothing) {
  writes(t[0], 0, 40);
  forget_unordered(t[0], at(), 40);
  order(t[0], t[1]);
  EXPECT_EQ(writes(t[1], 0, 40), 0u);
}

TEST_F(Forget, AccessNotOrderedAfterTheAllocation_RacesWithTheEarlierLife) {
  writes(t[0], 0, 40);
  forget_unordered(t[0], at(), 40);
  EXPECT_NE(writes(t[1], 0, 40), 0u);
}

TEST_F(Forget, AllocationOfWhatAnotherThreadFreedUnordered_ForgetsIt) {
  writes(t[0], 0, 40);
  EXPECT_TRUE(forget_unordered(t[1], at(), 40));
  EXPECT_EQ(writes(t[1], 0, 40), 0u);
  expect_sound_blocks();
}

TEST_F(Forget, AllocationOfWhatAnotherThreadFreedBefore_KeepsIt) {
  writes(t[0], 0, 40);
  order(t[0], t[1]);
  EXPECT_FALSE(forget_unordered(t[1], at(), 40));
  EXPECT_EQ(writes(t[1], 0, 40), 0u);
}

TEST_F(Forget, OneUnorderedReader_IsForgottenAndItsNeighboursAreNot) {
  does(t[2], AccessKind::AtomicWrite, 496, 8);
  writes(t[0], 0, 40);
  does(t[1], AccessKind::Read, 64, 8);
  EXPECT_TRUE(forget_unordered(t[0], at(), 128));
  EXPECT_EQ(writes(t[0], 64, 8), 0u);
  EXPECT_NE(writes(t[1], 0, 40), 0u); // still t0's
  expect_sound_blocks();
}

TEST_F(Forget, ReadersInASet_AreForgotten) {
  for (ThreadState& reader : t) does(reader, AccessKind::Read, 0, 8);
  EXPECT_TRUE(forget_unordered(t[0], at(), 8));
  EXPECT_EQ(writes(t[0], 0, 8), 0u);
}

TEST_F(Forget, AtomicAccesses_AreForgotten) {
  does(t[1], AccessKind::AtomicWrite, 0, 8);
  EXPECT_TRUE(forget_unordered(t[0], at(), 8));
  EXPECT_EQ(writes(t[0], 0, 8), 0u);
}

TEST_F(Forget, CoarseBlock_IsKeptOrForgottenByItsHeader) {
  writes(t[0], 0, sizeof memory);
  EXPECT_FALSE(forget_unordered(t[0], at(), sizeof memory));
  EXPECT_EQ(state_of(header_of(at())->state.W), BlockState::Coarse);
  EXPECT_FALSE(is_virgin(at()));
  EXPECT_TRUE(forget_unordered(t[1], at(), sizeof memory));
  EXPECT_TRUE(is_virgin(at()));
  expect_sound_blocks();
}

TEST_F(Forget, PartsOfABlock_AreJudgedOneByOne) {
  writes(t[0], 0, kBlockBytes);
  order(t[0], t[1]);
  writes(t[1], 0, kBlockBytes / 2);
  ASSERT_EQ(state_of(header_of(at())->state.W), BlockState::Parted);
  EXPECT_FALSE(forget_unordered(t[1], at(), kBlockBytes));
  EXPECT_TRUE(forget_unordered(t[0], at(), kBlockBytes / 2)); // t1's part
  EXPECT_EQ(writes(t[0], 0, kBlockBytes), 0u);
  expect_sound_blocks();
}

TEST_F(Forget, AllocationThatEndsInsideACell_ForgetsThoseBytesOnly) {
  writes(t[0], 0, 16);
  EXPECT_TRUE(forget_unordered(t[1], at(), 12));
  EXPECT_EQ(writes(t[1], 0, 12), 0u);
  EXPECT_NE(writes(t[1], 12, 4), 0u);
}

TEST_F(Forget, NeverTouched_CostsNothing) {
  EXPECT_FALSE(forget_unordered(t[0], at(), sizeof memory));
  EXPECT_TRUE(is_virgin(at()));
}

// detectors/fasttrack/atomic_step.h
TEST_F(Forget, AtomicAgain_MovesTheThreadsEntryOn) {
  does(t[0], AccessKind::AtomicWrite, 0, 8);
  order(t[0], t[1]);
  tick(t[0]);
  EXPECT_TRUE(atomic_again(t[0], at(), 0xff, true, 9));
  EXPECT_NE(writes(t[1], 0, 8), 0u); // ordered after the first access only
}

TEST_F(Forget, AtomicAgain_LeavesWhatRacesToTheRules) {
  writes(t[1], 0, 8);
  order(t[1], t[0]);
  does(t[0], AccessKind::AtomicWrite, 0, 8);
  EXPECT_FALSE(atomic_again(t[2], at(), 0xff, true, 9));  // t1's write is unordered
  EXPECT_FALSE(atomic_again(t[0], at(), 0x0f, true, 9));  // other bytes
  EXPECT_FALSE(atomic_again(t[0], at(), 0xff, false, 9)); // no such read before
  EXPECT_FALSE(atomic_again(t[0], at(64), 0xff, true, 9));
}

} // namespace
