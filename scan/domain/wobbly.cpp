#include "scan/domain/wobbly.h"

#include <algorithm>

namespace footrace::scan::domain {

namespace {

// A value that is copied: a pointer to it leaves our sight; of an address, what it points to may change.
void add_copied(WobblyPaths& paths, const il::Value& value) {
  if (value.kind == il::ValueKind::Path) paths.add(value.path, leaked);
  if (value.kind == il::ValueKind::Address) paths.add(value.path, changed);
}

std::size_t derefs_after(const il::Path& path, std::size_t from) {
  return std::size_t(std::count_if(path.steps.begin() + std::ptrdiff_t(from), path.steps.end(),
                                   [](const il::Step& step) { return step.kind == il::StepKind::Deref; }));
}

bool may_be_seen(const il::Path& path) { return path.root.kind != il::RootKind::Local; }

// Whatever is unstable because of `path` is so because of `prefix`, here and in every caller. That a method changed its own
// variable says nothing to its caller.
bool must_cover(const il::Path& prefix, Wobble how, const il::Path& path) {
  if (how.changed && !prefix.is_variable()) return true;
  return how.leaked && derefs_after(path, prefix.steps.size()) > 0;
}

// WB(e1 ... en).
void add_overlapping(WobblyPaths& paths, const Substitution& actuals) {
  for (std::size_t i = 0; i < actuals.size(); ++i)
    for (std::size_t j = 0; j < actuals.size(); ++j) {
      if (i == j || actuals[i].kind == il::ValueKind::Nothing || actuals[i].kind == il::ValueKind::New)
        continue;
      if (actuals[j].kind == il::ValueKind::Nothing || actuals[j].kind == il::ValueKind::New) continue;
      if (is_prefix(actuals[i].path, actuals[j].path) || is_prefix(actuals[j].path, actuals[i].path))
        paths.add(actuals[i].path, changed);
    }
}

} // namespace

void WobblyPaths::add(const il::Path& path, Wobble how) {
  if (!may_be_seen(path) || is_covered(path)) return;
  auto entry = paths_.try_emplace(path).first;
  entry->second.leaked |= how.leaked;
  entry->second.changed |= how.changed;
  // Paths that go on from this one follow it in the map.
  for (auto next = std::next(entry); next != paths_.end() && is_prefix(path, next->first);)
    next = must_cover(path, entry->second, next->first) ? paths_.erase(next) : std::next(next);
}

bool WobblyPaths::is_covered(const il::Path& path) const {
  il::Path prefix(path.root);
  for (const il::Step& step : path.steps) {
    if (auto entry = paths_.find(prefix); entry != paths_.end() && must_cover(prefix, entry->second, path))
      return true;
    prefix.steps.push_back(step);
  }
  return false;
}

void WobblyPaths::add(const WobblyPaths& other) {
  for (const auto& [path, how] : other.paths_) add(path, how);
}

bool WobblyPaths::must_be_stable(const il::Path& path, Wobbling wobbling) const {
  if (has_element(path)) return false;
  il::Path prefix(path.root);
  for (std::size_t n = 0; n < path.steps.size(); ++n) {
    if (auto entry = paths_.find(prefix); entry != paths_.end()) {
      bool leaked_only = wobbling == Wobbling::Refined && !entry->second.changed;
      if (derefs_after(path, n) >= (leaked_only ? 2u : 1u)) return false;
    }
    prefix.steps.push_back(path.steps[n]);
  }
  return true;
}

void wobbly(WobblyPaths& paths, const il::Statement& statement) {
  if (const auto* assign = std::get_if<il::Assign>(&statement.what)) {
    paths.add(assign->target, changed);
    add_copied(paths, assign->value);
  } else if (const auto* leave = std::get_if<il::Return>(&statement.what)) {
    add_copied(paths, leave->value);
  }
}

void wobbly_call(WobblyPaths& paths, const WobblyPaths& callee, const Substitution& actuals,
                 Wobbling wobbling) {
  for (const auto& [path, how] : callee.paths()) {
    if (path.is_variable() && path.root.kind == il::RootKind::Formal) {
      const il::Value& actual = actual_of(actuals, path.root);
      if (how.leaked) add_copied(paths, actual);
      // The callee's own variable was changed: the paper gives the actual up, though only its copy changed.
      if (how.changed && wobbling == Wobbling::Paper && actual.kind == il::ValueKind::Path)
        paths.add(actual.path, changed);
    } else if (auto here = substitute(path, actuals)) {
      paths.add(*here, how);
    }
  }
  if (wobbling == Wobbling::Paper) add_overlapping(paths, actuals);
}

void wobbly_spawn(WobblyPaths& paths, const WobblyPaths& callee, const Substitution& actuals,
                  Wobbling wobbling) {
  wobbly_call(paths, callee, actuals, wobbling);
  wobbly_unknown_call(paths, actuals);
}

void wobbly_unknown_call(WobblyPaths& paths, const Substitution& actuals) {
  for (const il::Value& actual : actuals) add_copied(paths, actual);
}

} // namespace footrace::scan::domain
