// Sets of accesses that are not ordered with one another: known to code in line, changed in place, copied (check/readers.h).
#include "check/ranges.h"
#include "check/rules_test.h"

#include <atomic>
#include <chrono>
#include <thread>

namespace footrace::fasttrack {
namespace {

constexpr AccessKind kRead = AccessKind::Read;

class KnownReadersTest : public Rules {
protected:
  void SetUp() override {
    Rules::SetUp();
    publish_epoch(t[0], &in_line);
  }
  void TearDown() override {
    publish_epoch(t[0], nullptr);
    Rules::TearDown();
  }
  // Both threads read all of these cells; all but the first have one set.
  void share(u64 cells) {
    for (u32 i = 0; i < 2; ++i)
      for (u64 cell = 0; cell < cells; ++cell) ASSERT_EQ(reads(t[i], cell * 8), 0u);
    ASSERT_EQ(R(8), R(cells * 8 - 4));
  }
  u64 known(u64 offset) { return in_line.readers.word[slot_of_readers(R(offset).raw)]; }

  InLine in_line;
};

TEST_F(KnownReadersTest, TheSecondLookKeepsTheSetAndTellsCodeInLine) {
  share(8);
  EXPECT_FALSE(knows_readers(t[0], R(8)));
  const Word set = R(8);
  reads(t[0], 8);
  EXPECT_EQ(R(8), set);
  EXPECT_TRUE(knows_readers(t[0], R(40)));
  EXPECT_EQ(known(40), *cell_unit(at(40)).R) << "a word of a whole cell";
}

TEST_F(KnownReadersTest, ALookBeforeTheStep_TellsCodeInLineToo) {
  share(8);
  EXPECT_EQ(first_unseen_cell(t[0], at(8), at(64), false), at(64));
  EXPECT_TRUE(knows_readers(t[0], R(8)));
  EXPECT_FALSE(knows_readers(t[0], R(0)));
  EXPECT_TRUE(seen_in_this_epoch(t[0], at(0), 8, false));
  EXPECT_TRUE(knows_readers(t[0], R(0)));
}

TEST_F(KnownReadersTest, ASetOfAnEarlierEpochIsNotKnownByAWriteOfThisOne) {
  for (u32 i = 0; i < 2; ++i)
    for (u64 cell = 0; cell < 4; ++cell) reads(t[i], cell * 8, 4);
  tick(t[0]);
  for (u64 cell = 0; cell < 4; ++cell) {
    writes(t[0], cell * 8 + 4, 4);
    reads(t[0], cell * 8 + 4, 4); // seen, but not as a reader
  }
  ASSERT_TRUE(R(8).is_set());
  EXPECT_FALSE(knows_readers(t[0], R(8)));
}

TEST_F(KnownReadersTest, AnotherEpochKnowsNothing) {
  share(8);
  reads(t[0], 8);
  tick(t[0]);
  EXPECT_FALSE(knows_readers(t[0], R(40)));
  EXPECT_EQ(known(40), kNoEpochInLine);
}

TEST_F(KnownReadersTest, BytesThatNobodyReadAreNotKnown) {
  share(8);
  reads(t[0], 8);
  EXPECT_FALSE(knows_readers(t[0], Word()));
  EXPECT_FALSE(knows_readers(t[0], Word(t[0].epoch)));
  EXPECT_FALSE(knows_readers(t[0], R(8).locked()));
}

TEST_F(KnownReadersTest, AWriteOfAnotherThreadStillRacesWithTheRead) {
  share(8);
  reads(t[0], 16);
  EXPECT_EQ(writes(t[2], 16), 2u);
  EXPECT_FALSE(knows_readers(t[0], R(16)));
  EXPECT_EQ(reads(t[0], 16), 1u);
}

TEST_F(KnownReadersTest, AMemoOfAnEarlierEpochIsNotUsed) {
  share(8);
  const Word set = R(8);
  tick(t[1]);
  for (u64 cell = 0; cell < 8; ++cell) reads(t[0], 64 + cell * 8);
  for (u64 cell = 0; cell < 8; ++cell) reads(t[1], 64 + cell * 8);
  EXPECT_NE(R(64 + 8), set);
  EXPECT_TRUE(holds(R(64 + 8), t[1].epoch));
  EXPECT_FALSE(holds(set, t[1].epoch));
}

TEST_F(KnownReadersTest, AnArrayReadByMany_HasOneSetForEachOfThem) {
  for (u32 i = 0; i < kThreads; ++i)
    for (u64 cell = 0; cell < 32; ++cell) reads(t[i], cell * 8);
  const Word set = R(kThreads * 8); // the first cell that each has come to has one of its own
  EXPECT_EQ(set.kind(), Reference::CommonSet);
  for (u64 cell = kThreads; cell < 32; ++cell) EXPECT_EQ(R(cell * 8), set);
  for (u64 cell = 0; cell < 32; ++cell) EXPECT_EQ(set_size(R(cell * 8)), kThreads);
  EXPECT_EQ(count(t[3], Transition::set_made), 1u); // what is of many goes on as one
}

// Sets of one granule or cell, whose entries move on in place.
class OpenReaders : public Rules {
protected:
  void open(u64 size = 8) {
    EXPECT_EQ(reads(t[0], 0, size), 0u);
    EXPECT_EQ(reads(t[1], 0, size), 0u);
    for (u32 i = 0; i < 2; ++i) tick(t[i]);
    ASSERT_EQ(R().kind(), size == 8 ? Reference::CellSet : Reference::OwnSet);
  }
  void put(Word r) { store_word(cell_unit(at()).R, u64(r.raw) << 32 | r.raw); }
};

TEST_F(OpenReaders, ReaderThatComesAgain_LeavesTheCellAsItIs) {
  open();
  const Word before = R();
  EXPECT_EQ(reads(t[0]), 0u);
  EXPECT_EQ(R(), before);
  EXPECT_EQ(set_size(R()), 2u);
  EXPECT_TRUE(holds(R(), t[0].epoch));
  EXPECT_FALSE(holds(R(), t[1].epoch));
  EXPECT_EQ(count(t[0], Transition::set_moved), 1u);
}

TEST_F(OpenReaders, OfAGranule_MoveOnAsWell) {
  open(4);
  const Word before = R();
  ASSERT_EQ(before.kind(), Reference::OwnSet);
  EXPECT_EQ(reads(t[0], 0, 4), 0u);
  EXPECT_EQ(R(), before);
  EXPECT_TRUE(holds(R(), t[0].epoch));
}

TEST_F(OpenReaders, Writer_MeetsTheLastReadOfEach) {
  open();
  EXPECT_EQ(reads(t[0]), 0u);
  EXPECT_EQ(reads(t[1]), 0u);
  ASSERT_EQ(writes(t[2]), 2u);
  EXPECT_EQ(seen[0].previous, t[0].epoch);
  EXPECT_EQ(seen[1].previous, t[1].epoch);
}

TEST_F(OpenReaders, OrderedWriter_MeetsNobody) {
  open();
  EXPECT_EQ(reads(t[0]), 0u);
  order(t[0], t[2]);
  order(t[1], t[2]);
  EXPECT_EQ(writes(t[2]), 0u);
  EXPECT_EQ(reads(t[0]), 1u); // it has not seen the write
}

TEST_F(OpenReaders, NewReader_IsAddedInPlace) {
  open();
  const Word before = R();
  EXPECT_EQ(reads(t[2]), 0u);
  EXPECT_EQ(R(), before);
  EXPECT_EQ(set_size(R()), 3u);
  EXPECT_EQ(writes(t[3]), 3u);
}

TEST_F(OpenReaders, ReaderThatIsOrderedAfterAll_EndsTheSet) {
  open();
  order(t[0], t[2]);
  order(t[1], t[2]);
  EXPECT_EQ(reads(t[2]), 0u);
  EXPECT_EQ(R(), Word(t[2].epoch));
}

TEST_F(OpenReaders, ReaderThatIsOrderedAfterOne_TakesItsPlace) {
  open();
  order(t[0], t[2]);
  EXPECT_EQ(reads(t[2]), 0u);
  EXPECT_EQ(set_size(R()), 2u);
  EXPECT_TRUE(holds(R(), t[2].epoch));
  EXPECT_EQ(writes(t[3]), 2u);
}

TEST_F(OpenReaders, MoreThanALineHolds_AreAllKept) {
  std::vector<std::unique_ptr<ThreadState>> readers;
  for (Tid i = 0; i < 40; ++i) {
    readers.push_back(std::make_unique<ThreadState>());
    begin(*readers.back(), 10 + i);
    EXPECT_EQ(reads(*readers.back()), 0u);
    if (!i) continue; // an epoch
    EXPECT_EQ(set_of(R()).capacity % 8, 7u);
    for (u32 k = 0; k <= i; ++k) EXPECT_TRUE(holds(R(), readers[k]->epoch)) << i;
  }
  EXPECT_EQ(writes(t[0]), 40u);
}

// Beyond the first line every one that moves on is still found.
TEST_F(OpenReaders, LongSet_MovesOnInPlace) {
  std::vector<std::unique_ptr<ThreadState>> readers;
  for (Tid i = 0; i < 20; ++i) {
    readers.push_back(std::make_unique<ThreadState>());
    begin(*readers.back(), 10 + i);
    reads(*readers.back());
  }
  const Word before = R();
  for (auto& reader : readers) tick(*reader), reads(*reader);
  EXPECT_EQ(R(), before);
  EXPECT_EQ(set_size(R()), 20u);
  for (auto& reader : readers) EXPECT_TRUE(holds(R(), reader->epoch));
}

// While another set is put in its place nobody is content with an entry in this one.
TEST_F(OpenReaders, LockedSet_IsWaitedFor) {
  for (const AccessKind kind : {AccessKind::Read, AccessKind::Write, AccessKind::AtomicWrite}) {
    forget(&t[0], at(), 8);
    open();
    const Word before = R();
    put(before.locked());
    std::atomic<bool> done = false;
    std::thread late([&] {
      does(t[2], kind);
      done = true;
    });
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
    EXPECT_FALSE(done);
    EXPECT_EQ(R(), before.locked());
    put(make_set(t[3], Reference::CellSet, before, {t[3].epoch, kRead}));
    late.join();
    EXPECT_EQ(seen.size(), kind == AccessKind::Read ? 0u : 3u);
    EXPECT_EQ(R() == Word(t[2].epoch), kind == AccessKind::Write);
  }
}

TEST_F(OpenReaders, LockedSet_OfOneHalf_LeavesTheOtherAlone) {
  open();
  const Word before = R();
  store_word(granule_unit(at()).R, before.locked().raw);
  EXPECT_EQ(reads(t[2], 4, 4), 0u);
  EXPECT_EQ(writes(t[3], 4, 4), 3u);
  store_word(granule_unit(at()).R, before.raw);
  EXPECT_EQ(writes(t[3], 0, 4), 2u);
}

// A thread that comes to a set when R names its copy already finds that out, and makes its entry again.
TEST_F(OpenReaders, EntryInASetThatRNamesNoMore_DoesNotCount) {
  open();
  const Word before = R(), copy = make_set(t[2], Reference::CellSet, before, {t[2].epoch, kRead});
  EXPECT_EQ(move_on_in_place(t[0], before, kRead), Moved::Done);
  put(copy);
  EXPECT_FALSE(set_has_mine(t[0], R(), kRead));
  EXPECT_EQ(reads(t[0]), 0u);
  EXPECT_TRUE(holds(R(), t[0].epoch));
  EXPECT_EQ(set_size(R()), 3u);
}

// Each is judged when it moves on, in place or not.
TEST_F(OpenReaders, ReaderThatMovesOn_TellsOfTheWriteBelow) {
  writes(t[3]);
  for (u32 i = 0; i < 2; ++i) order(t[3], t[i]);
  open();
  EXPECT_EQ(reads(t[0]), 0u);
  ASSERT_EQ(reads(t[2]), 1u);
  EXPECT_EQ(tid_of(seen[0].previous), t[3].tid());
  EXPECT_EQ(reads(t[2]), 0u) << "once";
}

TEST_F(OpenReaders, AtomicAccesses_MoveOnEachKindForItself) {
  for (u32 round = 0; round < 3; ++round)
    for (u32 i = 0; i < 2; ++i) {
      tick(t[i]);
      does(t[i], AccessKind::AtomicRead);
      does(t[i], AccessKind::AtomicWrite);
    }
  EXPECT_LE(set_size(R()), 4u);
  order(t[0], t[2]);
  ASSERT_EQ(reads(t[2]), 1u);
  EXPECT_EQ(seen[0].previous_kind, AccessKind::AtomicWrite);
  EXPECT_EQ(seen[0].previous, t[1].epoch);
}

// A read that moves on where it has found only reads does not look for others (check/quick.h).
TEST_F(OpenReaders, FirstAtomicWrite_MakesAnotherSet) {
  open();
  const Word of_reads = R();
  does(t[2], AccessKind::AtomicWrite);
  const Word with_writes = R();
  EXPECT_NE(with_writes, of_reads);
  EXPECT_EQ(set_size(of_reads), 2u);
  EXPECT_EQ(set_size(with_writes), 3u);
  tick(t[2]);
  does(t[2], AccessKind::AtomicWrite);
  does(t[3], AccessKind::AtomicWrite);
  EXPECT_EQ(R(), with_writes);
  EXPECT_EQ(set_size(with_writes), 4u);
}

TEST_F(OpenReaders, ForgottenCell_LeavesNoSetBehind) {
  open();
  forget(&t[0], at(), 8);
  EXPECT_EQ(R(), Word());
  EXPECT_EQ(writes(t[2]), 0u);
}

TEST_F(Rules, MakeSet_DropsWhatTheNewOneStandsFor) {
  tick(t[1]);
  const Word both = make_set(t[0], Reference::OwnSet, t[1].epoch, {t[0].epoch, kRead});
  EXPECT_EQ(set_size(both), 2u);
  order(t[0], t[2]);
  const Word after = make_set(t[2], Reference::OwnSet, both, {t[2].epoch, kRead});
  EXPECT_EQ(set_size(after), 2u);
  EXPECT_TRUE(holds(after, t[1].epoch));
  EXPECT_TRUE(holds(after, t[2].epoch));
  const Word atomic = make_set(t[2], Reference::OwnSet, after, {t[2].epoch, AccessKind::AtomicWrite});
  EXPECT_EQ(set_size(atomic), 3u) << "an atomic write does not stand for a read";
  EXPECT_EQ(set_size(make_set(t[2], Reference::OwnSet, Word(), {t[2].epoch, kRead})), 1u);
}

} // namespace
} // namespace footrace::fasttrack
