#include "scan/domain/accesses.h"

#include <algorithm>
#include <map>
#include <tuple>
#include <unordered_set>

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

// As `ways` says.
class Merger {
public:
  explicit Merger(Ways ways) : ways_(ways) {}

  void add(AccessKey key, const AccessPlace& place) {
    const Interned<LockState> locks = key.locks;
    auto [holding, fresh] = holding_.try_emplace(locks);
    if (fresh) holding->second = ways_ == Ways::Apart ? locks : Interned<LockState>(without_ways(locks));
    key.locks = holding->second;
    auto [entry, added] = all_.try_emplace(key, locks, place);
    if (added) return;
    Value& known = entry->second;
    if (known.locks != locks) known.locks = with_both(known.locks, locks);
    if (is_nearer(place, known.place)) known.place = place;
  }

  std::vector<Accesses::Entry> take() {
    std::vector<Accesses::Entry> result;
    result.reserve(all_.size());
    for (auto& [key, value] : all_) {
      result.emplace_back(key, value.place);
      result.back().first.locks = value.locks;
    }
    return result;
  }

private:
  struct Value {
    Interned<LockState> locks;
    AccessPlace place;
  };
  using Two = std::pair<Interned<LockState>, Interned<LockState>>;
  struct HashTwo {
    std::size_t operator()(const Two& two) const {
      return mixed(Interned<LockState>::Hash()(two.first), Interned<LockState>::Hash()(two.second));
    }
  };

  static LockState without_ways(LockState locks) {
    locks.acquired.clear();
    locks.nested.clear();
    return locks;
  }

  Interned<LockState> with_both(Interned<LockState> a, Interned<LockState> b) {
    auto [known, fresh] = both_.try_emplace({a, b});
    if (!fresh) return known->second;
    LockState locks = a;
    if (ways_ == Ways::Common) {
      std::erase_if(locks.acquired, [&](const il::Path& lock) { return !b->acquired.contains(lock); });
      std::erase_if(locks.nested, [&](const il::Path& lock) { return !b->nested.contains(lock); });
    } else {
      locks.acquired.insert(b->acquired.begin(), b->acquired.end());
      locks.nested.insert(b->nested.begin(), b->nested.end());
      locks.limit();
    }
    return known->second = std::move(locks);
  }

  const Ways ways_;
  std::pmr::monotonic_buffer_resource memory_;
  std::pmr::unordered_map<AccessKey, Value, AccessKey::Hash> all_{&memory_};
  std::unordered_map<Interned<LockState>, Interned<LockState>, Interned<LockState>::Hash> holding_;
  std::unordered_map<Two, Interned<LockState>, HashTwo> both_;
};

// The places of some values in their order. There are few of them: accesses are put in order by numbers.
template <class T> class Ranks {
public:
  void add(Interned<T> value) {
    if (ranks_.try_emplace(value).second) values_.push_back(value);
  }
  void settle() {
    std::ranges::sort(values_);
    for (unsigned i = 0; i < values_.size(); ++i) ranks_[values_[i]] = i;
  }
  unsigned of(Interned<T> value) const { return ranks_.at(value); }

private:
  std::unordered_map<Interned<T>, unsigned, typename Interned<T>::Hash> ranks_;
  std::vector<Interned<T>> values_;
};

// By key, as AccessKey compares.
void sort(std::vector<Accesses::Entry>& all) {
  Ranks<il::Path> paths;
  Ranks<LockState> locks;
  Ranks<Owned> owners;
  Ranks<Turn> turns;
  for (const auto& [key, place] : all)
    paths.add(key.path), locks.add(key.locks), owners.add(key.unless), turns.add(key.turn);
  paths.settle(), locks.settle(), owners.settle(), turns.settle();
  using Rank = std::tuple<unsigned, AccessKind, unsigned, unsigned, Order, bool, unsigned>;
  std::vector<std::pair<Rank, std::size_t>> order;
  order.reserve(all.size());
  for (const auto& [key, place] : all)
    order.emplace_back(Rank(paths.of(key.path), key.kind, locks.of(key.locks), owners.of(key.unless),
                            key.order, key.waited, turns.of(key.turn)),
                       order.size());
  std::ranges::sort(order);
  std::vector<Accesses::Entry> sorted;
  sorted.reserve(all.size());
  for (const auto& [rank, index] : order) sorted.push_back(all[index]);
  all = std::move(sorted);
}

} // namespace

// What is also done by who does not use something for the first time is done whatever has been used: of the two, that one stays.
static void leave_out_first_uses(std::vector<Accesses::Entry>& all) {
  std::unordered_map<Interned<LockState>, std::vector<Interned<LockState>>, Interned<LockState>::Hash> fewer;
  for (const auto& [key, place] : all) {
    auto [entry, fresh] = fewer.try_emplace(key.locks);
    if (!fresh) continue;
    auto is_first_use = [](const auto& held) { return il::is_first_use_lock(held.first.lock); };
    for (const auto& [lock, count] : key.locks->held) {
      if (!il::is_first_use_lock(lock.lock)) continue;
      LockState without = key.locks;
      without.held.erase(lock);
      entry->second.push_back(std::move(without));
    }
    if (entry->second.size() < 2) continue;
    LockState none = key.locks;
    std::erase_if(none.held, is_first_use);
    entry->second.push_back(std::move(none));
  }
  if (std::ranges::all_of(fewer, [](const auto& entry) { return entry.second.empty(); })) return;
  std::unordered_set<AccessKey, AccessKey::Hash> keys;
  for (const auto& [key, place] : all) keys.insert(key);
  std::erase_if(all, [&](const Accesses::Entry& entry) {
    return std::ranges::any_of(fewer.at(entry.first.locks), [&](Interned<LockState> locks) {
      AccessKey key = entry.first;
      key.locks = locks;
      return keys.contains(key);
    });
  });
}

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

// `all` is in order, and stays so: the nearest remain, and of those that are as far as the last, the first.
static void leave_out_far(std::vector<Accesses::Entry>& all) {
  if (all.size() <= Accesses::max_accesses) return;
  std::map<std::size_t, std::size_t> counts; // by the length of their chains of calls
  for (const auto& [key, place] : all) ++counts[place.calls.size()];
  std::size_t room = Accesses::max_accesses;
  for (auto& [size, count] : counts) room -= count = std::min(count, room);
  std::erase_if(all, [&](const Accesses::Entry& entry) {
    std::size_t& left = counts[entry.second.calls.size()];
    if (left == 0) return true;
    --left;
    return false;
  });
}

std::size_t digest_of(const il::Path& path) {
  std::size_t digest =
      path.root.kind == il::RootKind::Formal ? path.root.index : std::hash<il::Name>()(path.root.name);
  for (const il::Step& step : path.steps)
    digest = mixed(mixed(digest, std::size_t(step.kind)), std::hash<il::Name>()(step.field));
  return digest;
}

std::size_t AccessKey::Hash::operator()(const AccessKey& key) const {
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

Accesses AccessCollector::take(Ways ways, const Change& change, bool* left_out) {
  Merger merger(ways);
  for (const auto& [access, place] : all_)
    if (AccessKey key = access; change(key)) merger.add(key, place);
  all_.clear();
  Accesses result;
  result.all_ = merger.take();
  leave_out_first_uses(result.all_);
  sort(result.all_);
  const std::size_t found = result.all_.size();
  leave_out_variants(result.all_);
  leave_out_far(result.all_);
  if (left_out) *left_out = result.all_.size() < found;
  result.all_.shrink_to_fit();
  return result;
}

bool Accesses::restore(std::vector<Entry> all) {
  all_ = std::move(all);
  all_.shrink_to_fit();
  return std::ranges::is_sorted(all_, {}, &Entry::first);
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
