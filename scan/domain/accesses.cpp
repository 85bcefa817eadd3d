#include "scan/domain/accesses.h"

#include <algorithm>

namespace footrace::scan::domain {

namespace {

void add_pointers(Touched& touched, const il::Path& path) {
  for (std::size_t i = 1; i < path.steps.size(); ++i) {
    if (path.steps[i].kind != il::StepKind::Deref) continue;
    il::Path pointer(path.root, {path.steps.begin(), path.steps.begin() + std::ptrdiff_t(i)});
    touched.accesses.emplace_back(std::move(pointer), AccessKind::Read);
  }
}

void add_read(Touched& touched, const il::Path& path) {
  add_pointers(touched, path);
  touched.accesses.emplace_back(path, AccessKind::Read);
}

void add_value(Touched& touched, const il::Value& value) {
  if (value.kind == il::ValueKind::Path) add_read(touched, value.path);
  if (value.kind == il::ValueKind::Address) add_pointers(touched, value.path);
}

struct Toucher {
  Touched& touched;
  void operator()(const il::Assign& assign) {
    add_value(touched, assign.value);
    add_pointers(touched, assign.target);
    touched.accesses.emplace_back(assign.target, AccessKind::Write);
  }
  void operator()(const il::Use& use) { add_read(touched, use.path); }
  void operator()(const il::LockOp& op) { add_pointers(touched, op.lock); }
  void operator()(const il::Call& call) {
    for (const il::Value& actual : call.actuals) add_value(touched, actual);
  }
  void operator()(const il::Return& leave) { add_value(touched, leave.value); }
};

bool is_nearer(const AccessPlace& a, const AccessPlace& b) {
  if (a.calls.size() != b.calls.size()) return a.calls.size() < b.calls.size();
  if (a.at != b.at) return a.at < b.at;
  return a.calls < b.calls;
}

} // namespace

void Accesses::add(AccessKey key, AccessPlace place) {
  if (!may_be_shared(key.path) || key.path.steps.size() > max_steps || key.unless.must_be_owned()) return;
  if (all_.size() >= max_accesses && std::prev(all_.end())->first < key) return;
  auto [entry, added] = all_.try_emplace(std::move(key), std::move(place));
  if (!added && is_nearer(place, entry->second)) entry->second = std::move(place);
  if (all_.size() > max_accesses)
    all_.erase(std::prev(all_.end())); // the same ones, whatever the order in which they come
}

bool Accesses::has_same_keys(const Accesses& other) const {
  return std::ranges::equal(
      all_, other.all_, {}, [](const auto& e) -> const AccessKey& { return e.first; },
      [](const auto& e) -> const AccessKey& { return e.first; });
}

Touched touched_by(const il::Statement& statement) {
  Touched touched;
  std::visit(Toucher{touched}, statement.what);
  return touched;
}

} // namespace footrace::scan::domain
