// Combinations of sites (shadow/site_id.h).
#include "shadow/site_id.h"

#include <gtest/gtest.h>

#include <thread>
#include <vector>

namespace footrace {
namespace {

using PerByte = SiteId[8];

void fill(PerByte& sites, u32 number) {
  for (u32 i = 0; i < 8; ++i) sites[i] = 1 + (number >> (2 * i)) % 1000;
}

TEST(CombineSites, NamesEveryByteWhileTheTableGrows) {
  constexpr u32 count = 100'000;
  std::vector<SiteId> names;
  PerByte sites;
  for (u32 i = 0; i < count; ++i) {
    fill(sites, i);
    names.push_back(combine_sites(sites));
    ASSERT_EQ(names.back() & kSiteTable, kComboSite);
  }
  for (u32 i = 0; i < count; ++i) {
    fill(sites, i);
    ASSERT_EQ(combine_sites(sites), names[i]) << i;
    for (u32 byte = 0; byte < 8; ++byte) ASSERT_EQ(site_of_byte(names[i], byte), sites[byte]) << i;
  }
}

TEST(CombineSites, IsOneNameForAllThreads) {
  constexpr u32 count = 50'000;
  std::vector<SiteId> names[2];
  std::vector<std::thread> threads;
  for (auto& mine : names)
    threads.emplace_back([&mine] {
      PerByte sites;
      for (u32 i = 0; i < count; ++i) {
        fill(sites, 1'000'000'000 + i);
        mine.push_back(combine_sites(sites));
      }
    });
  for (std::thread& t : threads) t.join();
  EXPECT_EQ(names[0], names[1]);
}

TEST(SiteOfByte, OfAPlainSiteIsTheSite) { EXPECT_EQ(site_of_byte(42, 3), 42u); }

} // namespace
} // namespace footrace
