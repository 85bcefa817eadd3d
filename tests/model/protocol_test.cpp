// Every interleaving of small plans: two threads with every pair of accesses, two with more accesses each, three with one each.
#include "tests/model/protocol.h"

#include <gtest/gtest.h>

namespace footrace::model {
namespace {

constexpr AccessKind R = AccessKind::Read, W = AccessKind::Write, AR = AccessKind::AtomicRead,
                     AW = AccessKind::AtomicWrite;

// Counts what was explored, and says so at the end of a test.
class Protocol : public testing::Test {
protected:
  void expect_holds(Plan plan, std::vector<Accesses> threads) {
    plan.threads = std::move(threads);
    expect_holds(plan);
    plan.is_quick = true;
    if (tries_quick_) expect_holds(plan);
  }
  void expect_holds(const Plan& plan) {
    if (HasFailure()) return; // one is enough to read
    Outcome outcome = check(plan);
    ++plans_, runs_ += outcome.runs, states_ += outcome.states;
    EXPECT_EQ(outcome.failure, "") << to_text(plan) << "\n" << outcome.trace;
    EXPECT_TRUE(outcome.exhausted || !outcome.failure.empty()) << "too many interleavings: " << to_text(plan);
  }
  // Two threads with one access each: every pair of the menu.
  void expect_pairs_hold(const Plan& past, const Accesses& menu) {
    for (size_t a = 0; a < menu.size(); ++a)
      for (size_t b = a; b < menu.size(); ++b) expect_holds(past, {{menu[a]}, {menu[b]}});
  }
  void expect_triples_hold(const Plan& past, const Accesses& menu) {
    for (size_t a = 0; a < menu.size(); ++a)
      for (size_t b = a; b < menu.size(); ++b)
        for (size_t c = b; c < menu.size(); ++c) expect_holds(past, {{menu[a]}, {menu[b]}, {menu[c]}});
  }
  // Two accesses each.
  void expect_pairs_of_two_hold(const Plan& past, const Accesses& menu) {
    std::vector<Accesses> two;
    for (const Access& a : menu)
      for (const Access& b : menu) two.push_back({a, b});
    for (size_t a = 0; a < two.size(); ++a)
      for (size_t b = a; b < two.size(); ++b) expect_holds(past, {two[a], two[b]});
  }
  void TearDown() override {
    std::printf("%llu plans, %llu runs, %llu states\n", (unsigned long long)plans_, (unsigned long long)runs_,
                (unsigned long long)states_);
  }

  bool tries_quick_ = true; // the steps that need no call, too

private:
  u64 plans_ = 0, runs_ = 0, states_ = 0;
};

// What a cell may hold when the threads begin.
const Plan kEmpty = {{}, {}, {}}, kWritten = {{{0, 8, W}}, {}, {}}, kRead = {{{0, 8, W}}, {{0, 8, R}}, {}},
           kHalves = {{{0, 4, W}, {4, 4, R}}, {}, {}},
           kReadBySeveral = {{{0, 8, W}}, {{0, 8, R}, {0, 8, R}}, {}},
           kParted = {{{0, 1, W}, {1, 1, R}}, {}, {}}, kAtomic = {{{0, 8, W}}, {{0, 8, AW}, {0, 8, AR}}, {}};

class CellProtocol : public Protocol {};

TEST_F(CellProtocol, TwoThreads_EveryPairOfAccesses) {
  const Accesses menu = {{0, 8, R}, {0, 8, W}, {0, 4, R},  {0, 4, W},  {4, 4, W},  {0, 1, R},
                         {0, 1, W}, {2, 4, R}, {0, 8, AR}, {0, 8, AW}, {0, 4, AW}, {1, 1, AW}};
  for (const Plan& past : {kEmpty, kWritten, kRead, kHalves, kReadBySeveral, kParted, kAtomic})
    expect_pairs_hold(past, menu);
}

TEST_F(CellProtocol, TwoThreads_TwoAccessesEach) {
  for (const Plan& past : {kEmpty, kWritten})
    expect_pairs_of_two_hold(past, {{0, 8, R}, {0, 8, W}, {0, 4, R}, {0, 4, W}});
  expect_pairs_of_two_hold(kReadBySeveral, {{0, 8, R}, {0, 8, W}, {4, 4, W}});
}

TEST_F(CellProtocol, ThreeThreads_EveryTripleOfAccesses) {
  for (const Plan& past : {kEmpty, kWritten, kRead})
    expect_triples_hold(past, {{0, 8, R}, {0, 8, W}, {0, 4, R}, {0, 4, W}, {0, 4, AR}});
  expect_triples_hold(kReadBySeveral, {{0, 8, R}, {0, 8, W}});
}

// Writers that have stored W and lose their R to others, again and again.
TEST_F(CellProtocol, ThreeThreads_WritersAgainstReadAndWrite) {
  for (const Plan& past : {kWritten, kRead})
    for (const Access& a : {Access{0, 4, W}, Access{0, 8, W}})
      for (const Access& b : {Access{0, 4, W}, Access{0, 4, R}})
        expect_holds(past, {{a}, {b}, {{0, 4, R}, {0, 4, W}}});
}

// A thread that is ordered after one of the others, and judges by R alone what that one has left.
TEST_F(CellProtocol, ThreeThreads_OneOrderedAfterAnother) {
  const Accesses menu = {{0, 8, R}, {0, 8, W}, {0, 4, W}, {0, 4, AW}};
  for (Plan past : {kEmpty, kWritten, kRead}) {
    past.order = {{2, 0}};
    for (const Access& a : menu)
      for (const Access& b : menu)
        for (const Access& c : menu) expect_holds(past, {{a}, {b}, {c}});
  }
}

// Threads that have made an access in the epoch of the run: their R may be the same before and after a write.
const Plan kReadInEpoch = {{{0, 8, W}}, {}, {}, {}, {{0, 8, R}}},
           kReadHalfInEpoch = {{{0, 8, W}}, {}, {}, {}, {{0, 4, R}}},
           kReadTogetherInEpoch = {{{0, 8, W}}, {}, {}, {}, {{0, 8, R}, {8, 8, R}}},
           kAtomicInEpoch = {{{0, 8, W}}, {}, {}, {}, {{0, 8, AR}}};

TEST_F(CellProtocol, TwoThreads_AgainInTheSameEpoch) {
  for (const Plan& past : {kReadInEpoch, kReadHalfInEpoch, kAtomicInEpoch})
    expect_pairs_hold(
        past, {{0, 8, R}, {0, 8, W}, {0, 4, R}, {0, 4, W}, {0, 1, R}, {0, 1, W}, {0, 4, AR}, {1, 1, AR}});
  expect_pairs_hold(kReadTogetherInEpoch,
                    {{8, 8, R}, {8, 8, W}, {8, 4, R}, {9, 1, R}, {9, 1, W}, {8, 8, AW}});
}

TEST_F(CellProtocol, TwoThreads_ReadAndThenWrite) {
  const Accesses others = {{0, 8, R}, {0, 4, R}, {0, 4, W}, {0, 1, R}, {0, 1, W}, {0, 4, AR}, {0, 4, AW}};
  for (const Accesses& one :
       {Accesses{{0, 4, R}, {0, 4, W}}, Accesses{{0, 8, R}, {0, 4, W}}, Accesses{{0, 8, R}, {0, 8, W}},
        Accesses{{0, 1, R}, {0, 4, W}}, Accesses{{0, 4, R}, {0, 1, W}}, Accesses{{0, 4, W}, {0, 1, W}}})
    for (const Access& other : others) {
      expect_holds(kWritten, {one, {other}});
      expect_holds(kWritten, {one, {other, {0, 4, R}}});
    }
}

// Code in line looks at one word, and at sets that it knows, and leaves the rest out.
TEST_F(CellProtocol, TwoThreads_SeenInLine) {
  for (Plan past : {kEmpty, kReadBySeveral, kReadInEpoch, kParted}) {
    past.in_line = true;
    for (const Access& first : {Access{0, 8, R}, Access{0, 8, W}, Access{0, 4, R}})
      for (const Access& second :
           {Access{0, 8, R}, Access{0, 8, W}, Access{0, 4, R}, Access{2, 4, W}, Access{0, 1, R}})
        for (const Access& other : {Access{0, 8, R}, Access{0, 8, W}, Access{0, 4, W}, Access{0, 1, W}})
          expect_holds(past, {{first, second}, {other}});
  }
}

// Of two writers, both not done, one has read the granule before: it is W of the one and R of the other that stay.
TEST_F(CellProtocol, TwoThreads_WriteWhatWasRead) {
  for (const Access& third : {Access{0, 4, R}, Access{0, 4, W}, Access{0, 1, R}})
    for (const Accesses& other : {Accesses{{0, 4, W}}, Accesses{{0, 4, W}, {0, 4, R}}})
      expect_holds(kWritten, {{{0, 4, R}, {0, 4, W}, third}, other});
}

// Readers and atomics that come again in a later epoch: their entries move on in place, in a set of the cell or of a granule.
const Plan kReadByEach = {{{0, 8, W}}, {}, {}, {{0, 8, R}}},
           kReadHalfByEach = {{{0, 8, W}}, {}, {}, {{0, 4, R}}},
           kReadTogether = {{{0, 8, W}}, {}, {}, {{0, 8, R}, {8, 8, R}}},
           kAtomicByEach = {{{0, 8, W}}, {}, {}, {{0, 8, AR}, {0, 8, AW}}},
           kAtomicHalfByEach = {{{0, 4, W}}, {}, {}, {{0, 4, AW}}};

TEST_F(CellProtocol, TwoThreads_AgainInALaterEpoch) {
  const Accesses menu = {{0, 8, R}, {0, 4, R}, {4, 4, R},  {0, 8, W}, {0, 4, W},
                         {0, 1, R}, {0, 1, W}, {0, 8, AR}, {0, 4, AW}};
  for (const Plan& past : {kReadByEach, kReadHalfByEach, kAtomicByEach}) expect_pairs_hold(past, menu);
  expect_pairs_hold(kReadTogether, {{8, 8, R}, {8, 4, R}, {8, 8, W}, {9, 1, R}, {8, 8, AW}});
}

TEST_F(CellProtocol, ThreeThreads_AgainInALaterEpoch) {
  const Access read = {0, 4, R}, write = {0, 4, W};
  for (const Access& other : {read, write}) expect_holds(kReadHalfByEach, {{read}, {read}, {other}});
  expect_holds(kReadHalfByEach, {{read}, {write}, {write}});
  expect_holds(kAtomicHalfByEach, {{{0, 4, AW}}, {{0, 4, AW}}, {write}});
  for (const Access& other : {Access{0, 8, R}, Access{0, 8, W}})
    expect_holds(kReadByEach, {{{0, 8, R}}, {{0, 8, R}}, {other}});
  expect_holds(kReadByEach, {{{0, 8, R}}, {{0, 4, R}}, {write}});
}

// One of two that come again is ordered after what the other did before: it replaces that in the set, or has nothing to tell of it.
TEST_F(CellProtocol, TwoThreads_OneKnowsTheOthersFirst) {
  const Accesses menu = {{0, 8, R},  {0, 4, R},  {0, 8, W},  {0, 4, W}, {0, 1, R},
                         {0, 8, AR}, {0, 8, AW}, {0, 4, AW}, {1, 1, AW}};
  for (Plan past : {kReadByEach, kReadHalfByEach, kAtomicByEach, kAtomicHalfByEach}) {
    past.first_order = {{1, 0}};
    for (const Access& a : menu)
      for (const Access& b : menu) expect_holds(past, {{a}, {b}});
  }
}

// The same of one byte: the set is its own.
const Plan kReadByteByEach = {{{0, 8, W}}, {}, {}, {{0, 1, R}}},
           kReadBytesByEach = {{{0, 8, W}}, {}, {}, {{0, 1, R}, {2, 2, R}, {3, 1, R}}},
           kAtomicByteByEach = {{{0, 8, W}}, {}, {}, {{0, 1, AW}, {2, 1, AR}}};

TEST_F(CellProtocol, TwoThreads_BytesAgainInALaterEpoch) {
  const Accesses menu = {{0, 1, R}, {0, 1, W}, {0, 2, R},  {3, 1, R}, {2, 2, W},
                         {0, 4, R}, {0, 8, W}, {0, 1, AR}, {0, 1, AW}};
  for (Plan past : {kReadByteByEach, kReadBytesByEach, kAtomicByteByEach}) {
    expect_pairs_hold(past, menu);
    past.first_order = {{1, 0}};
    for (const Access& a : menu)
      for (const Access& b : {Access{0, 1, R}, Access{0, 1, W}, Access{0, 4, R}, Access{0, 1, AW}})
        expect_holds(past, {{a}, {b, {0, 1, R}}});
  }
  for (const Access& other : {Access{0, 1, R}, Access{0, 1, W}})
    expect_holds(kReadByteByEach, {{{0, 1, R}}, {{0, 1, R}}, {other}});
}

// Cells that were read by the same threads name one set, and what becomes of it is remembered by who reads them again.
TEST_F(CellProtocol, TwoThreads_CommonSets) {
  const Plan read_by_each = {{{0, 32, W}}, {}, {}, {{0, 32, R}}};
  const Accesses again = {{8, 8, R}, {16, 8, R}, {24, 8, R}};
  for (const Access& other : {Access{24, 8, R}, Access{24, 8, W}, Access{24, 4, R}, Access{24, 4, W},
                              Access{25, 1, R}, Access{25, 1, W}, Access{24, 8, AW}})
    expect_holds(read_by_each, {again, {other}});
  expect_holds(read_by_each, {again, {{16, 8, R}, {24, 8, R}}});
}

// The last of them was written by one who is not ordered before that reader.
TEST_F(CellProtocol, FourThreads_CommonSetOverAnotherWrite) {
  Plan past = {{{0, 32, W}}, {}, {}};
  past.order = {{2, 1}, {3, 1}, {3, 2, true}, {0, 3, true}};
  for (const Access& write : {Access{24, 8, W}, Access{27, 1, W}})
    for (const Access& last : {Access{24, 8, R}, Access{24, 4, R}, Access{write.offset, 1, R}})
      expect_holds(past, {{{8, 8, R}, {16, 8, R}, last}, {write}, {{0, 32, R}}, {{0, 32, R}}});
}

// R is the epoch of one who writes the last of them in that epoch: R stays as it is, and the reader meets the write behind its swap.
TEST_F(CellProtocol, TwoThreads_CommonSetOverAWriteOfTheEpoch) {
  Plan past = {{{0, 32, W}}, {}, {}, {}, {{0, 32, R}}};
  past.has_same_epoch = 2;
  for (const Access& write : {Access{24, 8, W}, Access{24, 4, W}, Access{25, 1, W}})
    for (const Access& last : {Access{24, 8, R}, Access{24, 4, R}})
      expect_holds(past, {{{0, 8, R}, {8, 8, R}, {16, 8, R}, last}, {write}});
}

// The set is common, and of an atomic write, which conflicts with each of the reads: what follows from it must be judged.
TEST_F(CellProtocol, TwoThreads_CommonSetOfAtomics) {
  Plan past = {{{0, 32, W}}, {}, {}};
  past.order = {{0, 1, true}};
  expect_holds(
      past,
      {{{0, 4, R}, {4, 4, R}, {8, 4, R}, {12, 4, R}},
       {{0, 2, AW}, {2, 2, AW}, {4, 2, AW}, {6, 2, AW}, {8, 2, AW}, {10, 2, AW}, {12, 2, AW}, {14, 2, AW}}});
}

// Some granules, and bytes at the ends.
TEST_F(CellProtocol, TwoThreads_Rows) {
  const Accesses menu = {{0, 12, R}, {4, 12, W}, {2, 6, W}, {3, 10, R}, {8, 4, W}, {9, 1, R}};
  for (Plan past : {kEmpty, kWritten, kReadTogether, kParted}) {
    expect_pairs_hold(past, menu);
    past.waits = true;
    for (const Access& row : {Access{0, 12, R}, Access{2, 6, W}, Access{3, 10, R}})
      for (const Access& other : {Access{4, 4, W}, Access{8, 8, R}, Access{2, 1, W}})
        expect_holds(past, {{row, row}, {other}});
  }
}

// Bytes that wait until their granule is full, or their thread ends.
TEST_F(CellProtocol, TwoThreads_BytesThatWait) {
  for (const AccessKind kind : {R, W})
    for (Plan past : {kEmpty, kWritten, kReadHalfByEach, kParted}) {
      past.waits = true;
      for (const Access& other : {Access{4, 4, W}, Access{0, 8, R}, Access{5, 1, W}, Access{4, 4, AW}}) {
        expect_holds(past, {{{0, 4, kind}, {4, 1, kind}, {5, 1, kind}, {6, 2, kind}}, {other}});
        expect_holds(past, {{{0, 4, kind}, {4, 2, R}, {4, 2, W}, {6, 1, kind}, {6, 2, W}}, {other}});
      }
    }
}

// A set that has no room, and one that is not needed any more.
const Plan kFull = {
    {{0, 8, W}}, {{0, 4, R}, {0, 4, R}, {0, 4, R}, {0, 4, R}, {0, 4, R}, {0, 4, AR}}, {}, {{0, 4, AR}}};

TEST_F(CellProtocol, TwoThreads_FullSet) {
  expect_pairs_hold(kFull, {{0, 4, R}, {0, 4, AW}, {0, 4, W}, {0, 8, R}, {0, 1, R}});
}

// A thread that is ordered after all readers reads, while they are joined by another.
TEST_F(CellProtocol, ThreeThreads_ReadOverASet) {
  Plan past = kReadHalfByEach;
  past.order = {{1, 0}};
  for (const Access& a : {Access{0, 4, R}, Access{0, 4, AR}})
    for (const Access& c : {Access{0, 4, R}, Access{0, 4, W}, Access{0, 4, AW}, Access{0, 1, R}})
      expect_holds(past, {{a}, {{0, 4, R}}, {c}});
}

// Bytes of a granule go apart and together again.
TEST_F(CellProtocol, TwoThreads_BytesTogetherAgain) {
  const Accesses by_bytes = {{0, 1, W}, {1, 1, W}, {2, 2, W}}, by_reads = {{0, 1, R}, {1, 3, R}};
  for (const Plan& past : {kWritten, kReadInEpoch, kParted})
    for (const Accesses& one : {by_bytes, by_reads})
      for (const Access& other :
           {Access{0, 4, W}, Access{0, 8, R}, Access{0, 1, W}, Access{2, 2, AR}, Access{0, 4, AW}})
        expect_holds(past, {one, {other}});
}

// R is the write of some bytes, and a read of the others: what is not ordered with it must not take the one for the other.
TEST_F(CellProtocol, TwoThreads_BytesWrittenAndOthersRead) {
  for (const Access& third : {Access{0, 4, AR}, Access{0, 8, AW}, Access{0, 4, R}})
    for (const Access& other :
         {Access{4, 4, R}, Access{0, 4, R}, Access{0, 4, AW}, Access{2, 2, W}, Access{0, 1, R}})
      for (const Plan& past : {kEmpty, kWritten})
        expect_holds(past, {{{2, 2, W}, {0, 2, R}, third}, {other}});
}

// Who writes a whole granule stores W before it looks whether R is still what it was, maybe over the W of a writer of bytes.
TEST_F(CellProtocol, ThreeThreads_BytesAndWholeGranules) {
  for (const Plan& past : {kWritten, kReadInEpoch})
    expect_triples_hold(past, {{0, 1, W}, {1, 1, W}, {0, 1, R}, {0, 4, W}, {0, 2, AW}});
}

TEST_F(CellProtocol, ThreeThreads_BytesOneOrderedAfterAnother) {
  const Accesses menu = {{0, 1, W}, {1, 1, W}, {0, 2, R}, {0, 4, W}};
  for (Plan past : {kWritten, kParted}) {
    past.order = {{2, 0}};
    for (const Access& a : menu)
      for (const Access& b : menu)
        for (const Access& c : menu) expect_holds(past, {{a}, {b}, {c}});
  }
}

TEST_F(CellProtocol, TwoThreads_TwoAccessesToBytesEach) {
  for (const Plan& past : {kWritten, kReadInEpoch})
    expect_pairs_of_two_hold(past, {{0, 1, W}, {1, 1, R}, {0, 4, W}, {0, 4, R}});
}

// A thread has accessed all four bytes in its epoch, and goes on with some, while others are given to somebody else.
TEST_F(CellProtocol, TwoThreads_ForgottenBesideBytesOfTheEpoch) {
  for (const AccessKind kind : {R, W}) {
    Plan past = {{{0, 8, W}}, {}, {}, {}, {{0, 8, kind}}};
    past.has_same_epoch = 2;
    for (const Accesses& life :
         {Accesses{forget(0, 2)}, Accesses{allocate(0, 2)}, Accesses{forget(0, 2), {0, 2, R}},
          Accesses{forget(0, 2), {0, 2, AR}}, Accesses{forget(1, 1), {1, 1, W}}})
      for (const Access& other : {Access{2, 1, W}, Access{2, 2, W}, Access{3, 1, R}, Access{2, 1, AW}})
        expect_holds(past, {life, {other}});
    for (const Access& other : {Access{2, 1, W}, Access{3, 1, R}, Access{2, 2, AW}})
      expect_holds(past, {{forget(0, 2), {0, 2, R}}, {{2, 1, W}}, {other}});
  }
}

// The same is done to the bytes of several granules: they name the same words, and the last one goes from one of these to another.
TEST_F(CellProtocol, TwoThreads_CommonBytes) {
  for (const AccessKind kind : {R, W}) {
    const Accesses row = {{0, 1, kind}, {4, 1, kind}, {8, 1, kind},  {12, 1, kind},
                          {5, 1, kind}, {9, 1, kind}, {13, 1, kind}, {14, 2, kind}};
    for (const Plan& past : {kEmpty, kWritten})
      for (const Access& other :
           {Access{12, 4, W}, Access{12, 4, R}, Access{13, 1, W}, Access{13, 1, R}, Access{14, 2, AW}})
        expect_holds(past, {row, {other}});
  }
}

// Neighbours whose bytes are alike but for W, or of which other bytes are accessed: what became of one is not what becomes of the other.
TEST_F(CellProtocol, TwoThreads_CommonBytesOfOthers) {
  const Plan read_in_epoch = {{{8, 4, W}}, {}, {}, {}, {{0, 8, R}, {8, 8, R}}};
  for (const Access& other : {Access{8, 4, W}, Access{8, 4, R}, Access{9, 1, R}, Access{10, 1, W}}) {
    expect_holds(read_in_epoch, {{{0, 1, W}, {4, 1, W}, {8, 1, W}}, {other}});
    expect_holds(kEmpty, {{{0, 1, R}, {4, 1, R}, {9, 1, R}}, {other}});
  }
}

// What is forgotten is the neighbour of what others access.
TEST_F(CellProtocol, TwoThreads_ForgottenNeighbours) {
  for (const Plan& past : {kEmpty, kWritten, kReadBySeveral, kParted, kAtomic}) {
    for (const Access& other : {Access{4, 4, R}, Access{4, 4, W}, Access{4, 2, W}, Access{4, 4, AW}}) {
      expect_holds(past, {{forget(0, 4), {0, 4, W}}, {other}});
      expect_holds(past, {{forget(0, 3)}, {other}});
      expect_holds(past, {{allocate(0, 4), {0, 4, W}}, {other}});
    }
    for (const Access& other : {Access{2, 2, R}, Access{2, 1, W}, Access{3, 1, AW}, Access{2, 4, W}})
      expect_holds(past, {{forget(0, 2), {0, 2, R}}, {other}});
    expect_holds(past, {{forget(0, 8), {0, 8, W}}, {{8, 8, W}}});
  }
  for (const Plan& past : {kReadHalfByEach, kReadTogether})
    for (const Access& other : {Access{4, 12, R}, Access{4, 12, W}, Access{4, 1, W}}) {
      expect_holds(past, {{allocate(0, 4), {0, 4, W}}, {other}});
      expect_holds(past, {{allocate(16, 8), allocate(0, 2), {0, 2, W}}, {other}});
      expect_holds(past, {{allocate(0, 8), {0, 8, W}}, {{8, 8, other.kind}}});
    }
}

// What a block of two cells may be when the threads begin.
constexpr Plan with_blocks(Plan plan) {
  plan.has_blocks = true;
  return plan;
}
const Plan kVirgin = with_blocks({{}, {}, {}}), kCoarse = with_blocks({{{0, 16, W}}, {}, {}}),
           kCoarseRead = with_blocks({{{0, 16, W}}, {{0, 16, R}}, {}}),
           kCoarseSet = with_blocks({{{0, 16, W}}, {{0, 16, R}, {0, 16, R}}, {}}),
           kCoarseInEpoch = with_blocks({{{0, 16, W}}, {}, {}, {}, {{0, 16, R}}}),
           kFine = with_blocks({{{0, 8, W}, {8, 8, W}}, {}, {}}),
           kFineMixed = with_blocks({{{0, 8, W}, {9, 1, R}}, {}, {}}),
           kSwept = with_blocks({{{0, 8, W}, {8, 8, W}, {0, 16, W}}, {}, {}}),
           kSweptRead = with_blocks({{{0, 8, W}, {8, 8, W}, {0, 16, R}}, {{0, 16, R}}, {}}),
           kSweptHalf = with_blocks({{{0, 8, W}, {0, 16, R}}, {}, {}}),
           kSweptInEpoch =
               with_blocks({{{0, 8, W}, {8, 8, W}}, {}, {}, {}, {{0, 16, R}}, 2}), // of the second thread
    kSweptMixed = with_blocks({{{0, 8, W}, {0, 16, W}}, {{8, 4, R}, {8, 4, R}}, {}});

class BlockProtocol : public Protocol {};

TEST_F(BlockProtocol, TwoThreads_EveryPairOfAccesses) {
  const Accesses menu = {{0, 16, R}, {0, 16, W}, {0, 8, R},  {0, 8, W},  {8, 4, R},
                         {9, 1, W},  {9, 1, R},  {8, 8, AW}, {0, 16, AW}};
  for (const Plan& past : {kVirgin, kCoarse, kCoarseRead, kCoarseSet, kCoarseInEpoch, kFine, kFineMixed})
    expect_pairs_hold(past, menu);
}

// A fine block that was accessed as a whole is coarse after the next such access, if its cells allow it.
TEST_F(BlockProtocol, TwoThreads_CoarseAgain) {
  const Accesses menu = {{0, 16, R}, {0, 16, W}, {0, 8, R}, {8, 8, W},
                         {8, 4, W},  {9, 1, W},  {9, 1, R}, {8, 8, AW}};
  for (const Plan& past : {kSwept, kSweptRead, kSweptHalf, kSweptInEpoch, kSweptMixed}) {
    expect_pairs_hold(past, menu);
    for (const Access& part : {Access{0, 8, W}, Access{8, 4, R}, Access{9, 1, W}, Access{0, 16, R}})
      expect_holds(past, {{{0, 16, W}, part}, {{8, 8, R}}});
  }
}

TEST_F(BlockProtocol, ThreeThreads_CoarseAgain) {
  tries_quick_ = false; // they leave what is in a header to the others
  for (const Plan& past : {kSwept, kSweptInEpoch})
    expect_triples_hold(past, {{0, 16, R}, {0, 16, W}, {8, 8, W}});
}

TEST_F(BlockProtocol, TwoThreads_ForgottenAfterCoarseAgain) {
  for (const Access& other : {Access{16, 8, R}, Access{16, 4, W}, Access{17, 1, W}})
    for (const Access& fresh : {forget(0, 16), forget(0, 8), allocate(0, 16)})
      expect_holds(kSwept, {{{0, 16, W}, fresh, {0, 8, R}, {0, 16, W}}, {other}});
}

// Code that asks for a part of what it has accessed whole is answered by the header, for a while.
TEST_F(BlockProtocol, TwoThreads_PartsOfASeenBlock) {
  const Access whole = {0, 16, R}, part = {0, 8, R}, half = {8, 4, R};
  for (Plan past : {kCoarse, kCoarseRead}) {
    past.in_line = true;
    for (const Access& other : {Access{8, 8, W}, Access{0, 16, R}, Access{0, 4, W}})
      expect_holds(past, {{whole, part, half}, {other}});
    for (const Access& other : {Access{8, 8, W}, Access{0, 16, R}}) // not for ever
      expect_holds(past, {{whole, part, half, {0, 4, R}, {12, 4, R}, part}, {other}});
  }
}

TEST_F(BlockProtocol, TwoThreads_TwoAccessesEach) {
  for (const Plan& past : {kVirgin, kCoarse})
    expect_pairs_of_two_hold(past, {{0, 16, R}, {0, 16, W}, {0, 4, W}});
}

TEST_F(BlockProtocol, ThreeThreads_RefineAgainstWhole) {
  tries_quick_ = false; // they leave what is in a header to the others
  for (const Plan& past : {kVirgin, kCoarse, kCoarseSet})
    expect_triples_hold(past, {{0, 16, R}, {0, 16, W}, {8, 8, W}, {0, 4, AR}});
}

TEST_F(BlockProtocol, ThreeThreads_RefineForBytes) {
  for (const Plan& past : {kVirgin, kCoarse}) expect_triples_hold(past, {{0, 16, W}, {9, 1, W}, {8, 2, R}});
}

TEST_F(BlockProtocol, TwoThreads_ForgottenNeighbours) {
  for (const Plan& past : {kVirgin, kCoarse, kCoarseSet, kFine})
    for (const Access& other : {Access{8, 8, R}, Access{8, 4, W}, Access{9, 1, W}, Access{8, 24, W}}) {
      expect_holds(past, {{forget(0, 8)}, {other}});
      expect_holds(past, {{forget(0, 2), {0, 2, W}}, {other}});
      expect_holds(past, {{allocate(0, 8), {0, 8, W}}, {other}});
    }
  Plan two = kCoarse;
  two.before = {{0, 32, W}};
  for (const Access& other : {Access{0, 16, R}, Access{0, 16, W}, Access{12, 4, W}}) {
    expect_holds(two, {{forget(16, 16), {16, 16, W}}, {other}});
    expect_holds(two, {{forget(16, 8)}, {other}});
    expect_holds(two, {{allocate(16, 16), {16, 16, W}}, {other}});
  }
  Plan read_by_each = with_blocks({{}, {}, {}, {{0, 32, R}}});
  for (const Access& other : {Access{0, 16, R}, Access{0, 8, W}, Access{12, 4, R}})
    for (const Accesses& one :
         {Accesses{allocate(16, 16), {16, 16, W}}, Accesses{{16, 8, R}, allocate(16, 16), {16, 8, W}}})
      expect_holds(read_by_each, {one, {other}});
}

// An access to memory while it is freed: whatever comes of it, nobody waits for ever.
TEST_F(BlockProtocol, TwoThreads_UseOfFreed) {
  for (Plan past : {kVirgin, kCoarse, kFine, kFineMixed, with_blocks(kReadByEach)}) {
    past.uses_freed = true;
    for (const Access& fresh : {forget(0, 16), forget(0, 8), forget(0, 4), forget(1, 4), allocate(0, 16)})
      for (const Accesses& other :
           {Accesses{{0, 8, R}}, Accesses{{0, 4, AW}}, Accesses{{1, 1, W}, {1, 1, R}},
            Accesses{{0, 16, W}, {0, 4, W}}, Accesses{{0, 2, W}, forget(0, 16), {0, 16, R}},
            Accesses{{0, 1, W}, forget(0, 4)}})
        expect_holds(past, {{fresh, {0, 1, W}}, other});
  }
}

} // namespace
} // namespace footrace::model
