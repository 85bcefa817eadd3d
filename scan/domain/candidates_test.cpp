#include "scan/domain/candidates.h"

#include "scan/domain/domain_test.h"

namespace footrace::scan::domain {
namespace {

// "read this->a.b / write x->a": every pair that is visited, the text of its paths in order.
std::multiset<std::string> pairs_of(const std::vector<std::pair<std::string, AccessKind>>& accesses) {
  Candidates candidates;
  for (const auto& [path, kind] : accesses) {
    Candidate candidate;
    candidate.side.access.path = path_of(path);
    candidate.side.access.kind = kind;
    candidates.add(candidate);
  }
  std::multiset<std::string> seen;
  candidates.each_pair([&](const Candidate& a, const Candidate& b) {
    il::Method method;
    method.formals = {{"this", ""}, {"x", ""}};
    std::string first = describe(a.side.access.path, method), second = describe(b.side.access.path, method);
    seen.insert(std::min(first, second) + " / " + std::max(first, second));
  });
  return seen;
}

constexpr AccessKind read = AccessKind::Read, write = AccessKind::Write;
using Pairs = std::multiset<std::string>;

TEST(Candidates, AWriteMeetsItselfAndTheReadsOfItsPlace) {
  EXPECT_EQ(pairs_of({{"this->a", write}, {"this->a", read}, {"this->a", read}, {"this->b", write}}),
            (Pairs{"this->a / this->a", "this->a / this->a", "this->a / this->a", "this->b / this->b"}));
}

TEST(Candidates, TwoReadsAreNotCompared) {
  EXPECT_EQ(pairs_of({{"this->a", read}, {"this->a", read}}), Pairs{});
}

TEST(Candidates, APartMeetsTheWholeUpToAPointer) {
  EXPECT_EQ(pairs_of({{"@g.a.b", read}, {"@g", write}}), (Pairs{"g / g", "g / g.a.b"}));
  EXPECT_EQ(pairs_of({{"@g", read}, {"@g.a.b", write}}), (Pairs{"g / g.a.b", "g.a.b / g.a.b"}));
  EXPECT_EQ(pairs_of({{"@g->a", read}, {"@g", write}}), (Pairs{"g / g"}));
}

TEST(Candidates, FormalsAreOneRoot) {
  EXPECT_EQ(pairs_of({{"this->a", read}, {"x->a", write}}), (Pairs{"this->a / x->a", "x->a / x->a"}));
}

TEST(Candidates, HistoryMakesNoDifference) {
  AccessKey plain;
  plain.path = path_of("this->a");
  plain.unless = not_owned();
  AccessKey locked = plain;
  LockState history;
  history.acquired.insert(path_of("this->m"));
  locked.locks = history;
  AccessCollector all;
  all.add(plain, {});
  all.add(locked, {});
  const Accesses accesses = all.take();
  EXPECT_EQ(accesses.all().size(), 2u);
  EXPECT_EQ(without_history(accesses).all().size(), 1u);
}

} // namespace
} // namespace footrace::scan::domain
