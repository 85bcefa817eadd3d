#include "clocks/vector_clock.h"

#include "base/platform.h"
#include "clocks/clock_nodes.h"

namespace footrace {

constexpr u32 kFanoutBits = kClockFanoutBits, kFanout = kClockFanout;

namespace {

// Free nodes, in shards so that threads rarely meet at one lock.
struct alignas(64) Shard {
  SpinLock lock;
  ClockNode* free;
  uptr fresh, fresh_end;
  i64 in_use;
};
constexpr u32 kShards = 16;
constexpr uptr kChunk = 256 << 10;
Shard g_shards[kShards];
u32 g_next_shard;
__thread u32 t_shard; // 1-based; 0: not chosen yet

Shard& my_shard() {
  if (!t_shard) t_shard = 1 + __atomic_fetch_add(&g_next_shard, 1, __ATOMIC_RELAXED) % kShards;
  return g_shards[t_shard - 1];
}

ClockNode* allocate() {
  Shard& shard = my_shard();
  SpinGuard guard(shard.lock);
  ++shard.in_use;
  if (ClockNode* node = shard.free) {
    shard.free = node->next_free;
    return node;
  }
  if (shard.fresh_end - shard.fresh < sizeof(ClockNode)) {
    shard.fresh = map_memory(kChunk);
    FR_CHECK(shard.fresh && "out of memory for vector clocks");
    shard.fresh_end = shard.fresh + kChunk;
  }
  ClockNode* node = reinterpret_cast<ClockNode*>(shard.fresh);
  shard.fresh += sizeof(ClockNode);
  return node;
}

void free_node(ClockNode* node) {
  Shard& shard = my_shard();
  SpinGuard guard(shard.lock);
  --shard.in_use;
  node->next_free = shard.free;
  shard.free = node;
}

} // namespace

namespace clock_nodes {

ClockNode* make_node() {
  ClockNode* node = allocate();
  node->refs = 1;
  for (u64& c : node->clock) c = 0;
  return node;
}

void drop(ClockNode* node, u32 levels) {
  if (!node || __atomic_sub_fetch(&node->refs, 1, __ATOMIC_ACQ_REL)) return;
  if (levels > 1)
    for (ClockNode* child : node->child) drop(child, levels - 1);
  free_node(node);
}

} // namespace clock_nodes

using namespace clock_nodes;

namespace {

bool has_one_owner(ClockNode* node) { return __atomic_load_n(&node->refs, __ATOMIC_ACQUIRE) == 1; }

// Consumes a reference to `node`, returns one to a node that may be changed.
ClockNode* make_writable(ClockNode* node, u32 levels) {
  if (has_one_owner(node)) return node;
  ClockNode* copy = allocate();
  copy->refs = 1;
  for (u32 i = 0; i < kFanout; ++i) {
    if (levels > 1)
      copy->child[i] = retain(node->child[i]);
    else
      copy->clock[i] = node->clock[i];
  }
  drop(node, levels);
  return copy;
}

bool node_less_equal(const ClockNode* a, const ClockNode* b, u32 levels) {
  if (a == b || !a) return true;
  if (levels == 1) {
    for (u32 i = 0; i < kFanout; ++i)
      if (a->clock[i] > (b ? b->clock[i] : 0)) return false;
    return true;
  }
  for (u32 i = 0; i < kFanout; ++i)
    if (!node_less_equal(a->child[i], b ? b->child[i] : nullptr, levels - 1)) return false;
  return true;
}

// The slots from `base` on that differ from `before`, which may be null.
void mirror_node(ClockMirror& mirror, const ClockNode* node, const ClockNode* before, u32 levels, Tid base) {
  if (!node || node == before) return;
  for (u32 i = 0; i < kFanout; ++i) {
    const Tid first = base + (i << ((levels - 1) * kFanoutBits));
    if (levels > 1)
      mirror_node(mirror, node->child[i], before ? before->child[i] : nullptr, levels - 1, first);
    else if (node->clock[i] && (!before || node->clock[i] != before->clock[i]))
      mirror.write(first, node->clock[i]);
  }
}

// Consumes a reference to `a`, returns one to a join b. Adopts b's node where that is all there is to know.
ClockNode* join_nodes(ClockNode* a, ClockNode* b, u32 levels, bool& changed, ClockMirror* mirror, Tid base) {
  if (a == b || !b) return a;
  if (a && node_less_equal(b, a, levels)) return a;
  changed = true;
  if (!a || node_less_equal(a, b, levels)) {
    if (mirror) mirror_node(*mirror, b, a, levels, base);
    drop(a, levels);
    return retain(b);
  }
  a = make_writable(a, levels);
  for (u32 i = 0; i < kFanout; ++i) {
    const Tid first = base + (i << ((levels - 1) * kFanoutBits));
    if (levels > 1) {
      a->child[i] = join_nodes(a->child[i], b->child[i], levels - 1, changed, mirror, first);
    } else if (a->clock[i] < b->clock[i]) {
      a->clock[i] = b->clock[i];
      if (mirror) mirror->write(first, b->clock[i]);
    }
  }
  return a;
}

} // namespace

VectorClock::VectorClock(const VectorClock& other) : root_(retain(other.root_)), levels_(other.levels_) {}

VectorClock& VectorClock::operator=(const VectorClock& other) {
  if (root_ == other.root_ && levels_ == other.levels_) return *this;
  ClockNode* root = retain(other.root_);
  u32 levels = other.levels_;
  clear();
  root_ = root, levels_ = levels;
  return *this;
}

VectorClock& VectorClock::operator=(VectorClock&& other) {
  if (this == &other) return *this;
  clear();
  root_ = other.root_, levels_ = other.levels_;
  other.root_ = nullptr, other.levels_ = 0;
  return *this;
}

void VectorClock::clear() {
  drop(root_, levels_);
  root_ = nullptr, levels_ = 0;
}

u64 VectorClock::get_from_tree(Tid tid) const {
  if (levels_ == 0 || levels_for(tid) > levels_) return 0;
  const ClockNode* node = root_;
  for (u32 level = levels_; level > 1; --level) {
    node = node->child[(tid >> ((level - 1) * kFanoutBits)) % kFanout];
    if (!node) return 0;
  }
  return node->clock[tid % kFanout];
}

void VectorClock::grow_to(Tid tid) {
  u32 wanted = levels_for(tid);
  if (levels_ == 0) {
    root_ = make_node();
    levels_ = wanted;
    return;
  }
  for (; levels_ < wanted; ++levels_) {
    ClockNode* up = make_node();
    up->child[0] = root_;
    root_ = up;
  }
}

bool VectorClock::raise(Tid tid, u64 clock) {
  if (get(tid) >= clock) return false;
  grow_to(tid);
  ClockNode** slot = &root_;
  for (u32 level = levels_;; --level) {
    *slot = *slot ? make_writable(*slot, level) : make_node();
    if (level == 1) break;
    slot = &(*slot)->child[(tid >> ((level - 1) * kFanoutBits)) % kFanout];
  }
  (*slot)->clock[tid % kFanout] = clock;
  return true;
}

bool VectorClock::join(const VectorClock& other, ClockMirror* mirror) {
  if (!other.root_ || same_tree(other)) return false;
  if (!root_) {
    if (mirror) mirror_node(*mirror, other.root_, nullptr, other.levels_, 0);
    *this = other;
    return true;
  }
  if (levels_ < other.levels_) { // grow to the other's height
    while (levels_ < other.levels_) {
      ClockNode* up = make_node();
      up->child[0] = root_;
      root_ = up;
      ++levels_;
    }
  }
  bool changed = false;
  ClockNode** slot = &root_;
  u32 level = levels_;
  if (level > other.levels_) {
    // The other lies in our leftmost subtree; walk there, making the path ours, only if it brings something.
    const ClockNode* left = root_;
    for (u32 l = level; l > other.levels_ && left; --l) left = left->child[0];
    if (node_less_equal(other.root_, left, other.levels_)) return false;
    for (; level > other.levels_; --level) {
      *slot = *slot ? make_writable(*slot, level) : make_node();
      slot = &(*slot)->child[0];
    }
  }
  *slot = join_nodes(*slot, other.root_, level, changed, mirror, 0);
  return changed;
}

bool VectorClock::less_equal(const VectorClock& other) const {
  if (!root_) return true;
  if (!other.root_) return node_less_equal(root_, nullptr, levels_);
  const ClockNode *a = root_, *b = other.root_;
  u32 la = levels_, lb = other.levels_;
  for (; la > lb; --la) { // whatever lies beyond the other's reach must be zero
    for (u32 i = 1; i < kFanout; ++i)
      if (!node_less_equal(a->child[i], nullptr, la - 1)) return false;
    a = a->child[0];
    if (!a) return true;
  }
  for (; lb > la && b; --lb) b = b->child[0];
  return node_less_equal(a, b, la);
}

void VectorClock::visit(const ClockNode* node, u32 levels, Tid base, void (*fn)(void*, Tid, u64),
                        void* argument) {
  if (!node) return;
  for (u32 i = 0; i < kFanout; ++i) {
    Tid tid = base + (i << ((levels - 1) * kFanoutBits));
    if (levels > 1)
      visit(node->child[i], levels - 1, tid, fn, argument);
    else if (node->clock[i])
      fn(argument, tid, node->clock[i]);
  }
}

bool Clock::join(const Clock& other, ClockMirror* mirror) {
  bool changed = false;
  // Freshness: every publication of a thread carries its whole tree and is followed by a tick, so having seen
  // the owner at `since` or later means having seen what the tree holds.
  if (!(other.exact && get(other.owner) >= other.since)) changed = tree.join(other.tree, mirror);
  if (other.own > get(other.owner)) {
    if (own && owner == other.owner)
      own = other.own;
    else
      tree.raise(other.owner, other.own);
    if (mirror) mirror->write(other.owner, other.own);
    changed = true;
  }
  return changed;
}

u64 clock_nodes_in_use() {
  i64 total = 0;
  for (Shard& shard : g_shards) {
    SpinGuard guard(shard.lock);
    total += shard.in_use;
  }
  return u64(total);
}

void clock_pool_lock_all() {
  for (Shard& shard : g_shards) shard.lock.lock();
}
void clock_pool_unlock_all() {
  for (Shard& shard : g_shards) shard.lock.unlock();
}

} // namespace footrace
