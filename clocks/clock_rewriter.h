// Rewrites all vector clocks for renumbered epochs, so that clocks that share nodes share them afterwards: a tree is rewritten once, and nodes with the
// same content become one. Concurrency: the world stands still.
#pragma once

#include "clocks/epoch_map.h"

namespace footrace {

class ClockRewriter {
public:
  explicit ClockRewriter(const EpochMap& map);
  ~ClockRewriter();
  ClockRewriter(const ClockRewriter&) = delete;

  void rewrite(VectorClock& tree);
  // Of a lock and the like. Its freshness says nothing any more: values that once differed may be equal now.
  void rewrite(Clock& clock);

private:
  struct Entry {
    ClockNode *key, *value;
    u32 levels, value_levels;
  };
  // Open addressing; no key is null.
  struct Table {
    Entry* entries;
    u64 size, count;
  };
  struct Flat; // one clock, by slot

  static u64 hash_of(const ClockNode& node, u32 levels);
  static u64 hash_of(const ClockNode* node);
  static void drop_all(Table& table);
  static void grow(Table& table, bool by_content);
  Entry& find_tree(ClockNode* root, u32 levels);
  ClockNode* intern(const ClockNode& node,
                    u32 levels); // a reference to the node of this content; consumes those to its children
  ClockNode* build(u32 levels, Tid base); // of what is flat

  const EpochMap& map_;
  Flat& flat_;
  Table trees_ = {}; // rewritten; they stay until the end, so that no other one lies where they were
  Table nodes_ = {}; // made
};

} // namespace footrace
