// What classes declare about themselves and their bases: thread_safe, GUARDED_BY, PT_GUARDED_BY; whose members locks are.
#include "scan/domain/concurrency.h"

#include <algorithm>

namespace footrace::scan::domain {

namespace {

bool has_ancestor(const std::unordered_map<il::Name, const il::Class*>& classes, il::Name derived,
                  il::Name base, unsigned depth = 0) {
  if (derived == base) return true;
  auto entry = classes.find(derived);
  if (entry == classes.end() || depth > 64) return false;
  for (il::Name next : entry->second->bases)
    if (has_ancestor(classes, next, base, depth + 1)) return true;
  return false;
}

} // namespace

bool Concurrency::may_be_same_object(il::Name a, il::Name b) const {
  return !a.empty() && !b.empty() && (has_ancestor(classes_, a, b) || has_ancestor(classes_, b, a));
}

// A field of a class that has bases has its name before its own.
bool Concurrency::may_know(il::Name of_class, const il::Path& lock) const {

  auto field = std::ranges::find(lock.steps, il::StepKind::Field, &il::Step::kind);
  auto owner =
      field == lock.steps.end() ? shown_classes_.end() : shown_classes_.find(il::qualifier(field->field));
  if (owner == shown_classes_.end() || owner->second == of_class) return true;
  return !has_ancestor(classes_, owner->second, of_class);
}

template <class Test> const il::Class* Concurrency::find_related(il::Name of_class, Test test) const {
  for (const il::Class* a_class : with_contract_)
    if (test(*a_class) && may_be_same_object(of_class, a_class->name)) return a_class;
  return nullptr;
}

bool Concurrency::is_optional(il::Name of_class, const il::Path& lock) const {
  if (lock.steps.size() != 2 || lock.steps[1].kind != il::StepKind::Field) return false;
  return find_related(of_class, [&](const il::Class& c) {
           return std::ranges::find(c.optional_locks, lock.steps[1].field) != c.optional_locks.end();
         }) != nullptr;
}

std::string Concurrency::shared_by_contract(il::Name of_class) const {
  const il::Class* found = find_related(of_class, [](const il::Class& c) { return c.thread_safe; });
  return found ? "class " + found->name.text() + " is declared to be thread-safe" : "";
}

const il::Guard* Concurrency::guard_of(il::Name of_class, const il::Path& path) const {
  if (path.steps.size() < 2 || path.steps[0].kind != il::StepKind::Deref ||
      path.steps[1].kind != il::StepKind::Field)
    return nullptr;
  // GUARDED_BY speaks of the field itself, PT_GUARDED_BY of what it points to.
  bool behind = il::has_deref_after(path, 2);
  auto guards = [&](const il::Class& c) -> const il::Guard* {
    for (const il::Guard& guard : c.guards)
      if (guard.field == path.steps[1].field && guard.pointee == behind) return &guard;
    return nullptr;
  };
  const il::Class* found = find_related(of_class, [&](const il::Class& c) { return guards(c) != nullptr; });
  return found ? guards(*found) : nullptr;
}

} // namespace footrace::scan::domain
