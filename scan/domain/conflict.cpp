#include "scan/domain/conflict.h"

#include <algorithm>

namespace footrace::scan::domain {

bool must_overlap(const il::Path& a, const il::Path& b, const SharedRoots& roots) {
  if (a.root != roots.a || b.root != roots.b) return false;
  const auto& [shorter, longer] =
      std::minmax(a.steps, b.steps, [](const auto& x, const auto& y) { return x.size() < y.size(); });
  // One is the other or a part of it, with no pointer in between: il::must_overlap(), whatever the names of the roots.
  auto rest = longer.begin() + std::ptrdiff_t(shorter.size());
  return std::equal(shorter.begin(), shorter.end(), longer.begin()) &&
         std::none_of(rest, longer.end(), [](const il::Step& s) { return s.kind == il::StepKind::Deref; });
}

bool may_race(const AccessKey& a, const AccessKey& b, const SharedRoots& roots, const Rules& rules) {
  bool writes = a.kind == AccessKind::Write || b.kind == AccessKind::Write;
  return writes && must_overlap(a.path, b.path, roots) && rules.may_hold_together(a.locks, b.locks, roots);
}

} // namespace footrace::scan::domain
