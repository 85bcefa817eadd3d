#include "scan/domain/ownership.h"

#include "scan/domain/digest.h"

namespace footrace::scan::domain {

namespace {

Owned initial(const il::Root& root) {
  return root.kind == il::RootKind::Formal ? owned_if(root.index) : not_owned();
}

} // namespace

Owned both(const Owned& a, const Owned& b) {
  if (a.unowned || b.unowned) return not_owned();
  Owned result = a;
  result.formals.insert(b.formals.begin(), b.formals.end());
  return result;
}

std::size_t digest_of(const Owned& owned) { return mixed(digest_of(owned.formals), owned.unowned); }

Owned Ownership::of(const il::Path& path) const {
  il::Path prefix = path;
  while (true) {
    if (auto entry = known_.find(prefix); entry != known_.end()) return entry->second;
    if (prefix.steps.empty()) return initial(path.root);
    prefix.steps.pop_back();
  }
}

Owned Ownership::of(const il::Value& value) const {
  switch (value.kind) {
  case il::ValueKind::Path:
    return of(value.path);
  case il::ValueKind::Address:
    return of_access(value.path);
  case il::ValueKind::Nothing:
  case il::ValueKind::New:
    return owned();
  }
  return not_owned();
}

Owned Ownership::of_access(const il::Path& path) const {
  il::Path object = path;
  while (!object.steps.empty() && object.steps.back().kind != il::StepKind::Deref) object.steps.pop_back();
  if (object.steps.empty()) return of(object);
  object.steps.pop_back();
  return of(object);
}

void Ownership::set(const il::Path& path, const Owned& value) {
  if (path.root.kind == il::RootKind::Global) return; // everybody can reach it
  // What was known of the paths behind it is history.
  std::erase_if(known_, [&](const auto& entry) { return is_proper_prefix(path, entry.first); });
  known_[path] = value;
}

Ownership join(const Ownership& a, const Ownership& b) {
  Ownership result = a;
  for (const auto& [path, value] : b.known_) result.known_[path] = both(a.of(path), value);
  for (auto& [path, value] : result.known_) value = both(value, b.of(path));
  return result;
}

void own(Ownership& ownership, const il::Statement& statement) {
  if (const auto* assign = std::get_if<il::Assign>(&statement.what))
    ownership.set(assign->target, ownership.of(assign->value));
}

std::vector<Owned> owners_of(const Substitution& actuals, const Ownership& caller) {
  std::vector<Owned> owners;
  for (const il::Value& actual : actuals) owners.push_back(caller.of(actual));
  return owners;
}

Owned precondition(const Owned& callee, const std::vector<Owned>& owners) {
  if (callee.unowned) return not_owned();
  Owned result;
  for (unsigned formal : callee.formals)
    if (formal < owners.size()) result = both(result, owners[formal]);
  return result;
}

} // namespace footrace::scan::domain
