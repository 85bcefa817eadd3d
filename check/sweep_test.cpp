#include "check/sweep.h"

#include "check/arrays.h"
#include "check/bytes.h"
#include "check/fresh_memory.h"
#include "check/readers.h"
#include "check/step.h"
#include "check/sync_rules.h"

#include <gtest/gtest.h>

#include <memory>
#include <vector>

namespace footrace {
namespace {

constexpr uptr kMemory = 0x7711'0000'0000, kMemorySize = 8 << 20;

PlaceNow nowhere(ThreadState&, Frame*) { return {}; }

class SweepTest : public testing::Test {
protected:
  void SetUp() override {
    ASSERT_EQ(reserve_shadow(), nullptr);
    g_compress_blocks = true;
    set_sweep_threshold(64 << 10);
    fasttrack::forget(nullptr, kMemory, kMemorySize);
    sweep(); // of what the last test has left
  }
  ThreadState& thread(Tid tid) {
    while (threads_.size() <= tid) {
      threads_.push_back(std::make_unique<ThreadState>());
      ThreadState& t = *threads_.back();
      t.log.place_now = nowhere;
      fasttrack::initial(t, Tid(threads_.size()), 1);
    }
    return *threads_[tid];
  }
  std::vector<Epoch> access(ThreadState& t, uptr offset, u64 size, AccessKind kind) {
    std::vector<Epoch> previous;
    fasttrack::access(
        t, kMemory + offset, size, kind,
        [](void* list, const fasttrack::Conflict& c) {
          static_cast<std::vector<Epoch>*>(list)->push_back(c.previous);
        },
        &previous);
    return previous;
  }
  void read(u32 tid, uptr offset, u64 size) {
    EXPECT_TRUE(access(thread(tid), offset, size, AccessKind::Read).empty());
  }
  u64 conflicts_of_write(u32 tid, uptr offset, u64 size) {
    return access(thread(tid), offset, size, AccessKind::Write).size();
  }
  void sweep() {
    Sweep sweep;
    for (auto& t : threads_) sweep.visit(*t);
    sweep.visit_memory(kMemory, kMemory + kMemorySize);
    sweep.finish();
  }
  std::vector<std::unique_ptr<ThreadState>> threads_;
};

TEST_F(SweepTest, SetsOfForgottenMemory_AreFree) {
  for (uptr at = 0; at < 64 << 10; at += 16) {
    read(0, at, 8);
    read(1, at, 8);
  }
  EXPECT_GT(set_lines_in_use(), 0u);
  fasttrack::forget(&thread(0), kMemory, 64 << 10);
  sweep();
  EXPECT_LE(set_lines_in_use(), u64(2 * kReadersSlots)); // what code in line knows
}

TEST_F(SweepTest, SetsThatACellNames_StayAsTheyAre) {
  for (uptr at = 0; at < 64 << 10; at += 16)
    for (u32 t = 0; t < 3; ++t) {
      read(t, at, 8);
      fasttrack::tick(thread(t)); // a set for each cell
    }
  sweep();
  const u64 kept = set_lines_in_use();
  EXPECT_GE(kept, u64(64 << 10) / 16);
  for (uptr at = 64 << 10; at < 128 << 10; at += 16) // would overwrite what was freed by mistake
    for (u32 t = 0; t < 3; ++t) {
      read(t, at, 8);
      fasttrack::tick(thread(t));
    }
  for (uptr at = 0; at < 128 << 10; at += 16) EXPECT_EQ(conflicts_of_write(3, at, 8), 3u) << at;
}

TEST_F(SweepTest, ThePool_GrowsToTwiceWhatLives) {
  u64 most = 0;
  for (u32 round = 0; round < 200; ++round) {
    for (uptr at = 0; at < 64 << 10; at += 16) {
      read(0, at, 8);
      read(1, at, 8);
    }
    for (u32 t = 0; t < 2; ++t) fasttrack::tick(thread(t));
    fasttrack::forget(&thread(0), kMemory, 64 << 10);
    if (sweep_is_due()) sweep();
    EXPECT_FALSE(sweep_is_due());
    const Chunk lines = take_set_lines(1);
    most = std::max<u64>(most, lines.end);
  }
  EXPECT_LT(most, 20'000u); // of 800,000 that were made
}

TEST_F(SweepTest, WordsOfBytesAndTheirSets_StayAsTheyAre) {
  for (uptr at = 0; at < 32 << 10; at += 4)
    for (u32 t = 0; t < 3; ++t) {
      read(t, at + 1, 1);
      fasttrack::tick(thread(t));
    }
  for (u32 i = 0; i < 3; ++i) {
    sweep();
    EXPECT_EQ(fasttrack::four_words_in_use(), u64(32 << 10) / 4);
  }
  for (uptr at = 64 << 10; at < 96 << 10; at += 4)
    for (u32 t = 0; t < 3; ++t) {
      read(t, at + 2, 1);
      fasttrack::tick(thread(t));
    }
  for (uptr at = 0; at < 32 << 10; at += 4) {
    EXPECT_EQ(conflicts_of_write(3, at, 1), 0u);
    EXPECT_EQ(conflicts_of_write(3, at + 1, 1), 3u);
  }
}

TEST_F(SweepTest, WordsOfBytesOfForgottenMemory_AreFree) {
  for (uptr at = 0; at < 32 << 10; at += 4) {
    read(0, at + 1, 1);
    fasttrack::tick(thread(0)); // words for each granule
  }
  EXPECT_GE(fasttrack::four_words_in_use(), u64(32 << 10) / 4);
  fasttrack::forget(&thread(0), kMemory, 32 << 10);
  sweep();
  EXPECT_EQ(fasttrack::four_words_in_use(), 0u);
}

// R is an epoch there, and the words are W's alone.
TEST_F(SweepTest, WordsOfWrittenBytes_StayAsTheyAre) {
  const auto write_byte = [this](u32 t, uptr at) {
    EXPECT_EQ(conflicts_of_write(t, at + 1, 1), 0u);
    fasttrack::tick(thread(t));
  };
  for (uptr at = 0; at < 32 << 10; at += 4) write_byte(0, at);
  read(0, 0, 32 << 10);
  const Epoch last = thread(0).epoch;
  sweep();
  EXPECT_EQ(fasttrack::four_words_in_use(), u64(32 << 10) / 4);
  for (uptr at = 64 << 10; at < 96 << 10; at += 4)
    write_byte(0, at); // would overwrite what was freed by mistake
  for (uptr at = 0; at < 32 << 10; at += 4) {
    EXPECT_EQ(Word(load_word(granule_unit(kMemory + at).R)), Word(last));
    EXPECT_TRUE(access(thread(1), at, 1, AccessKind::Read).empty());
    const std::vector<Epoch> previous = access(thread(1), at + 1, 1, AccessKind::Read);
    ASSERT_EQ(previous.size(), 1u);
    EXPECT_EQ(previous[0], make_epoch(1, 1 + at / 4));
  }
}

// What follows a word by an access is remembered by its number, which may be another's after a sweep.
TEST_F(SweepTest, WhatBecomesOfAWord_IsForgotten) {
  for (uptr at = 0; at < 8; at += 4) read(0, at, 4);
  const Word before = thread(0).epoch;
  fasttrack::tick(thread(0));
  const auto read_byte = [&](uptr at) {
    const Unit<u32> unit = granule_unit(kMemory + at);
    const Word r(load_word(unit.R));
    EXPECT_EQ(r, before);
    const BytesMemo& mine = fasttrack::with_mine(thread(0), r, 2);
    EXPECT_TRUE(mine.is_ordered);
    EXPECT_TRUE(fasttrack::exclusive_step_on_bytes<false>(thread(0), unit, r, mine.after, 2));
    return Word(load_word(unit.R));
  };
  const Word gone = read_byte(0);
  fasttrack::forget(&thread(0), kMemory, 4);
  sweep();
  bool is_met = false;
  for (uptr at = 1024; at < 64 << 10 && !is_met; at += 4) {
    read(1, at + 2, 1);
    fasttrack::tick(thread(1));
    is_met = load_word(granule_unit(kMemory + at).R) == gone.raw;
  }
  EXPECT_TRUE(is_met) << "no words got the number of those that went";
  const Word r = read_byte(4);
  for (u32 i = 0; i < 4; ++i)
    EXPECT_EQ(fasttrack::word_of_byte(r, i), i == 1 ? Word(thread(0).epoch) : before) << i;
}

// Free words may still say what they said: who finds them so would have to share them with whoever gets them next.
TEST_F(SweepTest, FreeWords_AreNotFoundByWhatIsInThem) {
  read(0, 1, 1);
  const Word gone(load_word(granule_unit(kMemory).R));
  ASSERT_TRUE(gone.is_bytes());
  fasttrack::forget(&thread(0), kMemory, 4);
  sweep();
  read(0, 5, 1); // the same past
  for (uptr at = 1024; at < 64 << 10; at += 4) {
    read(1, at + 2, 1);
    fasttrack::tick(thread(1));
  }
  const Word r(load_word(granule_unit(kMemory + 4).R));
  for (u32 i = 0; i < 4; ++i)
    EXPECT_EQ(fasttrack::word_of_byte(r, i), i == 1 ? Word(thread(0).epoch) : Word()) << i;
}

// Words that W and R of many granules name are changed once.
TEST_F(SweepTest, EpochsOfBytes_ChangeOnce) {
  for (uptr at = 0; at < 1024; at += 4) EXPECT_EQ(conflicts_of_write(0, at + 1, 2), 0u);
  read(0, 3, 1); // R of the first granule goes apart from its W
  const Epoch before = thread(0).epoch;
  const EpochVisitor later = {[](void*, Epoch e) { return make_epoch(tid_of(e), clock_of(e) + 1); }, nullptr};
  Sweep sweep(&later);
  for (auto& t : threads_) sweep.visit(*t);
  sweep.visit_memory(kMemory, kMemory + kMemorySize);
  sweep.finish();
  const Word after = make_epoch(tid_of(before), clock_of(before) + 1);
  for (uptr at = 0; at < 1024; at += 4) {
    const Unit<u32> unit = granule_unit(kMemory + at);
    for (u32 i = 0; i < 4; ++i) {
      const bool is_written = i == 1 || i == 2;
      EXPECT_EQ(fasttrack::word_of_byte(Word(load_word(unit.W)), i), is_written ? after : Word());
      EXPECT_EQ(fasttrack::word_of_byte(Word(load_word(unit.R)), i),
                is_written || (!at && i == 3) ? after : Word());
    }
  }
}

TEST_F(SweepTest, ASetOfACoarseBlock_Stays) {
  for (u32 t = 0; t < 2; ++t)
    for (uptr at = 0; at < 16 << 10; at += kBlockBytes) {
      read(t, at, kBlockBytes);
      fasttrack::tick(thread(t));
    }
  sweep();
  for (uptr at = 16 << 10; at < 32 << 10; at += 16)
    for (u32 t = 0; t < 3; ++t) {
      read(t, at, 8);
      fasttrack::tick(thread(t));
    }
  for (uptr at = 0; at < 16 << 10; at += 8) EXPECT_EQ(conflicts_of_write(2, at, 8), 2u) << at;
}

// Twenty threads make sets of four lines, between which single lines become free.
TEST_F(SweepTest, LongSets_FindRoomBetweenShortOnes) {
  for (uptr at = 0; at < 64 << 10; at += 8)
    for (u32 t = 0; t < 2; ++t) {
      read(t, at, 8);
      fasttrack::tick(thread(t));
    }
  for (uptr at = 0; at < 64 << 10; at += 16) fasttrack::forget(&thread(0), kMemory + at, 8);
  sweep();
  for (uptr at = 64 << 10; at < 72 << 10; at += 8)
    for (u32 t = 0; t < 20; ++t) {
      read(t, at, 8);
      fasttrack::tick(thread(t));
    }
  for (uptr at = 8; at < 64 << 10; at += 16) EXPECT_EQ(conflicts_of_write(20, at, 8), 2u) << at;
  for (uptr at = 64 << 10; at < 72 << 10; at += 8) EXPECT_EQ(conflicts_of_write(20, at, 8), 20u) << at;
}

bool knows_in_line(ThreadState& t, Word set) {
  return in_line(t).readers.word[slot_of_readers(set.raw)] == both<u64>(set);
}

// What code in line knows stays as it is; what steps know is forgotten.
TEST_F(SweepTest, WhatCodeInLineKnows_KeepsItsMeaning) {
  for (u32 t = 0; t < 2; ++t) read(t, 0, 8);
  const Word set(load_word(granule_unit(kMemory).R));
  ASSERT_TRUE(set.is_set());
  ASSERT_TRUE(knows_in_line(thread(1), set));
  ASSERT_TRUE(knows_readers(thread(1), set));
  fasttrack::forget(&thread(0), kMemory, 8);
  sweep();
  EXPECT_TRUE(knows_in_line(thread(1), set));
  EXPECT_FALSE(knows_readers(thread(1), set));
  for (uptr at = 1024; at < 64 << 10; at += 8)
    for (u32 t = 2; t < 4; ++t) {
      read(t, at, 8);
      EXPECT_NE(Word(load_word(granule_unit(kMemory + at).R)), set);
      fasttrack::tick(thread(t));
    }
}

// A set that only the table knows may go, and its number to another one, in which the thread is not.
TEST_F(SweepTest, WhatStepsKnow_IsForgotten) {
  for (u32 t = 0; t < 2; ++t) read(t, 0, 8);
  const Word set(load_word(granule_unit(kMemory).R));
  ASSERT_TRUE(knows_readers(thread(1), set));
  for (u32 t = 0; t < 2; ++t) forget_readers(thread(t)); // other sets have taken its place in line
  ASSERT_TRUE(knows_readers(thread(1), set));
  fasttrack::forget(&thread(0), kMemory, 8);
  sweep();
  bool is_met = false;
  for (uptr at = 1024; at < 64 << 10 && !is_met; at += 8) {
    for (u32 t : {2, 0}) {
      read(t, at, 8);
      fasttrack::tick(thread(t));
    }
    is_met = load_word(granule_unit(kMemory + at).R) == set.raw;
    if (!is_met) continue;
    EXPECT_FALSE(fasttrack::seen_in_this_epoch(thread(1), kMemory + at, 8, false));
    read(1, at, 8);
    EXPECT_EQ(conflicts_of_write(4, at, 8), 3u);
  }
  EXPECT_TRUE(is_met) << "no set got the number of the one that went";
}

} // namespace
} // namespace footrace
