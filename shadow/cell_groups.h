// The blocks that cells with groups (shadow/cell.h) refer to. Private to cell.cpp and cell_groups.cpp.
//
// Neighbouring cells mostly get equal groups: one thread goes over them in one epoch. So blocks are counted, and what a thread makes again and
// again is made once (common blocks). Invariant: a block changes only while its one reference is that of a cell which the changer has locked;
// with a second reference, be it the one of a thread that remembers it, content, generation and what was seen are fixed.
#pragma once

#include "shadow/cell.h"

namespace footrace {

struct GroupBlock {
  u32 generation; // of the current content
  u32 size_class; // capacity is 2, 4 or 8; never changes
  u32 count;
  u32 refs;
  u64 written; // epoch of the thread that changed the block last | the bytes it has written in it
  // By tid: epoch of a thread | bytes that it has read or written in it and that nobody has written since.
  static constexpr u32 kSeen = 4;
  u64 seen[kSeen];
  union {
    GroupBlock* next_free;
    Group group[1];
  };
};
constexpr u32 kGroupClasses = 3;
constexpr u32 group_capacity(u32 size_class) { return 2u << size_class; }

// With one reference, for so many groups.
GroupBlock* new_group_block(u32 count);
void retain_group_block(GroupBlock* b);
void release_group_block(GroupBlock* b); // the last one gives back its sets as well
FR_INLINE bool is_common(const GroupBlock* b) { return __atomic_load_n(&b->refs, __ATOMIC_ACQUIRE) > 1; }

GroupBlock* group_block_of(u64 w);
u64 word_of(const GroupBlock* b);

template <class Fn> void for_each_set(const History& h, Fn fn) {
  if (is_set(h.R)) fn(h.R);
  if (is_set(h.AW)) fn(h.AW);
  if (is_set(h.AR)) fn(h.AR);
}

// What the thread remembers of the blocks it has made.
struct CommonBlock {
  u64 hash;          // of the groups and the epoch that were here last; 0: none
  GroupBlock* block; // has a reference; null until they are met again
  bool is_for(u64 groups_hash) const { return groups_hash && hash == groups_hash; }
};
// 0: not worth remembering (atomics are each location's own).
u64 hash_of_groups(const Groups& groups, Epoch now);
CommonBlock& common_block_for(u64 hash);
// A new reference to a block with just these groups, made in this epoch; null: none is remembered.
GroupBlock* take_common_block(const CommonBlock& common, u64 hash, const Groups& groups, Epoch now);
// The caller has made a block for groups with this hash. Remembered at the second time: what is made once should stay its cell's own.
void remember_common_block(CommonBlock& common, u64 hash, GroupBlock* b);

} // namespace footrace
