// Cells whose bytes have different pasts: what their blocks hold, and how steps change them in place.
#include "detectors/fasttrack/rules_test.h"
#include "shadow/cell_records.h"

#include <random>

using namespace footrace;
using namespace footrace::fasttrack;

namespace {

class Records : public Rules {};

u32 records_in(u64 w) { return record_block_of(w)->count; }

// One thread reads all bytes of `cells` cells, then another, ordered after it, two bytes of each.
#define MAKE_EQUAL_RECORDS(cells)                                                                            \
  for (u64 i = 0; i < (cells); ++i) reads(t[0], i * 8);                                                      \
  order(t[0], t[1]);                                                                                         \
  for (u64 i = 0; i < (cells); ++i) reads(t[1], i * 8, 2);                                                   \
  for (u64 i = 0; i < (cells); ++i) ASSERT_TRUE(has_records(cell(i * 8).W));

TEST_F(Records, Equal_ShareOneBlock) {
  u64 before = record_blocks_in_use();
  MAKE_EQUAL_RECORDS(32);
  EXPECT_EQ(cell(8 * 30).W, cell(8 * 31).W);
  EXPECT_EQ(record_blocks_in_use(), before + 2); // the first is its cell's own
  forget(at(), 256);
  EXPECT_EQ(record_blocks_in_use(), before);
}

TEST_F(Records, Shared_AreChangedInOneCellOnly) {
  MAKE_EQUAL_RECORDS(32);
  const Cell neighbour = cell(8 * 30);
  EXPECT_EQ(writes(t[1], 8 * 31, 1), 0u);
  EXPECT_EQ(cell(8 * 30).W, neighbour.W);
  EXPECT_EQ(cell(8 * 30).R, neighbour.R);
  EXPECT_EQ(reads(t[2], 8 * 30), 0u);         // nobody has written there
  EXPECT_EQ(reads(t[2], 8 * 31, 1), 1u);      // races with the write
  EXPECT_EQ(writes(t[3], 8 * 29, 2), 1u);     // races with the second reader
  EXPECT_EQ(writes(t[3], 8 * 29 + 4, 1), 1u); // and beyond its bytes with the first
}

TEST_F(Records, Shared_OfReaderSetsAreChangedInOneCellOnly) {
  for (u64 i = 0; i < 32; ++i) reads(t[0], i * 8);
  for (u64 i = 0; i < 32; ++i) reads(t[1], i * 8, 2);
  ASSERT_EQ(cell(8 * 30).W, cell(8 * 31).W);
  reads(t[2], 8 * 31, 2);
  EXPECT_EQ(writes(t[3], 8 * 31, 2), 3u);
  EXPECT_EQ(writes(t[3], 8 * 30, 2), 2u);
}

TEST_F(Records, Shared_RaceInEveryCell) {
  MAKE_EQUAL_RECORDS(32);
  for (u64 i = 0; i < 32; ++i) EXPECT_EQ(writes(t[2], i * 8, 2), 1u) << i;
}

TEST_F(Records, MadeOnce_StayTheirCellsOwn) {
  MAKE_EQUAL_RECORDS(1);
  EXPECT_TRUE(has_own_records(cell().W));
}

// A table of bytes that one thread writes at random, in many epochs: one small block, whose records move on.
TEST_F(Records, BytesWrittenInManyEpochs_ChangeInPlace) {
  for (u32 byte : {0, 3, 5}) {
    tick(t[0]);
    writes(t[0], byte, 1, 10 + byte);
  }
  ASSERT_TRUE(has_own_records(cell().W));
  const u64 blocks = record_blocks_in_use();
  RecordBlock* const block = record_block_of(cell().W);
  for (u32 round = 0; round < 20; ++round) {
    const u64 byte = round % 2 ? 3 : 0;
    tick(t[0]);
    EXPECT_EQ(writes(t[0], byte, 1, 20), 0u);
    EXPECT_TRUE(seen_in_this_epoch(t[0], at(byte), 1, true));
    EXPECT_FALSE(seen_in_this_epoch(t[0], at(3 - byte), 1, true));
    EXPECT_EQ(record_block_of(cell().W), block);
  }
  EXPECT_EQ(record_blocks_in_use(), blocks);
  ASSERT_EQ(writes(t[1], 5, 1), 1u);
  EXPECT_EQ(seen[0].previous_site, 15u) << "the byte that was left alone still has its line";
  ASSERT_EQ(writes(t[1], 3, 1), 1u);
  EXPECT_EQ(seen[0].previous, t[0].epoch);
}

TEST_F(Records, ReadsOfPartsInManyEpochs_ChangeInPlace) {
  writes(t[1]);
  order(t[1], t[0]);
  RecordBlock* block = nullptr;
  for (u32 i = 0; i < 30; ++i) {
    tick(t[0]);
    EXPECT_EQ(reads(t[0], (i * 5) % 7, 2, 30 + i), 0u) << i;
    if (i == 10) block = record_block_of(cell().W);
  }
  ASSERT_TRUE(has_records(cell().W));
  EXPECT_EQ(record_block_of(cell().W), block);
  u32 readers = 0;
  for (u64 byte = 0; byte < 8; ++byte) readers += writes(t[1], byte, 1);
  EXPECT_EQ(readers, 8u) << "every byte was read after the order";
}

TEST_F(Records, MoreThanABlockHolds_MoveToALargerOne) {
  for (u64 byte = 0; byte < 8; ++byte) {
    tick(t[0]);
    writes(t[0], byte, 1);
    tick(t[0]);
    reads(t[0], byte, 1);
  }
  ASSERT_TRUE(has_records(cell().W));
  EXPECT_EQ(records_in(cell().W), 16u);
  for (u64 byte = 0; byte < 8; ++byte) EXPECT_EQ(writes(t[1], byte, 1), 2u);
}

TEST_F(Records, AWriteOfAllBytes_MakesTheCellSimple) {
  const u64 blocks = record_blocks_in_use();
  for (u64 byte = 0; byte < 4; ++byte) {
    tick(t[0]);
    writes(t[0], byte, 1);
  }
  ASSERT_TRUE(has_records(cell().W));
  tick(t[0]);
  writes(t[0], 0, 8, 9);
  EXPECT_EQ(cell().W, t[0].epoch | kMaskBits);
  EXPECT_EQ(cell().R, t[0].epoch | kMaskBits);
  EXPECT_EQ(record_blocks_in_use(), blocks);
  ASSERT_EQ(reads(t[1], 2, 1), 1u);
  EXPECT_EQ(seen[0].previous_site, 9u);
}

// A set of readers that two parts of a cell have is changed for one of them only.
TEST_F(Records, ReadersOfTwoParts_AreChangedInOneOnly) {
  t_share_credit = 0;
  reads(t[0]);
  reads(t[1]);
  order(t[0], t[2]);
  order(t[1], t[2]);
  does(t[2], AccessKind::AtomicRead, 0, 4); // the parts differ
  ASSERT_TRUE(has_records(cell().W));
  tick(t[1]);
  reads(t[1], 0, 4);
  EXPECT_EQ(writes(t[2], 4, 4), 0u) << "both reads are ordered before";
  EXPECT_EQ(writes(t[2], 0, 4), 1u) << "the second read is not";
}

// What the groups say, the records of their block say.
TEST_F(Records, OfRandomGroups_GiveTheSameGroups) {
  std::mt19937 random(7);
  for (u32 round = 0; round < 2000; ++round) {
    Groups groups;
    u64 left = random() & kMaskBits;
    auto epoch = [&] { return random() % 3 ? make_epoch(Tid(random() % 3), 1 + random() % 3) : kNoEpoch; };
    auto site = [&](u64 word) { return word ? SiteId(1 + random() % 2) : kNoSite; };
    while (left) {
      Group& g = groups.group[groups.count++];
      g.mask = random() % 2 ? left & -left : left & (random() | (left & -left));
      left &= ~g.mask;
      History h;
      h.W = epoch(), h.R = epoch(), h.AW = epoch(), h.AR = epoch();
      if (h.empty()) h.W = make_epoch(3, 1);
      h.w_site = site(h.W), h.r_site = site(h.R), h.aw_site = site(h.AW), h.ar_site = site(h.AR);
      if (h.W && (!h.R || h.R == h.W)) h.R = h.W, h.r_site = h.w_site; // as every write leaves it
      g.history = h;
    }
    footrace::Records records;
    records_of_groups(groups, records);
    RecordBlock* b = new_record_block(records.count);
    fill(b, records);
    Groups again;
    groups_of_records(b, again);
    for (u32 byte = 0; byte < 8; ++byte) {
      auto of_byte = [&](const Groups& all) {
        for (u32 i = 0; i < all.count; ++i)
          if (all.group[i].mask >> byte & 1) return all.group[i].history;
        return History();
      };
      ASSERT_TRUE(of_byte(groups) == of_byte(again)) << "round " << round << ", byte " << byte;
    }
    release_record_block(b);
  }
}

} // namespace
