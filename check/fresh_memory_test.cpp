// Fresh memory (check/fresh_memory.h): what an allocation keeps and what it forgets, in every representation.
#include "check/rules_test.h"

namespace footrace::fasttrack {
namespace {

class Forget : public Rules {
protected:
  void SetUp() override {
    Rules::SetUp();
    g_compress_blocks = true;
  }
  void TearDown() override {
    Rules::TearDown();
    g_compress_blocks = false;
  }
  void make_fine() { does(t[0], AccessKind::AtomicWrite, kBlockBytes - 16, 8); }
  u64 header() { return *header_of(at()); }
};

TEST_F(Forget, AllocationByTheThreadThatFreed_LeavesItsStamps) {
  make_fine();
  writes(t[0], 0, 40);
  EXPECT_FALSE(forget_unordered(t[0], at(), 40));
  EXPECT_EQ(W(8), Word(t[0].epoch));
  EXPECT_EQ(R(8), Word(t[0].epoch));
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
}

TEST_F(Forget, AllocationOfWhatAnotherThreadFreedBefore_KeepsIt) {
  writes(t[0], 0, 40);
  order(t[0], t[1]);
  EXPECT_FALSE(forget_unordered(t[1], at(), 40));
  EXPECT_EQ(writes(t[1], 0, 40), 0u);
}

TEST_F(Forget, OneUnorderedReader_IsForgottenAndItsNeighboursAreNot) {
  make_fine();
  writes(t[0], 0, 40);
  reads(t[1], 64, 8);
  EXPECT_TRUE(forget_unordered(t[0], at(), 128));
  EXPECT_EQ(writes(t[0], 64, 8), 0u);
  EXPECT_NE(writes(t[1], 0, 40), 0u); // still t0's
}

TEST_F(Forget, OneUnorderedHalf_IsForgotten) {
  make_fine();
  writes(t[0], 0, 8);
  reads(t[1], 12, 4);
  EXPECT_TRUE(forget_unordered(t[0], at(), 16));
  EXPECT_EQ(writes(t[0], 8, 8), 0u);
}

TEST_F(Forget, ReadersInASet_AreForgotten) {
  for (u32 i = 0; i < 3; ++i) reads(t[i], 0, 8);
  EXPECT_TRUE(forget_unordered(t[0], at(), 8));
  EXPECT_EQ(writes(t[0], 0, 8), 0u);
}

TEST_F(Forget, AtomicAccesses_AreForgotten) {
  does(t[1], AccessKind::AtomicWrite, 0, 8);
  EXPECT_TRUE(forget_unordered(t[0], at(), 8));
  EXPECT_EQ(writes(t[0], 0, 8), 0u);
}

TEST_F(Forget, BytesApart_AreForgotten) {
  for (u64 byte = 0; byte < 8; ++byte) writes(t[byte % 2], byte, 1);
  const u64 words = four_words_in_use();
  EXPECT_TRUE(forget_unordered(t[2], at(), 8));
  EXPECT_EQ(*cell_unit(at()).R, 0u);
  EXPECT_EQ(writes(t[2], 0, 8), 0u);
  EXPECT_EQ(four_words_in_use(), words);
}

TEST_F(Forget, CoarseBlock_IsKeptOrForgottenByItsHeader) {
  writes(t[0], 0, sizeof memory);
  EXPECT_FALSE(forget_unordered(t[0], at(), sizeof memory));
  EXPECT_TRUE(is_coarse(header()));
  EXPECT_TRUE(forget_unordered(t[1], at(), sizeof memory));
  EXPECT_EQ(header(), kVirginBlock);
}

TEST_F(Forget, PartOfACoarseBlock_IsJudgedByItsHeader) {
  writes(t[0], 0, kBlockBytes);
  EXPECT_FALSE(forget_unordered(t[0], at(16), 32));
  EXPECT_TRUE(is_coarse(header()));
  EXPECT_TRUE(forget_unordered(t[1], at(16), 32));
  EXPECT_EQ(header(), kFineBlock);
  EXPECT_EQ(writes(t[1], 16, 32), 0u);
  EXPECT_NE(writes(t[1], 8, 8), 0u);
  EXPECT_NE(writes(t[1], 48, 8), 0u);
}

TEST_F(Forget, AllocationThatEndsInsideACell_ForgetsThoseBytesOnly) {
  for (const u64 end : {9, 10, 12, 13}) {
    forget(&t[0], at(), 16);
    writes(t[0], 0, 16);
    EXPECT_TRUE(forget_unordered(t[1], at(), end));
    EXPECT_EQ(writes(t[1], 0, end), 0u);
    for (u64 byte = end; byte < 16; ++byte) EXPECT_NE(writes(t[1], byte, 1), 0u) << byte;
  }
}

TEST_F(Forget, AllocationThatStartsInsideACell_ForgetsThoseBytesOnly) {
  for (const u64 start : {3, 4, 6, 11}) {
    forget(&t[0], at(), 16);
    writes(t[0], 0, 16);
    forget(&t[1], at(start), 16 - start);
    EXPECT_EQ(writes(t[1], start, 16 - start), 0u);
    for (u64 byte = 0; byte < start; ++byte) EXPECT_NE(writes(t[1], byte, 1), 0u) << byte;
  }
}

TEST_F(Forget, NeverTouched_CostsNothing) {
  EXPECT_FALSE(forget_unordered(t[0], at(), sizeof memory));
  EXPECT_EQ(header(), kVirginBlock);
}

TEST_F(Forget, BlockOfTheThreadThatFreed_IsKnownToBeOrderedAtOnce) {
  make_fine();
  for (const u64 size : {8, 40, 64, 104, 256}) {
    writes(t[0], 0, size);
    EXPECT_TRUE(is_all_ordered(t[0], at(), size)) << size;
    EXPECT_TRUE(is_all_ordered(t[0], at(), size + 16)) << size; // nobody was behind it
    EXPECT_TRUE(has_written_cells(t[0], at(), size)) << size;
    EXPECT_FALSE(has_written_cells(t[0], at(), size + 8)) << size;
    tick(t[0]);
    EXPECT_TRUE(is_all_ordered(t[0], at(), size)) << size;
    EXPECT_FALSE(has_written_cells(t[0], at(), size)) << size;
    forget(&t[0], at(), size);
  }
}

TEST_F(Forget, OneUnorderedGranule_IsFoundWhereverItIs) {
  make_fine();
  for (u64 at_byte = 0; at_byte < 104; at_byte += 4) {
    forget(&t[0], at(), 128);
    writes(t[0], 0, 104);
    forget(&t[0], at(at_byte), 4);
    EXPECT_FALSE(has_written_cells(t[0], at(), 104)) << at_byte;
    reads(t[1], at_byte, 4);
    EXPECT_FALSE(is_all_ordered(t[0], at(), 104)) << at_byte;
    EXPECT_FALSE(has_written_cells(t[0], at(), 104)) << at_byte;
  }
}

TEST_F(Forget, CoarseOrMixedBlocks_AreNotJudgedAtOnce) {
  EXPECT_TRUE(is_all_ordered(t[0], at(), 64)); // virgin
  writes(t[0], 0, kBlockBytes);
  EXPECT_FALSE(is_all_ordered(t[0], at(), 64));
  EXPECT_FALSE(is_all_ordered(t[0], at(kBlockBytes - 32), 64));
}

TEST_F(Forget, ByAThreadThatNobodyKnows_IsTheSame) {
  writes(t[0], 0, kBlockBytes + 7);
  forget(nullptr, at(1), kBlockBytes + 2);
  EXPECT_EQ(writes(t[1], 1, kBlockBytes + 2), 0u);
  EXPECT_EQ(writes(t[1], 0, 1), 1u);
  EXPECT_EQ(writes(t[1], kBlockBytes + 3, 1), 1u);
}

} // namespace
} // namespace footrace::fasttrack
