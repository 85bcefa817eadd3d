#include "runtime/access.h"

#include "check/arrays.h"
#include "check/fresh_memory.h"
#include "runtime/recording.h"
#include "runtime/renumbering.h"
#include "runtime/report.h"
#include "runtime/site_table.h"
#include "runtime/sweeping.h"
#include "runtime/threads.h"

namespace footrace {

namespace {

// Reports tell about a pair of places once, so of many conflicts of one step a few of each kind are enough.
void add_found(Thread* t, const FoundConflict& found) {
  FoundConflicts& all = t->found;
  const bool is_half_full = all.count >= FoundConflicts::kMost / 2;
  for (u32 i = 0; i < all.count && is_half_full; ++i) {
    const FoundConflict& f = all.list[i];
    if (f.conflict.previous == found.conflict.previous &&
        f.conflict.previous_kind == found.conflict.previous_kind && f.site == found.site)
      return;
  }
  if (all.count == FoundConflicts::kMost) return;
  const fasttrack::Conflict& c = found.conflict;
  all.list[all.count] = found;
  all.list[all.count++].ticket = log_seek(c.previous, c.address, c.size);
}

struct Finder {
  Thread* t;
  FoundConflict access;
  static void sink(void* self, const fasttrack::Conflict& conflict) {
    Finder& finder = *static_cast<Finder*>(self);
    finder.access.conflict = conflict;
    add_found(finder.t, finder.access);
  }
};

// The same for who does not know the access any more: bytes that have waited, of which each was an access of its own. The log tells.
struct FinderFromLog {
  Thread* teller;
  Epoch epoch;
  static void sink(void* self, const fasttrack::Conflict& conflict) {
    const FinderFromLog& finder = *static_cast<FinderFromLog*>(self);
    for (u32 byte = 0; byte < conflict.size; ++byte) {
      fasttrack::Conflict one = conflict;
      one.address += byte, one.size = 1;
      add_found(finder.teller, {one.address, 1, one.kind, 0, finder.epoch, one});
    }
    finder.teller->pending |= kPendingReports;
  }
};

// A granule's bytes, of a plain access that does not touch all of it: they wait for the rest.
void access_bytes(Thread* t, uptr from, uptr to, bool write) {
  const u32 mask = ((1u << (to - from)) - 1) << (from % kGranule);
  if (!t->waiting.has(from / kGranule, mask, write)) wait_with_granule(t, from / kGranule, mask, write);
}

// Up to the first unit with a conflict; returns where that ends.
template <bool write> uptr access_plain(Thread* t, uptr from, uptr end, fasttrack::Found& found) {
  constexpr AccessKind kind = write ? AccessKind::Write : AccessKind::Read;
  while (from < end && !found.count) {
    if (const u64 offset = from % kGranule; offset || end - from < kGranule) {
      const uptr to = min(from - offset + kGranule, end);
      access_bytes(t, from, to, write);
      from = to;
    } else if (from % 8 || end - from < 8) {
      if (!fasttrack::quick_unit<write>(*t, top_frame(t), granule_unit(from)))
        fasttrack::step(*t, granule_unit(from), kind, found);
      from += kGranule;
    } else if (end - from < kLongestRow) {
      if (!fasttrack::quick_unit<write>(*t, top_frame(t), cell_unit(from)))
        fasttrack::step(*t, cell_unit(from), kind, found);
      from += 8;
    } else {
      from = fasttrack::access_cells<write>(*t, from, round_down(end, 8), found);
    }
  }
  return from;
}

// Bytes are seen as well if they wait.
bool is_seen(Thread* t, uptr from, uptr end, bool write) {
  const auto seen = [&](uptr at, uptr to) {
    const u32 mask = ((1u << (to - at)) - 1) << (at % kGranule);
    return t->waiting.has(at / kGranule, mask, write) ||
           fasttrack::seen_in_this_epoch(*t, at, to - at, write);
  };
  if (from % kGranule) {
    const uptr to = min(round_up(from, kGranule), end);
    if (!seen(from, to)) return false;
    from = to;
  }
  if (end % kGranule && from < end) {
    const uptr tail = round_down(end, kGranule);
    if (!seen(tail, end)) return false;
    end = tail;
  }
  if (from < end && from % 8) {
    if (!seen(from, from + kGranule)) return false;
    from += kGranule;
  }
  if (from < end && end % 8) {
    end -= kGranule;
    if (!seen(end, end + kGranule)) return false;
  }
  return from >= end || fasttrack::first_unseen_cell(*t, from, end, write) == end;
}

} // namespace

void settle_waiting_in(Thread* t, uptr from, uptr to) {
  Critical critical(t);
  FinderFromLog finder = {t, t->epoch};
  fasttrack::Found found(*t, FinderFromLog::sink, &finder);
  fasttrack::settle_granules(*t, from, to, found);
}

void wait_with_granule(Thread* t, uptr granule, u32 mask, bool write) {
  FinderFromLog finder = {t, t->epoch};
  fasttrack::Found found(*t, FinderFromLog::sink, &finder);
  fasttrack::wait_in_granule(*t, granule, mask, write, found);
}

template <class U> void unit_in_critical(Thread* t, Unit<U> unit, AccessKind kind, Site site) {
  const U r = load_word(unit.R);
  if (kind == AccessKind::Read && has_equal_halves(r) && low_word(r).is_set() &&
      set_has_mine(*t, low_word(r), kind))
    return know_readers(*t, low_word(r));
  log_access(*t, top_frame(t), unit.address, Unit<U>::kBytes, kind, site);
  Finder finder = {t, {unit.address, Unit<U>::kBytes, kind, site, kNoEpoch, {}}};
  fasttrack::Found found(*t, Finder::sink, &finder);
  fasttrack::step(*t, unit, kind, found);
}
template void unit_in_critical<u32>(Thread*, Unit<u32>, AccessKind, Site);
template void unit_in_critical<u64>(Thread*, Unit<u64>, AccessKind, Site);

uptr access_in_critical(Thread* t, const Access& a, uptr from) {
  const uptr end = a.address + a.size;
  const bool write = may_write(a.kind);
  if (!is_atomic(a.kind) && is_seen(t, from, end, write)) return end;
  log_access(*t, top_frame(t), a.address, a.size, a.kind, a.site);
  Finder finder = {t, {a.address, a.size, a.kind, a.site, kNoEpoch, {}}};
  if (is_atomic(a.kind))
    return from + fasttrack::access(*t, from, end - from, a.kind, Finder::sink, &finder, true);
  fasttrack::Found found(*t, Finder::sink, &finder);
  return write ? access_plain<true>(t, from, end, found) : access_plain<false>(t, from, end, found);
}

bool atomic_write_at_once(Thread* t, const Access& a) {
  Finder finder = {t, {a.address, a.size, a.kind, a.site, kNoEpoch, {}}};
  fasttrack::Found found(*t, Finder::sink, &finder);
  return fasttrack::quick_atomic_write(*t, top_frame(t), a.address, a.size, a.site, found);
}

void settle_waiting(Thread* t, Thread* teller) {
  FinderFromLog finder = {teller, t->epoch};
  fasttrack::Found found(*t, FinderFromLog::sink, &finder);
  fasttrack::settle_bytes(*t, found);
}
void settle_own_bytes(ThreadState& state) {
  Thread* t = static_cast<Thread*>(&state);
  settle_waiting(t, t);
}

void tell_own_late_write(ThreadState& state, uptr address, u32 size, Word before) {
  Thread* t = static_cast<Thread*>(&state);
  FinderFromLog finder = {t, t->epoch};
  fasttrack::Found found(*t, FinderFromLog::sink, &finder);
  fasttrack::tell_write(*t, address, size, before, found);
}

void settle_everyone() {
  Thread* me = self();
  if (!me) return;
  if (me->waiting.used) {
    Critical critical(me);
    settle_waiting(me, me);
  }
  bool others_wait = false;
  for_each_thread([&](Thread* t) { others_wait |= t->waiting.used != 0; });
  if (!others_wait) return;
  stop_world(me);
  visit_threads_locked([](void* teller, Thread* t) { settle_waiting(t, static_cast<Thread*>(teller)); }, me);
  resume_world();
  report_found(me);
}

void after_critical(Thread* t) {
  if (t->pending & kPendingSignals) deliver_pending_signals(t);
  if (t->pending & kPendingRenumbering) renumber_for(t);
  if (!(t->pending & kPendingReports)) return;
  t->pending &= ~kPendingReports;
  report_found(t);
}

void after_step(Thread* t) {
  if (t->found.count) report_found(t);
  sweep_if_due(t);
}

void report_found(Thread* t) {
  // Taken out first: a signal handler may come between and find more.
  while (t->found.count && !t->ignore) {
    // What is being reported stays in the thread, where a renumbering finds its epochs. (Who leaves a report by longjmp leaves a place behind.)
    FoundConflicts& all = t->found;
    const u32 place = min(all.under_way++, FoundConflicts::kNested - 1);
    all.reported[place] = all.list[--all.count];
    const u32 ticket = all.reported[place].ticket;
    report_conflict(t, all.reported[place]);
    log_seek_ends(ticket);
    all.under_way = place;
  }
}

void checked_access(Thread* t, uptr address, u64 size, AccessKind kind, Site site, uptr from) {
  if (FR_UNLIKELY(t->ignore)) return;
  if (size >= kGranule) settle_before(t, address, address + size);
  const Access a = {address, size, kind, site};
  for (const uptr end = address + size; from < end;) {
    {
      Critical critical(t);
      from = access_in_critical(t, a, from);
    }
    leave_step(t);
  }
}

// What quick_row has left of a row.
template <bool write> FR_NOINLINE static uptr rest_of_row(Thread* t, const Access& a, uptr from) {
  const uptr end = a.address + a.size;
  if (FR_UNLIKELY(t->waiting.used && t->waiting.may_have(from, end))) {
    FinderFromLog finder = {t, t->epoch};
    fasttrack::Found found(*t, FinderFromLog::sink, &finder);
    fasttrack::settle_granules(*t, round_up(from, kGranule), round_down(end, kGranule), found);
  }
  Finder finder = {t, {a.address, a.size, a.kind, a.site, kNoEpoch, {}}};
  fasttrack::Found found(*t, Finder::sink, &finder);
  return access_plain<write>(t, from, end, found);
}

template <bool write> void checked_row(Thread* t, uptr address, u64 size, Site site) {
  if (FR_UNLIKELY(t->ignore)) return;
  constexpr AccessKind kind = fasttrack::kPlain<write>;
  critical_enter(t);
  __builtin_prefetch(reinterpret_cast<void*>(address), write);
  fetch_to_change(cell_of(address));
  log_access(*t, top_frame(t), address, size, kind, site);
  uptr from = fasttrack::quick_row<write>(*t, top_frame(t), address, size);
  if (FR_UNLIKELY(from < address + size)) from = rest_of_row<write>(t, {address, size, kind, site}, from);
  critical_leave(t);
  leave_step(t);
  if (FR_UNLIKELY(from < address + size)) checked_access(t, address, size, kind, site, from);
}
template void checked_row<false>(Thread*, uptr, u64, Site);
template void checked_row<true>(Thread*, uptr, u64, Site);

void checked_free(Thread* t, uptr address, u64 size, Caller caller) {
  const uptr end = address + size;
  uptr from;
  Site site;
  {
    Critical critical(t);
    from = fasttrack::first_unseen_cell(*t, address, end, true);
    if (from == end) return;
    site = pc_site(caller.pc, SiteKind::Free, caller.function);
    log_access(*t, top_frame(t), address, size, AccessKind::Write, site);
    Finder finder = {t, {address, size, AccessKind::Write, site, kNoEpoch, {}}};
    fasttrack::Found found(*t, Finder::sink, &finder);
    from = fasttrack::access_cells<true>(*t, from, end, found);
  }
  leave_step(t);
  if (FR_UNLIKELY(from < end)) checked_access(t, address, size, AccessKind::Write, site, from);
}

namespace {

// Elements that do not follow each other closely. One entry of the log for all: it starts at the lowest, and says of every one where it is.
template <bool write> void access_elements(Thread* t, const Access& first, u64 stride, u64 count) {
  Access element = first;
  for (u64 i = 0; i < count; ++i, element.address += stride)
    for (uptr from = element.address, end = from + element.size; from < end;) {
      if (end - from <= kLongestRow && fasttrack::has_seen_row(*t, from, end - from, write)) break;
      {
        Critical critical(t);
        from = access_in_critical(t, element, from);
      }
      leave_step(t);
    }
}

} // namespace

void checked_strided(Thread* t, const Access& first, u64 stride, u64 count) {
  const bool write = first.kind == AccessKind::Write;
  if (FR_UNLIKELY(t->ignore) || fasttrack::has_checked(*t, first.address, first.size, stride, count, write))
    return;
  const u64 version = t->version;
  if (stride == first.size)
    checked_access(t, first.address, first.size * count, first.kind, first.site);
  else if (write)
    access_elements<true>(t, first, stride, count);
  else
    access_elements<false>(t, first, stride, count);
  // A report may have run a handler of the program.
  if (t->version == version) fasttrack::remember_checked(*t, first.address, first.size, stride, count, write);
}

// What the thread knows of the memory's last life is of no use in the next one.
static void begin_life(Thread* t) {
  if (FR_UNLIKELY(t->waiting.used)) settle_waiting(t, t);
  ++t->version;
}

void memory_fresh(uptr address, u64 size) {
  if (!size) return;
  Thread* t = self();
  Critical critical(t);
  record_range(t, EventKind::Alloc, address, size);
  if (t) begin_life(t);
  fasttrack::forget(t, address, size);
  sync_forget(address, size);
}

void forget_last_life(Thread* t, uptr address, u64 size) {
  if (!t) return memory_fresh(address, size);
  if (fasttrack::forget_unordered(*t, address, size)) begin_life(t);
  sync_forget(address, size);
}

void memory_gone(uptr address, u64 size) {
  memory_fresh(address, size);
  if (size < 64 << 10) return;
  const uptr begin = round_up(address, kBlockBytes), end = round_down(address + size, kBlockBytes);
  if (begin >= end) return;
  const auto place = [](auto* p) { return reinterpret_cast<uptr>(p); };
  discard_pages(place(cell_of(begin)), (end - begin) * 2);
  discard_pages(place(meta_of(begin)), (end - begin) / 2);
}

} // namespace footrace
