// Every interleaving of small plans: two threads with every pair of accesses, two with more accesses each, three with one each.
#include "tests/model/protocol.h"

#include <gtest/gtest.h>

namespace footrace::model {
namespace {

using fasttrack::AccessKind;
constexpr AccessKind R = AccessKind::Read, W = AccessKind::Write, AR = AccessKind::AtomicRead,
                     AW = AccessKind::AtomicWrite;

// Counts what was explored, and says so at the end of a test.
class Protocol : public testing::Test {
protected:
  void expect_holds(Plan plan, std::vector<Accesses> threads) {
    if (HasFailure()) return; // one is enough to read
    plan.threads = std::move(threads);
    Outcome outcome = check(plan);
    ++plans_, runs_ += outcome.runs, states_ += outcome.states;
    EXPECT_EQ(outcome.failure, "") << to_text(plan) << "\n" << outcome.trace;
    EXPECT_TRUE(outcome.exhausted || !outcome.failure.empty()) << "too many interleavings: " << to_text(plan);
  }
  void TearDown() override {
    std::printf("%llu plans, %llu runs, %llu states\n", (unsigned long long)plans_, (unsigned long long)runs_,
                (unsigned long long)states_);
  }

private:
  u64 plans_ = 0, runs_ = 0, states_ = 0;
};

// What a cell may hold when the threads begin.
const Plan kEmptyCell = {{}, {}, {}}, kWritten = {{{0, 8, W}}, {}, {}},
           kParts = {{{0, 1, W}, {4, 4, R}}, {}, {}},
           kReadBySeveral = {{{0, 8, W}}, {{0, 8, R}, {0, 8, R}}, {}},
           kGroups = {{{0, 8, W}, {0, 4, AW}}, {}, {}};

class CellProtocol : public Protocol {};

TEST_F(CellProtocol, TwoThreads_EveryPairOfAccesses) {
  const Accesses menu = {{0, 8, R}, {0, 8, W}, {0, 1, R},  {0, 1, W},
                         {4, 4, W}, {2, 4, R}, {0, 8, AR}, {0, 4, AW}};
  for (const Plan& past : {kEmptyCell, kWritten, kParts, kReadBySeveral, kGroups})
    for (size_t a = 0; a < menu.size(); ++a)
      for (size_t b = a; b < menu.size(); ++b) expect_holds(past, {{menu[a]}, {menu[b]}});
}

TEST_F(CellProtocol, TwoThreads_TwoAccessesEach) {
  const Accesses menu = {{0, 8, R}, {0, 1, W}, {4, 4, R}};
  for (const Plan& past : {kWritten, kParts})
    for (const Access& a : menu)
      for (const Access& b : menu)
        for (const Access& c : menu)
          for (const Access& d : menu) expect_holds(past, {{a, b}, {c, d}});
}

TEST_F(CellProtocol, ThreeThreads_EveryTripleOfAccesses) {
  const Accesses menu = {{0, 8, R}, {0, 8, W}, {0, 1, W}};
  for (const Plan& past : {kWritten, kReadBySeveral})
    for (size_t a = 0; a < menu.size(); ++a)
      for (size_t b = a; b < menu.size(); ++b)
        for (size_t c = b; c < menu.size(); ++c) expect_holds(past, {{menu[a]}, {menu[b]}, {menu[c]}});
}

// Readers and atomics of a cell that come again in a later epoch: their entries move on in place.
const Plan kReadByEach = {{{0, 8, W}}, {}, {}, {{0, 8, R}}, false},
           kReadByEachInParts = {{{0, 8, W}}, {}, {}, {{0, 4, R}}, false},
           kReadTogether = {{{0, 8, W}}, {}, {}, {{0, 8, R}, {8, 8, R}}, true},
           kAtomicByEach = {{{0, 8, W}}, {}, {}, {{0, 8, AR}, {0, 8, AW}}, true};

TEST_F(CellProtocol, TwoThreads_AgainInALaterEpoch) {
  const Accesses menu = {{0, 8, R}, {0, 4, R}, {0, 8, W}, {0, 1, W}, {0, 8, AR}, {0, 8, AW}};
  for (const Plan& past : {kReadByEach, kReadByEachInParts, kReadTogether, kAtomicByEach})
    for (size_t a = 0; a < menu.size(); ++a)
      for (size_t b = a; b < menu.size(); ++b) expect_holds(past, {{menu[a]}, {menu[b]}});
}

TEST_F(CellProtocol, ThreeThreads_AgainInALaterEpoch) {
  const Access read = {0, 8, R}, write = {0, 8, W}, atomic = {0, 8, AW};
  for (const Access& other : {read, write}) expect_holds(kReadByEach, {{read}, {read}, {other}});
  for (const Access& other : {read, atomic}) expect_holds(kAtomicByEach, {{atomic}, {atomic}, {other}});
}

// Readers that have come again before: their set is open, and their entries move on without the cell's lock.
const Plan kOpen = {{{0, 8, W}}, {}, {}, {{0, 8, R}}, false, 2},
           kOpenInParts = {{{0, 8, W}}, {}, {}, {{0, 4, R}}, false, 2};

TEST_F(CellProtocol, TwoThreads_OpenReaders) {
  const Accesses menu = {{0, 8, R}, {0, 4, R}, {0, 8, W}, {0, 1, W}, {0, 8, AR}, {0, 8, AW}};
  for (const Plan& past : {kOpen, kOpenInParts})
    for (size_t a = 0; a < menu.size(); ++a)
      for (size_t b = a; b < menu.size(); ++b) expect_holds(past, {{menu[a]}, {menu[b]}});
}

TEST_F(CellProtocol, TwoThreads_OpenReadersTwice) {
  const Access read = {0, 8, R}, part = {0, 4, R}, write = {0, 8, W};
  for (const Accesses& one : {Accesses{read, write}, Accesses{part, read}, Accesses{write, read}})
    for (const Accesses& other : {Accesses{read, part}, Accesses{write, read}, Accesses{read, write}})
      expect_holds(kOpen, {one, other});
}

TEST_F(CellProtocol, ThreeThreads_OpenReaders) {
  const Access read = {0, 8, R}, write = {0, 8, W}, part = {0, 4, R};
  for (const Access& other : {read, write, part}) expect_holds(kOpen, {{read}, {read}, {other}});
}

// Fields of a cell that were written by several threads: groups of plain accesses, whose histories change in place.
const Plan kFields = {{{0, 8, W}}, {{0, 4, W}, {4, 2, W}}, {}},
           kFieldsReadByEach = {{{0, 8, W}}, {{0, 4, W}, {4, 2, W}}, {}, {{0, 4, R}, {4, 2, R}}, false};

TEST_F(CellProtocol, TwoThreads_FieldsAgain) {
  const Access low = {0, 4, R}, write_low = {0, 4, W}, high = {4, 2, R}, write_high = {4, 2, W},
               all = {0, 8, R};
  for (const Accesses& one : {Accesses{low, write_low}, Accesses{write_low, low}, Accesses{low, high}})
    for (const Accesses& other :
         {Accesses{high, write_high}, Accesses{low}, Accesses{write_low}, Accesses{all}})
      expect_holds(kFields, {one, other});
}

TEST_F(CellProtocol, TwoThreads_ReadersOfFieldsAgain) {
  const Accesses menu = {{0, 4, R}, {4, 2, R}, {0, 4, W}, {0, 8, R}, {4, 1, W}};
  for (size_t a = 0; a < menu.size(); ++a)
    for (size_t b = a; b < menu.size(); ++b) expect_holds(kFieldsReadByEach, {{menu[a]}, {menu[b]}});
}

// What a block of two cells may be when the threads begin.
const Plan kVirgin = {{}, {}, {}}, kCoarse = {{{0, 16, W}}, {}, {}},
           kCoarseSet = {{{0, 16, W}}, {{0, 16, R}, {0, 16, R}}, {}},
           kFineEqual = {{{0, 8, W}, {8, 8, W}}, {}, {}}, kFineMixed = {{{0, 8, W}, {9, 1, R}}, {}, {}},
           kParted = {{{0, 16, W}}, {{8, 8, W}}, {}},
           kPartedSet = {{{0, 16, W}}, {{0, 16, R}, {8, 8, R}}, {}};

class BlockProtocol : public Protocol {};

TEST_F(BlockProtocol, TwoThreads_EveryPairOfAccesses) {
  const Accesses menu = {{0, 16, R}, {0, 16, W}, {0, 8, R}, {9, 1, W}, {8, 8, AW}};
  for (const Plan& past : {kVirgin, kCoarse, kCoarseSet, kFineEqual, kFineMixed, kParted, kPartedSet})
    for (size_t a = 0; a < menu.size(); ++a)
      for (size_t b = a; b < menu.size(); ++b) expect_holds(past, {{menu[a]}, {menu[b]}});
}

TEST_F(BlockProtocol, TwoThreads_RefineAndCompressAgain) {
  const Access read = {0, 16, R}, write = {0, 16, W}, part = {0, 8, W};
  for (const Plan& past : {kCoarse, kFineEqual})
    for (const Accesses& one :
         {Accesses{part, write}, Accesses{part, read}, Accesses{write, part}, Accesses{read, write}})
      for (const Access& other : {read, write, part}) expect_holds(past, {one, {other}});
}

TEST_F(BlockProtocol, TwoThreads_PartsComeAndGo) {
  const Access first = {0, 8, W}, second = {8, 8, W}, both = {0, 16, R}, bytes = {0, 1, W};
  for (const Plan& past : {kCoarse, kParted})
    for (const Accesses& one : {Accesses{first, second}, Accesses{second, both}, Accesses{both, first}})
      for (const Access& other : {first, both, bytes}) expect_holds(past, {one, {other}});
}

TEST_F(BlockProtocol, ThreeThreads_PartsAgainstEachOther) {
  for (const Plan& past : {kCoarse, kParted}) expect_holds(past, {{{0, 8, R}}, {{8, 8, W}}, {{0, 16, R}}});
}

TEST_F(BlockProtocol, ThreeThreads_RefineAgainstCompress) {
  for (const Plan& past : {kCoarse, kFineEqual})
    for (AccessKind whole : {R, W}) expect_holds(past, {{{0, 16, whole}}, {{0, 16, W}}, {{8, 8, W}}});
}

} // namespace
} // namespace footrace::model
