#include "clocks/vector_clock.h"

#include <gtest/gtest.h>

#include <map>
#include <random>

using namespace footrace;

namespace {

std::map<Tid, u64> entries(const VectorClock& v) {
  std::map<Tid, u64> out;
  v.for_each([&](Tid t, u64 c) { out[t] = c; });
  return out;
}

TEST(Epoch, RoundTripsTidAndClock) {
  Epoch e = make_epoch(kMaxTid, kMaxClock);
  EXPECT_EQ(tid_of(e), kMaxTid);
  EXPECT_EQ(clock_of(e), kMaxClock);
  EXPECT_EQ(e.raw >> 31, 0u); // the top bit tells references (check/words.h)
}

TEST(VectorClock, UnsetEntries_AreZero) {
  VectorClock v;
  EXPECT_EQ(v.get(0), 0u);
  EXPECT_EQ(v.get(kMaxTid), 0u);
  v.raise(3, 7);
  EXPECT_EQ(v.get(kMaxTid), 0u);
  EXPECT_EQ(v.get(19), 0u);
}

TEST(VectorClock, CopyIsUnaffectedByLaterChanges) {
  VectorClock a;
  a.raise(5, 1);
  a.raise(500, 2);
  VectorClock b = a;
  a.raise(5, 9);
  a.raise(70000, 3);
  EXPECT_EQ(b.get(5), 1u);
  EXPECT_EQ(b.get(70000), 0u);
  EXPECT_EQ(a.get(500), 2u);
}

TEST(VectorClock, JoinAgreesWithMaps_OnRandomClocks) {
  std::mt19937 rng(1);
  for (int round = 0; round < 2000; ++round) {
    const Tid limits[] = {16, 256, 5000, kMaxTid};
    std::map<Tid, u64> model[3];
    VectorClock v[3];
    for (int i = 0; i < 3; ++i) {
      Tid limit = limits[rng() % 4];
      for (u32 n = rng() % 20; n; --n) {
        Tid t = rng() % limit;
        u64 c = 1 + rng() % 5;
        v[i].raise(t, c);
        model[i][t] = std::max(model[i][t], c);
      }
      if (i == 1 && rng() % 3 == 0) v[1] = v[0], model[1] = model[0];
    }
    for (int a = 0; a < 3; ++a)
      for (int b = 0; b < 3; ++b) {
        bool le = true;
        for (auto [t, c] : model[a]) le &= c <= (model[b].count(t) ? model[b][t] : 0);
        ASSERT_EQ(v[a].less_equal(v[b]), le);
        VectorClock joined = v[a];
        std::map<Tid, u64> expected = model[a];
        bool grows = false;
        for (auto [t, c] : model[b])
          if (expected[t] < c) expected[t] = c, grows = true;
        ASSERT_EQ(joined.join(v[b]), grows);
        std::erase_if(expected, [](auto& e) { return e.second == 0; });
        ASSERT_EQ(entries(joined), expected);
        ASSERT_EQ(entries(v[b]), model[b]);
      }
  }
}

TEST(VectorClock, AllNodesReturn_WhenClocksDie) {
  u64 before = clock_nodes_in_use();
  {
    VectorClock a, b;
    for (Tid t = 0; t < 1000; t += 7) a.raise(t, t + 1);
    b = a;
    b.raise(3, 1000);
    a.join(b);
    EXPECT_GT(clock_nodes_in_use(), before);
  }
  EXPECT_EQ(clock_nodes_in_use(), before);
}

TEST(Clock, JoinOfAFreshCopy_SkipsTheTreeButTakesTheOwner) {
  Clock a, b;
  a.owner = 1, a.own = 5, a.exact = true, a.since = 5;
  a.tree.raise(7, 3);
  b.owner = 2, b.own = 1, b.exact = true, b.since = 1;
  EXPECT_TRUE(b.join(a));
  EXPECT_EQ(b.get(7), 3u);
  EXPECT_EQ(b.get(1), 5u);
  a.own = 6;
  EXPECT_TRUE(b.join(a));
  EXPECT_EQ(b.get(1), 6u);
  EXPECT_FALSE(b.join(a));
}

TEST(Clock, Covers_ComparesWithTheThreadsEntry) {
  Clock c;
  c.owner = 3, c.own = 10;
  c.tree.raise(4, 2);
  EXPECT_TRUE(c.covers(make_epoch(3, 10)));
  EXPECT_FALSE(c.covers(make_epoch(3, 11)));
  EXPECT_TRUE(c.covers(make_epoch(4, 2)));
  EXPECT_FALSE(c.covers(make_epoch(4, 3)));
  EXPECT_TRUE(c.covers(kNoEpoch));
}

} // namespace
