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

// The same, of `place` after `call`: most are not nearer, and no chain is made for them.
bool is_nearer(const CallSite& call, const AccessPlace& place, const AccessPlace& other) {
  if (place.calls.size() + 1 != other.calls.size()) return place.calls.size() + 1 < other.calls.size();
  if (place.at != other.at) return place.at < other.at;
  return call != other.calls.front() ? call < other.calls.front() : place.calls < other.calls.rest();
}

bool may_be_kept(const AccessKey& key) {
  return may_be_shared(key.path) && key.path->steps.size() <= Accesses::max_steps &&
         !key.unless->must_be_owned();
}

} // namespace

// `all` is in order.
static void leave_out_variants(std::vector<Accesses::Entry>& all) {
  std::size_t kept = 0, variants = 0;
  for (std::size_t i = 0; i < all.size(); ++i) {
    const AccessKey &key = all[i].first, *last = kept ? &all[kept - 1].first : nullptr;
    bool same = last && last->path == key.path && last->kind == key.kind;
    variants = same ? variants + 1 : 1;
    if (variants <= Accesses::max_variants) all[kept++] = all[i];
  }
  all.resize(kept);
}

std::size_t digest_of(const il::Path& path) {
  std::size_t digest =
      path.root.kind == il::RootKind::Formal ? path.root.index : std::hash<il::Name>()(path.root.name);
  for (const il::Step& step : path.steps)
    digest = mixed(mixed(digest, std::size_t(step.kind)), std::hash<il::Name>()(step.field));
  return digest;
}

std::size_t AccessCollector::Hash::operator()(const AccessKey& key) const {
  std::size_t digest = mixed(Interned<il::Path>::Hash()(key.path), Interned<LockState>::Hash()(key.locks));
  digest = mixed(digest, Interned<Turn>::Hash()(key.turn));
  return mixed(digest, std::size_t(key.kind) + 2 * std::size_t(key.order) + 8 * key.waited);
}

void AccessCollector::add(const AccessKey& key, const AccessPlace& place) {
  if (!may_be_kept(key)) return;
  auto [entry, added] = all_.try_emplace(key, place);
  if (!added && is_nearer(place, entry->second)) entry->second = place;
}

void AccessCollector::add(const AccessKey& key, const CallSite& call, const AccessPlace& place) {
  if (!may_be_kept(key)) return;
  auto [entry, added] = all_.try_emplace(key);
  if (added || is_nearer(call, place, entry->second)) entry->second = {place.calls.after(call), place.at};
}

Accesses AccessCollector::take() {
  Accesses result;
  result.all_.assign(all_.begin(), all_.end());
  all_.clear();
  auto by_key = [](const Accesses::Entry& a, const Accesses::Entry& b) { return a.first < b.first; };
  std::ranges::sort(result.all_, by_key);
  leave_out_variants(result.all_);
  if (result.all_.size() > Accesses::max_accesses) {
    std::ranges::sort(result.all_, [&](const Accesses::Entry& a, const Accesses::Entry& b) {
      const std::size_t x = a.second.calls.size(), y = b.second.calls.size();
      return x != y ? x < y : by_key(a, b);
    });
    result.all_.resize(Accesses::max_accesses);
    std::ranges::sort(result.all_, by_key);
  }
  result.all_.shrink_to_fit();
  return result;
}

bool Accesses::has_same_keys(const Accesses& other) const {
  return std::ranges::equal(all_, other.all_, {}, &Entry::first, &Entry::first);
}

Touched touched_by(const il::Statement& statement) {
  Touched touched;
  std::visit(Toucher{touched}, statement.what);
  return touched;
}

} // namespace footrace::scan::domain
