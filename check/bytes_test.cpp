// Granules whose bytes have different pasts (check/bytes.h): W and R go apart, each byte is judged by its own past, and they go together again.
#include "check/rules_test.h"

#include <random>

namespace footrace::fasttrack {
namespace {

class BytesOfAGranule : public Rules {
protected:
  void SetUp() override {
    Rules::SetUp();
    forget_four_words(); // those of the last test, which had the same epochs
  }
  Word W_of(u32 byte) { return word_of_byte(W(), byte); }
  Word R_of(u32 byte) { return word_of_byte(R(), byte); }
};

TEST_F(BytesOfAGranule, AccessToSome_PartsTheGranule) {
  writes(t[0], 0, 4);
  tick(t[0]);
  writes(t[0], 1, 2);
  ASSERT_TRUE(R().is_bytes());
  EXPECT_FALSE(R().is_locked());
  EXPECT_EQ(W_of(1), Word(t[0].epoch));
  EXPECT_EQ(W_of(0), W_of(3));
  EXPECT_NE(W_of(0), W_of(1));
  EXPECT_EQ(W(), R()) << "they know the same";
  EXPECT_EQ(count(t[0], Transition::bytes_made), 1u);
  EXPECT_FALSE(R(4).is_bytes()) << "the other half of the cell has no part in it";
}

TEST_F(BytesOfAGranule, ReadAgain_GoTogetherWhenAllAreRead) {
  writes(t[0], 0, 4), tick(t[0]);
  reads(t[0], 0, 4), tick(t[0]);
  for (u32 i = 0; i < 3; ++i) {
    EXPECT_EQ(reads(t[0], i, 1), 0u);
    ASSERT_TRUE(R().is_bytes());
  }
  EXPECT_EQ(reads(t[0], 3, 1), 0u);
  EXPECT_EQ(R(), Word(t[0].epoch));
  EXPECT_EQ(W(), Word(before(t[0], 2)));
}

TEST_F(BytesOfAGranule, WrittenAgain_GoTogetherWhenAllAreWritten) {
  writes(t[0], 0, 4), tick(t[0]);
  for (u32 i = 0; i < 4; ++i) {
    reads(t[0], i, 1);
    writes(t[0], i, 1);
    ASSERT_EQ(R().is_bytes(), i < 3);
  }
  EXPECT_EQ(W(), Word(t[0].epoch));
  EXPECT_EQ(R(), Word(t[0].epoch));
}

TEST_F(BytesOfAGranule, WriteOfAll_MakesItOneAgain) {
  for (u64 byte = 0; byte < 4; ++byte) tick(t[0]), writes(t[0], byte, 1);
  ASSERT_TRUE(R().is_bytes());
  tick(t[0]);
  EXPECT_EQ(writes(t[0], 0, 8), 0u);
  EXPECT_EQ(*cell_unit(at()).W, t[0].both);
  EXPECT_EQ(*cell_unit(at()).R, t[0].both);
}

TEST_F(BytesOfAGranule, EachKeepsItsOwnPast) {
  Clock m;
  writes(t[0], 0, 4), release(t[0], m); // t1 is ordered after the old accesses, not after the new one
  acquire(t[1], m);
  writes(t[0], 1, 1);
  EXPECT_EQ(reads(t[1], 0, 1), 0u);
  EXPECT_EQ(reads(t[1], 2, 2), 0u);
  ASSERT_EQ(reads(t[1], 1, 1), 1u);
  EXPECT_EQ(seen[0].previous, t[0].epoch);
  EXPECT_EQ(seen[0].address, at(1));
}

TEST_F(BytesOfAGranule, SameEpoch_IsKnownOfEachByte) {
  writes(t[0], 0, 2);
  const u64 written = count(t[0], Rule::write_exclusive);
  EXPECT_EQ(writes(t[0], 0, 1), 0u);
  EXPECT_EQ(count(t[0], Rule::write_exclusive), written);
  EXPECT_FALSE(seen_in_this_epoch(t[0], at(2), 1, true));
}

// Bytes that the same threads have read get the same new set, so that they go together again.
TEST_F(BytesOfAGranule, ReadByTheSameThreads_HaveOneSet) {
  reads(t[0], 0, 4);
  reads(t[1], 0, 2);
  ASSERT_TRUE(R().is_bytes());
  EXPECT_TRUE(R_of(0).is_set());
  EXPECT_EQ(R_of(0), R_of(1));
  EXPECT_EQ(R_of(2), Word(t[0].epoch));
  EXPECT_EQ(writes(t[2], 0, 4), 2u + 2 + 1 + 1);
}

// A set that was the granule's is not changed in place once it is that of some bytes.
TEST_F(BytesOfAGranule, SetOfSomeBytes_IsNotChangedInPlace) {
  reads(t[0], 0, 4);
  reads(t[1], 0, 4);
  order(t[0], t[2]);
  order(t[1], t[2]);
  reads(t[1], 0, 1);
  ASSERT_TRUE(R().is_bytes());
  EXPECT_EQ(writes(t[2], 1, 3), 0u) << "both reads are ordered before";
  EXPECT_EQ(writes(t[2], 0, 1), 1u) << "the second read is not";
}

// Tables are read byte by byte: each byte has a set of its own, in which threads move on.
class SetOfAByte : public BytesOfAGranule {
protected:
  Word set(u32 byte = 1) { return R_of(byte); }
  void open() { // t0 and t1 have read one byte
    for (u32 i = 0; i < 2; ++i) reads(t[i], 1, 1), tick(t[i]);
    ASSERT_TRUE(R().is_bytes());
    ASSERT_EQ(set().kind(), Reference::ByteSet);
  }
};

TEST_F(SetOfAByte, ReaderThatComesAgain_MovesOnInPlace) {
  open();
  const Word first = set(), granule = R();
  for (u32 round = 0; round < 5; ++round)
    for (u32 i = 0; i < 2; ++i) {
      EXPECT_EQ(reads(t[i], 1, 1), 0u);
      EXPECT_TRUE(holds(first, t[i].epoch));
      EXPECT_TRUE(knows_readers(t[i], first));
      tick(t[i]);
    }
  EXPECT_EQ(set(), first);
  EXPECT_EQ(R(), granule);
  EXPECT_EQ(set_size(first), 2u);
  EXPECT_EQ(count(t[0], Transition::set_moved), 5u);
  EXPECT_EQ(count(t[0], Transition::set_made), 0u);
  ASSERT_EQ(writes(t[2], 1, 1), 2u);
  EXPECT_EQ(seen[0].previous, before(t[0], 1));
  EXPECT_EQ(seen[1].previous, before(t[1], 1));
}

TEST_F(SetOfAByte, NewReader_MakesALargerOne) {
  open();
  const Word before_it = set();
  EXPECT_EQ(reads(t[2], 1, 1), 0u);
  EXPECT_NE(set(), before_it);
  EXPECT_EQ(set().kind(), Reference::ByteSet);
  EXPECT_EQ(set_size(set()), 3u);
  EXPECT_EQ(writes(t[3], 1, 1), 3u);
}

TEST_F(SetOfAByte, MoreReadersThanALineHolds_AreAllKept) {
  open();
  constexpr u32 kMore = 12;
  const auto more = std::make_unique<ThreadState[]>(kMore);
  for (u32 round = 0; round < 2; ++round)
    for (u32 i = 0; i < kMore; ++i) {
      if (!round) begin(more[i], 10 + i);
      EXPECT_EQ(reads(more[i], 1, 1), 0u);
      if (round) EXPECT_EQ(count(more[i], Transition::set_moved), 1u);
      tick(more[i]);
    }
  EXPECT_EQ(set_size(set()), 2 + kMore);
  EXPECT_EQ(writes(t[2], 1, 1), 2 + kMore);
}

TEST_F(SetOfAByte, ReaderThatIsOrderedAfterAll_EndsIt) {
  open();
  order(t[1], t[0]);
  EXPECT_EQ(reads(t[0], 1, 1), 0u);
  EXPECT_EQ(set(), Word(t[0].epoch));
  EXPECT_EQ(writes(t[2], 1, 1), 1u);
}

TEST_F(SetOfAByte, Neighbours_HaveSetsOfTheirOwn) {
  for (u32 i = 0; i < 2; ++i) reads(t[i], 1, 1), tick(t[i]), reads(t[i], 2, 1), tick(t[i]);
  ASSERT_EQ(set(1).kind(), Reference::ByteSet);
  ASSERT_EQ(set(2).kind(), Reference::ByteSet);
  EXPECT_NE(set(1), set(2));
  const Epoch last = before(t[0], 1);
  EXPECT_EQ(reads(t[0], 1, 1), 0u);
  EXPECT_TRUE(holds(set(2), last)) << "the neighbour was not read again";
  order(t[0], t[2]);
  order(t[1], t[2]);
  EXPECT_EQ(writes(t[2], 1, 2), 0u);
}

TEST_F(SetOfAByte, OfBytesThatAreReadTogether_IsCommon) {
  reads(t[0], 1, 2), reads(t[1], 1, 2);
  EXPECT_EQ(set(1), set(2));
  EXPECT_EQ(set(1).kind(), Reference::CommonSet);
  tick(t[0]);
  const Word first = set(1);
  EXPECT_EQ(reads(t[0], 1, 1), 0u);
  EXPECT_NE(set(1), first) << "it is of the other byte, too";
  EXPECT_EQ(set(2), first);
  EXPECT_FALSE(holds(first, t[0].epoch));
}

TEST_F(SetOfAByte, AtomicAccess_IsNoReader) {
  open();
  does(t[2], AccessKind::AtomicWrite, 1, 1);
  EXPECT_EQ(reads(t[0], 1, 1), 1u);
  EXPECT_EQ(set_size(set()), 3u);
  EXPECT_EQ(writes(t[3], 1, 1), 3u);
}

TEST_F(BytesOfAGranule, AtomicAccesses_AreOfTheirBytes) {
  does(t[0], AccessKind::AtomicWrite, 0, 1);
  does(t[1], AccessKind::AtomicWrite, 1, 1);
  EXPECT_EQ(reads(t[2], 2, 2), 0u);
  ASSERT_EQ(reads(t[2], 1, 1), 1u);
  EXPECT_EQ(tid_of(seen[0].previous), t[1].tid());
  tick(t[1]);
  ASSERT_EQ(does(t[1], AccessKind::AtomicWrite, 0, 2), 1u) << "nobody has read the first";
  EXPECT_EQ(seen[0].address, at(1));
}

// Four words never change, so what is done to many granules needs them once.
TEST_F(BytesOfAGranule, NeighboursWithOnePast_NameTheSameWords) {
  writes(t[0], 0, sizeof memory), tick(t[0]);
  for (u64 granule = 0; granule < sizeof memory; granule += kGranule) writes(t[0], granule + 1, 2);
  for (u64 granule = 0; granule < sizeof memory; granule += kGranule) {
    ASSERT_TRUE(R(granule).is_bytes());
    EXPECT_EQ(R(granule), R());
    EXPECT_EQ(W(granule), R());
  }
  EXPECT_EQ(count(t[0], Transition::bytes_made), 1u);
}

TEST_F(BytesOfAGranule, NeighbourWithAnotherPast_NamesOthers) {
  writes(t[0], 0, 8), tick(t[0]);
  reads(t[0], 4, 4), tick(t[0]);
  writes(t[0], 1, 2), writes(t[0], 5, 2);
  EXPECT_EQ(W(4), W());
  EXPECT_NE(R(4), R());
  EXPECT_EQ(R_of(0), Word(before(t[0], 2)));
  EXPECT_EQ(word_of_byte(R(4), 0), Word(before(t[0], 1)));
}

// R says of the bytes that were written that they were, and of the others that they were read.
TEST_F(BytesOfAGranule, AtomicOverBytesWrittenAndOthersRead_KeepsThemApart) {
  writes(t[0], 2, 2), reads(t[0], 0, 2);
  ASSERT_EQ(R(), Word(t[0].epoch));
  ASSERT_TRUE(W().is_bytes());
  does(t[0], AccessKind::AtomicWrite, 0, 4);
  EXPECT_EQ(writes(t[1], 0, 1), 2u) << "a read and an atomic write";
  ASSERT_EQ(writes(t[1], 2, 1), 2u) << "a write and an atomic write";
  for (const Conflict& c : seen) EXPECT_NE(c.previous_kind, AccessKind::Read);
}

TEST_F(BytesOfAGranule, RacingReadOverBytesWrittenAndOthersRead_KeepsThemApart) {
  writes(t[0], 2, 2), reads(t[0], 0, 2);
  EXPECT_EQ(reads(t[1], 0, 4), 2u);
  ASSERT_EQ(writes(t[2], 0, 4), 2u + 2 + 2 + 2);
  for (const Conflict& c : seen)
    EXPECT_EQ(c.previous_kind == AccessKind::Write, c.address >= at(2) && c.previous == t[0].epoch);
}

// What becomes of a word by an access is remembered of the epoch, and of these bytes.
TEST_F(BytesOfAGranule, WhatIsRemembered_IsOfTheEpoch) {
  writes(t[0], 0, 8);
  const Word before = R();
  tick(t[0]);
  const Word first = with_mine(t[0], before, 2).after, other = with_mine(t[0], before, 4).after;
  EXPECT_EQ(word_of_byte(first, 1), Word(t[0].epoch));
  EXPECT_EQ(word_of_byte(first, 2), before);
  EXPECT_EQ(word_of_byte(other, 1), before);
  EXPECT_EQ(with_mine(t[0], before, 2).after, first);
  tick(t[0]);
  EXPECT_EQ(word_of_byte(with_mine(t[0], before, 2).after, 1), Word(t[0].epoch));
}

// A thread may learn of others in its epoch: what is remembered as unordered may be ordered by then, and never the other way.
TEST_F(BytesOfAGranule, WhatIsRememberedAsUnordered_IsJudgedAgainByTheStep) {
  writes(t[0], 0, 4);
  EXPECT_FALSE(with_mine(t[1], R(), 2).is_ordered);
  order(t[0], t[1]);
  EXPECT_EQ(writes(t[1], 1, 1), 0u);
  EXPECT_EQ(R_of(1), Word(t[1].epoch));
}

// Two threads that come in either order leave the same words, though each has made some of them.
TEST_F(BytesOfAGranule, WordsOfAnotherThread_AreFoundByWhatIsInThem) {
  writes(t[0], 1, 1), writes(t[1], 2, 1);
  writes(t[1], 6, 1), writes(t[0], 5, 1);
  ASSERT_TRUE(R().is_bytes());
  EXPECT_EQ(R(4), R());
  EXPECT_EQ(W(4), W());
}

// R is in one piece where all was read, whatever W is.
TEST_F(BytesOfAGranule, ReadOfAll_LeavesTheWritesApart) {
  writes(t[0], 0, 4), tick(t[0]);
  writes(t[0], 1, 1), tick(t[0]);
  const Word written = W();
  ASSERT_TRUE(written.is_bytes());
  EXPECT_EQ(reads(t[0], 0, 4), 0u);
  EXPECT_EQ(R(), Word(t[0].epoch));
  EXPECT_EQ(W(), written);
  ASSERT_EQ(reads(t[1], 0, 4), 4u) << "each byte by its own write";
  for (u32 i = 0; i < 4; ++i) EXPECT_EQ(seen[i].previous, before(t[0], i == 1 ? 1 : 2));
}

// Code in line looks at W alone: what is forgotten of a granule must not look written.
TEST_F(BytesOfAGranule, ForgottenByte_IsNotSeenAsWritten) {
  writes(t[0], 0, 4);
  forget(&t[0], at(), 1);
  EXPECT_FALSE(seen_in_this_epoch(t[0], at(), 1, true));
  EXPECT_NE(W(), Word(t[0].epoch));
  EXPECT_EQ(writes(t[1], 0, 1), 0u);
  EXPECT_EQ(writes(t[1], 1, 1), 1u);
}

TEST_F(BytesOfAGranule, WrittenAgainAfterForgetting_RaceAgain) {
  writes(t[0], 0, 4);
  forget(&t[0], at(), 1);
  writes(t[0], 0, 1);
  EXPECT_EQ(reads(t[1], 0, 1), 1u);
}

TEST_F(BytesOfAGranule, ForgottenOneByOne_LeaveNothing) {
  writes(t[0], 0, 4);
  for (u64 byte = 0; byte < 4; ++byte) forget(&t[0], at(byte), 1);
  EXPECT_EQ(R(), Word());
}

// Byte by byte in any order: what the granule says at the end is what every byte said.
TEST_F(BytesOfAGranule, RandomAccesses_AreRememberedByByte) {
  std::mt19937 random(7);
  for (u32 round = 0; round < 2000; ++round) {
    forget(&t[0], at(), 8);
    Epoch written[8] = {}, read[8] = {};
    for (u32 step = 0; step < 12; ++step) {
      const u64 from = random() % 8, size = 1 + random() % (8 - from);
      const bool write = random() % 2;
      EXPECT_EQ(does(t[0], write ? AccessKind::Write : AccessKind::Read, from, size), 0u);
      for (u64 i = from; i < from + size; ++i) (write ? written : read)[i] = t[0].epoch;
      if (random() % 3 == 0) tick(t[0]);
    }
    for (u64 i = 0; i < 8; ++i) {
      const u32 of_read =
          read[i] && read[i].raw > written[i].raw; // beside a write of the same epoch it says nothing
      ASSERT_EQ(writes(t[1], i, 1), (written[i] ? 1u : 0) + of_read) << "round " << round << ", byte " << i;
    }
  }
}

} // namespace
} // namespace footrace::fasttrack
