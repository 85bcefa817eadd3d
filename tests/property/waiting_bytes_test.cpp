// Bytes that wait for their granule race exactly where bytes that are checked at once do. Which of two racing accesses tells may differ, so the racing
// bytes of whole traces are compared with the oracle's. Without frees and allocations: between an access and its check a byte may begin another life,
// and then another byte of the granule races in its place (runtime/access.cpp).
#include "detectors/oracle/oracle.h"
#include "events/text.h"
#include "tests/property/fasttrack_driver.h"
#include "tests/property/generator.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <set>

namespace footrace::property {
namespace {

std::vector<Event> trace_of_bytes(u64 seed) {
  auto trace = random_trace(seed);
  std::erase_if(trace,
                [](const Event& e) { return e.kind == EventKind::Free || e.kind == EventKind::Alloc; });
  return trace;
}

// The same accesses by loops: element after element, of one, two or four bytes.
std::vector<Event> trace_of_loops(u64 seed) {
  std::vector<Event> loops;
  for (const Event& e : trace_of_bytes(seed)) {
    const u64 size = 1ull << (seed + loops.size()) % 3;
    if ((e.kind != EventKind::Read && e.kind != EventKind::Write) || e.extent < size) {
      loops.push_back(e);
      continue;
    }
    for (u64 at = 0; at < e.extent; at += size) {
      loops.push_back(e);
      loops.back().target = e.target + at;
      loops.back().extent = std::min(size, e.extent - at);
    }
  }
  return loops;
}

std::set<u64> racing_bytes_of_oracle(const std::vector<Event>& trace) {
  oracle::Oracle oracle(oracle::Report::FirstPerByte);
  std::set<u64> racing;
  for (const Event& e : trace)
    for (const auto& race : oracle.append(e)) racing.insert(race.address);
  return racing;
}

std::set<u64> racing_bytes(const std::vector<Event>& trace, Bytes bytes, u64* gathered = nullptr) {
  FastTrackDriver driver(Fault::None, bytes);
  std::set<u64> racing;
  auto add = [&](const std::vector<FoundByte>& found) {
    for (const FoundByte& f : found) racing.insert(f.address);
  };
  for (const Event& e : trace) add(driver.append(e));
  add(driver.finish());
  if (gathered) *gathered += driver.gathered();
  return racing;
}

TEST(Footprint, BytesThatWaitRaceWhereTheyDo) {
  u64 gathered = 0, racing = 0;
  for (u64 seed = 1; seed <= 20000; ++seed) {
    auto trace = trace_of_bytes(seed);
    auto expected = racing_bytes_of_oracle(trace);
    ASSERT_EQ(racing_bytes(trace, Bytes::Wait, &gathered), expected) << "seed " << seed << "\n"
                                                                     << to_text(trace);
    racing += expected.size();
  }
  EXPECT_GT(gathered, 20000u);
  EXPECT_GT(racing, 20000u);
}

TEST(Footprint, ElementsOfLoopsRaceWhereTheyDo) {
  u64 gathered = 0, racing = 0;
  for (u64 seed = 1; seed <= 5000; ++seed) {
    auto trace = trace_of_loops(seed);
    auto expected = racing_bytes_of_oracle(trace);
    ASSERT_EQ(racing_bytes(trace, Bytes::Wait, &gathered), expected) << "seed " << seed << "\n"
                                                                     << to_text(trace);
    racing += expected.size();
  }
  EXPECT_GT(gathered, 50000u);
  EXPECT_GT(racing, 5000u);
}

// Each deliberate mistake must show.
class FootprintFault : public testing::TestWithParam<Bytes> {};
TEST_P(FootprintFault, IsFound) {
  for (u64 seed = 1; seed <= 20000; ++seed) {
    auto trace = seed % 2 ? trace_of_bytes(seed) : trace_of_loops(seed);
    if (racing_bytes(trace, GetParam()) != racing_bytes_of_oracle(trace)) return;
  }
  FAIL() << "20000 traces went by";
}
INSTANTIATE_TEST_SUITE_P(All, FootprintFault,
                         testing::Values(Bytes::AreLost, Bytes::WaitForTicksOnly, Bytes::AreWhole));

} // namespace
} // namespace footrace::property
