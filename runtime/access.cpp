#include "runtime/access.h"

#include "detectors/fasttrack/block_access.h"
#include "detectors/fasttrack/simple_step.h"
#include "runtime/checked_blocks.h"
#include "runtime/history_add.h"
#include "runtime/report.h"
#include "runtime/runtime.h"
#include "runtime/simple_access.h"
#include "runtime/site_table.h"
#include "runtime/threads.h"
#include "shadow/block.h"

namespace footrace {

using fasttrack::AccessKind;

namespace {
// The line that the user will be told about: of a check of several accesses, that of the one that touches the first of these bytes.
struct ToldPlace {
  u32 line, column;
  bool operator==(const ToldPlace&) const = default;
};
ToldPlace told_place(const FoundConflict& f, const fasttrack::Conflict& conflict) {
  const uptr byte = conflict.cell_address + u32(__builtin_ctz(u32(conflict.bytes) | 0x100));
  const SiteRecord* record = site_record(covered_site(f.site, f.address, byte));
  return record ? ToldPlace{record->line, record->column} : ToldPlace{};
}
bool is_told_alike(const FoundConflict& f, const FoundConflict& access, const fasttrack::Conflict& conflict) {
  if (f.address != access.address) return false;
  SpinGuard sites(site_table_lock());
  return told_place(f, f.conflict) == told_place(access, conflict);
}

// Reports tell about a pair of sites once, so one conflict of each kind and site is enough.
struct Finder {
  Thread* t;
  FoundConflict access;
  void add(const fasttrack::Conflict& conflict) {
    FoundConflicts& found = t->found;
    const bool is_half_full =
        found.count >= FoundConflicts::kMost / 2; // room for other pairs of sites, not for more addresses
    for (u32 i = 0; i < found.count; ++i) {
      const FoundConflict& f = found.list[i];
      if (f.conflict.previous_site == conflict.previous_site &&
          f.conflict.previous_kind == conflict.previous_kind && f.site == access.site &&
          (is_half_full || is_told_alike(f, access, conflict)))
        return;
    }
    if (found.count == FoundConflicts::kMost) return;
    access.conflict = conflict;
    found.list[found.count++] = access;
  }
  static void sink(void* self, const fasttrack::Conflict& conflict) {
    static_cast<Finder*>(self)->add(conflict);
  }
};

// The same for bytes that have waited, each with its own place.
struct FinderOfWaiting {
  Thread* teller;
  Epoch epoch;
  AccessKind kind;
  const fasttrack::PendingCell& waiting;
  static void sink(void* self, const fasttrack::Conflict& conflict) {
    const FinderOfWaiting& f = *static_cast<FinderOfWaiting*>(self);
    for (u64 left = conflict.bytes; left; left &= left - 1) {
      const u32 byte = u32(__builtin_ctzll(left));
      fasttrack::Conflict one = conflict;
      one.bytes = u8(1u << byte);
      Finder{f.teller, {f.waiting.cell + byte, 1, f.kind, f.waiting.sites[byte], f.epoch, {}}}.add(one);
    }
    f.teller->pending |= kPendingReports;
  }
};

// The same for a run.
struct FinderOfRun {
  Thread* teller;
  Epoch epoch;
  AccessKind kind;
  SiteId site;
  static void sink(void* self, const fasttrack::Conflict& conflict) {
    const FinderOfRun& f = *static_cast<FinderOfRun*>(self);
    for (u64 left = conflict.bytes; left; left &= left - 1) {
      const u32 byte = u32(__builtin_ctzll(left));
      fasttrack::Conflict one = conflict;
      one.bytes = u8(1u << byte);
      Finder{f.teller, {conflict.cell_address + byte, 1, f.kind, site_of_byte(f.site, byte), f.epoch, {}}}
          .add(one);
    }
    f.teller->pending |= kPendingReports;
  }
};

template <AccessKind kind>
uptr simple_accesses(Thread* t, const Access& a, uptr from, uptr end, bool is_noted);

template <AccessKind kind> void check_run(Thread* t, Thread* teller, const fasttrack::Run& run) {
  FinderOfRun finder = {teller, t->epoch, kind, run.site};
  const Access a = {run.begin, run.end - run.begin, kind, run.site};
  // Elements are noted now, before the shadow changes; bytes of cells were when they were accessed.
  if (run.key != run.site) history_add_of(t, run.place.context, run.place.locks, a.address, a.size, a.site);
  for (uptr from = run.begin; from < run.end;) {
    if (t == teller) from = simple_accesses<kind>(t, a, from, run.end, true);
    if (from < run.end)
      from += fasttrack::access(*t, from, run.end - from, kind, run.site, FinderOfRun::sink, &finder).done;
  }
}
} // namespace

u64 access_in_critical(Thread* t, const Access& a, uptr from, uptr to) {
  // Before the shadow changes: whoever meets our epoch there must find the stack.
  history_add(t, a.address, a.size, a.site);
  Finder finder = {t, {a.address, a.size, a.kind, a.site, 0, {}}};
  return fasttrack::access(*t, from, to - from, a.kind, a.site, Finder::sink, &finder, true).done;
}

void settle_waiting(Thread* t, Thread* teller, fasttrack::PendingCell& p, bool write) {
  FinderOfWaiting finder = {teller, t->epoch, write ? AccessKind::Write : AccessKind::Read, p};
  fasttrack::settle(*t, p, write, FinderOfWaiting::sink, &finder);
}

void settle_run(Thread* t, Thread* teller, fasttrack::Run& run, bool write) {
  const fasttrack::Run taken = fasttrack::take_run(t->footprint, run);
  if (write)
    check_run<AccessKind::Write>(t, teller, taken);
  else
    check_run<AccessKind::Read>(t, teller, taken);
}

void settle_footprint(Thread* t, Thread* teller) {
  fasttrack::settle_each(
      t->footprint, [&](fasttrack::PendingCell& p, bool write) { settle_waiting(t, teller, p, write); },
      [&](fasttrack::Run& run, bool write) { settle_run(t, teller, run, write); });
}

void settle_range(Thread* t, uptr from, uptr to) {
  fasttrack::settle_each(
      t->footprint,
      [&](fasttrack::PendingCell& p, bool write) {
        if (p.cell < to && p.cell + 8 > from) settle_waiting(t, t, p, write);
      },
      [&](fasttrack::Run& run, bool write) {
        if (run.meets(from, to)) settle_run(t, t, run, write);
      });
}

bool settle_waiting_in(Thread* t, uptr from, uptr to, bool write) {
  fasttrack::Footprint& f = t->footprint;
  if (fasttrack::covered_by_run(f, from, to, write,
                                [&](fasttrack::Run& run, bool written) { settle_run(t, t, run, written); }))
    return true;
  for (uptr cell = round_down(from, 8); cell < to; cell += 8)
    for (int written = 0; written < 2; ++written)
      if (f.has_waiting(cell, written)) settle_waiting(t, t, f.slot(cell, written), written);
  return false;
}

void cell_is_full(Thread* t, fasttrack::PendingCell& p, bool write) {
  fasttrack::Footprint& f = t->footprint;
  const uptr next = p.cell + 8;
  SiteId site = kNoSite;
  if (!g_compress_blocks) return settle_waiting(t, t, p, write);
  if (!fasttrack::full_cell_continues_run(f, p, write, site)) {
    settle_waiting(t, t, p, write);
    if (site == kNoSite) return;
    if (fasttrack::Run& run = f.run(site, write); run.waits()) settle_run(t, t, run, write);
    fasttrack::start_run(f, next, site, site, {}, write);
  }
  fasttrack::expect_cell(f, next, write);
}

void settle_own_footprint(fasttrack::ThreadState& state) {
  Thread* t = static_cast<Thread*>(&state);
  settle_footprint(t, t);
}

void settle_everyone() {
  Thread* me = self();
  if (!me) return;
  if (me->footprint.waiting) {
    Critical critical(me);
    settle_footprint(me, me);
  }
  bool others_wait = false;
  for_each_thread([&](Thread* t) { others_wait |= t->footprint.waiting != 0; });
  if (!others_wait) return;
  stop_world(me);
  visit_threads_locked([](void* teller, Thread* t) { settle_footprint(t, static_cast<Thread*>(teller)); },
                       me);
  resume_world();
  report_found(me);
}

void after_critical(Thread* t) {
  if (t->pending & kPendingSignals) deliver_pending_signals(t);
  if (!(t->pending & kPendingReports)) return;
  t->pending &= ~kPendingReports;
  report_found(t);
}

u64 access_together(Thread* t, const Access& a, u64 cells) {
  Critical critical(t);
  history_add(t, a.address, a.size, a.site);
  return fasttrack::access_cells_together(*t, block_address(a.address), cells, a.kind, a.site);
}

void report_found(Thread* t) {
  // Taken out first: a signal handler may come between and find more.
  while (t->found.count && !t->ignore) {
    FoundConflict f = t->found.list[--t->found.count];
    report_conflict(t, {f.address, f.size, f.kind, f.site, f.epoch}, f.conflict);
  }
}

namespace {

constexpr u64 kFewBytes = 64; // of a range that is not worth a look at the headers of blocks

bool is_whole_block(uptr from, uptr end) {
  return from % kBlockBytes == 0 && end - from >= kBlockBytes && g_compress_blocks;
}

// Where the whole cells end that start at `from` in its block, if they can be accessed together; else `from`.
uptr end_of_part(uptr from, uptr end, bool write) {
  uptr to = round_down(min(block_address(from) + kBlockBytes, end), 8);
  if ((from & 7) || to <= from + 8) return from;
  u64 cells = cells_between(from, to);
  return fasttrack::may_access_together(from, cells) || fasttrack::may_join_cells(from, cells, write) ? to
                                                                                                      : from;
}

// Over whole cells that are no news: most of a range that was checked before. Neighbours that are read by the same threads name the same
// set of readers; that it holds the thread's epoch is looked up once.
template <AccessKind kind> FR_INLINE uptr skip_seen(const Thread* t, uptr from, uptr end) {
  if (from & 7) return from;
  u64 seen_readers = 0;
  for (; end - from >= 8; from += 8) {
    const Cell* cell = cell_of(from);
    u64 word = __atomic_load_n(kind == AccessKind::Write ? &cell->W : &cell->R, __ATOMIC_ACQUIRE);
    if (same_epoch(word, t->epoch, kAllBytes)) continue;
    if (kind == AccessKind::Write || !is_set(epoch_bits(word))) break;
    if (word == seen_readers) continue;
    if (!fasttrack::knows_readers(*t, word, kAllBytes) && !shared_same_epoch(cell, word, t->epoch, kAllBytes))
      break;
    seen_readers = word;
  }
  return from;
}

// As far as simple steps lead: where the first cell or whole block is that they do not apply to.
template <AccessKind kind>
uptr simple_accesses(Thread* t, const Access& a, uptr from, uptr end, bool is_noted) {
  NotedAccess noted = {a.address, a.size, a.site, is_noted};
  constexpr bool write = kind == AccessKind::Write;
  const uptr begin = from;
  while ((from = skip_seen<kind>(t, from, end)) < end) {
    if (is_whole_block(from, end)) {
      if (!fasttrack::block_seen(*t, from, kind == AccessKind::Write)) break;
      from += kBlockBytes;
      continue;
    }
    if (from == begin || !(from % kBlockBytes)) {
      if (uptr to = end_of_part(from, end, write); to != from) {
        if (!fasttrack::piece_seen(*t, from, cells_between(from, to), write)) break;
        from = to;
        continue;
      }
    }
    uptr cell = round_down(from, 8), next = min(cell + 8, end);
    if (!simple_access<kind>(t, cell, ((1ull << (next - from)) - 1) << (from & 7), noted)) break;
    from = next;
  }
  return from;
}

// The fields of an object, as far as exclusive steps lead: what a few cells mostly come to.
template <AccessKind kind> FR_INLINE uptr exclusive_cells(Thread* t, const Access& a, uptr from, uptr end) {
  constexpr bool write = kind == AccessKind::Write;
  if (from & 7) return from;
  for (bool noted = false; end - from >= 8; from += 8) {
    Cell* cell = cell_of(from);
    const Cell words = load_words(cell);
    if (same_epoch(write ? words.W : words.R, t->epoch, kAllBytes)) continue;
    if (!fasttrack::is_exclusive_step(*t, words.W, words.R, kAllBytes)) return from;
    if (!noted) history_add(t, a.address, a.size, a.site);
    noted = true;
    if (!fasttrack::exclusive_step<write>(*t, cell, from, words.W, words.R, kAllBytes, a.site)) return from;
  }
  return from;
}

// The bytes [from, end) of the access.
template <AccessKind kind> void checked_cells(Thread* t, const Access& a, uptr from, uptr end) {
  while (from < end) {
    {
      Critical critical(t);
      if (FR_UNLIKELY(t->footprint.waiting)) settle_range(t, from, end);
      if (end - from <= kFewBytes) from = exclusive_cells<kind>(t, a, from, end);
      if (from < end) from = simple_accesses<kind>(t, a, from, end, false);
      if (from < end) {
        constexpr bool write = kind == AccessKind::Write;
        uptr to = is_whole_block(from, end) ? round_down(end, kBlockBytes) : end_of_part(from, end, write);
        if (to == from) to = min(round_down(from, 8) + 8, end);
        from += access_in_critical(t, a, from, to);
      }
    }
    if (FR_UNLIKELY(t->found.count)) report_found(t);
  }
}

} // namespace

void general_access(Thread* t, Access a, uptr from) {
  for (uptr end = a.address + a.size;;) {
    from += access_in_critical(t, a, from, end);
    critical_leave(t);
    if (FR_UNLIKELY(t->found.count)) report_found(t);
    if (from >= end) return;
    critical_enter(t);
  }
}

void checked_part(Thread* t, const Access& a, uptr from, uptr to) {
  if (a.kind == AccessKind::Write)
    checked_cells<AccessKind::Write>(t, a, from, to);
  else
    checked_cells<AccessKind::Read>(t, a, from, to);
}

void checked_access(Thread* t, uptr address, u64 size, AccessKind kind, SiteId site) {
  if (!t->ignore) checked_part(t, {address, size, kind, site}, address, address + size);
}

// What the thread knows of the memory's last life is of no use in the next one.
static void begin_life(Thread* t, uptr address, u64 size) {
  if (FR_UNLIKELY(t->footprint.waiting)) settle_footprint(t, t);
  ++t->footprint.version;
  if (t->checked) t->checked->drop(address, size);
}

void memory_fresh(uptr address, u64 size) {
  if (!size) return;
  Thread* t = self();
  Critical critical(t);
  if (t) begin_life(t, address, size);
  fasttrack::forget(address, size);
  sync_forget(address, size);
}

void memory_allocated(Thread* t, uptr address, u64 size) {
  if (!t) return memory_fresh(address, size);
  Critical critical(t);
  if (fasttrack::forget_unordered(*t, address, size)) begin_life(t, address, size);
  sync_forget(address, size);
}

void memory_gone(uptr address, u64 size) {
  memory_fresh(address, size);
  if (size < 64 << 10) return;
  uptr begin = round_up(address, 8);
  u64 whole = round_down(address + size, 8) - begin;
  discard_cells(address, address + size);
  discard_pages(reinterpret_cast<uptr>(meta_of(begin)), whole / 2);
}

} // namespace footrace
