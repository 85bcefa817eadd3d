#include "scan/domain/candidates.h"

#include <algorithm>

namespace footrace::scan::domain {

bool is_write(const Side& side) { return side.access.kind == AccessKind::Write; }

bool has_lock(const Side& side) {
  return std::ranges::any_of(side.access.locks->held,
                             [](const auto& held) { return !is_ticket_lock(held.first.lock); });
}

void Candidates::add(Candidate candidate) {
  il::Path path = candidate.side.access.path;
  if (path.root.kind == il::RootKind::Formal) path.root = il::formal(0, {});
  if (candidate.of_main && !may_meet_others(path)) return;
  Place& place = places_[path];
  Accessed& accessed = candidate.of_main ? place.main : place.others;
  bool writes = candidate.side.access.kind == AccessKind::Write;
  (writes ? accessed.writes : accessed.reads).push_back(std::move(candidate));
}

// To that place, one around it or a part of it. Parts of a path follow it in the order of paths.
bool Candidates::may_meet_others(const il::Path& path) const {
  auto has_others = [](const Place& place) {
    return !place.others.writes.empty() || !place.others.reads.empty();
  };
  for (auto at = places_.lower_bound(path); at != places_.end() && il::is_prefix(path, at->first); ++at)
    if (has_others(at->second)) return true;
  return std::ranges::any_of(objects_around(path), [&](const Place* around) { return has_others(*around); });
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
  AccessCollector result;
  for (auto [key, place] : accesses.all()) {
    LockState locks = key.locks;
    locks.acquired.clear();
    locks.released.clear();
    locks.assumed.clear();
    key.locks = std::move(locks);
    result.add(key, place);
  }
  return result.take();
}

std::string describe(const il::Path& path, const il::Method& method) {
  const il::Root& root = path.root;
  bool named = root.kind == il::RootKind::Formal && root.index < method.formals.size();
  return describe(named ? il::Path(il::formal(root.index, method.formals[root.index].name), path.steps)
                        : path);
}

std::string describe_access(const Side& side) { return describe(side.access.path, *side.names); }

} // namespace footrace::scan::domain
