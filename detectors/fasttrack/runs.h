// Footprints (paper 000, section 4) of elements that follow each other. Code that goes through an array takes a step per cell, and pulls
// compressed blocks apart by it. Where placement could not make one check of the loop (the base of a vector that is loaded again after every
// store of a byte, an iterator, a parser), what one site accesses next to its last access waits in the thread as a run, and is checked as
// the range that it is: when the thread accesses some of it in another way, or often, and before its clock or epoch changes.
//
// Why that is the same check: footprint.h. A run continues an element of this epoch that is in the shadow, and ends where a heap block
// starts, so memory that ends its life without order races with that first element.
#pragma once

#include "detectors/fasttrack/footprint.h"
#include "shadow/mapping.h"

namespace footrace::fasttrack {

// The access waits in the run of its key, which it continues: same key, same place in the program.
FR_INLINE bool continue_run(Footprint& f, uptr address, u64 size, uptr key, RunPlace place, bool write) {
  Run& run = f.run(key, write);
  if (run.end != address || run.key != key || run.version != f.version || run.place != place) return false;
  if (FR_UNLIKELY(starts_heap_block(address, size))) return false;
  f.waiting += !run.waits();
  f.waiting_runs += !run.waits();
  run.end = address + size;
  if (run.patience < Run::kMostPatience) ++run.patience;
  return true;
}

// What ends at `end` is in the shadow: what follows it may wait. Nothing waits in the run of this key.
FR_INLINE void start_run(Footprint& f, uptr end, uptr key, SiteId site, RunPlace place, bool write) {
  f.run(key, write) = {end, end, f.version, key, site, Run::kPatience, place};
}

// What ends at `end` is in the shadow; a second access of this key that follows starts a run.
FR_INLINE void expect_run(Run& run, uptr end, uptr key) {
  run.begin = run.end = end, run.key = key, run.version = 0;
}

// The bytes of the cell wait, all of them: they go on waiting in a run of cells with their sites. False: they cannot; `site` is theirs then, or
// kNoSite.
FR_INLINE bool full_cell_continues_run(Footprint& f, PendingCell& p, bool write, SiteId& site) {
  site = site_of_full_cell(f, p);
  if (p.checked || site == kNoSite || !continue_run(f, p.cell, 8, site, {}, write)) return false;
  p.checked = p.bytes, p.version = 0; // the run is asked from now on
  --f.waiting;
  return true;
}

// The bytes of the cell behind a run of cells may wait from the first one on.
FR_INLINE void expect_cell(Footprint& f, uptr cell, bool write) {
  if (!f.slot(cell, write).waits() && !starts_heap_block(cell, 8)) start_cell(f, cell, write);
}

// Before an access of [from, to). True: the check of a run that waits covers it. Other runs that it meets are settled, by settle_run(run, write).
template <class SettleRun>
FR_INLINE bool covered_by_run(Footprint& f, uptr from, uptr to, bool write, SettleRun settle_run) {
  if (FR_LIKELY(!f.waiting_runs)) return false;
  auto covered = [&](Run(&runs)[Footprint::kRuns], bool written) {
    for (Run& run : runs) {
      if (FR_LIKELY(!run.meets(from, to))) continue;
      if ((written || !write) && run.holds(from, to) && --run.patience) return true;
      settle_run(run, written);
    }
    return false;
  };
  return covered(f.written_runs, true) || covered(f.read_runs, false);
}

} // namespace footrace::fasttrack
