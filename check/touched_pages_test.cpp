#include "check/touched_pages.h"

#include <gtest/gtest.h>

#include <chrono>
#include <vector>

namespace footrace {
namespace {

constexpr uptr kPage = 4096;
using Stretches = std::vector<std::pair<uptr, uptr>>;

bool has_page(const Stretches& stretches, uptr address) {
  for (auto [from, to] : stretches)
    if (from <= address && address < to) return true;
  return false;
}

class TouchedPages : public testing::Test {
protected:
  void map(uptr size) {
    size_ = size;
    base_ = map_memory(size);
    ASSERT_NE(base_, 0u);
  }
  void touch(uptr offset) { *reinterpret_cast<volatile char*>(base_ + offset) = 1; }
  Stretches visit(uptr from, uptr to) {
    Stretches seen;
    for_each_touched(base_ + from, base_ + to,
                     [&](uptr a, uptr b) { seen.emplace_back(a - base_, b - base_); });
    return seen;
  }
  void TearDown() override { unmap_memory(base_, size_); }

  uptr base_ = 0, size_ = 0;
};

void expect_exact(const Stretches& seen, uptr limit, const std::vector<uptr>& touched) {
  uptr total = 0;
  for (auto [from, to] : seen) total += to - from;
  for (uptr at : touched) EXPECT_TRUE(has_page(seen, at)) << at;
  EXPECT_LE(total, limit);
}

TEST_F(TouchedPages, MiddleSizes_ShowOnlyWhatWasTouched) {
  map(16u << 20);
  for (uptr at : {uptr(0), 9 * kPage, uptr(8u << 20), (16u << 20) - kPage}) touch(at);
  expect_exact(visit(0, size_), 4 * kPage, {0, 9 * kPage, 8u << 20, (16u << 20) - kPage});
}

TEST_F(TouchedPages, MoreRegionsThanOneScanReturns_AreAllShown) {
  map(512u << 20);
  std::vector<uptr> touched;
  for (uptr at = 0; at < size_; at += 2u << 20) touched.push_back(at);
  for (uptr at : touched) touch(at);
  expect_exact(visit(0, size_), touched.size() * kPage, touched);
}

TEST_F(TouchedPages, EndsInsidePages_AreAlwaysShown) {
  map(1u << 20);
  Stretches seen = visit(100, (1u << 20) - 50);
  EXPECT_TRUE(has_page(seen, 100));
  EXPECT_TRUE(has_page(seen, (1u << 20) - 51));
  EXPECT_FALSE(has_page(seen, 99));
  EXPECT_FALSE(has_page(seen, (1u << 20) - 50));
}

TEST_F(TouchedPages, Terabytes_DoNotTakeSeconds) {
  map(2ull << 40);
  touch(1ull << 40);
  auto start = std::chrono::steady_clock::now();
  expect_exact(visit(0, size_), kPage, {1ull << 40});
  EXPECT_LT(std::chrono::steady_clock::now() - start, std::chrono::seconds(2));
}

} // namespace
} // namespace footrace
