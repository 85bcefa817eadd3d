// The functions of abi/callbacks.def that instrumented code calls for plain accesses and at function entry and exit. A check goes as far as it must:
//   first_look      without a frame or a call: bytes that were seen, a step from words that are all ordered before the thread (check/quick.h)
//   second_look     shared data, and the first step of a frame in an epoch
//   rest            sets of a unit's own, fresh memory, bytes, and rows
//   slow_*          the general step (access.cpp)
#include "check/quick.h"
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

using fasttrack::kPlain;

FR_NOINLINE void slow(void* address, void* record, u64 size, AccessKind kind) {
  Thread* t = self();
  if (FR_UNLIKELY(!t) && !(t = unknown_thread())) return;
  checked_access(t, number(address), size, kind, site_of(record));
}

template <u64 size> struct BytesOf;
template <> struct BytesOf<4> {
  using Type = u32;
};
template <> struct BytesOf<8> {
  using Type = u64;
};
template <u64 size> using Bytes = typename BytesOf<size>::Type;

FR_INLINE Unit<u64> unit_at(uptr address, u64) { return cell_unit(address); }
FR_INLINE Unit<u32> unit_at(uptr address, u32) { return granule_unit(address); }

template <class U, bool write> FR_INLINE Quick quick_unit(Thread* t, uptr a, void* record) {
  if (FR_UNLIKELY(!t || a % sizeof(U) || !quick_enter(t))) return Quick::No;
  // The swap holds back what comes after it: the program's own miss should not begin only then.
  if constexpr (write)
    fetch_to_change(reinterpret_cast<void*>(a));
  else
    __builtin_prefetch(reinterpret_cast<void*>(a));
  fetch_to_change(unit_at(a, U()).R);
  return quick_leave(t, fasttrack::quick_step<write>(*t, top_frame(t), unit_at(a, U()), site_of(record)));
}

// Bytes of a granule that the thread has accessed as a whole, or that wait.
template <u64 size, bool write> FR_INLINE bool has_seen_part(const Thread* t, uptr a) {
  constexpr u32 bytes = (1u << size) - 1;
  if (FR_UNLIKELY(!t || a % kGranule + size > kGranule)) return false;
  const Unit<u32> unit = granule_unit(a);
  return load_word(write ? unit.W : unit.R) == t->epoch.raw ||
         t->waiting.has(a / kGranule, bytes << a % kGranule, write);
}
FR_NOINLINE void do_pending(void* = nullptr, void* = nullptr) { after_critical(self()); }

// [READ SAME EPOCH] of a row whose units hold several words. Mostly the first one tells if that is not so.
FR_INLINE bool has_read_units(Thread* t, uptr a, u64 size) {
  const Word first(load_word(granule_unit(a).R));
  if (first != Word(t->epoch) && !(first.is_set() && knows_readers(*t, first))) return false;
  if (a % kGranule || size % kGranule || !quick_enter(t)) return false;
  return quick_leave(t, fasttrack::seen_in_this_epoch(*t, a, size, false)) == Quick::Done;
}

// Any few bytes, anywhere.
template <bool write> FR_NOINLINE void check_row(void* address, u64 size, void* record) {
  Thread* t = self();
  if (FR_UNLIKELY(!t) && !(t = unknown_thread())) return;
  if (FR_LIKELY(fasttrack::has_seen_row(*t, number(address), size, write))) return;
  if (!write && has_read_units(t, number(address), size)) return;
  checked_row<write>(t, number(address), size, site_of(record));
}

// A granule or a cell of which the first look at its words does not tell enough.
template <class U, bool write> FR_NOINLINE void slow_unit(void* address, void* record) {
  Thread* t = self();
  const uptr a = number(address);
  if (FR_UNLIKELY(!t || t->ignore || a % sizeof(U))) return check_row<write>(address, sizeof(U), record);
  settle_before(t, a, a + sizeof(U));
  critical_enter(t);
  unit_in_critical(t, unit_at(a, U()), kPlain<write>, site_of(record));
  critical_leave(t);
  leave_step(t);
}
// Bytes of one granule that may have to wait.
template <u64 size, bool write> FR_NOINLINE void slow_part(void* address, void* record) {
  Thread* t = self();
  const uptr a = number(address);
  const u32 offset = a % kGranule, mask = ((1u << size) - 1) << offset;
  if (FR_UNLIKELY(!t || t->ignore)) return slow(address, record, size, kPlain<write>);
  if (FR_UNLIKELY(offset + size > kGranule)) return check_row<write>(address, size, record);
  critical_enter(t);
  log_access(*t, top_frame(t), a, size, kPlain<write>, site_of(record));
  wait_with_granule(t, a / kGranule, mask, write);
  if (WaitingGranule& waiting = t->waiting.slot[WaitingBytes::slot_of(a / kGranule)];
      waiting.granule == a / kGranule)
    waiting.era = t->log.era, waiting.entry = t->log.next - 1;
  critical_leave(t);
}

// What is left when the first look was not enough: the frame has no place yet in this era, or bytes may wait; then the general step.
template <u64 size, bool write> FR_INLINE void rest_of_check(void* address, void* record) {
  Thread* t = self();
  const uptr a = number(address);
  if (size > 8 || (size >= 4 && a % size)) return check_row<write>(address, size, record);
  if (FR_LIKELY(t && quick_enter(t))) {
    const Quick outcome =
        quick_leave(t, fasttrack::quick_access<write>(*t, top_frame(t), a, size, site_of(record)));
    if (FR_LIKELY(outcome == Quick::Done)) return;
    if (outcome == Quick::Pending) return do_pending();
  }
  if constexpr (size < 4)
    slow_part<size, write>(address, record);
  else if constexpr (size <= 8)
    slow_unit<Bytes<size>, write>(address, record);
}
template <u64 size, bool write> FR_NOINLINE void rest(void* address, void* record) {
  rest_of_check<size, write>(address, record);
}
template <u64 size, bool write>
FR_NOINLINE FR_KEEPS_REGISTERS void rest_keeping(void* address, void* record) {
  rest_of_check<size, write>(address, record);
}
FR_NOINLINE FR_KEEPS_REGISTERS void do_pending_keeping(void*, void*) { do_pending(); }

template <class U> FR_INLINE bool has_read_unit(Thread& t, uptr a) {
  const U r = load_word(unit_at(a, U()).R);
  return r == U(t.both) || fasttrack::is_known_shared(t, r);
}

// What threads share and read: code in line knows little of it, or does not ask; or it is read first in this epoch. And the first step of a frame in an epoch:
// it must find its place in the log again. Inside a critical section: a sweep would hand out the set again that code in line is to know.
template <u64 size, bool write> FR_INLINE bool step_again(Thread& t, uptr a, void* record) {
  if constexpr (size > 8) return has_read_unit<u64>(t, a) && has_read_unit<u64>(t, a + 8);
  using U = Bytes<(size < 8 ? 4 : 8)>;
  const Unit<U> unit = unit_at(a, U());
  const U r = load_word(unit.R);
  Frame* top = top_frame(&t);
  if (!write && (r == U(t.both) || fasttrack::is_known_shared(t, r))) return true;
  if (!has_place_at_once(t, top)) return false;
  return (!write && fasttrack::quick_common(t, top, unit, r, site_of(record))) ||
         fasttrack::quick_step<write>(t, top, unit, site_of(record));
}
template <u64 size, bool write> FR_INLINE Quick look_again(void* address, void* record) {
  if constexpr (size < 4 || (write && size > 8)) return Quick::No;
  Thread* t = self();
  const uptr a = number(address);
  if (!t || a % min<u64>(size, 8) || !quick_enter(t)) return Quick::No;
  return quick_leave(t, step_again<size, write>(*t, a, record));
}
// Whether the second look is the one to begin with.
template <u64 size, bool write> FR_INLINE bool is_shared(uptr a) {
  if constexpr (write || size < 4 || size > 8) return false;
  return Word(load_word(granule_unit(a).R)).is_reference();
}
template <u64 size, bool write> FR_NOINLINE void second_look(void* address, void* record) {
  const Quick outcome = look_again<size, write>(address, record);
  if (FR_LIKELY(outcome == Quick::Done)) return;
  if (outcome == Quick::Pending) [[clang::musttail]]
    return do_pending(address, record);
  [[clang::musttail]] return rest<size, write>(address, record);
}
template <u64 size, bool write>
FR_NOINLINE FR_KEEPS_REGISTERS void second_look_keeping(void* address, void* record) {
  const Quick outcome = look_again<size, write>(address, record);
  if (FR_LIKELY(outcome == Quick::Done)) return;
  if (outcome == Quick::Pending) [[clang::musttail]]
    return do_pending_keeping(address, record);
  [[clang::musttail]] return rest_keeping<size, write>(address, record);
}

// The first look, without a frame.
template <u64 size, bool write> FR_INLINE Quick first_look(void* address, void* record) {
  if constexpr (size < 4)
    return has_seen_part<size, write>(self(), number(address)) ? Quick::Done : Quick::No;
  else if constexpr (size <= 8)
    return quick_unit<Bytes<size>, write>(self(), number(address), record);
  else
    return Quick::No;
}

// [READ SAME EPOCH] [WRITE SAME EPOCH] for who has no test in line.
template <u64 size, bool write> FR_INLINE bool is_seen_at_once(uptr a) {
  if constexpr (size < 4) {
    return false;
  } else {
    using U = Bytes<min<u64>(size, 8)>;
    Thread* t = self();
    if (!t || a % sizeof(U)) return false;
    const Unit<U> unit = unit_at(a, U());
    const U* word = write ? unit.W : unit.R;
    return load_word(word) == U(t->both) && (size <= 8 || load_word(word + 2) == U(t->both));
  }
}

// Whether a range was checked as it is in this epoch is known at once.
template <bool write> FR_NOINLINE void check_range(void* address, u64 size, void* record) {
  if (FR_LIKELY(size - 1 < kLongestRow)) return check_row<write>(address, size, record);
  Thread* t = self();
  if (FR_UNLIKELY(!t) && !(t = unknown_thread())) return;
  const uptr a = number(address);
  if (fasttrack::has_checked(*t, a, size, size, 1, write)) return;
  const u64 version = t->version;
  checked_access(t, a, size, kPlain<write>, site_of(record));
  if (t->version == version) fasttrack::remember_checked(*t, a, size, size, 1, write);
}

FR_NOINLINE void check_strided(void* first, u64 size, u64 stride, u64 count, void* record, AccessKind kind) {
  Thread* t = self();
  if (FR_UNLIKELY(!t) && !(t = unknown_thread())) return;
  constexpr u64 kFew = 32; // more are better looked for among what was checked (has_checked)
  if (count <= kFew && fasttrack::has_seen_elements(*t, number(first), size, stride, count, may_write(kind)))
    return;
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

// Behind a test in line that failed, what the caller has in its registers stays there.
#define FR_SIZED(size, kind, write)                                                                          \
  FR_EXPORT void __footrace_##kind##size(void* address, void* site) {                                        \
    if (FR_LIKELY((is_seen_at_once<size, write>(number(address))))) return;                                  \
    const Quick outcome = first_look<size, write>(address, site);                                            \
    if (FR_LIKELY(outcome == Quick::Done)) return;                                                           \
    if (outcome == Quick::Pending) [[clang::musttail]]                                                       \
      return do_pending(address, site);                                                                      \
    [[clang::musttail]] return second_look<size, write>(address, site);                                      \
  }                                                                                                          \
  FR_EXPORT void __footrace_unseen_##kind##size(void* address, void* site) {                                 \
    if (is_shared<size, write>(number(address))) [[clang::musttail]]                                         \
      return second_look_keeping<size, write>(address, site);                                                \
    const Quick outcome = first_look<size, write>(address, site);                                            \
    if (FR_LIKELY(outcome == Quick::Done)) return;                                                           \
    if (outcome == Quick::Pending) [[clang::musttail]]                                                       \
      return do_pending_keeping(address, site);                                                              \
    [[clang::musttail]] return second_look_keeping<size, write>(address, site);                              \
  }
#define FR_EVERY_SIZE(kind, write)                                                                           \
  FR_SIZED(1, kind, write)                                                                                   \
  FR_SIZED(2, kind, write)                                                                                   \
  FR_SIZED(4, kind, write)                                                                                   \
  FR_SIZED(8, kind, write)                                                                                   \
  FR_SIZED(16, kind, write)
FR_EVERY_SIZE(read, false)
FR_EVERY_SIZE(write, true)

FR_EXPORT void __footrace_read_range(void* address, u64 size, void* site) {
  check_range<false>(address, size, site);
}
FR_EXPORT void __footrace_write_range(void* address, u64 size, void* site) {
  check_range<true>(address, size, site);
}
FR_EXPORT void __footrace_unseen_read_range(void* address, u64 size, void* site) {
  check_range<false>(address, size, site);
}
FR_EXPORT void __footrace_unseen_write_range(void* address, u64 size, void* site) {
  check_range<true>(address, size, site);
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
  check_range<false>(from, size, site);
  check_range<true>(to, size, site);
  return plain_memcpy(to, from, size);
}
FR_EXPORT void* __footrace_memmove(void* to, void* from, u64 size, void* site) {
  check_range<false>(from, size, site);
  check_range<true>(to, size, site);
  return plain_memmove(to, from, size);
}
FR_EXPORT void* __footrace_memset(void* to, u32 value, u64 size, void* site) {
  check_range<true>(to, size, site);
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
