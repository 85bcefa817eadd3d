// Accesses one behind the other with the places that they were made at, in the form that a log has them: what a log's segments are, and what is
// kept of them. Places are found by their index, so a stretch can be copied, and accesses of one can be copied to another with their places.
#pragma once

#include "base/platform.h"
#include "check/log.h"

namespace footrace {

constexpr u64 kLow48 = (1ull << 48) - 1;
constexpr u64 size_bits(const LogEntry& e) { return e.what >> 48 & kPlaceSize; }
constexpr bool is_place(const LogEntry& e) { return (e.what >> 48) == kPlaceSize; }
constexpr bool is_access(const LogEntry& e) { return size_bits(e) && !is_place(e); } // a length has no size
constexpr uptr address_of(const LogEntry& e) { return e.what & kLow48; }
constexpr AccessKind kind_of(const LogEntry& e) { return AccessKind(e.what >> 62); }
constexpr bool is_long(const LogEntry& e) { return size_bits(e) == kLongSize; }
constexpr u64 size_of(const LogEntry& e) { return is_long(e) ? (&e)[1].what : size_bits(e); }
constexpr Epoch epoch_of(const LogEntry& place) { return {u32(place.where >> 32)}; }
FR_INLINE u64 where_of(const LogEntry& e) {
  return __atomic_load_n(&e.where, __ATOMIC_RELAXED);
} // sites may be renamed

struct Segment {
  LogEntry *begin, *end; // of what is written
  u32 count() const { return u32(end - begin); }
  // Null: the frame of another thread's stack has led elsewhere.
  FR_INLINE const LogEntry* place_of(const LogEntry& e) const {
    const LogEntry* place = begin + (where_of(e) >> 48);
    return FR_LIKELY(place < end && is_place(*place)) ? place : nullptr;
  }
};

// Copies accesses of a segment behind each other, each place once. Loops walk through memory: an access that goes on where the last one of its site and place
// ended, or before it, or is inside it, only makes that one longer.
class SegmentCopier {
public:
  void start(LogEntry* to) {
    to_ = to;
    count_ = 0;
    for (u32& last : last_) last = 0;
  }
  // `places`: room for as many as there are entries.
  void read_from(const Segment& from, u16* places) {
    from_ = from.begin;
    places_ = places;
    from_count_ = from.count();
    forget_places();
  }
  // What was copied is now elsewhere.
  void start_again() {
    start(to_);
    forget_places();
  }
  static constexpr u32 kMostPerAccess = 3;
  u32 count() const { return count_; }

  FR_INLINE void copy(const LogEntry& e, const LogEntry& place) {
    u16& known = places_[&place - from_];
    if (FR_UNLIKELY(!known)) {
      to_[count_] = place;
      known = u16(++count_);
    }
    const LogEntry access = {e.what, (where_of(e) & kLow48) | u64(known - 1) << 48};
    u32& last = last_[(e.where ^ e.where >> 4 ^ e.where >> 8) % kSites];
    if (last && extend(to_[last - 1], access)) return;
    to_[count_] = access;
    last = ++count_;
    if (FR_UNLIKELY(is_long(e))) to_[count_++] = (&e)[1];
  }

private:
  static constexpr u32 kSites = 16; // some take turns

  void forget_places() { fill_bytes(places_, 0, from_count_ * sizeof *places_); }

  FR_INLINE static bool extend(LogEntry& last, const LogEntry& access) {
    if (last.where != access.where || (last.what ^ access.what) >> 62 || is_long(access) || is_long(last))
      return false;
    const uptr a = address_of(access), b = address_of(last);
    const uptr a_end = a + size_bits(access), b_end = b + size_bits(last);
    if (a > b_end || b > a_end) return false;
    const uptr begin = min(a, b), end = max(a_end, b_end);
    if (end - begin >= kLongSize) return false;
    last.what = begin | log_bits(end - begin, kind_of(access));
    return true;
  }

  LogEntry* to_;
  u32 count_;
  const LogEntry* from_;
  u16* places_; // index + 1 behind `to`
  u32 from_count_;
  u32 last_[kSites]; // by site: index + 1
};

// What log_find looks for, and what it has found so far. Offers come from the latest to the oldest.
class WantedAccess {
public:
  WantedAccess(Epoch epoch, uptr byte, AccessKind kind) : epoch(epoch), byte(byte), kind_(kind) {}
  const Epoch epoch;
  const uptr byte;

  // From the latest to the oldest. False: what is older is of older epochs.
  bool look_in(const Segment& segment) {
    for (const LogEntry* e = segment.end; e-- > segment.begin && !has_exact_;) {
      if (!is_access(*e)) continue;
      const LogEntry* place = segment.place_of(*e);
      const Epoch then = place ? epoch_of(*place) : kNoEpoch;
      if (then && tid_of(then) == tid_of(epoch) && clock_of(then) < clock_of(epoch)) return false;
      if (then == epoch && byte - address_of(*e) < size_of(*e)) take(*e, *place);
    }
    return !has_exact_;
  }
  bool is_found() const { return has_exact_; } // nothing older is better
  bool result(LoggedAccess* out) const {
    if (has_exact_ || has_other_) *out = best_;
    return has_exact_ || has_other_;
  }

private:
  void take(const LogEntry& e, const LogEntry& place) {
    const AccessKind kind = kind_of(e);
    if (kind != kind_ && (has_other_ || !stands_for(kind, kind_))) return;
    (kind == kind_ ? has_exact_ : has_other_) = true;
    best_ = {address_of(e),         size_of(e), kind, where_of(e) & kLow48, ContextId(place.what),
             LockSetId(place.where)};
  }
  AccessKind kind_;
  bool has_exact_ = false, has_other_ = false;
  LoggedAccess best_;
};

} // namespace footrace
