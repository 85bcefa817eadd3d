// The transitions of a block, one at a time (check/arrays.h); tests/model interleaves them.
#include "check/ranges.h"
#include "check/rules_test.h"

namespace footrace::fasttrack {
namespace {

class Block : public Rules {
protected:
  void SetUp() override {
    Rules::SetUp();
    g_compress_blocks = true;
  }
  void TearDown() override {
    Rules::TearDown();
    g_compress_blocks = false;
  }
  u64 header(u64 offset = 0) { return *header_of(at(offset)); }
  u32 reads_all(ThreadState& who) { return reads(who, 0, kBlockBytes); }
  u32 writes_all(ThreadState& who) { return writes(who, 0, kBlockBytes); }
  bool has_cells() {
    for (u64 i = 0; i < kBlockBytes; i += 8)
      if (*cell_unit(at(i)).W || *cell_unit(at(i)).R) return true;
    return false;
  }
};

TEST_F(Block, Untouched_IsVirgin) { EXPECT_EQ(header(), kVirginBlock); }

TEST_F(Block, WrittenAsAWhole_IsCoarse) {
  EXPECT_EQ(writes_all(t[0]), 0u);
  EXPECT_EQ(header(), coarse_block(t[0].epoch, t[0].epoch));
  EXPECT_FALSE(has_cells());
  EXPECT_EQ(count(t[0], Transition::block_coarse_step), 1u);
}

TEST_F(Block, ReadAsAWhole_KeepsTheWrite) {
  writes_all(t[0]);
  order(t[0], t[1]);
  const Epoch written = before(t[0], 1);
  EXPECT_EQ(reads_all(t[1]), 0u);
  EXPECT_EQ(header(), coarse_block(written, t[1].epoch));
}

TEST_F(Block, ReadersOfTheWhole_AreACommonSet) {
  reads_all(t[0]);
  EXPECT_EQ(reads_all(t[1]), 0u);
  const Word set = high_word(header());
  ASSERT_TRUE(set.is_set());
  EXPECT_EQ(set.kind(), Reference::CommonSet);
  EXPECT_TRUE(knows_readers(t[1], set));
  refine(t[0], at());
  EXPECT_EQ(R(), set);
  EXPECT_EQ(R(kBlockBytes - 4), set);
  EXPECT_EQ(writes(t[2], 0, 8), 2u);
}

TEST_F(Block, AccessToAPart_RefinesIt) {
  writes_all(t[0]);
  order(t[0], t[1]);
  EXPECT_EQ(writes(t[1], 8, 8), 0u);
  EXPECT_EQ(header(), kFineBlock);
  EXPECT_EQ(W(8), Word(t[1].epoch));
  for (u64 i : {u64(0), u64(16), kBlockBytes - 4}) {
    EXPECT_EQ(W(i), Word(before(t[0], 1)));
    EXPECT_EQ(R(i), W(i));
  }
  EXPECT_EQ(count(t[1], Transition::block_refined), 1u);
}

TEST_F(Block, AccessToAByte_RefinesIt) {
  writes_all(t[0]);
  EXPECT_EQ(reads(t[1], 5, 1), 1u);
  EXPECT_EQ(header(), kFineBlock);
  EXPECT_EQ(reads(t[1], 6, 1), 1u);
}

TEST_F(Block, PartOfWhatTheThreadHasJustAccessed_IsSeenInTheHeader) {
  writes_all(t[0]);
  EXPECT_EQ(writes(t[0], 8, 8), 0u);
  EXPECT_EQ(reads(t[0], 12, 4), 0u);
  EXPECT_EQ(reads(t[0], 1, 1), 0u);
  EXPECT_EQ(header(), coarse_block(t[0].epoch, t[0].epoch));
}

TEST_F(Block, PartThatIsAskedForFourTimes_GetsWordsOfItsOwn) {
  writes_all(t[0]);
  for (u32 i = 0; i < 3; ++i) EXPECT_TRUE(seen_in_this_epoch(t[0], at(4 * i), 4, true));
  EXPECT_TRUE(is_coarse(header()));
  EXPECT_TRUE(seen_in_this_epoch(t[0], at(9), 1, true));
  EXPECT_EQ(header(), kFineBlock);
  EXPECT_EQ(count(t[0], Transition::block_refined), 1u);
  EXPECT_TRUE(seen_in_this_epoch(t[0], at(8), 8, true));
}

TEST_F(Block, PartThatTheGeneralStepAsksForFourTimes_GetsWordsOfItsOwn) {
  writes_all(t[0]);
  for (u32 i = 0; i < 3; ++i) EXPECT_EQ(writes(t[0], 4 * i, 4), 0u);
  EXPECT_TRUE(is_coarse(header()));
  EXPECT_EQ(reads(t[0], 20, 1), 0u);
  EXPECT_EQ(header(), kFineBlock);
}

// Longer parts are looked for rarely, and one look at the header is enough for them.
TEST_F(Block, LongPartsThatAreAskedFor_LeaveItCoarse) {
  writes_all(t[0]);
  for (u32 i = 0; i < 20; ++i) EXPECT_TRUE(seen_in_this_epoch(t[0], at(), 64, true));
  EXPECT_TRUE(is_coarse(header()));
}

// A matrix whose rows are swept as a whole, and have a pivot that is read alone, in every epoch.
TEST_F(Block, PivotOfEachRow_LeavesTheRowsCoarse) {
  constexpr u64 kRows = 32;
  alignas(kBlockBytes) static char matrix[kRows * kBlockBytes];
  const auto row_at = [&](u64 row) { return reinterpret_cast<uptr>(matrix) - at() + row * kBlockBytes; };
  for (u32 sweep = 0; sweep < 20; ++sweep) {
    tick(t[0]);
    for (u64 row = 0; row < kRows; ++row) {
      EXPECT_EQ(writes(t[0], row_at(row), kBlockBytes), 0u);
      EXPECT_EQ(reads(t[0], row_at(row) + 4 * sweep, 4), 0u);
    }
  }
  for (u64 row = 0; row < kRows; ++row) EXPECT_TRUE(is_coarse(header(row_at(row)))) << row;
  forget(nullptr, reinterpret_cast<uptr>(matrix), sizeof matrix);
}

TEST_F(Block, AtomicAccess_RefinesAVirginBlock) {
  does(t[0], AccessKind::AtomicWrite, 0, 8);
  EXPECT_EQ(header(), kFineBlock);
  EXPECT_EQ(R(8), Word());
}

TEST_F(Block, FineBlock_AccessedAsAWhole_KeepsItsCells) {
  writes(t[0], 0, 8);
  EXPECT_EQ(header(), kFineBlock);
  EXPECT_EQ(writes_all(t[0]), 0u);
  EXPECT_EQ(header(), kSweptBlock) << "fine, and the next one may make it coarse";
  EXPECT_EQ(W(kBlockBytes - 4), Word(t[0].epoch));
}

TEST_F(Block, RaceOfTheWhole_IsToldOfEveryByte) {
  writes_all(t[0]);
  writes_all(t[1]);
  u64 bytes = 0;
  for (const Conflict& c : seen) bytes += c.size;
  EXPECT_EQ(bytes, kBlockBytes);
  EXPECT_EQ(header(), kFineBlock);
}

TEST_F(Block, RangeAcrossBlocks_TakesWholeOnesTogether) {
  const u64 from = kBlockBytes - 12, size = 2 * kBlockBytes + 24;
  EXPECT_EQ(writes(t[0], from, size), 0u);
  EXPECT_EQ(header(0), kFineBlock);
  EXPECT_EQ(header(kBlockBytes), coarse_block(t[0].epoch, t[0].epoch));
  EXPECT_EQ(header(2 * kBlockBytes), coarse_block(t[0].epoch, t[0].epoch));
  EXPECT_EQ(header(3 * kBlockBytes), kFineBlock);
  reads(t[1], 0, sizeof memory);
  u64 bytes = 0;
  for (const Conflict& c : seen) bytes += c.size;
  EXPECT_EQ(bytes, size);
}

TEST_F(Block, WholeCells_AreFoundUnseenWhereTheyAre) {
  EXPECT_EQ(first_unseen_cell(t[0], at(), at(sizeof memory), false), at());
  reads_all(t[0]);
  EXPECT_EQ(first_unseen_cell(t[0], at(), at(sizeof memory), false), at(kBlockBytes));
  EXPECT_EQ(first_unseen_cell(t[0], at(), at(kBlockBytes), true), at());
  for (u64 i = 0; i < 10; ++i) reads(t[0], kBlockBytes + i * 8);
  EXPECT_EQ(first_unseen_cell(t[0], at(), at(sizeof memory), false), at(kBlockBytes + 80));
  tick(t[0]);
  EXPECT_EQ(first_unseen_cell(t[0], at(), at(sizeof memory), false), at());
}

TEST_F(Block, WithoutCompression_EveryBlockIsFine) {
  g_compress_blocks = false;
  EXPECT_EQ(writes_all(t[0]), 0u);
  EXPECT_EQ(header(), kFineBlock);
  EXPECT_EQ(W(8), Word(t[0].epoch));
}

TEST_F(Block, Forgotten_IsVirginAgain) {
  for (const bool fine : {false, true}) {
    writes_all(t[0]);
    if (fine) refine(t[0], at());
    forget(&t[0], at(), kBlockBytes);
    EXPECT_EQ(header(), kVirginBlock);
    EXPECT_FALSE(has_cells());
    EXPECT_EQ(writes_all(t[1]), 0u);
    forget(&t[0], at(), kBlockBytes);
  }
}

TEST_F(Block, StillNames_AsksTheHeader) {
  writes_all(t[0]);
  EXPECT_TRUE(still_names(at(16), 4, t[0].epoch));
  EXPECT_FALSE(still_names(at(16), 4, t[1].epoch));
  EXPECT_FALSE(still_names(at(kBlockBytes), 8, t[0].epoch));
}

} // namespace
} // namespace footrace::fasttrack
