// The functions of abi/callbacks.def that instrumented code calls for plain accesses and at function entry
// and exit. Hot: what most first touches come to, a step from words that are all ordered before the thread, is made here (quick_step); whatever else there is, in
// access.cpp.
#include "check/bytes.h"
#include "runtime/access.h"
#include "runtime/interception.h"
#include "runtime/interceptors/memory_functions.h"
#include "runtime/site_table.h"
#include "runtime/threads.h"

namespace footrace {
namespace {

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
Site site_of(const void* record) { return number(record); }

// A thread that the runtime has not seen start joins it here.
FR_COLD Thread* unknown_thread() { return attach_foreign_thread(); }

FR_NOINLINE void slow(void* address, void* record, u64 size, AccessKind kind) {
  Thread* t = self();
  if (FR_UNLIKELY(!t) && !(t = unknown_thread())) return;
  checked_access(t, number(address), size, kind, site_of(record));
}

// [READ SAME EPOCH] [WRITE SAME EPOCH] of a few granules that all hold one word: rows of a few elements, fields that are accessed together. No lock, no
// critical section: the words are compared, no more.
FR_INLINE bool has_seen_row(ThreadState& t, uptr a, u64 size, bool write) {
  uptr from = round_down(a, kGranule), end = round_up(a + size, kGranule);
  const u64 want_low = from & 4, where = write ? 0 : 2;
  const u32 first = __atomic_load_n(granule_of(from) + where, __ATOMIC_ACQUIRE);
  if (first != t.epoch.raw && (write || !knows_readers(t, Word(first)))) return false;
  u32 different = 0;
  if (want_low) from += kGranule;
  if (end & 4 && from < end) {
    end -= kGranule;
    different = first ^ __atomic_load_n(granule_of(end) + where, __ATOMIC_ACQUIRE);
  }
  const u64 both = u64(first) << 32 | first;
  u64 differs = different;
  const u64* word = reinterpret_cast<const u64*>(cell_of(from)) + (write ? 0 : 1);
  for (; from < end; from += 8, word += 2) differs |= both ^ __atomic_load_n(word, __ATOMIC_ACQUIRE);
  return !differs;
}

FR_INLINE Unit<u64> unit_at(uptr address, u64) { return cell_unit(address); }
FR_INLINE Unit<u32> unit_at(uptr address, u32) { return granule_unit(address); }

template <class U> FR_INLINE bool first_step_of_frame(Thread* t, Unit<U> unit, AccessKind kind, Site site) {
  const U r = load_word(unit.R);
  if (!fasttrack::is_exclusive<U>(*t, r)) return false;
  log_access(*t, top_frame(t), unit.address, sizeof(U), kind, site);
  return kind == AccessKind::Write ? fasttrack::exclusive_step<true>(*t, unit, r)
                                   : fasttrack::exclusive_step<false>(*t, unit, r);
}

// A granule or a cell of which the first look at its words does not tell enough.
template <class U> FR_NOINLINE void slow_unit(void* address, void* record, AccessKind kind) {
  Thread* t = self();
  const uptr a = number(address);
  if (FR_UNLIKELY(!t || t->ignore || a % sizeof(U))) {
    if (t && has_seen_row(*t, a, sizeof(U), kind == AccessKind::Write)) return;
    return slow(address, record, sizeof(U), kind);
  }
  settle_before(t, a, a + sizeof(U));
  critical_enter(t);
  // Mostly it was only the frame's place that the log did not have yet.
  if (!first_step_of_frame(t, unit_at(a, U()), kind, site_of(record)))
    unit_in_critical(t, unit_at(a, U()), kind, site_of(record));
  critical_leave(t);
  leave_step(t);
}
template <class U, AccessKind kind>
FR_NOINLINE FR_KEEPS_REGISTERS void slow_unit_keeping(void* address, void* record) {
  slow_unit<U>(address, record, kind);
}
template <u64 size, AccessKind kind>
FR_NOINLINE FR_KEEPS_REGISTERS void slow_keeping(void* address, void* record) {
  slow(address, record, size, kind);
}
// Bytes of one granule that may have to wait.
template <u64 size> FR_NOINLINE void slow_bytes(void* address, void* record, AccessKind kind) {
  Thread* t = self();
  const uptr a = number(address);
  const u32 offset = a % kGranule, mask = ((1u << size) - 1) << offset;
  if (FR_UNLIKELY(!t || t->ignore || offset + size > kGranule)) return slow(address, record, size, kind);
  critical_enter(t);
  log_access(*t, top_frame(t), a, size, kind, site_of(record));
  wait_with_granule(t, a / kGranule, mask, kind == AccessKind::Write);
  if (WaitingGranule& waiting = t->waiting.slot[WaitingBytes::slot_of(a / kGranule)];
      waiting.granule == a / kGranule)
    waiting.era = t->log.era, waiting.entry = t->log.next - 1;
  critical_leave(t);
}
template <u64 size, AccessKind kind>
FR_NOINLINE FR_KEEPS_REGISTERS void slow_bytes_keeping(void* address, void* record) {
  slow_bytes<size>(address, record, kind);
}
FR_NOINLINE FR_KEEPS_REGISTERS void do_pending(void*, void*) { after_critical(self()); }

enum class Quick : u8 { Done, Pending, No };

// A critical section (runtime/thread.h) of code that calls nothing: not inside another one, nor where accesses are ignored.
FR_INLINE bool quick_enter(Thread* t) {
  if (FR_UNLIKELY(t->critical | t->ignore)) return false;
  t->critical = 1;
  __atomic_signal_fence(__ATOMIC_SEQ_CST);
  if (FR_LIKELY(!__atomic_load_n(&g_critical_slow, __ATOMIC_RELAXED))) return true;
  __atomic_store_n(&t->critical, 0, __ATOMIC_RELEASE);
  return false;
}
FR_INLINE Quick quick_leave(Thread* t, Quick outcome) {
  __atomic_store_n(&t->critical, 0, __ATOMIC_RELEASE);
  __atomic_signal_fence(__ATOMIC_SEQ_CST);
  return outcome == Quick::Done && FR_UNLIKELY(t->pending) ? Quick::Pending : outcome;
}

template <class U, AccessKind kind> FR_INLINE Quick quick_step(Thread* t, uptr a, void* record) {
  if (FR_UNLIKELY(!t || a % sizeof(U) || !quick_enter(t))) return Quick::No;
  // The swap holds back what comes after it: the program's own miss should not begin only then.
  __builtin_prefetch(reinterpret_cast<void*>(a), kind == AccessKind::Write);
  const Unit<U> unit = unit_at(a, U());
  const U r = load_word(unit.R);
  Frame* top = top_frame(t);
  Quick outcome = Quick::No;
  if (FR_LIKELY(fasttrack::is_exclusive<U>(*t, r) && can_log_at_once(*t, top))) {
    log_at_once(*t, top, a, sizeof(U), kind, site_of(record));
    if (FR_LIKELY((fasttrack::exclusive_step<kind == AccessKind::Write>(*t, unit, r)))) outcome = Quick::Done;
  }
  return quick_leave(t, outcome);
}

// Bytes of one granule that wait for the others (check/waiting_bytes.h).
template <u64 size, AccessKind kind> FR_INLINE Quick quick_bytes(Thread* t, uptr a, void* record) {
  constexpr bool write = kind == AccessKind::Write;
  const uptr granule = a / kGranule;
  const u32 offset = a % kGranule, mask = ((1u << size) - 1) << offset;
  if (FR_UNLIKELY(!t || offset + size > kGranule)) return Quick::No;
  if (t->waiting.has(granule, mask, write)) return Quick::Done;
  const Unit<u32> unit = granule_unit(a - offset);
  const Word r(load_word(unit.R));
  if ((write ? load_word(unit.W) : r.raw) == t->epoch.raw) return Quick::Done;
  if (FR_UNLIKELY(!quick_enter(t))) return Quick::No;
  WaitingGranule& waiting = t->waiting.slot[WaitingBytes::slot_of(granule)];
  Frame* top = top_frame(t);
  Quick outcome = Quick::No;
  if (r.is_bytes()) {
    if (fasttrack::has_seen_bytes(*t, r, mask, write)) outcome = Quick::Done;
  } else if (waiting.granule == granule && (waiting.read | waiting.written | mask) != 0xf &&
             can_log_at_once(*t, top)) {
    log_bytes_at_once(*t, top, waiting, a, size, kind, site_of(record));
    u8& bytes = write ? waiting.written : waiting.read;
    bytes = u8(bytes | mask);
    outcome = Quick::Done;
  }
  return quick_leave(t, outcome);
}

// One unit of a row of granules: true if nothing is left to be done with it.
template <AccessKind kind, class U>
FR_INLINE bool quick_unit_of_row(Thread* t, Unit<U> unit, bool& logged, uptr a, u64 size, Site site) {
  constexpr bool write = kind == AccessKind::Write;
  const U r = load_word(unit.R);
  if (r == U(t->both) && (!write || load_word(unit.W) == r)) return true;
  if (FR_UNLIKELY(!fasttrack::is_exclusive<U>(*t, r))) return false;
  if (!logged) log_at_once(*t, top_frame(t), a, size, kind, site);
  logged = true;
  return fasttrack::exclusive_step<write>(*t, unit, r);
}
// Fields of an object, rows of a few elements: as quick_step, with one entry of the log.
template <AccessKind kind> FR_INLINE Quick quick_row(Thread* t, uptr a, u64 size, void* record) {
  if (FR_UNLIKELY(!t || (a | size) % kGranule || !quick_enter(t))) return Quick::No;
  __builtin_prefetch(reinterpret_cast<void*>(a), kind == AccessKind::Write);
  bool logged = false, done = can_log_at_once(*t, top_frame(t));
  for (uptr from = a, end = a + size; done && from < end;) {
    if (from % 8 || end - from < 8) {
      done = quick_unit_of_row<kind>(t, granule_unit(from), logged, a, size, site_of(record));
      from += kGranule;
    } else {
      done = quick_unit_of_row<kind>(t, cell_unit(from), logged, a, size, site_of(record));
      from += 8;
    }
  }
  return quick_leave(t, done ? Quick::Done : Quick::No);
}

template <u64 size, AccessKind kind> FR_INLINE Quick quick(Thread* t, uptr a, void* record) {
  if constexpr (size == 8)
    return quick_step<u64, kind>(t, a, record);
  else if constexpr (size == 4)
    return quick_step<u32, kind>(t, a, record);
  else if constexpr (size < 4)
    return quick_bytes<size, kind>(t, a, record);
  else
    return quick_row<kind>(t, a, size, record);
}

// [READ SAME EPOCH] [WRITE SAME EPOCH] for who has no test in line.
template <u64 size, AccessKind kind> FR_INLINE bool is_quickly_seen(Thread* t, uptr a) {
  if (!t || size < 4 || (a % min<u64>(size, 8))) return false;
  if constexpr (size == 4) {
    const Unit<u32> unit = granule_unit(a);
    return load_word(kind == AccessKind::Write ? unit.W : unit.R) == t->epoch.raw;
  }
  const Unit<u64> unit = cell_unit(a);
  const bool seen = load_word(kind == AccessKind::Write ? unit.W : unit.R) == t->both;
  return size == 16 ? seen && load_word(kind == AccessKind::Write ? unit.W + 2 : unit.R + 2) == t->both
                    : seen;
}

template <AccessKind kind> FR_NOINLINE void first_touch_of_row(void* address, u64 size, void* record) {
  Thread* t = self();
  const Quick outcome = quick_row<kind>(t, number(address), size, record);
  if (outcome == Quick::Pending) after_critical(t);
  if (outcome == Quick::No) slow(address, record, size, kind);
}

template <u64 size, AccessKind kind> FR_INLINE void check_plain(void* address, void* record) {
  Thread* t = self();
  if (FR_LIKELY((is_quickly_seen<size, kind>(t, number(address))))) return;
  if constexpr (size == 16) return first_touch_of_row<kind>(address, size, record); // which needs a frame
  const Quick outcome = quick<size, kind>(t, number(address), record);
  if (FR_LIKELY(outcome == Quick::Done)) return;
  if (outcome == Quick::Pending) return after_critical(t);
  if constexpr (size == 4)
    return slow_unit<u32>(address, record, kind);
  else if constexpr (size == 8)
    return slow_unit<u64>(address, record, kind);
  else if constexpr (size < 4)
    return slow_bytes<size>(address, record, kind);
  else
    return slow(address, record, size, kind);
}

// Whether a range was checked as it is in this epoch is known at once.
template <AccessKind kind> FR_NOINLINE void check_any_range(void* address, u64 size, void* record) {
  constexpr bool write = kind == AccessKind::Write;
  constexpr u64 kShortestRemembered = 256;
  Thread* t = self();
  if (FR_UNLIKELY(!t) && !(t = unknown_thread())) return;
  const uptr a = number(address);
  if (size - 1 < kShortestRemembered - 1) {
    if (FR_LIKELY(has_seen_row(*t, a, size, write))) return;
    const Quick outcome = quick_row<kind>(t, a, size, record);
    if (FR_LIKELY(outcome == Quick::Done)) return;
    if (outcome == Quick::Pending) return after_critical(t);
    return checked_access(t, a, size, kind, site_of(record));
  }
  if (fasttrack::has_checked(*t, a, size, size, 1, write)) return;
  const u64 version = t->version;
  checked_access(t, a, size, kind, site_of(record));
  if (t->version == version) fasttrack::remember_checked(*t, a, size, size, 1, write);
}

FR_NOINLINE void check_strided(void* first, u64 size, u64 stride, u64 count, void* record, AccessKind kind) {
  Thread* t = self();
  if (FR_UNLIKELY(!t) && !(t = unknown_thread())) return;
  checked_strided(t, {number(first), size, kind, site_of(record)}, stride, count);
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
    check_plain<size, AccessKind::Read>(address, site);                                                      \
  }                                                                                                          \
  FR_EXPORT void __footrace_write##size(void* address, void* site) {                                         \
    check_plain<size, AccessKind::Write>(address, site);                                                     \
  }
FR_SIZED(1)
FR_SIZED(2)
FR_SIZED(4)
FR_SIZED(8)
FR_SIZED(16)

// Behind a test in line that failed: what the caller has in its registers stays there.
#define FR_UNSEEN(symbol, size, kind, rest)                                                                  \
  FR_EXPORT void symbol(void* address, void* site) {                                                         \
    const Quick outcome = quick<size, AccessKind::kind>(self(), number(address), site);                      \
    if (FR_LIKELY(outcome == Quick::Done)) return;                                                           \
    if (outcome == Quick::Pending) [[clang::musttail]]                                                       \
      return do_pending(address, site);                                                                      \
    [[clang::musttail]] return rest(address, site);                                                          \
  }
#define FR_UNSEEN_SIZE(size, rest_of_reads, rest_of_writes)                                                  \
  FR_UNSEEN(__footrace_unseen_read##size, size, Read, rest_of_reads)                                         \
  FR_UNSEEN(__footrace_unseen_write##size, size, Write, rest_of_writes)
FR_UNSEEN_SIZE(1, (slow_bytes_keeping<1, AccessKind::Read>), (slow_bytes_keeping<1, AccessKind::Write>))
FR_UNSEEN_SIZE(2, (slow_bytes_keeping<2, AccessKind::Read>), (slow_bytes_keeping<2, AccessKind::Write>))
FR_UNSEEN_SIZE(4, (slow_unit_keeping<u32, AccessKind::Read>), (slow_unit_keeping<u32, AccessKind::Write>))
FR_UNSEEN_SIZE(8, (slow_unit_keeping<u64, AccessKind::Read>), (slow_unit_keeping<u64, AccessKind::Write>))
FR_UNSEEN_SIZE(16, (slow_keeping<16, AccessKind::Read>), (slow_keeping<16, AccessKind::Write>))

FR_EXPORT void __footrace_read_range(void* address, u64 size, void* site) {
  check_any_range<AccessKind::Read>(address, size, site);
}
FR_EXPORT void __footrace_write_range(void* address, u64 size, void* site) {
  check_any_range<AccessKind::Write>(address, size, site);
}
FR_EXPORT void __footrace_unseen_read_range(void* address, u64 size, void* site) {
  check_any_range<AccessKind::Read>(address, size, site);
}
FR_EXPORT void __footrace_unseen_write_range(void* address, u64 size, void* site) {
  check_any_range<AccessKind::Write>(address, size, site);
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
    begin_frame(top, number(return_address), false);
    t->context.top = top + 1;
  }
  return top;
}

FR_EXPORT void __footrace_call_out(void* previous_top) {
  Thread* t = self();
  Frame* frame = static_cast<Frame*>(previous_top) + 1;
  if (!t || !previous_top || frame >= t->context.limit) return;
  begin_frame(frame, number(__builtin_return_address(0)), true);
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
