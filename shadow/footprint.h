// Footprint: what one thread has accessed since its last synchronisation and not yet checked (paper 000, section 4: "BigFoot adds the
// strided range to t's footprint for a"; committed at the thread's next synchronisation).
//
// A pending block is one bit per byte of a 512-byte block, for one kind of access and one origin (where the access was made: site and
// stack). So ranges merge and repeat in any order at the cost of one OR, and a block that fills up is checked as a whole without ever
// having been refined. The table is bounded and direct-mapped: who comes to a taken place evicts, and the evicted is checked at once.
//
// Why deferring is legitimate: between two synchronisations the thread's clock does not change, so the check decides the same whenever
// it is made; another thread's conflicting access is either ordered before (and stays so) or meets this one when the later of the two is
// checked. What may end the other's record meanwhile (fresh memory) must wait for the check: see docs/decisions/008.
// Concurrency: a footprint belongs to its thread.
#pragma once

#include "shadow/block.h"

namespace footrace {

// Tells apart accesses that a report would describe differently.
struct Origin {
  SiteId site;
  u32 context;
  bool operator==(const Origin& o) const { return site == o.site && context == o.context; }
};

struct PendingBlock {
  static constexpr u32 kLines = kBlockBytes / 64;
  uptr block; // 0: free
  Origin origin;
  bool write;
  u64 bytes[kLines]; // bit i of word w: byte 64 w + i

  bool is_full() const {
    u64 all = ~0ull;
    for (u64 line : bytes) all &= line;
    return all == ~0ull;
  }
  // True if any of these bytes were not pending yet. [offset, offset + size) lies in the block.
  bool add(u64 offset, u64 size) {
    bool grew = false;
    for (u64 end = offset + size; offset < end;) {
      u64 bit = offset % 64, n = min<u64>(64 - bit, end - offset);
      u64 mask = (n == 64 ? ~0ull : (1ull << n) - 1) << bit;
      u64& line = bytes[offset / 64];
      grew |= (mask & ~line) != 0;
      line |= mask;
      offset += n;
    }
    return grew;
  }
  // fn(address, size) for each run of pending bytes, from low to high addresses.
  template <class Fn> void for_each_run(Fn fn) const {
    for (u64 at = 0; at < kBlockBytes;) {
      u64 rest = bytes[at / 64] >> at % 64;
      if (!rest) {
        at = round_down(at, 64) + 64;
        continue;
      }
      at += u64(__builtin_ctzll(rest));
      u64 begin = at;
      while (at < kBlockBytes) {
        u64 ones = ~(bytes[at / 64] >> at % 64);
        u64 n = min<u64>(ones ? u64(__builtin_ctzll(ones)) : 64, 64 - at % 64);
        at += n;
        if (at % 64 || !n) break;
      }
      fn(block + begin, at - begin);
    }
  }
};

class Footprint {
public:
  static constexpr u32 kPlaces = 64;

  // The place for accesses of this kind and origin to this block. It may hold another one, which must be checked and freed first.
  PendingBlock& place_of(uptr block, bool write, Origin origin) {
    u64 key = block / kBlockBytes * 2 + write;
    key = (key ^ u64(origin.site) << 20 ^ u64(origin.context) << 32) * 0x9e3779b97f4a7c15;
    return places_[key >> 58];
  }
  static bool holds(const PendingBlock& p, uptr block, bool write, Origin origin) {
    return p.block == block && p.write == write && p.origin == origin;
  }
  // Takes a free place; nothing is pending in it yet.
  void begin(PendingBlock& p, uptr block, bool write, Origin origin) {
    p.block = block, p.write = write, p.origin = origin;
    for (u64& line : p.bytes) line = 0;
    used_ |= 1ull << (&p - places_);
  }
  void free(PendingBlock& p) {
    p.block = 0;
    used_ &= ~(1ull << (&p - places_));
  }
  bool empty() const { return !used_; }
  // fn(PendingBlock&) for every one; fn must free it.
  template <class Fn> void drain(Fn fn) {
    while (used_) fn(places_[__builtin_ctzll(used_)]);
  }

private:
  u64 used_ = 0;
  PendingBlock places_[kPlaces] = {};
};

} // namespace footrace
