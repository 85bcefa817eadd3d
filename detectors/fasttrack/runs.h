// Footprints (paper 000, section 4) of elements that follow each other. Code that goes through an array takes a step per cell, and pulls
// compressed blocks apart by it. Where placement could not make one check of the loop (the base of a vector that is loaded again after every
// store of a byte, an iterator, a parser), what one site accesses next to its last access waits in the thread as a run, and is checked as
// the range that it is: when the thread accesses some of it in another way, or often, and before its clock or epoch changes.
//
// Why that is the same check: footprint.h. A run continues an element of this epoch that is in the shadow, and ends where a heap block or a
// page starts, so memory that ends its life without order races with that first element. The same holds for cells one behind the other
// whose bytes wait.
#pragma once

#include "detectors/fasttrack/footprint.h"
#include "shadow/mapping.h"

namespace footrace::fasttrack {

// The life of these bytes (up to 16) may end without that of the byte before them: a heap block starts here, or a page, as mappings do.
FR_INLINE bool may_end_apart(uptr address, u64 size) {
  constexpr uptr page = 4096;
  return round_down(address + size - 1, page) >= address || starts_heap_block(address, size);
}

// The access waits in the run of its key, which it continues: same key, same place in the program.
FR_INLINE bool continue_run(Footprint& f, uptr address, u64 size, uptr key, RunPlace place, bool write) {
  Run& run = f.run(key, write);
  if (run.end != address || run.key != key || run.version != f.version || run.place != place) return false;
  if (FR_UNLIKELY(may_end_apart(address, size))) return false;
  if (FR_UNLIKELY(!run.waits())) ++f.waiting, ++f.waiting_runs;
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
  if (!f.slot(cell, write).waits() && !may_end_apart(cell, 8)) start_cell(f, cell, write);
}

// The same for bytes that gather() does not know, behind a cell that it does: words of a text, with gaps. Null: they need a check now. Nothing waits in the slot.
FR_INLINE PendingCell* gather_behind(Footprint& f, uptr cell, u64 mask, SiteId site, bool write, bool& due) {
  if (!f.is_of(f.slot(cell - 8, write), cell - 8) || may_end_apart(cell, 8)) return nullptr;
  start_cell(f, cell, write);
  return gather(f, cell, mask, site, write, due);
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
