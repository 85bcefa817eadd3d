#include "shadow/footprint.h"

#include <gtest/gtest.h>

#include <random>
#include <vector>

namespace footrace {
namespace {

constexpr uptr kBlock = 0x7000'0000'0000;
constexpr Origin kHere = {7, 1}, kThere = {8, 1};

using Runs = std::vector<std::pair<u64, u64>>;
Runs runs_of(const PendingBlock& p) {
  Runs runs;
  p.for_each_run([&](uptr address, u64 size) { runs.push_back({address - p.block, size}); });
  return runs;
}

PendingBlock& pending(Footprint& f, uptr block, bool write, Origin origin) {
  PendingBlock& p = f.place_of(block, write, origin);
  if (!Footprint::holds(p, block, write, origin)) f.begin(p, block, write, origin);
  return p;
}

TEST(Footprint, Ranges_MergeInAnyOrder) {
  Footprint f;
  PendingBlock& p = pending(f, kBlock, true, kHere);
  EXPECT_TRUE(p.add(8, 8));
  EXPECT_TRUE(p.add(24, 8));
  EXPECT_EQ(runs_of(p), (Runs{{8, 8}, {24, 8}}));
  EXPECT_TRUE(p.add(16, 8));
  EXPECT_EQ(runs_of(p), (Runs{{8, 24}}));
}

TEST(Footprint, Repetition_AddsNothing) {
  Footprint f;
  PendingBlock& p = pending(f, kBlock, true, kHere);
  EXPECT_TRUE(p.add(60, 8));
  EXPECT_FALSE(p.add(60, 8));
  EXPECT_FALSE(p.add(62, 2));
  EXPECT_TRUE(p.add(62, 8));
}

TEST(Footprint, Block_FullOnlyWithItsLastByte) {
  Footprint f;
  PendingBlock& p = pending(f, kBlock, false, kHere);
  for (u64 at = 0; at + 1 < kBlockBytes; ++at) {
    EXPECT_FALSE(p.is_full());
    p.add(at, 1);
  }
  EXPECT_FALSE(p.is_full());
  p.add(kBlockBytes - 1, 1);
  EXPECT_TRUE(p.is_full());
  EXPECT_EQ(runs_of(p), (Runs{{0, kBlockBytes}}));
}

TEST(Footprint, KindsAndOrigins_AreKeptApart) {
  Footprint f;
  EXPECT_FALSE(Footprint::holds(pending(f, kBlock, true, kHere), kBlock, false, kHere));
  EXPECT_FALSE(Footprint::holds(pending(f, kBlock, true, kHere), kBlock, true, kThere));
  EXPECT_FALSE(Footprint::holds(pending(f, kBlock, true, kHere), kBlock + kBlockBytes, true, kHere));
}

TEST(Footprint, Drain_VisitsEveryBlockOnceAndEmpties) {
  Footprint f;
  std::vector<uptr> added, drained;
  for (uptr block = kBlock; added.size() < 20; block += kBlockBytes) {
    PendingBlock& p = f.place_of(block, true, kHere);
    if (p.block) continue;
    f.begin(p, block, true, kHere);
    added.push_back(block);
  }
  EXPECT_FALSE(f.empty());
  f.drain([&](PendingBlock& p) {
    drained.push_back(p.block);
    f.free(p);
  });
  std::sort(drained.begin(), drained.end());
  EXPECT_EQ(drained, added);
  EXPECT_TRUE(f.empty());
}

// Against a plain array of booleans.
TEST(Footprint, Runs_AreExactlyTheBytesAdded_OnRandomRanges) {
  std::mt19937 random(1);
  for (u32 round = 0; round < 2000; ++round) {
    Footprint f;
    PendingBlock& p = pending(f, kBlock, true, kHere);
    bool expected[kBlockBytes] = {};
    for (u32 n = random() % 12; n > 0; --n) {
      u64 offset = random() % kBlockBytes,
          size = 1 + random() % min<u64>(kBlockBytes - offset, 1 + random() % 200);
      bool grows = false;
      for (u64 i = offset; i < offset + size; ++i) grows |= !expected[i], expected[i] = true;
      EXPECT_EQ(p.add(offset, size), grows);
    }
    u64 next = 0;
    p.for_each_run([&](uptr address, u64 size) {
      u64 offset = address - kBlock;
      ASSERT_GT(size, 0u);
      for (; next < offset; ++next) EXPECT_FALSE(expected[next]);
      for (; next < offset + size; ++next) EXPECT_TRUE(expected[next]);
      if (next < kBlockBytes) EXPECT_FALSE(expected[next]); // runs are maximal
    });
    for (; next < kBlockBytes; ++next) EXPECT_FALSE(expected[next]);
  }
}

} // namespace
} // namespace footrace
