#include "clocks/clock_rewriter.h"

#include "base/platform.h"
#include "clocks/clock_nodes.h"

namespace footrace {

using namespace clock_nodes;

struct ClockRewriter::Flat {
  u64 clock[kSlots];
};

namespace {
constexpr u64 kFirstSize = 1 << 10;
u64 mix(u64 x) {
  x = (x ^ x >> 31) * 0x9e37'79b9'7f4a'7c15;
  return x ^ x >> 29;
}
} // namespace

ClockRewriter::ClockRewriter(const EpochMap& map)
    : map_(map), flat_(*reinterpret_cast<Flat*>(map_memory(sizeof(Flat)))) {
  FR_CHECK(reinterpret_cast<uptr>(&flat_) && "out of memory for the renumbering of clocks");
}

ClockRewriter::~ClockRewriter() {
  drop_all(trees_);
  drop_all(nodes_);
  unmap_memory(reinterpret_cast<uptr>(&flat_), sizeof(Flat));
}

void ClockRewriter::drop_all(Table& table) {
  for (u64 i = 0; i < table.size; ++i) {
    const Entry& e = table.entries[i];
    if (!e.key) continue;
    drop(e.key, e.levels);
    drop(e.value, e.value_levels);
  }
  if (table.size) unmap_memory(reinterpret_cast<uptr>(table.entries), table.size * sizeof(Entry));
}

u64 ClockRewriter::hash_of(const ClockNode& node, u32 levels) {
  u64 hash = levels;
  for (u64 c : node.clock) hash = mix(hash ^ c);
  return hash;
}
u64 ClockRewriter::hash_of(const ClockNode* node) { return mix(reinterpret_cast<uptr>(node)); }

// Room for one more.
void ClockRewriter::grow(Table& table, bool by_content) {
  if (table.count * 2 < table.size) return;
  const Table old = table;
  table.size = old.size ? old.size * 2 : kFirstSize;
  table.entries = reinterpret_cast<Entry*>(map_memory(table.size * sizeof(Entry)));
  FR_CHECK(table.entries && "out of memory for the renumbering of clocks");
  for (u64 i = 0; i < old.size; ++i) {
    const Entry& e = old.entries[i];
    if (!e.key) continue;
    u64 at = by_content ? hash_of(*e.key, e.levels) : hash_of(e.key);
    while (table.entries[at % table.size].key) ++at;
    table.entries[at % table.size] = e;
  }
  if (old.size) unmap_memory(reinterpret_cast<uptr>(old.entries), old.size * sizeof(Entry));
}

ClockRewriter::Entry& ClockRewriter::find_tree(ClockNode* root, u32 levels) {
  grow(trees_, false);
  for (u64 at = hash_of(root);; ++at) {
    Entry& e = trees_.entries[at % trees_.size];
    if (!e.key || (e.key == root && e.levels == levels)) return e;
  }
}

ClockNode* ClockRewriter::intern(const ClockNode& node, u32 levels) {
  grow(nodes_, true);
  u64 at = hash_of(node, levels);
  for (;; ++at) {
    const Entry& e = nodes_.entries[at % nodes_.size];
    if (!e.key) break;
    if (e.levels != levels || compare_bytes(e.key->clock, node.clock, sizeof node.clock)) continue;
    if (levels > 1)
      for (ClockNode* child : node.child) drop(child, levels - 1);
    return retain(e.key);
  }
  ClockNode* made = make_node();
  for (u32 i = 0; i < kClockFanout; ++i) made->clock[i] = node.clock[i];
  nodes_.entries[at % nodes_.size] = {made, nullptr, levels, 0};
  ++nodes_.count;
  return retain(made);
}

ClockNode* ClockRewriter::build(u32 levels, Tid base) {
  if (base >= kSlots) return nullptr; // a tree of so many levels has room for more slots than there are
  ClockNode node = {};
  bool is_empty = true;
  for (u32 i = 0; i < kClockFanout; ++i) {
    if (levels == 1)
      node.clock[i] = flat_.clock[base + i];
    else
      node.child[i] = build(levels - 1, base + (i << ((levels - 1) * kClockFanoutBits)));
    is_empty &= !node.clock[i];
  }
  return is_empty ? nullptr : intern(node, levels);
}

void ClockRewriter::rewrite(VectorClock& tree) {
  if (tree.empty()) return;
  Entry& e = find_tree(tree.root_, tree.levels_);
  if (!e.key) {
    Tid last = 0;
    tree.for_each([&](Tid slot, u64 clock) {
      const Epoch now = map_.entry(slot, clock);
      if (!now) return;
      flat_.clock[tid_of(now)] = max(flat_.clock[tid_of(now)], clock_of(now));
      last = max(last, tid_of(now));
    });
    ClockNode* root = build(levels_for(last), 0);
    for (Tid slot = 0; slot <= last; ++slot) flat_.clock[slot] = 0;
    e = {retain(tree.root_), root, tree.levels_, root ? levels_for(last) : 0};
    ++trees_.count;
  }
  tree.clear();
  tree.root_ = retain(e.value), tree.levels_ = e.value_levels;
}

void ClockRewriter::rewrite(Clock& clock) {
  rewrite(clock.tree);
  const Epoch own = clock.own ? map_.entry(clock.owner, clock.own) : kNoEpoch;
  clock.owner = tid_of(own), clock.own = clock_of(own);
  clock.since = 0;
  clock.exact = false;
}

} // namespace footrace
