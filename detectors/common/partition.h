// Which memory a detector looks at when several processes share a trace (footrace replay --shards): every N-th block of 4096 bytes.
// Synchronisation is everybody's.
#pragma once

#include "base/types.h"

namespace footrace::detectors {

struct Partition {
  u32 shards = 1, shard = 0; // shard < shards
  static constexpr u64 kBlock = 4096;
  bool owns(u64 address) const { return shards == 1 || address / kBlock % shards == shard; }
};

} // namespace footrace::detectors
