#include "clocks/clock_rewriter.h"

#include <gtest/gtest.h>

#include <map>
#include <vector>

using namespace footrace;

namespace {

using Entries = std::map<Tid, u64>;

Entries entries(const VectorClock& v) {
  Entries out;
  v.for_each([&](Tid t, u64 c) { out[t] = c; });
  return out;
}

// A world of clocks and names alone.
class EpochMapTest : public testing::Test {
protected:
  struct LiveThread {
    Tid slot;
    u64 now;
    Entries others;
  };
  void live(Tid slot, u64 now, Entries others = {}, bool moves = false) {
    map_.add_live(slot, now, moves);
    live_.push_back({slot, now, others});
  }
  void lock(Entries entries) {
    Clock clock;
    for (auto [slot, value] : entries) clock.tree.raise(slot, value);
    locks_.push_back(clock);
  }
  void name(Tid slot, std::initializer_list<u64> clocks) {
    for (u64 clock : clocks) map_.name(make_epoch(slot, clock));
  }
  // The end of the world: which slot each epoch went to.
  void decide(u32 wanted, u32 least = 0) {
    std::vector<Clock> clocks = locks_;
    for (const LiveThread& t : live_) {
      std::vector<u32> covered(kSlots);
      Clock clock;
      for (auto [slot, value] : t.others) {
        covered[slot] = make_epoch(slot, value).raw;
        clock.tree.raise(slot, value);
      }
      covered[t.slot] = make_epoch(t.slot, t.now).raw;
      clock.owner = t.slot, clock.own = t.now;
      map_.hold_of_live_thread(covered.data(), kSlots);
      clocks.push_back(clock);
    }
    for (const Clock& clock : locks_) map_.hold(clock);
    map_.make_classes();
    while (map_.open_round(wanted)) {
      for (const Clock& clock : clocks) map_.check(clock, clock.own != 0);
      map_.close_round();
    }
    map_.assign(least);
  }
  Epoch now(Tid slot, u64 clock) { return map_.epoch(make_epoch(slot, clock)); }
  static constexpr u32 kAll = kMaxTid + 1;

  EpochMap map_;
  std::vector<LiveThread> live_;
  std::vector<Clock> locks_;
};

TEST_F(EpochMapTest, EpochsThatNoClockTellsApart_AreOne) {
  live(1, 1);
  live(2, 1000);
  name(2, {10, 20, 30, 40, 50});
  lock({{2, 25}});
  lock({{2, 40}});
  decide(0);
  EXPECT_EQ(now(2, 10), make_epoch(2, 1));
  EXPECT_EQ(now(2, 20), make_epoch(2, 1));
  EXPECT_EQ(now(2, 30), make_epoch(2, 2));
  EXPECT_EQ(now(2, 40), make_epoch(2, 2));
  EXPECT_EQ(now(2, 50), make_epoch(2, 3));
  EXPECT_EQ(map_.entry(2, 25), make_epoch(2, 1));
  EXPECT_EQ(map_.entry(2, 39), make_epoch(2, 2));
  EXPECT_EQ(map_.entry(2, 5), kNoEpoch);
}

TEST_F(EpochMapTest, AValueEqualToAnEpoch_CoversIt) {
  live(1, 1);
  live(2, 1000);
  name(2, {64, 65});
  lock({{2, 64}});
  decide(0);
  EXPECT_EQ(now(2, 64), make_epoch(2, 1));
  EXPECT_EQ(now(2, 65), make_epoch(2, 2));
  EXPECT_EQ(map_.entry(2, 64), make_epoch(2, 1));
}

TEST_F(EpochMapTest, WhatEveryLiveThreadCovers_IsAncient) {
  live(1, 1, {{2, 20}, {3, 7}});
  live(2, 1000, {{3, 9}});
  map_.add_ended(3, 3);
  name(2, {10, 20, 21});
  name(3, {7, 8});
  lock({{2, 10}, {3, 7}});
  decide(0);
  EXPECT_EQ(now(2, 20), kAncientEpoch);
  EXPECT_EQ(now(2, 21), make_epoch(2, 1));
  EXPECT_EQ(now(3, 7), kAncientEpoch);
  EXPECT_EQ(now(3, 8), make_epoch(3, 1));
  EXPECT_EQ(map_.entry(3, 7), kNoEpoch);
  EXPECT_EQ(map_.entry(3, 9), make_epoch(3, 1));
  EXPECT_EQ(map_.logged_epoch(make_epoch(3, 7)), kNoEpoch);
  EXPECT_EQ(map_.epoch(kNoEpoch), kNoEpoch);
  EXPECT_EQ(map_.epoch(kAncientEpoch), kAncientEpoch);
}

TEST_F(EpochMapTest, ALiveThread_KeepsItsEpochOfNow) {
  live(1, 500, {{2, 3}});
  live(2, 1000);
  name(1, {300, 499});
  decide(0);
  EXPECT_EQ(now(1, 500), make_epoch(1, 500));
  EXPECT_EQ(map_.last(1), 500u);
  EXPECT_EQ(now(1, 499), make_epoch(1, 1));
  EXPECT_EQ(map_.first(1, 500), 500u);
}

TEST_F(EpochMapTest, AThreadThatMoves_GoesOnBehindWhatIsLeft) {
  live(1, kMaxClock, {}, true);
  live(2, 7);
  name(1, {300, 499, kMaxClock});
  lock({{1, 300}});
  decide(0);
  EXPECT_EQ(now(1, 300), make_epoch(1, 1));
  EXPECT_EQ(now(1, 499), make_epoch(1, 2));
  EXPECT_EQ(now(1, kMaxClock), make_epoch(1, 3));
  EXPECT_EQ(map_.entry(1, kMaxClock), make_epoch(1, 3));
  EXPECT_EQ(map_.last(1), 3u);
}

TEST_F(EpochMapTest, AnEndedThreadWithoutNames_LeavesItsSlot) {
  live(1, 5, {{2, 100}});
  map_.add_ended(2, 1);
  lock({{2, 50}});
  decide(0);
  EXPECT_EQ(map_.slot_of(2), 0u);
  EXPECT_EQ(map_.entry(2, 50), kNoEpoch);
  EXPECT_EQ(map_.free_slots(), kMaxTid - 1);
}

TEST_F(EpochMapTest, AThreadThatHasGoneOn_GetsOneSlot) {
  live(1, 5);
  live(3, 900, {{2, 1000}});
  map_.add_ended(2, 1);
  map_.set_predecessor(3, 2);
  name(2, {10, 999});
  name(3, {4, 5});
  lock({{2, 500}});
  lock({{2, 1000}, {3, 4}});
  decide(kAll);
  EXPECT_EQ(now(2, 10), make_epoch(3, 1));
  EXPECT_EQ(now(2, 999), make_epoch(3, 2));
  EXPECT_EQ(now(3, 4), make_epoch(3, 3));
  EXPECT_EQ(now(3, 5), make_epoch(3, 4));
  EXPECT_EQ(map_.entry(2, 500), make_epoch(3, 1));
  EXPECT_EQ(map_.entry(3, 4), make_epoch(3, 3));
  EXPECT_EQ(map_.slot_of(2), 3u);
  EXPECT_EQ(map_.free_slots(), kMaxTid - 2);
}

TEST_F(EpochMapTest, NoRoomBelowTheEpochOfNow_KeepsTheEarlierSlot) {
  live(1, 5);
  live(3, 2, {{2, 1000}});
  map_.add_ended(2, 1);
  map_.set_predecessor(3, 2);
  name(2, {10, 999});
  lock({{2, 500}});
  decide(kAll);
  EXPECT_EQ(now(2, 10), make_epoch(2, 1));
  EXPECT_EQ(now(3, 2), make_epoch(3, 2));
}

// The slot in which the thread has gone on had another one before, of which somebody knows who does not know all of the thread's earlier slot.
TEST_F(EpochMapTest, AStrangerInTheLaterSlot_KeepsTheEarlierOne) {
  live(1, 5, {{3, 4}});
  live(3, 900, {{2, 1000}});
  map_.add_ended(2, 1);
  map_.set_predecessor(3, 2);
  name(2, {10});
  name(3, {4});
  live(4, 5);
  decide(kAll);
  EXPECT_EQ(now(2, 10), make_epoch(2, 1));
  EXPECT_EQ(now(3, 4), make_epoch(3, 1));
}

TEST_F(EpochMapTest, EndsKnownToTheSameThreads_ShareASlot) {
  live(1, 5, {{2, 9}, {3, 9}, {4, 9}});
  live(5, 5);
  for (Tid slot : {2, 3, 4}) map_.add_ended(slot, slot), name(slot, {9});
  decide(kAll);
  const Tid slot = map_.slot_of(2);
  EXPECT_EQ(map_.slot_of(3), slot);
  EXPECT_EQ(map_.slot_of(4), slot);
  EXPECT_EQ(map_.last(slot), 3u);
  EXPECT_FALSE(map_.is_lossy());
  EXPECT_EQ(now(2, 9), make_epoch(slot, 1)); // in the order of their making
  EXPECT_EQ(now(4, 9), make_epoch(slot, 3));
}

TEST_F(EpochMapTest, EndsThatLocksLearntOneByOne_ShareASlot) {
  live(1, 5, {{2, 9}, {3, 9}, {4, 9}});
  live(5, 5);
  for (Tid slot : {4, 2, 3}) map_.add_ended(slot, slot), name(slot, {9});
  lock({{3, 9}});
  lock({{3, 9}, {4, 9}});
  decide(kAll);
  const Tid slot = map_.slot_of(2);
  EXPECT_EQ(now(3, 9), make_epoch(slot, 1));
  EXPECT_EQ(now(4, 9), make_epoch(slot, 2));
  EXPECT_EQ(now(2, 9), make_epoch(slot, 3));
  EXPECT_EQ(map_.entry(4, 9), make_epoch(slot, 2));
}

TEST_F(EpochMapTest, EndsKnownToDifferentThreads_StayApart) {
  live(1, 5, {{2, 9}});
  live(5, 5, {{3, 9}});
  for (Tid slot : {2, 3}) map_.add_ended(slot, slot), name(slot, {9});
  decide(kAll);
  EXPECT_EQ(now(2, 9), make_epoch(2, 1));
  EXPECT_EQ(now(3, 9), make_epoch(3, 1));
  EXPECT_FALSE(map_.is_lossy());
}

TEST_F(EpochMapTest, TooFewSlots_CostOrderOfTheOldestEnds) {
  live(1, 5, {{2, 9}});
  live(5, 5, {{3, 9}});
  live(6, 5, {{4, 9}});
  for (Tid slot : {2, 3, 4}) map_.add_ended(slot, slot), name(slot, {9});
  decide(0, kMaxTid - 5);
  EXPECT_TRUE(map_.is_lossy());
  EXPECT_EQ(map_.slot_of(2), 3u);
  EXPECT_EQ(now(2, 9), make_epoch(3, 1));
  EXPECT_EQ(now(3, 9), make_epoch(3, 2));
  EXPECT_EQ(now(4, 9), make_epoch(4, 1));
}

TEST_F(EpochMapTest, ThreadsThatHadOneSlot_StayApartForReports) {
  live(1, 5);
  live(2, 1000);
  name(2, {10, 20});
  map_.keep_apart(2, 1);
  map_.keep_apart(2, 15);
  map_.keep_apart(2, 900);
  decide(0);
  EXPECT_EQ(now(2, 10), make_epoch(2, 1));
  EXPECT_EQ(now(2, 20), make_epoch(2, 2));
  EXPECT_TRUE(map_.is_left(2, 1, 15));
  EXPECT_TRUE(map_.is_left(2, 15, 900));
  EXPECT_EQ(map_.first(2, 1), 1u);
  EXPECT_EQ(map_.first(2, 15), 2u);
  EXPECT_TRUE(map_.is_left(2, 900, kMaxClock));
  EXPECT_EQ(map_.first(2, 900), 1000u);
}

TEST_F(EpochMapTest, RewrittenClocks_ShareWhatIsEqual) {
  live(1, 5);
  live(2, 10'000);
  for (u64 clock = 1; clock < 3000; clock += 300) name(2, {clock});
  map_.add_ended(700, 1);
  name(700, {1});
  decide(0);
  const u64 before = clock_nodes_in_use();
  std::vector<VectorClock> clocks(100);
  for (u64 i = 0; i < clocks.size(); ++i) { // different trees that nothing tells apart
    clocks[i].raise(2, 302 + i);
    clocks[i].raise(700, 1);
    clocks[i].raise(5, 1); // of a slot that is free
  }
  const VectorClock copy = clocks[0];
  {
    ClockRewriter rewriter(map_);
    for (VectorClock& clock : clocks) rewriter.rewrite(clock);
  }
  for (const VectorClock& clock : clocks) {
    EXPECT_EQ(entries(clock), (Entries{{2, 1}, {700, 1}}));
    EXPECT_TRUE(clock.same_tree(clocks[0]));
  }
  EXPECT_EQ(entries(copy), (Entries{{2, 302}, {5, 1}, {700, 1}}));
  EXPECT_LE(clock_nodes_in_use(), before + 10);
  clocks.clear();
}

TEST_F(EpochMapTest, ARewrittenLock_IsNotFresh) {
  live(1, 5);
  live(2, 1000);
  name(2, {10});
  decide(0);
  Clock L;
  L.owner = 2, L.own = 12, L.since = 11, L.exact = true;
  L.tree.raise(2, 10);
  ClockRewriter rewriter(map_);
  rewriter.rewrite(L);
  EXPECT_FALSE(L.exact);
  EXPECT_EQ(L.get(2), 1u);
  Clock old;
  old.owner = 2, old.own = 9, old.exact = true;
  rewriter.rewrite(old);
  EXPECT_TRUE(old.empty());
}

} // namespace
