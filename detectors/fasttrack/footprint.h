// Footprints (paper 000, section 4) of bytes. Code that goes through memory byte by byte takes a step per byte of a cell, each a
// compare-and-swap, and pulls the cell apart and together again. So the first byte of a cell is checked at once, and what the
// thread accesses of that cell afterwards, in the same epoch, waits in the thread and is checked in one step: when the cell is full,
// when another cell wants the slot, and before the thread's clock or epoch changes (sync_rules.cpp), so no later than its next
// synchronisation.
//
// Why that is the same check. Between the access and its check the thread neither learns nor publishes anything, so the check asks
// what the access would have asked; of two unordered accesses the one that is checked last meets the other, whichever came first.
// An access that is ordered after ours is ordered by a release of this thread, which has settled. Memory that ends its life without
// such an order races with the first byte of the cell, which is in the shadow already.
#pragma once

#include "base/types.h"
#include "shadow/site_id.h"

namespace footrace::fasttrack {

struct PendingCell {
  uptr cell;       // address of the 8 bytes
  u64 version;     // of the footprint; of any other, the entry holds nothing
  SiteId sites[8]; // of the bytes
  u8 bytes;        // accessed
  u8 checked;      // of these, in the shadow already
  u8 patience;     // how often they may be accessed again before code in line should find them
  bool waits() const { return bytes != checked; }
};

// Where the program is: its stack and the locks that it holds (runtime/context.h).
struct RunPlace {
  u32 context = 0, locks = 0;
  bool operator==(const RunPlace& o) const = default;
};

// Bytes that wait (runs.h): [begin, end), all accessed by one site. What follows at `end` may continue them.
struct Run {
  static constexpr u32 kPatience = 8, kMostPatience = 1024;
  uptr begin, end;
  u64 version;  // of the footprint; of any other, nothing continues the run
  uptr key;     // tells sites apart
  SiteId site;  // a combination if it is of whole cells whose bytes have several
  u32 patience; // how often its bytes may be accessed again before code in line should find them
  RunPlace place;
  bool waits() const { return begin != end; }
  bool holds(uptr from, uptr to) const { return from >= begin && to <= end; }
  bool meets(uptr from, uptr to) const { return from < end && to > begin && waits(); }
};

struct Footprint {
  static constexpr u32 kRuns = 4;  // of each kind, by key: a loop goes through a few arrays
  static constexpr u32 kSlots = 8; // of each kind, direct-mapped: loops go through a few places at a time
  static constexpr u8 kPatience = 8;
  PendingCell read[kSlots] = {}, written[kSlots] = {};
  SiteId cell_sites[8] = {}; // of the last cell that was full,
  SiteId cell_site = 0;      // and their combination
  u64 version = 1;           // another one in every epoch, and whenever memory begins a new life
  Run read_runs[kRuns] = {}, written_runs[kRuns] = {};
  u32 waiting = 0;      // cells with bytes that wait, and runs
  u32 waiting_runs = 0; // of these, runs

  Run& run(uptr key, bool write) { return (write ? written_runs : read_runs)[(key ^ key >> 4) % kRuns]; }

  PendingCell& slot(uptr cell, bool write) { return (write ? written : read)[cell / 8 % kSlots]; }
  bool is_of(const PendingCell& p, uptr cell) const { return p.cell == cell && p.version == version; }
  bool has_waiting(uptr cell, bool write) {
    const PendingCell& p = slot(cell, write);
    return p.cell == cell && p.waits();
  }
};

FR_INLINE void add_bytes(PendingCell& p, u64 mask, SiteId site) {
  for (u64 added = mask & ~u64(p.bytes); added; added &= added - 1) p.sites[__builtin_ctzll(added)] = site;
  p.bytes = u8(p.bytes | mask);
}

// What names the sites of these bytes; kNoSite: nothing can.
SiteId site_of_bytes(const PendingCell& pending, u64 mask);
FR_INLINE SiteId site_of_full_cell(Footprint& f, const PendingCell& p) {
  if (FR_LIKELY(!__builtin_memcmp(f.cell_sites, p.sites, sizeof p.sites))) return f.cell_site;
  __builtin_memcpy(f.cell_sites, p.sites, sizeof p.sites);
  return f.cell_site = site_of_bytes(p, 0xff);
}

// Whether the bytes `mask` of the cell need no check now: null: they do. If due is set, what is returned must be settled.
FR_INLINE PendingCell* gather(Footprint& f, uptr cell, u64 mask, SiteId site, bool write, bool& due) {
  PendingCell& mine = f.slot(cell, write);
  if (FR_LIKELY(f.is_of(mine, cell) && (mask & ~u64(mine.bytes)))) {
    f.waiting += !mine.waits();
    add_bytes(mine, mask, site);
    due = mine.bytes == 0xff;
    return &mine;
  }
  PendingCell* const covering[] = {&mine, &f.slot(cell, true)}; // a write that waits covers reads
  for (PendingCell* p : covering) {
    if (!f.is_of(*p, cell) || (mask & ~u64(p->bytes))) continue;
    due = p->waits() && !--p->patience;
    return p;
  }
  return nullptr;
}

// All bytes of the cell may wait. Nothing waits in the slot.
FR_INLINE PendingCell& start_cell(Footprint& f, uptr cell, bool write) {
  PendingCell& p = f.slot(cell, write);
  p.cell = cell, p.version = f.version, p.bytes = p.checked = 0, p.patience = Footprint::kPatience;
  return p;
}
// The bytes `mask` of the cell are in the shadow: their neighbours may wait. Nothing waits in the slot.
FR_INLINE void start_gathering(Footprint& f, uptr cell, u64 mask, SiteId site, bool write) {
  PendingCell& p = start_cell(f, cell, write);
  add_bytes(p, mask, site);
  p.checked = p.bytes;
}

} // namespace footrace::fasttrack
