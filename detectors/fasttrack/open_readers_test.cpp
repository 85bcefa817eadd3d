// [READ SHARED] without a lock: sets whose readers come again are open (shadow/open_set.h).
#include "detectors/fasttrack/rules_test.h"
#include "shadow/open_set.h"

namespace footrace::fasttrack {
namespace {

class OpenReaders : public Rules {
protected:
  // Both threads read the cell in three epochs: the set is theirs alone from the first on, and open from the second.
  void open(u64 offset = 0) {
    t_share_credit = t_share_tries = 0;
    for (u32 round = 0; round < 3; ++round)
      for (ThreadState* who : {&t[0], &t[1]}) {
        EXPECT_EQ(reads(*who, offset, 8, 20 + round), 0u);
        tick(*who);
      }
    ASSERT_TRUE(is_set(epoch_bits(cell(offset).R)));
    ASSERT_TRUE(looks_open(readers(offset)));
  }
  SetRef readers(u64 offset = 0) { return epoch_bits(cell(offset).R); }
};

TEST_F(OpenReaders, ReaderThatComesAgain_LeavesTheCellAsItIs) {
  open();
  const Cell before = cell();
  EXPECT_EQ(reads(t[0]), 0u);
  EXPECT_EQ(cell().W, before.W);
  EXPECT_EQ(cell().R, before.R);
  EXPECT_TRUE(set_contains(readers(), t[0].epoch));
  EXPECT_FALSE(set_contains(readers(), t[1].epoch));
}

TEST_F(OpenReaders, Writer_MeetsTheLastReadOfEach_WithItsLine) {
  open();
  EXPECT_EQ(reads(t[0], 0, 8, 31), 0u);
  EXPECT_EQ(reads(t[1], 0, 8, 32), 0u);
  EXPECT_EQ(writes(t[2]), 2u);
  ASSERT_EQ(seen.size(), 2u);
  EXPECT_EQ(seen[0].previous, t[0].epoch);
  EXPECT_EQ(seen[0].previous_site, 31u);
  EXPECT_EQ(seen[1].previous, t[1].epoch);
  EXPECT_EQ(seen[1].previous_site, 32u);
}

TEST_F(OpenReaders, OrderedWriter_MeetsNobody) {
  open();
  EXPECT_EQ(reads(t[0]), 0u);
  order(t[0], t[2]);
  order(t[1], t[2]);
  EXPECT_EQ(writes(t[2]), 0u);
  EXPECT_EQ(reads(t[0]), 1u); // it has not seen the write
}

TEST_F(OpenReaders, NewReader_ClosesTheSet_AndIsAddedToIt) {
  open();
  EXPECT_EQ(reads(t[0]), 0u);
  EXPECT_EQ(reads(t[2]), 0u);
  EXPECT_FALSE(looks_open(readers()));
  EXPECT_EQ(set_size(readers()), 3u);
  for (u32 i : {0, 2}) EXPECT_TRUE(set_contains(readers(), t[i].epoch));
  EXPECT_EQ(writes(t[3]), 3u);
}

TEST_F(OpenReaders, EntryOfASetThatTheCellHasNoMore_StaysAsItIs) {
  open();
  const u64 r = cell().R;
  const Epoch before = set_entries(readers())[0].epoch;
  Cell other = {0, r ^ 0x100}; // another generation: the set has changed, or is another cell's by now
  EXPECT_EQ(advance_open_reader(&other, r, t[0].epoch, 9), OpenStep::LookAgain);
  EXPECT_EQ(set_entries(readers())[0].epoch, before);
  other.R = r;
  EXPECT_EQ(advance_open_reader(&other, r, t[0].epoch, 9), OpenStep::Done);
}

TEST_F(OpenReaders, ClosedSet_IsNotMovedOn) {
  open();
  const Cell words = cell();
  ASSERT_TRUE(lock_words(cell_of(at()), words.W, words.R));
  EXPECT_EQ(advance_open_reader(cell_of(at()), words.R, t[0].epoch, 9), OpenStep::LookAgain);
  __atomic_store_n(&cell_of(at())->W, words.W, __ATOMIC_RELEASE);
  EXPECT_EQ(reads(t[0]), 0u); // under the lock, and opens it again
  EXPECT_TRUE(looks_open(readers()));
}

TEST_F(OpenReaders, ThreadWithoutAnEntry_IsTold) {
  open();
  const Cell words = cell();
  EXPECT_EQ(advance_open_reader(cell_of(at()), words.R, t[2].epoch, 9), OpenStep::NoEntry);
}

TEST_F(OpenReaders, ForgottenCell_LeavesNoSetBehind) {
  open();
  forget(at(), 8);
  release_cell_caches();
  EXPECT_EQ(sets_in_use(), 0u);
}

} // namespace
} // namespace footrace::fasttrack
