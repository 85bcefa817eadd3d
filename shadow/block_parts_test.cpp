// Blocks with parts, one transition at a time; tests/model interleaves them.
#include "shadow/block_parts.h"

#include <gtest/gtest.h>

namespace footrace {
namespace {

constexpr Epoch kMine = make_epoch(3, 7), kOther = make_epoch(4, 9);
alignas(4096) char g_memory[4096];

constexpr CoarseState written(Epoch e, SiteId site) { return {{e | kMaskBits, e | kMaskBits}, site, site}; }

class BlockParts : public testing::Test {
protected:
  static void SetUpTestSuite() { ASSERT_EQ(reserve_shadow(), nullptr); }
  void TearDown() override {
    EXPECT_EQ(broken_invariant(block()), nullptr);
    forget_block(block());
    EXPECT_TRUE(is_virgin(block()));
    release_cell_caches();
    EXPECT_EQ(sets_in_use(), 0u);
    EXPECT_EQ(part_records_in_use(), 0u);
  }
  static uptr block() { return reinterpret_cast<uptr>(g_memory); }
  static Cell header() { return header_of(block())->state; }
  static BlockState state() { return state_of(header().W); }

  // What a step on some cells does.
  static void publish(std::initializer_list<Part> list) {
    Parts before, after;
    const Cell words = header();
    ASSERT_TRUE(lock_parts(block(), words, before));
    after.own = before.own;
    for (const Part& p : list) after.add(p);
    publish_parts(block(), words, before, after);
  }
};

TEST_F(BlockParts, SomeCellsOfAVirginBlock_ArePartsAndLeaveCellsZero) {
  publish({part_of(0x0f, written(kMine, 1)), part_of(0xf0, written(kOther, 2))});
  EXPECT_EQ(state(), BlockState::Parted);
  EXPECT_TRUE(asks_header(*cell_of(block())));
  EXPECT_EQ(cells_with_epoch(header_of(block()), header(), kMine, true), 0x0fu);
  EXPECT_EQ(cells_with_epoch(header_of(block()), header(), kOther, false), 0xf0u);
}

TEST_F(BlockParts, OnePartWithAllCells_IsCoarse) {
  publish({part_of(1, written(kMine, 1))});
  EXPECT_EQ(part_records_in_use(), 1u);
  publish({part_of(kAllCells, written(kMine, 1))});
  EXPECT_EQ(state(), BlockState::Coarse);
  EXPECT_EQ(part_records_in_use(), 0u);
}

TEST_F(BlockParts, NoParts_IsVirgin) {
  publish({part_of(1, written(kMine, 1))});
  publish({});
  EXPECT_TRUE(is_virgin(block()));
}

TEST_F(BlockParts, StaleWords_LockNothing) {
  publish({part_of(1, written(kMine, 1))});
  const Cell stale = header();
  publish({part_of(3, written(kMine, 1))});
  Parts parts;
  EXPECT_FALSE(lock_parts(block(), stale, parts));
  EXPECT_EQ(cells_with_epoch(header_of(block()), stale, kMine, true), 0u);
}

TEST_F(BlockParts, TooManyParts_TheSmallestBecomesCells) {
  Parts before, after;
  ASSERT_TRUE(lock_parts(block(), header(), before));
  for (u32 i = 0; i <= kMostParts; ++i)
    after.add(part_of(i == 3 ? 1ull << 60 : 3ull << 2 * i, written(make_epoch(3, i + 1), i + 1)));
  publish_parts(block(), {0, 0}, before, after);
  EXPECT_EQ(state(), BlockState::Parted);
  EXPECT_EQ(own_cells(header()), 1ull << 60);
  EXPECT_EQ(cell_of(block() + 60 * 8)->W, make_epoch(3, 4) | kMaskBits);
  EXPECT_EQ(load_site(block() + 60 * 8, true, make_epoch(3, 4)), 4u);
}

TEST_F(BlockParts, Refine_GivesEveryCellTheStateOfItsPart) {
  SetRef set = make_set({kMine, 1, 0}, {kOther, 2, 0});
  publish({part_of(0x0f, written(kMine, 1)), part_of(0xf0, {{0, set | kMaskBits}, kNoSite, kNoSite})});
  refine(block());
  EXPECT_EQ(state(), BlockState::Fine);
  EXPECT_EQ(cell_of(block() + 3 * 8)->W, kMine | kMaskBits);
  EXPECT_EQ(cell_of(block() + 4 * 8)->R, set | kMaskBits);
  EXPECT_EQ(cell_of(block() + 8 * 8)->R, kEmptyWord);
}

TEST_F(BlockParts, CompressToParts_EmptiesTheCells) {
  publish({part_of(0x0f, written(kMine, 1))});
  refine(block());
  Cell taken[kBlockCells];
  ASSERT_TRUE(lock_fine_block(block(), taken));
  Parts parts;
  parts.add(part_of(0xff, written(kOther, 2)));
  compress_to_parts(block(), taken, parts);
  EXPECT_EQ(state(), BlockState::Parted);
}

TEST_F(BlockParts, LooksParted_OnlyWithFewStates) {
  refine(block());
  for (u32 i = 0; i < kBlockCells; ++i)
    *cell_of(block() + i * 8) = {kMine | kMaskBits, make_epoch(5, i + 1) | kMaskBits};
  EXPECT_FALSE(looks_parted(block(), 1, true));
  EXPECT_TRUE(looks_parted(block(), ~0x3full, true)); // six are left
  EXPECT_FALSE(looks_parted(block(), ~0x3full, false));
}

TEST_F(BlockParts, ForgetCells_LeavesTheOthers) {
  publish({part_of(0xff, written(kMine, 1))});
  EXPECT_EQ(forget_cells(block(), 0x0f), 0u);
  EXPECT_EQ(cells_with_epoch(header_of(block()), header(), kMine, true), 0xf0u);
  EXPECT_EQ(forget_cells(block(), 0xf0), 0u);
  EXPECT_TRUE(is_virgin(block()));
}

TEST_F(BlockParts, JoinEqual_MakesOnePartOfEqualStates) {
  Parts parts;
  for (u64 cells : {1, 2, 4}) parts.add(part_of(cells, written(cells == 2 ? kOther : kMine, 1)));
  join_equal(parts);
  ASSERT_EQ(parts.count, 2u);
  EXPECT_EQ(parts.part[0].cells | parts.part[1].cells, 7u);
}

} // namespace
} // namespace footrace
