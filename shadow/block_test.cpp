// The transitions of a block, one at a time; tests/model interleaves them.
#include "shadow/block.h"

#include <gtest/gtest.h>

#include <chrono>
#include <thread>

namespace footrace {
namespace {

constexpr Epoch kMine = make_epoch(3, 7), kOther = make_epoch(4, 9);
alignas(64 << 10) char g_memory[256 << 10];

class Block : public testing::Test {
protected:
  static void SetUpTestSuite() { ASSERT_EQ(reserve_shadow(), nullptr); }
  void TearDown() override {
    for (uptr at = first(); at < first() + sizeof g_memory; at += kBlockBytes) forget_block(at);
    release_cell_caches();
    EXPECT_EQ(sets_in_use(), 0u);
  }
  static uptr first() { return reinterpret_cast<uptr>(g_memory); }
  static const char* broken() { return broken_invariant(first()); }
  static BlockState state() { return state_of(header_of(first())->state.W); }

  // Virgin -> coarse, as a step on the whole block does it.
  static void make_coarse(uptr block, const CoarseState& state) {
    CoarseState before = {{0, 0}, kNoSite, kNoSite};
    ASSERT_TRUE(lock_coarse(block, before));
    publish_coarse(block, state);
  }
};

const CoarseState kWritten = {{kMine | kMaskBits, kMine | kMaskBits}, 11, 12};

TEST_F(Block, Untouched_IsVirginAndCoarse) {
  EXPECT_TRUE(is_virgin(first()));
  EXPECT_EQ(state(), BlockState::Coarse);
  EXPECT_EQ(broken(), nullptr);
}

TEST_F(Block, RefineOfVirgin_MakesEmptyCells) {
  refine(first());
  EXPECT_EQ(state(), BlockState::Fine);
  EXPECT_EQ(cell_of(first())->W, 0u);
  EXPECT_EQ(cell_of(first())->R, kEmptyWord);
  EXPECT_EQ(broken(), nullptr);
}

TEST_F(Block, RefineOfCoarse_GivesEveryCellItsWordsAndSites) {
  make_coarse(first(), kWritten);
  refine(first());
  EXPECT_EQ(broken(), nullptr);
  for (uptr at = first(); at < first() + kBlockBytes; at += 8) {
    EXPECT_EQ(cell_of(at)->W, kWritten.words.W);
    EXPECT_EQ(cell_of(at)->R, kWritten.words.R);
    EXPECT_EQ(load_site(at, true, kMine), 11u);
    EXPECT_EQ(load_site(at, false, kMine), 12u);
  }
}

// Thread 1 in its first epoch: its tag must differ from what memory without sites holds.
TEST_F(Block, SiteThatIsNotStoredYet_IsWaitedFor) {
  const Epoch first_of_thread_1 = make_epoch(1, 1);
  EXPECT_EQ(peek_site(first(), true, first_of_thread_1), kNoSite);
  std::thread writer([&] {
    std::this_thread::sleep_for(std::chrono::milliseconds(20)); // longer than a wait by counting would last
    store_site(first(), true, first_of_thread_1, 17);
  });
  EXPECT_EQ(load_site(first(), true, first_of_thread_1), 17u);
  writer.join();
}

TEST_F(Block, TagOfASite_IsNeverThatOfUntouchedMemory) {
  for (Tid tid = 0; tid < 300; ++tid)
    for (u64 clock = 0; clock < 300; ++clock) ASSERT_NE(site_tag(make_epoch(tid, clock)), 0);
}

TEST_F(Block, RefineOfAReadSet_CountsAReferencePerCell) {
  SetRef set = make_set({kMine, 1, 0}, {kOther, 2, 0});
  make_coarse(first(), {{0, set | kMaskBits}, kNoSite, kNoSite});
  refine(first());
  Cell taken[kBlockCells];
  ASSERT_TRUE(lock_fine_block(first(), taken));
  compress(first(), taken, kWritten); // gives all of them back: TearDown counts
}

TEST_F(Block, LockCoarse_FailsIfTheWordsHaveChanged) {
  make_coarse(first(), kWritten);
  CoarseState stale = {{0, 0}, kNoSite, kNoSite};
  EXPECT_FALSE(lock_coarse(first(), stale));
  EXPECT_EQ(broken(), nullptr);
}

TEST_F(Block, Compress_EmptiesTheCells) {
  refine(first());
  Cell taken[kBlockCells];
  ASSERT_TRUE(lock_fine_block(first(), taken));
  EXPECT_EQ(state(), BlockState::Locked);
  compress(first(), taken, kWritten);
  EXPECT_EQ(state(), BlockState::Coarse);
  EXPECT_EQ(broken(), nullptr);
  CoarseState again = {kWritten.words, kNoSite, kNoSite};
  ASSERT_TRUE(lock_coarse(first(), again));
  EXPECT_EQ(again.w_site, 11u);
  EXPECT_EQ(again.r_site, 12u);
  publish_coarse(first(), again);
}

TEST_F(Block, GiveBack_LeavesTheCellsAsTheyWere) {
  make_coarse(first(), kWritten);
  refine(first());
  Cell taken[kBlockCells];
  ASSERT_TRUE(lock_fine_block(first(), taken));
  give_back(first(), taken);
  EXPECT_EQ(state(), BlockState::Fine);
  EXPECT_EQ(cell_of(first() + 8)->W, kWritten.words.W);
  EXPECT_EQ(broken(), nullptr);
}

TEST_F(Block, LockFineBlock_FailsOnACoarseOne) {
  make_coarse(first(), kWritten);
  Cell taken[kBlockCells];
  EXPECT_FALSE(lock_fine_block(first(), taken));
}

TEST_F(Block, LooksUniform_OnlyIfAllWordsAreEqualAndWhole) {
  make_coarse(first(), kWritten);
  refine(first());
  EXPECT_TRUE(looks_uniform(first()));
  cell_of(first() + 8 * 63)->R = kOther | kMaskBits;
  EXPECT_FALSE(looks_uniform(first()));
  cell_of(first() + 8 * 63)->R = kWritten.words.R;
  for (uptr at = first(); at < first() + kBlockBytes; at += 8) cell_of(at)->W = kMine | 0x0f;
  EXPECT_FALSE(looks_uniform(first()));
}

TEST_F(Block, BrokenInvariant_NamesWhatIsBroken) {
  make_coarse(first(), kWritten);
  cell_of(first())->W = kMine | kMaskBits;
  EXPECT_STREQ(broken(), "a cell of a coarse block has a state of its own");
  *cell_of(first()) = {0, 0};
  refine(first());
  *cell_of(first()) = {0, 0};
  EXPECT_STREQ(broken(), "a cell of a fine block has none");
  *cell_of(first()) = {0, kEmptyWord};
  EXPECT_EQ(broken(), nullptr);
}

TEST_F(Block, RefinedAgainAndAgain_StaysFine) {
  const BlockHeader* header = header_of(first());
  make_coarse(first(), kWritten);
  for (u32 i = 0; i < kMostRefined; ++i) {
    EXPECT_FALSE(stays_fine(header));
    refine(first());
    Cell taken[kBlockCells];
    ASSERT_TRUE(lock_fine_block(first(), taken));
    compress(first(), taken, kWritten);
  }
  EXPECT_TRUE(stays_fine(header));
  forget_block(first());
  EXPECT_FALSE(stays_fine(header));
}

TEST_F(Block, DiscardCells_KeepsCoarseStatesAndFineNeighbours) {
  for (uptr at = first(); at < first() + sizeof g_memory; at += kBlockBytes) make_coarse(at, kWritten);
  uptr fine = first() + (sizeof g_memory - kBlockBytes); // its whole batch must stay
  refine(fine);
  discard_cells(first(), first() + sizeof g_memory);
  for (uptr at = first(); at < first() + sizeof g_memory; at += kBlockBytes) {
    EXPECT_EQ(broken_invariant(at), nullptr);
    EXPECT_EQ(state_of(header_of(at)->state.W), at == fine ? BlockState::Fine : BlockState::Coarse);
  }
  EXPECT_EQ(cell_of(fine)->W, kWritten.words.W);
}

} // namespace
} // namespace footrace
