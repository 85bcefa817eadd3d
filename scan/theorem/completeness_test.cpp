// Completeness (RacerDX, POPL'19, section 5): the summary of a method is the union of what the rules say of each way
// through it, so joining branches and repeating loops loses nothing (Theorem 5.15) and balanced locks are all given back
// (Lemma 5.9). Random programs of the paper's language; a loop is run at most twice, which is enough for its rules to settle.
#include "scan/domain/analysis.h"
#include "scan/il/text.h"
#include "scan/theorem/generator.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <functional>
#include <set>
#include <tuple>

namespace footrace::scan::theorem {
namespace {

constexpr domain::Options paper{domain::Domain::Stability, domain::Wobbling::Paper};
constexpr unsigned max_visits = 3;    // of one block on one way
constexpr std::size_t max_ways = 500; // of one method; others are not looked at

using Ways = std::vector<std::vector<unsigned>>;

void find_ways(const il::Method& method, std::vector<unsigned>& way, std::vector<unsigned>& visits,
               Ways& ways) {
  const std::vector<unsigned>& successors = method.blocks[way.back()].successors;
  if (ways.size() > max_ways) return;
  if (successors.empty()) return ways.push_back(way);
  for (unsigned next : successors) {
    if (visits[next] == max_visits) continue;
    ++visits[next];
    way.push_back(next);
    find_ways(method, way, visits, ways);
    way.pop_back();
    --visits[next];
  }
}

Ways ways_through(const il::Method& method) {
  Ways ways;
  std::vector<unsigned> way = {0}, visits(method.blocks.size(), 0);
  visits[0] = 1;
  find_ways(method, way, visits, ways);
  return ways;
}

il::Method along(const il::Method& method, const std::vector<unsigned>& way) {
  il::Method straight = method;
  straight.blocks = {{}};
  for (unsigned block : way)
    for (const il::Statement& statement : method.blocks[block].statements)
      straight.blocks[0].statements.push_back(statement);
  return straight;
}

// <W, A> of the paper, with one lock.
struct Abstract {
  domain::WobblyPaths wobbly;
  std::set<std::tuple<il::Path, domain::AccessKind, unsigned>> accesses;

  void add(const domain::Summary& summary) {
    wobbly.add(summary.wobbly);
    for (const auto& [key, place] : summary.accesses.all())
      accesses.emplace(key.path, key.kind, key.locks->depth());
  }
  void keep_stable(const domain::WobblyPaths& unstable) {
    std::erase_if(accesses, [&](const auto& access) {
      return !unstable.must_be_stable(std::get<0>(access), paper.wobbling);
    });
  }
  // The paths only: how one became wobbly (Wobble) is a refinement of ours.
  std::set<il::Path> wobbly_paths() const {
    std::set<il::Path> paths;
    for (const auto& [path, how] : wobbly.paths()) paths.insert(path);
    return paths;
  }
};

Abstract union_of(const il::Method& method, const Ways& ways, const domain::Summaries& callees) {
  Abstract all;
  for (const std::vector<unsigned>& way : ways)
    all.add(domain::summarize(along(method, way), paper, {}, callees));
  return all;
}

// On one way more is known of what a local stands for than after a join (a refinement of ours), and so more may be wobbly
// there and fewer accesses kept; never the other way round.
bool is_union(const domain::Summary& summary, Abstract all) {
  Abstract whole;
  whole.add(summary);
  all.keep_stable(whole.wobbly);
  const std::set<il::Path> before = all.wobbly_paths();
  all.wobbly.add(whole.wobbly);
  return std::ranges::includes(whole.accesses, all.accesses) && all.wobbly_paths() == before &&
         (whole.accesses == all.accesses || before != whole.wobbly_paths());
}

// Each method of random programs that has few enough ways through it.
void each_method(unsigned programs,
                 const std::function<void(const il::Method&, const Ways&, const domain::Summaries&)>& visit) {
  for (std::uint64_t seed = 0; seed < programs; ++seed) {
    const il::ParseResult parsed = il::parse(random_program(seed, Language::Paper), "random.il");
    ASSERT_EQ(parsed.error, "");
    const domain::Summaries summaries = domain::summarize(parsed.program, paper);
    for (const il::Method& method : parsed.program.methods)
      if (Ways ways = ways_through(method); ways.size() <= max_ways) visit(method, ways, summaries);
  }
}

TEST(Completeness, Theorem515_JoinsLoseNothing) {
  unsigned compared = 0, with_branches = 0;
  each_method(1000, [&](const il::Method& method, const Ways& ways, const domain::Summaries& summaries) {
    EXPECT_TRUE(is_union(summaries.at(method.name), union_of(method, ways, summaries))) << il::print(method);
    ++compared;
    with_branches += ways.size() > 1;
  });
  EXPECT_GT(compared, 1000u);
  EXPECT_GT(with_branches, 300u);
}

TEST(Completeness, Theorem515_AWayThatIsLeftOutIsNoticed) {
  unsigned noticed = 0;
  each_method(200, [&](const il::Method& method, const Ways& ways, const domain::Summaries& summaries) {
    if (ways.size() < 2) return;
    noticed +=
        !is_union(summaries.at(method.name), union_of(method, {ways.begin(), ways.begin() + 1}, summaries));
  });
  EXPECT_GT(noticed, 20u);
}

TEST(Completeness, Lemma59_BalancedLockingLeavesLAsItWas) {
  unsigned compared = 0;
  each_method(1000, [&](const il::Method& method, const Ways&, const domain::Summaries& summaries) {
    EXPECT_EQ(summaries.at(method.name).locks.depth(), 0u) << method.name.text();
    EXPECT_TRUE(summaries.at(method.name).locks.released.empty()) << method.name.text();
    ++compared;
  });
  EXPECT_GT(compared, 1000u);
}

} // namespace
} // namespace footrace::scan::theorem
