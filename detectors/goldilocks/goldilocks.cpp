#include "detectors/goldilocks/goldilocks.h"

#include <algorithm>

namespace footrace::detectors {

constexpr size_t kLongList = 256;

bool Goldilocks::LockSet::has(Element e) const {
  return std::binary_search(elements.begin(), elements.end(), e);
}

void Goldilocks::LockSet::apply(const Transfer& transfer) {
  if (!has(transfer.from)) return;
  const auto at = std::lower_bound(elements.begin(), elements.end(), transfer.to);
  if (transfer.from == transfer.to)
    elements.erase(at);
  else if (at == elements.end() || *at != transfer.to)
    elements.insert(at, transfer.to);
}

Goldilocks::Set Goldilocks::set_of(u32 thread) {
  Set& set = current_[thread];
  if (!set) {
    LockSet own{list_begin_ + list_.size(), {devices_.thread(thread)}, nullptr};
    set = std::make_shared<Accesses>(Accesses{thread, std::make_shared<LockSet>(std::move(own))});
    lock_sets_.push_back(set->lock_set);
  }
  return set;
}

void Goldilocks::append(std::vector<Transfer>& transfers, u32 thread) {
  const Element t = devices_.thread(thread);
  for (const Transfer& transfer : transfers) {
    if (transfer.from == t && transfer.to != t)
      current_[thread].reset(); // what follows is not published by this
    list_.push_back(transfer);
  }
  transfers.clear();
  if (list_.size() > kLongList) cut_list();
}

// With shorter ways for the next time.
Goldilocks::LockSet& Goldilocks::lock_set_of(Accesses& accesses) {
  auto& set = accesses.lock_set;
  while (set->same) {
    if (set->same->same) set->same = set->same->same;
    set = set->same;
  }
  return *set;
}

void Goldilocks::carry_forward(LockSet& set) {
  for (const u64 end = list_begin_ + list_.size(); set.at < end; ++set.at, ++applied_)
    set.apply(list_[set.at - list_begin_]);
}

bool Goldilocks::is_ordered(Accesses& earlier, Element thread) {
  LockSet& set = lock_set_of(earlier);
  if (set.has(thread)) return true;
  carry_forward(set);
  return set.has(thread);
}

void Goldilocks::cut_list() {
  std::map<std::vector<Element>, std::shared_ptr<LockSet>> different;
  for (auto& set : lock_sets_) {
    if (set.use_count() == 1) continue; // nobody's
    carry_forward(*set);
    const auto [first, is_new] = different.try_emplace(set->elements, set);
    if (is_new) continue;
    set->same = first->second;
    set->elements = {};
  }
  lock_sets_.clear();
  for (auto& [elements, set] : different) lock_sets_.push_back(std::move(set));
  list_begin_ += list_.size();
  list_.clear();
}

bool Goldilocks::access(State& x, u32 thread, AccessKind kind, Previous& previous) {
  const Set mine = set_of(thread);
  auto& own = x.others[u32(kind)];
  if (kind == AccessKind::Write ? x.write == mine : std::find(own.begin(), own.end(), mine) != own.end()) {
    ++same_stretch_;
    return true;
  }
  ++checks_;
  const Element t = devices_.thread(thread);
  if (x.write && !is_ordered(*x.write, t))
    return previous = Previous::of(x.write->thread, AccessKind::Write), false;
  for (AccessKind earlier : {AccessKind::Read, AccessKind::AtomicWrite, AccessKind::AtomicRead})
    if (may_conflict(earlier, kind))
      for (const Set& set : x.others[u32(earlier)])
        if (!is_ordered(*set, t)) return previous = Previous::of(set->thread, earlier), false;
  if (kind == AccessKind::Write) { // whoever is ordered after it is ordered after all others
    for (auto& sets : x.others) sets.clear();
    x.write = mine;
  } else {
    std::erase_if(own, [&](const Set& set) { return set->thread == thread || is_ordered(*set, t); });
    own.push_back(mine);
  }
  return true;
}

void Goldilocks::step(const Event& e, Verdict& verdict) {
  devices_.before(e, scratch_);
  append(scratch_, e.thread);
  if (e.kind == EventKind::Alloc) {
    memory_.reset(e.target, e.extent);
  } else if (has_access(e.kind)) {
    const AccessKind kind = kind_of(e.kind);
    memory_.for_each(e.target, e.extent, [&](State& x, const Bytes& bytes) {
      Previous previous;
      if (x.raced) {
        verdict.may_race = true;
      } else if (!access(x, e.thread, kind, previous)) {
        x = State();
        x.raced = true;
        bytes.for_each_run([&](u64 address, u64 size) { verdict.warn(address, size, previous); });
      }
    });
  }
  devices_.after(e, scratch_);
  append(scratch_, e.thread);
}

Cost Goldilocks::cost() const {
  u64 bytes = memory_.memory() + list_.capacity() * sizeof(Transfer);
  for (const auto& set : lock_sets_)
    bytes += sizeof *set + set->elements.capacity() * sizeof(Element) + sizeof set;
  return {0, 0, bytes, {{"same_stretch", same_stretch_}, {"check", checks_}, {"transfer", applied_}}};
}

} // namespace footrace::detectors
