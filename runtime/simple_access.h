// One cell, one access, in line: what most slow paths come to. Inside a critical section.
#pragma once

#include "detectors/fasttrack/block_access.h"
#include "detectors/fasttrack/group_step.h"
#include "runtime/thread.h"

namespace footrace {

// True if that is all there is to do: the access is no news in this epoch, or races with nothing and was recorded in one step. before() is
// called, perhaps more than once, while the shadow is still unchanged.
template <fasttrack::AccessKind kind, class Before>
FR_INLINE bool simple_access(Thread* t, uptr cell_address, u64 mask, SiteId site, Before before) {
  constexpr bool write = kind == fasttrack::AccessKind::Write;
  Cell* cell = cell_of(cell_address);
  __builtin_prefetch(sites_of(cell_address), 1); // the step waits for its stores
  for (;;) {
    u64 w = __atomic_load_n(&cell->W, __ATOMIC_ACQUIRE), r = __atomic_load_n(&cell->R, __ATOMIC_ACQUIRE);
    if (FR_UNLIKELY(asks_header({w, r}))) {
      fasttrack::Asked asked = fasttrack::ask_header(*t, cell_address, mask, true, write);
      if (asked != fasttrack::Asked::LookAgain) return asked == fasttrack::Asked::Seen;
      continue;
    }
    if (!write && fasttrack::has_accessed(w, r, t->epoch, mask)) return true;
    if (FR_LIKELY(fasttrack::is_exclusive_step(*t, w, r, mask))) {
      if (write && same_epoch(w, t->epoch, mask)) return true;
      before();
      if (FR_LIKELY(fasttrack::exclusive_step<write>(*t, cell, cell_address, w, r, mask, site))) return true;
      continue;
    }
    if (FR_UNLIKELY(has_tag(w))) {
      if (!has_groups(w)) return false;
      if (groups_seen_last(cell, w, t->epoch, mask, write)) return true;
      const fasttrack::Simple outcome =
          fasttrack::group_step<write>(*t, cell, cell_address, w, r, mask, site, before);
      if (outcome == fasttrack::Simple::Retry) continue;
      return outcome == fasttrack::Simple::Done || groups_same_epoch(cell, w, t->epoch, mask, write);
    }
    if (write && fasttrack::has_written(w, r, t->epoch, mask)) return true;
    fasttrack::Simple outcome;
    if (FR_LIKELY(!is_set(epoch_bits(r))))
      outcome = fasttrack::simple_step<write>(*t, cell, cell_address, w, r, mask, site, before);
    else if (write)
      return false;
    else if (shared_same_epoch(cell, r, t->epoch, mask))
      return true;
    else if ((outcome = fasttrack::read_shared_again(*t, cell, cell_address, w, r, mask, site, before)) ==
             fasttrack::Simple::Lock)
      outcome = fasttrack::read_shared_in_place(*t, cell, w, r, mask, site, before);
    if (FR_LIKELY(outcome != fasttrack::Simple::Retry)) return outcome == fasttrack::Simple::Done;
  }
}

} // namespace footrace
