// The functions of abi/callbacks.def that instrumented code calls for plain accesses and at function entry
// and exit. Hot: one load, one compare with the thread's epoch, no stack frame (tests/symbols checks); the
// rest is out of line.
#include "runtime/access.h"
#include "runtime/history_add.h"
#include "runtime/interception.h"
#include "runtime/interceptors/memory_functions.h"
#include "runtime/seen_range.h"
#include "runtime/simple_access.h"
#include "runtime/site_table.h"
#include "runtime/threads.h"

namespace footrace {
namespace {

using fasttrack::AccessKind;
using Void = void;
using Ptr = void*;
using I32 = u32;
using I64 = u64;

// The contract: a definition below that disagrees with the list does not compile.
extern "C" {
#define FR_CALLBACK(symbol, result, ...) result symbol(__VA_ARGS__);
#define FR_CALLBACK_KEEPING(symbol, result, ...) FR_KEEPS_REGISTERS result symbol(__VA_ARGS__);
#include "abi/callbacks.def"
}

uptr number(const void* p) { return reinterpret_cast<uptr>(p); }

// A thread that the runtime has not seen start joins it here.
FR_COLD Thread* unknown_thread() { return attach_foreign_thread(); }

FR_NOINLINE void slow(void* address, void* record, u64 size, AccessKind kind) {
  Thread* t = self();
  if (FR_UNLIKELY(!t) && !(t = unknown_thread())) return;
  checked_access(t, number(address), size, kind, site_id(static_cast<const SiteRecord*>(record)));
}

// The bytes of an access of up to 8 bytes, or of 16 that begin where a cell begins, in its first cell and in the next one.
template <u64 size> struct TwoCells {
  u64 low, high;
  FR_INLINE explicit TwoCells(uptr offset) {
    const u64 bytes = (size > 8 ? 0xffff : (1ull << size) - 1) << offset;
    low = bytes & kMaskBits, high = bytes >> 8;
  }
};

// Longer elements are mostly fields of objects.
constexpr u64 kLongestInRun = 4;

// An access of this site at `end` continues a run (detectors/fasttrack/runs.h).
FR_INLINE void expect_next(Thread* t, uptr end, void* record, bool write) {
  if (!g_compress_blocks) return;
  fasttrack::Run& run = t->footprint.run(number(record), write);
  if (FR_UNLIKELY(run.waits())) settle_run(t, t, run, write);
  fasttrack::expect_run(run, end, number(record));
}

// The first touch of bytes in one or two cells in an epoch, whatever the cells hold.
template <u64 size, AccessKind kind> FR_NOINLINE void any_first_touch(void* address, void* record) {
  Thread* t = self();
  uptr a = number(address), offset = a & 7, cell = a - offset;
  if (FR_UNLIKELY(!t || t->ignore || (size > 8 && offset))) return slow(address, record, size, kind);
  SiteId site = site_id(static_cast<const SiteRecord*>(record));
  auto before = [&] { history_add(t, a, size, site); };
  const TwoCells<size> bytes(offset);
  critical_enter(t);
  constexpr bool write = kind == AccessKind::Write;
  if (settle_before(t, a, size, write)) return critical_leave(t);
  uptr from = a;
  if (simple_access<kind>(t, cell, bytes.low, site, before)) {
    from = cell + 8;
    if (bytes.high && simple_access<kind>(t, from, bytes.high, site, before)) from += 8;
  }
  if (FR_UNLIKELY(from < a + size)) return general_access(t, {a, size, kind, site}, from);
  if (size <= kLongestInRun) expect_next(t, a + size, record, write);
  critical_leave(t);
}

FR_INLINE void bytes_are_due(Thread* t, fasttrack::PendingCell& waiting, bool write) {
  if (waiting.bytes == 0xff && waiting.waits())
    cell_is_full(t, waiting, write);
  else
    settle_waiting(t, t, waiting, write);
}

// Bytes wait for the rest of their cell (detectors/fasttrack/footprint.h).
template <u64 size, AccessKind kind> FR_NOINLINE void touch_bytes(void* address, void* record) {
  constexpr bool write = kind == AccessKind::Write;
  Thread* t = self();
  uptr a = number(address), offset = a & 7, cell = a - offset;
  if (FR_UNLIKELY(!t || t->ignore || offset + size > 8)) return any_first_touch<size, kind>(address, record);
  const u64 mask = ((1ull << size) - 1) << offset;
  SiteId site = site_id(static_cast<const SiteRecord*>(record));
  critical_enter(t);
  bool due = false;
  fasttrack::PendingCell* waiting = fasttrack::gather(t->footprint, cell, mask, site, write, due);
  if (FR_LIKELY(waiting != nullptr)) {
    history_add(t, a, size, site);
    if (due) bytes_are_due(t, *waiting, waiting == &t->footprint.slot(cell, true));
    return critical_leave(t);
  }
  fasttrack::PendingCell& slot = t->footprint.slot(cell, write);
  if (slot.waits()) settle_waiting(t, t, slot, write);
  critical_leave(t);
  any_first_touch<size, kind>(address, record);
  critical_enter(t);
  if (!slot.waits()) fasttrack::start_gathering(t->footprint, cell, mask, site, write);
  critical_leave(t);
}

// The same, by an exclusive step of one cell if that is what it comes to; bytes and pairs of cells mostly do not. Apart from check, which
// needs no frame.
template <u64 size, AccessKind kind> FR_NOINLINE void first_touch(void* address, void* record) {
  Thread* t = self();
  uptr a = number(address), offset = a & 7;
  if (size < 4) return touch_bytes<size, kind>(address, record);
  if (size > 8 || FR_UNLIKELY(!t || t->ignore || offset + size > 8))
    return any_first_touch<size, kind>(address, record);
  const u64 mask = ((1ull << size) - 1) << offset;
  Cell* cell = cell_of(a);
  critical_enter(t);
  if (settle_before(t, a, size, kind == AccessKind::Write)) return critical_leave(t);
  Cell words = load_words(cell);
  if (FR_UNLIKELY(!fasttrack::is_exclusive_step(*t, words.W, words.R, mask))) {
    critical_leave(t);
    return any_first_touch<size, kind>(address, record);
  }
  SiteId site = site_id(static_cast<const SiteRecord*>(record));
  __builtin_prefetch(sites_of(a), 1);
  history_add(t, a, size, site);
  bool done = fasttrack::exclusive_step<kind == AccessKind::Write>(*t, cell, a, words.W, words.R, mask, site);
  if (size <= kLongestInRun && FR_LIKELY(done)) expect_next(t, a + size, record, kind == AccessKind::Write);
  critical_leave(t);
  if (FR_UNLIKELY(!done)) any_first_touch<size, kind>(address, record);
}

// The site has accessed what lies before: the access waits in their run, or starts it. (Conditions were looked at outside of the critical
// section; a signal handler may have come between.)
template <u64 size, AccessKind kind> FR_NOINLINE void next_touch(void* address, void* record) {
  constexpr bool write = kind == AccessKind::Write;
  Thread* t = self();
  const uptr a = number(address), key = number(record);
  if (FR_UNLIKELY(t->ignore)) return;
  critical_enter(t);
  const fasttrack::RunPlace place = {quick_context(t), quick_lock_set(t)};
  const bool waits = fasttrack::continue_run(t->footprint, a, size, key, place, write);
  critical_leave(t);
  if (FR_LIKELY(waits)) return;
  first_touch<size, kind>(address, record);
  critical_enter(t);
  fasttrack::Run& run = t->footprint.run(key, write);
  if (FR_UNLIKELY(run.waits())) settle_run(t, t, run, write);
  fasttrack::start_run(t->footprint, a + size, key, site_id(static_cast<const SiteRecord*>(record)), place,
                       write);
  critical_leave(t);
}
template <AccessKind kind> FR_INLINE bool is_next(Thread* t, uptr address, void* record) {
  const fasttrack::Run& run = t->footprint.run(number(record), kind == AccessKind::Write);
  return run.end == address && run.key == number(record);
}

FR_NOINLINE void keep_readers(Cell* cell, u64 r) {
  Thread* t = self();
  Critical critical(t);
  fasttrack::keep_readers(*t, cell, r);
}

// [READ SAME EPOCH] of data that several threads read, before a critical section is entered. No frame either: it calls nothing but the rest.
template <u64 size> FR_NOINLINE void shared_or_first_touch(void* address, void* record) {
  Thread* t = self();
  uptr a = number(address), offset = a & 7;
  if (FR_LIKELY(t && offset + size <= 8)) {
    Cell* cell = cell_of(a);
    const u64 r = __atomic_load_n(&cell->R, __ATOMIC_ACQUIRE), mask = ((1ull << size) - 1) << offset;
    if (fasttrack::knows_readers(*t, r, mask)) return;
    if (shared_same_epoch(cell, r, t->epoch, mask)) {
      if (FR_UNLIKELY(fasttrack::is_worth_keeping(*t, r))) keep_readers(cell, r);
      return;
    }
    if (size <= kLongestInRun && is_next<AccessKind::Read>(self(), a, record))
      return next_touch<size, AccessKind::Read>(address, record);
  }
  first_touch<size, AccessKind::Read>(address, record);
}

// What is not of this epoch, or not known to be.
template <u64 size, AccessKind kind> FR_INLINE void unseen(Thread* t, void* address, void* site) {
  if constexpr (kind == AccessKind::Read && size <= 8)
    shared_or_first_touch<size>(address, site);
  else if (size <= kLongestInRun && t && is_next<kind>(t, number(address), site))
    next_touch<size, kind>(address, site);
  else
    first_touch<size, kind>(address, site);
}

template <u64 size, AccessKind kind> FR_INLINE void check(void* address, void* site) {
  constexpr bool write = kind == AccessKind::Write;
  Thread* t = self();
  uptr a = number(address), offset = a & 7;
  if (FR_LIKELY(t != nullptr)) {
    const Cell* cell = cell_of(a);
    if constexpr (size <= 8) {
      const TwoCells<size> bytes(offset);
      u64 word = __atomic_load_n(write ? &cell->W : &cell->R, __ATOMIC_RELAXED);
      if (FR_LIKELY(same_epoch(word, t->epoch, bytes.low))) {
        if (FR_LIKELY(!bytes.high)) return;
        word = __atomic_load_n(write ? &cell[1].W : &cell[1].R, __ATOMIC_RELAXED);
        if (same_epoch(word, t->epoch, bytes.high)) return;
      }
    } else if (FR_LIKELY(offset == 0)) {
      u64 low = __atomic_load_n(write ? &cell[0].W : &cell[0].R, __ATOMIC_RELAXED);
      u64 high = __atomic_load_n(write ? &cell[1].W : &cell[1].R, __ATOMIC_RELAXED);
      if (FR_LIKELY(same_epoch(low, t->epoch, 0xff) && same_epoch(high, t->epoch, 0xff))) return;
    }
  }
  unseen<size, kind>(t, address, site);
}

FR_NOINLINE void check_range(void* address, u64 size, void* record, AccessKind kind) {
  Thread* t = self();
  if (FR_UNLIKELY(!t) && !(t = unknown_thread())) return;
  if (has_seen_short_range(t, number(address), size, kind == AccessKind::Write)) return;
  checked_range(t, {number(address), size, kind, site_id(static_cast<const SiteRecord*>(record))});
}

FR_NOINLINE void check_strided(void* first, u64 size, u64 stride, u64 count, void* record, AccessKind kind) {
  Thread* t = self();
  if (FR_UNLIKELY(!t) && !(t = unknown_thread())) return;
  SiteId site = site_id(static_cast<const SiteRecord*>(record));
  checked_strided(t, {number(first), size, kind, site}, stride, count);
}

void check_lanes(u64 lanes, u64 lane_size, void* site, AccessKind kind, void* base, void* const* addresses) {
  for (; lanes; lanes &= lanes - 1) {
    u32 lane = u32(__builtin_ctzll(lanes));
    void* address = addresses ? addresses[lane] : static_cast<char*>(base) + lane * lane_size;
    slow(address, site, lane_size, kind);
  }
}

} // namespace

#define FR_SIZED(size)                                                                                       \
  FR_EXPORT void __footrace_read##size(void* address, void* site) {                                          \
    check<size, AccessKind::Read>(address, site);                                                            \
  }                                                                                                          \
  FR_EXPORT void __footrace_write##size(void* address, void* site) {                                         \
    check<size, AccessKind::Write>(address, site);                                                           \
  }                                                                                                          \
  FR_EXPORT void __footrace_unseen_read##size(void* address, void* site) {                                   \
    unseen<size, AccessKind::Read>(self(), address, site);                                                   \
  }                                                                                                          \
  FR_EXPORT void __footrace_unseen_write##size(void* address, void* site) {                                  \
    unseen<size, AccessKind::Write>(self(), address, site);                                                  \
  }
FR_SIZED(1)
FR_SIZED(2)
FR_SIZED(4)
FR_SIZED(8)
FR_SIZED(16)

FR_EXPORT void __footrace_read_range(void* address, u64 size, void* site) {
  check_range(address, size, site, AccessKind::Read);
}
FR_EXPORT void __footrace_write_range(void* address, u64 size, void* site) {
  check_range(address, size, site, AccessKind::Write);
}
FR_EXPORT void __footrace_unseen_read_range(void* address, u64 size, void* site) {
  check_range(address, size, site, AccessKind::Read);
}
FR_EXPORT void __footrace_unseen_write_range(void* address, u64 size, void* site) {
  check_range(address, size, site, AccessKind::Write);
}

FR_EXPORT void __footrace_read_strided(void* first, u64 size, u64 stride, u64 count, void* site) {
  check_strided(first, size, stride, count, site, AccessKind::Read);
}
FR_EXPORT void __footrace_write_strided(void* first, u64 size, u64 stride, u64 count, void* site) {
  check_strided(first, size, stride, count, site, AccessKind::Write);
}

FR_EXPORT void __footrace_read_masked(void* address, u64 lane_size, u64 lanes, void* site) {
  check_lanes(lanes, lane_size, site, AccessKind::Read, address, nullptr);
}
FR_EXPORT void __footrace_write_masked(void* address, u64 lane_size, u64 lanes, void* site) {
  check_lanes(lanes, lane_size, site, AccessKind::Write, address, nullptr);
}
FR_EXPORT void __footrace_read_gather(void* addresses, u64 lane_size, u64 lanes, void* site) {
  check_lanes(lanes, lane_size, site, AccessKind::Read, nullptr, static_cast<void**>(addresses));
}
FR_EXPORT void __footrace_write_scatter(void* addresses, u64 lane_size, u64 lanes, void* site) {
  check_lanes(lanes, lane_size, site, AccessKind::Write, nullptr, static_cast<void**>(addresses));
}

// For the recorder of tests/placement, which takes the runtime's place.
FR_EXPORT void __footrace_note_access(u32) {}

FR_EXPORT void* __footrace_memcpy(void* to, void* from, u64 size, void* site) {
  slow(from, site, size, AccessKind::Read);
  slow(to, site, size, AccessKind::Write);
  return plain_memcpy(to, from, size);
}
FR_EXPORT void* __footrace_memmove(void* to, void* from, u64 size, void* site) {
  slow(from, site, size, AccessKind::Read);
  slow(to, site, size, AccessKind::Write);
  return plain_memmove(to, from, size);
}
FR_EXPORT void* __footrace_memset(void* to, u32 value, u64 size, void* site) {
  slow(to, site, size, AccessKind::Write);
  return plain_memset(to, int(value), size);
}

FR_EXPORT void* __footrace_enter(void* return_address) {
  Thread* t = self();
  if (FR_UNLIKELY(!t)) return nullptr;
  Frame* top = t->context.top;
  if (FR_LIKELY(top < t->context.limit)) {
    top->pc = number(return_address);
    top->node = top->call_out = 0;
    t->context.top = top + 1;
  }
  return top;
}

FR_EXPORT void __footrace_call_out(void* previous_top) {
  Thread* t = self();
  Frame* frame = static_cast<Frame*>(previous_top) + 1;
  if (!t || !previous_top || frame >= t->context.limit) return;
  frame->pc = number(__builtin_return_address(0));
  frame->node = 0;
  frame->call_out = 1;
  t->context.top = frame + 1;
}

FR_EXPORT void __footrace_leave(void* previous_top) {
  Thread* t = self();
  if (FR_LIKELY(t && previous_top)) t->context.top = static_cast<Frame*>(previous_top);
}

FR_EXPORT void __footrace_resume(void* previous_top) {
  Thread* t = self();
  if (!t || !previous_top) return;
  Frame* top = static_cast<Frame*>(previous_top) + 1;
  t->context.top = top < t->context.limit ? top : t->context.limit;
}

} // namespace footrace
