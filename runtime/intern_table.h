// Hash consing: equal nodes get the same 32-bit id, for ever. Ids start at 1; 0 is nothing.
//
// Nodes lie in one reserved array that is never moved. The index is an open-addressed table of ids that
// doubles when half full; replaced tables stay mapped (together as large as the current one), so readers need
// no lock: a reader with an old table can only miss, and a miss is looked up again under the lock.
// Concurrency: find is lock-free; insertion is under one spin lock, which new nodes only take once each.
// When the array is full intern returns 0; nothing ever fails harder than that.
#pragma once

#include "base/platform.h"

namespace footrace {

FR_INLINE u64 mix_hash(u64 x) {
  x ^= x >> 32;
  x *= 0x9e3779b97f4a7c15ull;
  return x ^ (x >> 29);
}

// Node: trivially copyable, with `bool same(const Node&) const` and `u64 hash() const`.
template <class Node, u32 kMaxNodes> class InternTable {
public:
  u32 intern(const Node& node, bool* is_new = nullptr) {
    u64 hash = node.hash();
    if (is_new) *is_new = false;
    if (u32 id = find(__atomic_load_n(&index_, __ATOMIC_ACQUIRE), node, hash)) return id;
    return insert(node, hash, is_new);
  }

  u32 find(const Node& node) const { // 0: not there
    return find(__atomic_load_n(&index_, __ATOMIC_ACQUIRE), node, node.hash());
  }

  const Node* get(u32 id) const {
    return id && id <= __atomic_load_n(&count_, __ATOMIC_ACQUIRE) ? &nodes_[id - 1] : nullptr;
  }
  u32 count() const { return __atomic_load_n(&count_, __ATOMIC_ACQUIRE); }

private:
  struct Index {
    u64 mask; // the slots follow
    u32* slot(u64 i) const { return reinterpret_cast<u32*>(uptr(this) + sizeof(Index)) + i; }
  };
  static constexpr u64 kFirstSlots = 4096;

  u32 find(const Index* index, const Node& node, u64 hash) const {
    if (!index) return 0;
    for (u64 i = hash & index->mask;; i = (i + 1) & index->mask) {
      u32 id = __atomic_load_n(index->slot(i), __ATOMIC_ACQUIRE);
      if (!id || nodes_[id - 1].same(node)) return id;
    }
  }

  static void place(Index* index, u32 id, u64 hash) {
    u64 i = hash & index->mask;
    while (*index->slot(i)) i = (i + 1) & index->mask;
    __atomic_store_n(index->slot(i), id, __ATOMIC_RELEASE);
  }

  bool grow() {
    u64 slots = index_ ? (index_->mask + 1) * 2 : kFirstSlots;
    if (!nodes_) nodes_ = reinterpret_cast<Node*>(map_memory(u64(kMaxNodes) * sizeof(Node)));
    auto* bigger = reinterpret_cast<Index*>(map_memory(sizeof(Index) + slots * sizeof(u32)));
    if (!nodes_ || !bigger) return false;
    bigger->mask = slots - 1;
    for (u32 id = 1; id <= count_; ++id) place(bigger, id, nodes_[id - 1].hash());
    __atomic_store_n(&index_, bigger, __ATOMIC_RELEASE);
    return true;
  }

  FR_COLD u32 insert(const Node& node, u64 hash, bool* is_new) {
    SpinGuard guard(lock_);
    if (u32 id = find(index_, node, hash)) return id;
    if (count_ >= kMaxNodes) return 0;
    if ((!index_ || u64(count_) * 2 >= index_->mask) && !grow()) return 0;
    nodes_[count_] = node;
    __atomic_store_n(&count_, count_ + 1, __ATOMIC_RELEASE);
    place(index_, count_, hash);
    if (is_new) *is_new = true;
    return count_;
  }

  Node* nodes_ = nullptr;
  Index* index_ = nullptr;
  u32 count_ = 0;
  SpinLock lock_;
};

} // namespace footrace
