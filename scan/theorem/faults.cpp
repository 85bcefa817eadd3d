#include "scan/theorem/faults.h"

namespace footrace::scan::theorem {

namespace {

using namespace domain;

// Figure 7, wobbly: without {pi} for pi := x.
void forgets_stores(WobblyPaths& paths, const il::Statement& statement) {
  const auto* assign = std::get_if<il::Assign>(&statement.what);
  if (!assign || assign->target.is_variable()) wobbly(paths, statement);
}

// Without {x} for x := new().
void forgets_allocations(WobblyPaths& paths, const il::Statement& statement) {
  const auto* assign = std::get_if<il::Assign>(&statement.what);
  if (!assign || assign->value.kind != il::ValueKind::New) wobbly(paths, statement);
}

// Without {x, y} for x := y and {x, pi} for x := pi.
void forgets_variables(WobblyPaths& paths, const il::Statement& statement) {
  const auto* assign = std::get_if<il::Assign>(&statement.what);
  if (!assign || !assign->target.is_variable() || assign->value.kind == il::ValueKind::New)
    wobbly(paths, statement);
}

// Copies of pointers do not leak them.
void forgets_leaks(WobblyPaths& paths, const il::Statement& statement) {
  if (const auto* assign = std::get_if<il::Assign>(&statement.what)) paths.add(assign->target, changed);
}

void call_forgets_wobbly(WobblyPaths&, const WobblyPaths&, const Substitution&, Wobbling) {}

void spawn_forgets_wobbly(WobblyPaths& paths, const WobblyPaths&, const Substitution& actuals, Wobbling) {
  wobbly_unknown_call(paths, actuals);
}

void locking_forgets_lock(LockState&, const il::Statement&) {}

// Unlocks once too often.
void locking_forgets_reentry(LockState& locks, const il::Statement& statement) {
  locking(locks, statement);
  for (auto& [key, count] : locks.held) count = 1;
}

LockState add_forgets_caller(const LockState&, const LockState& inner) { return inner; }

std::optional<il::Path> substitutes_names(const il::Path& path, const Substitution&) { return path; }

// The last field of an actual gets lost.
std::optional<il::Path> substitutes_the_object(const il::Path& path, const Substitution& actuals) {
  Substitution shorter = actuals;
  for (il::Value& actual : shorter)
    if (actual.kind == il::ValueKind::Path && actual.path.steps.size() >= 2)
      actual.path.steps.resize(actual.path.steps.size() - 2);
  return substitute(path, shorter);
}

bool all_paths_are_stable(const WobblyPaths&, const il::Path&, Wobbling) { return true; }

// Only the root counts, not the prefixes behind it.
bool stable_if_the_root_is(const WobblyPaths& wobbly, const il::Path& path, Wobbling) {
  return !wobbly.paths().contains(il::Path(path.root));
}

// Every use of a pointer that was leaked is taken as harmless, however far behind it.
bool leaks_are_harmless(const WobblyPaths& wobbly, const il::Path& path, Wobbling wobbling) {
  WobblyPaths rest;
  for (const auto& [wobbly_path, how] : wobbly.paths())
    if (how.changed) rest.add(wobbly_path, changed);
  return rest.must_be_stable(path, wobbling);
}

bool locks_do_not_matter(const LockState&, const LockState&, const SharedRoots&) { return true; }

bool order_does_not_matter(const LockState& a, const LockState& b, const SharedRoots& roots) {
  LockState x = a, y = b;
  x.nested.clear();
  y.nested.clear();
  return may_hold_together(x, y, roots);
}

bool names_tell_locks_apart(const LockState& a, const LockState& b, const SharedRoots&) {
  for (const auto& [x, n] : a.held)
    if (b.held.contains(x)) return false;
  return true;
}

bool one_shared_lock_is_enough(const LockState& a, const LockState& b, const SharedRoots& roots) {
  auto has_shared = [](const LockState& locks) {
    for (const auto& [key, count] : locks.held)
      if (key.mode == il::LockMode::Shared) return true;
    return false;
  };
  return has_shared(a) || has_shared(b) || may_hold_together(a, b, roots);
}

template <class Change> Rules with(Change change) {
  Rules rules;
  change(rules);
  return rules;
}

} // namespace

const std::vector<Fault>& faults() {
  using enum Language;
  constexpr Wobbling paper = Wobbling::Paper, refined = Wobbling::Refined;
  static const std::vector<Fault> all = {
      {"wobbly-forgets-stores", with([](Rules& r) { r.wobbly = forgets_stores; }), Paper, paper},
      {"wobbly-forgets-allocations", with([](Rules& r) { r.wobbly = forgets_allocations; }), Paper, paper},
      {"wobbly-forgets-variables", with([](Rules& r) { r.wobbly = forgets_variables; }), Paper, paper},
      {"wobbly-forgets-leaks", with([](Rules& r) { r.wobbly = forgets_leaks; }), Cpp, refined},
      {"call-forgets-wobbly", with([](Rules& r) { r.wobbly_call = call_forgets_wobbly; }), Paper, paper},
      {"spawn-forgets-wobbly", with([](Rules& r) { r.wobbly_spawn = spawn_forgets_wobbly; }), Threads,
       refined},
      {"locking-forgets-lock", with([](Rules& r) { r.locking = locking_forgets_lock; }), Paper, paper},
      {"locking-forgets-reentry", with([](Rules& r) { r.locking = locking_forgets_reentry; }), Paper, paper},
      {"add-forgets-caller", with([](Rules& r) { r.add = add_forgets_caller; }), Paper, paper},
      {"substitutes-names", with([](Rules& r) { r.substitute = substitutes_names; }), Paper, paper},
      {"substitutes-the-object", with([](Rules& r) { r.substitute = substitutes_the_object; }), Paper, paper},
      {"all-paths-are-stable", with([](Rules& r) { r.must_be_stable = all_paths_are_stable; }), Paper, paper},
      {"stable-if-the-root-is", with([](Rules& r) { r.must_be_stable = stable_if_the_root_is; }), Paper,
       paper},
      {"leaks-are-harmless", with([](Rules& r) { r.must_be_stable = leaks_are_harmless; }), Cpp, refined},
      {"locks-do-not-matter", with([](Rules& r) { r.may_hold_together = locks_do_not_matter; }), Paper,
       paper},
      {"order-does-not-matter", with([](Rules& r) { r.may_hold_together = order_does_not_matter; }), Cpp,
       refined},
      {"names-tell-locks-apart", with([](Rules& r) { r.may_hold_together = names_tell_locks_apart; }), Cpp,
       refined},
      {"one-shared-lock-is-enough", with([](Rules& r) { r.may_hold_together = one_shared_lock_is_enough; }),
       Cpp, refined},
  };
  return all;
}

} // namespace footrace::scan::theorem
