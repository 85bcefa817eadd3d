// The functions of abi/callbacks.def that instrumented code calls for plain accesses and at function entry
// and exit. Hot: one load, one compare with the thread's epoch, no stack frame (tests/symbols checks); the
// rest is out of line.
#include "detectors/fasttrack/block_access.h"
#include "detectors/fasttrack/simple_step.h"
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
  if (is_short_and_seen(t, number(address), size, kind == AccessKind::Write)) return;
  checked_access(t, number(address), size, kind, site_id(static_cast<const SiteRecord*>(record)));
}

// The bytes of an access of up to 8 bytes, or of 16 that begin where a cell begins, in its first cell and in the next one.
struct TwoCells {
  u64 low, high;
  FR_INLINE TwoCells(uptr offset, u64 size) {
    const u64 bytes = ((1ull << size) - 1) << offset;
    low = bytes & kMaskBits, high = bytes >> 8;
  }
};

// Longer elements are mostly fields of objects.
constexpr u64 kLongestInRun = 4;
// Shorter ones are mostly parts of texts.
constexpr u64 kShortestAlone = 4;

// An access of this site at `end` continues a run (detectors/fasttrack/runs.h).
FR_INLINE void expect_next(Thread* t, uptr end, void* record, bool write) {
  if (!g_compress_blocks) return;
  fasttrack::Run& run = t->footprint.run(number(record), write);
  if (FR_UNLIKELY(run.waits())) settle_run(t, t, run, write);
  fasttrack::expect_run(run, end, number(record));
}

FR_INLINE void bytes_are_due(Thread* t, fasttrack::PendingCell& waiting, bool write) {
  if (waiting.bytes == 0xff && waiting.waits())
    cell_is_full(t, waiting, write);
  else
    settle_waiting(t, t, waiting, write);
}

// Bytes that wait for the rest of their cell (detectors/fasttrack/footprint.h), one check for all. A flag among other fields is checked alone: nothing
// would come to join it.
FR_INLINE bool may_gather(uptr address, const TwoCells& bytes, u64 size) {
  if (size >= kShortestAlone || bytes.high) return false;
  const u64 w = __atomic_load_n(&cell_of(address)->W, __ATOMIC_ACQUIRE);
  return !has_records(w) || !is_field_of(w, bytes.low);
}
// True: that was all. Else nothing waits in the bytes' slot.
FR_INLINE bool gathered(Thread* t, const NotedAccess& a, u64 mask, bool write) {
  const uptr cell = round_down(a.address, 8);
  bool due = false;
  fasttrack::PendingCell* waiting = fasttrack::gather(t->footprint, cell, mask, a.site, write, due);
  if (FR_UNLIKELY(!waiting)) {
    fasttrack::PendingCell& slot = t->footprint.slot(cell, write);
    if (slot.waits()) settle_waiting(t, t, slot, write);
    waiting = fasttrack::gather_behind(t->footprint, cell, mask, a.site, write, due);
    if (!waiting) return false;
  }
  history_add(t, a.address, a.size, a.site);
  if (due) bytes_are_due(t, *waiting, waiting == &t->footprint.slot(cell, true));
  return true;
}

// What most first touches come to: an exclusive step of one cell.
template <AccessKind kind> FR_INLINE bool exclusive_touch(Thread* t, NotedAccess& a, u64 mask) {
  Cell* cell = cell_of(a.address);
  const Cell words = load_words(cell);
  if (FR_UNLIKELY(!fasttrack::is_exclusive_step(*t, words.W, words.R, mask))) return false;
  history_add(t, a.address, a.size, a.site);
  a.is_noted = true;
  return fasttrack::exclusive_step<kind == AccessKind::Write>(*t, cell, a.address, words.W, words.R, mask,
                                                              a.site);
}

// The first touch of bytes in one or two cells in an epoch, whatever the cells hold. Apart from check, which needs no frame.
template <AccessKind kind> FR_INLINE void touch(void* address, void* record, u64 size) {
  constexpr bool write = kind == AccessKind::Write;
  Thread* t = self();
  const uptr a = number(address), offset = a & 7, cell = a - offset;
  if (FR_UNLIKELY(!t || t->ignore || (size > 8 && offset))) return slow(address, record, size, kind);
  // The step's compare-and-swap holds back what comes after it: the program's own miss should not begin only then.
  __builtin_prefetch(address, write);
  __builtin_prefetch(sites_of(a), 1);
  NotedAccess noted = {a, size, site_id(static_cast<const SiteRecord*>(record))};
  const TwoCells bytes(offset, size);
  critical_enter(t);
  const bool gathers = may_gather(a, bytes, size);
  if ((gathers && gathered(t, noted, bytes.low, write)) || settle_before(t, a, size, write))
    return critical_leave(t);
  uptr from = a;
  if (FR_LIKELY(exclusive_touch<kind>(t, noted, bytes.low)) ||
      simple_access<kind>(t, cell, bytes.low, noted)) {
    from = cell + 8;
    if (bytes.high && simple_access<kind>(t, from, bytes.high, noted)) from += 8;
  }
  if (FR_UNLIKELY(from < a + size)) {
    general_access(t, {a, size, kind, noted.site}, from);
    if (!gathers) return;
    critical_enter(t);
  }
  if (size <= kLongestInRun) expect_next(t, a + size, record, write);
  if (gathers && !t->footprint.slot(cell, write).waits())
    fasttrack::start_gathering(t->footprint, cell, bytes.low, noted.site, write);
  critical_leave(t);
}

// Words, which most accesses are, and all other sizes.
template <AccessKind kind> FR_NOINLINE void first_touch_of_word(void* address, void* record) {
  touch<kind>(address, record, 8);
}
template <AccessKind kind> FR_NOINLINE void first_touch(void* address, void* record, u64 size) {
  touch<kind>(address, record, size);
}

// What follows a run that waits: it waits as well. This is what a loop over bytes comes to, so it calls nothing and needs no frame. False: nothing
// was done; pending reports and signals are still to be looked at where true is returned.
FR_INLINE bool extend_run(Thread* t, uptr address, uptr key, u64 size, bool write) {
  const fasttrack::Run& run = t->footprint.run(key, write);
  if (run.end != address || run.key != key || !run.waits() || t->ignore || t->critical) return false;
  const Context& c = t->context;
  const ContextId context = c.top == c.base ? 0 : c.top[-1].node;
  const LockSetId locks = c.held_count ? c.held[c.held_count - 1].set : 0;
  if (FR_UNLIKELY(!context || (c.held_count && !locks))) return false;
  t->critical = 1;
  __atomic_signal_fence(__ATOMIC_SEQ_CST);
  const bool waits = FR_LIKELY(!__atomic_load_n(&g_critical_slow, __ATOMIC_RELAXED)) && run.waits() &&
                     fasttrack::continue_run(t->footprint, address, size, key, {context, locks}, write);
  __atomic_store_n(&t->critical, 0, __ATOMIC_RELEASE);
  __atomic_signal_fence(__ATOMIC_SEQ_CST);
  return waits;
}
// The access continues the run of its site, or starts it. (Conditions were looked at outside of the critical section; a signal handler may have come between.)
template <AccessKind kind> FR_NOINLINE void next_touch(void* address, void* record, u64 size) {
  constexpr bool write = kind == AccessKind::Write;
  Thread* t = self();
  const uptr a = number(address), key = number(record);
  if (FR_UNLIKELY(t->ignore)) return;
  critical_enter(t);
  const fasttrack::RunPlace place = {quick_context(t), quick_lock_set(t)};
  const bool waits = fasttrack::continue_run(t->footprint, a, size, key, place, write);
  critical_leave(t);
  if (FR_LIKELY(waits)) return;
  first_touch<kind>(address, record, size);
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
FR_INLINE void shared_or_first_touch(void* address, void* record, u64 size) {
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
      return next_touch<AccessKind::Read>(address, record, size);
  }
  if (size == 8)
    first_touch_of_word<AccessKind::Read>(address, record);
  else
    first_touch<AccessKind::Read>(address, record, size);
}

FR_NOINLINE void shared_or_first_touch_of_word(void* address, void* record) {
  shared_or_first_touch(address, record, 8);
}
FR_NOINLINE void shared_or_first_touch_of_part(void* address, void* record, u64 size) {
  shared_or_first_touch(address, record, size);
}

// What is not of this epoch, or not known to be.
template <u64 size, AccessKind kind> FR_INLINE void unseen(Thread* t, void* address, void* site) {
  if constexpr (kind == AccessKind::Read && size == 8)
    shared_or_first_touch_of_word(address, site);
  else if constexpr (kind == AccessKind::Read && size < 8)
    shared_or_first_touch_of_part(address, site, size);
  else if (size <= kLongestInRun && t && is_next<kind>(t, number(address), site))
    next_touch<kind>(address, site, size);
  else if (size == 8)
    first_touch_of_word<kind>(address, site);
  else
    first_touch<kind>(address, site, size);
}

// The same for code that counts on its registers: elements of a run need few of them.
template <u64 size, AccessKind kind>
FR_NOINLINE FR_KEEPS_REGISTERS void unseen_and_alone(void* address, void* site) {
  unseen<size, kind>(self(), address, site);
}
FR_NOINLINE FR_KEEPS_REGISTERS void do_pending(void*, void*) { after_critical(self()); }

template <u64 size, AccessKind kind> FR_INLINE void check(void* address, void* site) {
  constexpr bool write = kind == AccessKind::Write;
  Thread* t = self();
  uptr a = number(address), offset = a & 7;
  if (FR_LIKELY(t != nullptr)) {
    const Cell* cell = cell_of(a);
    if constexpr (size <= 8) {
      const TwoCells bytes(offset, size);
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

FR_NOINLINE void check_any_range(void* address, u64 size, void* record, AccessKind kind) {
  Thread* t = self();
  if (FR_UNLIKELY(!t) && !(t = unknown_thread())) return;
  if (has_seen_short_range(t, number(address), size, kind == AccessKind::Write)) return;
  checked_range(t, {number(address), size, kind, site_id(static_cast<const SiteRecord*>(record))});
}

// Mostly a few fields, or a row, that were checked together before.
template <AccessKind kind> FR_INLINE void check_range(void* address, u64 size, void* record) {
  constexpr bool write = kind == AccessKind::Write;
  Thread* t = self();
  if (FR_LIKELY(t && size >= kShortestNoted)) {
    if (size <= kLongestLookedUp && has_seen_cells(t, number(address), number(address) + size, write)) return;
    if (has_checked_range(t, number(address), size, write)) return;
  } else if (FR_LIKELY(t != nullptr)) {
    const u64 word = common_word(number(address), size, write);
    if (same_epoch(word, t->epoch, kMaskBits)) return;
    if (!write && fasttrack::knows_readers(*t, word, kMaskBits)) return;
    if (Cell* cell = cell_of(number(address)); !write && shared_same_epoch(cell, word, t->epoch, kMaskBits) &&
                                               FR_UNLIKELY(fasttrack::is_worth_keeping(*t, word)))
      keep_readers(cell, word);
  }
  check_any_range(address, size, record, kind);
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
  }
FR_SIZED(1)
FR_SIZED(2)
FR_SIZED(4)
FR_SIZED(8)
FR_SIZED(16)

#define FR_UNSEEN(symbol, size, kind)                                                                        \
  FR_EXPORT void symbol(void* address, void* site) { unseen<size, AccessKind::kind>(self(), address, site); }
#define FR_UNSEEN_ELEMENT(symbol, size, kind)                                                                \
  FR_EXPORT void symbol(void* address, void* site) {                                                         \
    Thread* t = self();                                                                                      \
    if (!t || !extend_run(t, number(address), number(site), size, AccessKind::kind == AccessKind::Write))    \
        [[clang::musttail]]                                                                                  \
      return unseen_and_alone<size, AccessKind::kind>(address, site);                                        \
    if (FR_UNLIKELY(t->pending)) [[clang::musttail]]                                                         \
      return do_pending(address, site);                                                                      \
  }
FR_UNSEEN_ELEMENT(__footrace_unseen_read1, 1, Read)
FR_UNSEEN_ELEMENT(__footrace_unseen_read2, 2, Read)
FR_UNSEEN_ELEMENT(__footrace_unseen_read4, 4, Read)
FR_UNSEEN(__footrace_unseen_read8, 8, Read)
FR_UNSEEN(__footrace_unseen_read16, 16, Read)
FR_UNSEEN_ELEMENT(__footrace_unseen_write1, 1, Write)
FR_UNSEEN_ELEMENT(__footrace_unseen_write2, 2, Write)
FR_UNSEEN_ELEMENT(__footrace_unseen_write4, 4, Write)
FR_UNSEEN(__footrace_unseen_write8, 8, Write)
FR_UNSEEN(__footrace_unseen_write16, 16, Write)

FR_EXPORT void __footrace_read_range(void* address, u64 size, void* site) {
  check_range<AccessKind::Read>(address, size, site);
}
FR_EXPORT void __footrace_write_range(void* address, u64 size, void* site) {
  check_range<AccessKind::Write>(address, size, site);
}
FR_EXPORT void __footrace_unseen_read_range(void* address, u64 size, void* site) {
  check_range<AccessKind::Read>(address, size, site);
}
FR_EXPORT void __footrace_unseen_write_range(void* address, u64 size, void* site) {
  check_range<AccessKind::Write>(address, size, site);
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
