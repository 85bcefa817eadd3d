// [READ EXCLUSIVE] and [WRITE EXCLUSIVE] (PLDI'09, Figure 2) on a whole simple cell, in one compare-and-swap. In a header because this is
// most of the slow path: the runtime calls it in line before anything more general.
#pragma once

#include "detectors/fasttrack/sync_rules.h"
#include "shadow/cell.h"

namespace footrace::fasttrack {

// Race-free steps between simple states, without the lock. The words given were read from the cell; before() is called when
// the step is decided and the shadow still unchanged.
enum class Simple { Done, Retry, Lock };

template <class Before>
FR_INLINE Simple read_simple(ThreadState& t, Cell* cell, uptr address, u64 w, u64 r, u64 mask, SiteId site,
                             Before before) {
  u64 wm = mask_of(w), rm = mask_of(r);
  if ((wm & mask) && !t.C.covers(epoch_bits(w))) return Simple::Lock;
  u64 new_r = t.epoch | mask;
  Epoch re = epoch_bits(r);
  bool mirror = re == epoch_bits(w) && !(rm & ~wm);
  if (re == t.epoch) {
    site = join_sites(load_site(address, false, re), rm, site, mask & ~rm);
    if (site == kNoSite) return Simple::Lock;
    new_r |= rm;
  } else if (rm && !mirror && ((rm & ~mask) || !t.C.covers(re))) {
    return Simple::Lock;
  }
  before();
  if (!swap_cell(cell, w, r, w, new_r)) return Simple::Retry;
  store_site(address, false, t.epoch, site);
  ++t.rule_count[u32(Rule::read_exclusive)];
  return Simple::Done;
}

template <class Before>
FR_INLINE Simple write_simple(ThreadState& t, Cell* cell, uptr address, u64 w, u64 r, u64 mask, SiteId site,
                              Before before) {
  u64 wm = mask_of(w), rm = mask_of(r);
  Epoch we = epoch_bits(w), re = epoch_bits(r);
  if ((wm & mask) && !t.C.covers(we)) return Simple::Lock;
  if ((rm & mask) && !t.C.covers(re)) return Simple::Lock;
  SiteId w_site = site, r_site = site;
  u64 new_w = t.epoch | mask, new_r = t.epoch | mask;
  if (we == t.epoch) {
    w_site = join_sites(load_site(address, true, we), wm, site, mask & ~wm);
    new_w |= wm;
  } else if (wm & ~mask) {
    return Simple::Lock;
  }
  bool keep_reads = rm & ~mask;
  if (keep_reads && re == t.epoch) {
    r_site = join_sites(load_site(address, false, re), rm, site, mask);
    new_r |= rm;
  } else if (keep_reads) {
    new_r = re | (rm & ~mask);
  }
  if (w_site == kNoSite || r_site == kNoSite) return Simple::Lock;
  before();
  if (!swap_cell(cell, w, r, new_w, new_r)) return Simple::Retry;
  store_site(address, true, t.epoch, w_site);
  if (!keep_reads || re == t.epoch) store_site(address, false, t.epoch, r_site);
  ++t.rule_count[u32(Rule::write_exclusive)];
  return Simple::Done;
}

// A cell that simple steps apply to.
FR_INLINE bool may_step_simply(u64 w, u64 r) {
  return !is_locked(w) && !has_groups(w) && !is_set(epoch_bits(r));
}

} // namespace footrace::fasttrack
