#include "scan/domain/conflict.h"

namespace footrace::scan::domain {

bool must_overlap(const il::Path& a, const il::Path& b, const SharedRoots& roots) {
  return a.root == roots.a && b.root == roots.b && must_overlap(a, il::Path(a.root, b.steps));
}

bool may_race(const AccessKey& a, const AccessKey& b, const SharedRoots& roots, const Rules& rules) {
  bool writes = a.kind == AccessKind::Write || b.kind == AccessKind::Write;
  return writes && must_overlap(a.path, b.path, roots) && rules.may_hold_together(a.locks, b.locks, roots);
}

} // namespace footrace::scan::domain
