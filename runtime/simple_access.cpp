#include "runtime/simple_access.h"

#include "detectors/fasttrack/block_access.h"
#include "detectors/fasttrack/record_step.h"
#include "runtime/history_add.h"

namespace footrace {

namespace {
FR_NOINLINE void note(Thread* t, NotedAccess& a) {
  a.is_noted = true;
  history_add(t, a.address, a.size, a.site);
}
} // namespace

template <fasttrack::AccessKind kind>
bool simple_access(Thread* t, uptr cell_address, u64 mask, NotedAccess& a) {
  constexpr bool write = kind == fasttrack::AccessKind::Write;
  auto before = [&] {
    if (!a.is_noted) note(t, a);
  };
  const SiteId site = a.site;
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
      if (!has_records(w)) return false;
      const fasttrack::Simple outcome =
          fasttrack::record_step<write>(*t, cell, cell_address, w, r, mask, site, before);
      if (outcome == fasttrack::Simple::Retry) continue;
      return outcome == fasttrack::Simple::Done;
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

template bool simple_access<fasttrack::AccessKind::Read>(Thread*, uptr, u64, NotedAccess&);
template bool simple_access<fasttrack::AccessKind::Write>(Thread*, uptr, u64, NotedAccess&);

} // namespace footrace
