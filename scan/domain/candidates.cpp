#include "scan/domain/candidates.h"

#include <algorithm>

namespace footrace::scan::domain {

bool is_write(const Side& side) { return side.access.kind == AccessKind::Write; }

bool has_lock(const Side& side) {
  return std::ranges::any_of(side.access.locks.held,
                             [](const auto& held) { return !is_ticket_lock(held.first.lock); });
}

void Candidates::add(Candidate candidate) {
  il::Path path = candidate.side.access.path;
  if (path.root.kind == il::RootKind::Formal) path.root = il::formal(0, {});
  Place& place = places_[path];
  bool writes = candidate.side.access.kind == AccessKind::Write;
  (writes ? place.writes : place.reads).push_back(std::move(candidate));
}

std::vector<const Candidates::Place*> Candidates::objects_around(il::Path path) const {
  std::vector<const Place*> found;
  while (!path.steps.empty() && path.steps.back().kind != il::StepKind::Deref) {
    path.steps.pop_back();
    if (auto at = places_.find(path); at != places_.end()) found.push_back(&at->second);
  }
  return found;
}

Accesses without_history(const Accesses& accesses) {
  Accesses result;
  for (const auto& [key, place] : accesses.all()) {
    AccessKey kept = key;
    kept.locks.acquired.clear();
    kept.locks.released.clear();
    kept.locks.assumed.clear();
    result.add(std::move(kept), place);
  }
  return result;
}

} // namespace footrace::scan::domain
