// The nodes that vector clocks are made of, for those who build trees themselves.
#pragma once

#include "clocks/vector_clock.h"

namespace footrace::clock_nodes {

ClockNode* make_node(); // all zero, with one reference
void drop(ClockNode* node, u32 levels);

inline ClockNode* retain(ClockNode* node) {
  if (node) __atomic_fetch_add(&node->refs, 1, __ATOMIC_RELAXED);
  return node;
}

inline u32 levels_for(Tid tid) {
  u32 levels = 1;
  while (tid >>= kClockFanoutBits) ++levels;
  return levels;
}

} // namespace footrace::clock_nodes
