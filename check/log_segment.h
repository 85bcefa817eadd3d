// Accesses one behind the other with the places that they were made at, in the form that a log has them: what a log's segments are, and what is
// kept of them. Places are found by their index, so a stretch can be copied, and accesses of one can be copied to another with their places.
#pragma once

#include "base/platform.h"
#include "check/log.h"

namespace footrace {

constexpr u64 size_bits(const LogEntry& e) { return e.what >> 48 & kPlaceSize; }
constexpr bool is_place(const LogEntry& e) { return (e.what >> 48) == kPlaceSize; }
constexpr bool is_access(const LogEntry& e) { return size_bits(e) && !is_place(e); } // a length has no size
constexpr uptr address_of(const LogEntry& e) { return e.what & kLogAddress; }
constexpr AccessKind kind_of(const LogEntry& e) { return AccessKind(e.what >> 62); }
constexpr bool is_long(const LogEntry& e) { return size_bits(e) == kLongSize; }
constexpr bool ends_in_its_cell(const LogEntry& e) {
  return size_bits(e) && address_of(e) % 8 + size_bits(e) <= 8;
}
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
    const LogEntry access = {e.what, (where_of(e) & kLogSite) | u64(known - 1) << 48};
    u32& last = last_[(e.where ^ e.where >> 4 ^ e.where >> 8) % kSites];
    if (last && (is_long(e) ? is_same_long(to_[last - 1], access, e) : extend(to_[last - 1], access))) return;
    to_[count_] = access;
    last = ++count_;
    if (FR_UNLIKELY(is_long(e))) to_[count_++] = (&e)[1];
  }

private:
  static constexpr u32 kSites = 16; // some take turns

  void forget_places() { fill_bytes(places_, 0, from_count_ * sizeof *places_); }

  static bool is_same_long(const LogEntry& last, const LogEntry& access, const LogEntry& from) {
    return last.what == access.what && last.where == access.where && size_of(last) == size_of(from);
  }
  FR_INLINE static bool extend(LogEntry& last, const LogEntry& access) {
    if (last.where != access.where || (last.what ^ access.what) >> 62 || is_long(last)) return false;
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

// What log_find looks for, and what it has found so far. It is shown entries from the latest to the oldest.
class WantedAccesses {
public:
  WantedAccesses(Epoch epoch, uptr begin, u32 size, AccessKind kind, LoggedAccesses& out)
      : epoch(epoch), begin(begin), end(begin + size), kind_(kind), all_((1u << size) - 1), out_(out) {}
  const Epoch epoch;
  const uptr begin, end;

  // False: what is older is of older epochs, or no better.
  bool look_in(const Segment& segment) {
    for (const LogEntry* e = segment.end; e-- > segment.begin;) {
      const uptr address = address_of(*e);
      if (FR_LIKELY(address >= end || address + size_of(*e) <= begin) || !is_access(*e)) {
        if (FR_UNLIKELY(is_place(*e)) && is_older(epoch_of(*e))) return count(segment.end - e, false);
        continue;
      }
      const LogEntry* place = segment.place_of(*e);
      if (place && epoch_of(*place) == epoch) take(*e, *place);
      if (is_complete()) return count(segment.end - e, false);
    }
    return count(segment.end - segment.begin, true);
  }
  bool is_complete() const { return exact_ == all_; }

private:
  bool is_older(Epoch other) const {
    return tid_of(other) == tid_of(epoch) && clock_of(other) < clock_of(epoch);
  }
  bool count(i64 entries, bool result) {
    out_.looked_at += u64(entries);
    return result;
  }
  void take(const LogEntry& e, const LogEntry& place) {
    const AccessKind kind = kind_of(e);
    if (kind != kind_ && !stands_for(kind, kind_)) return;
    u32 news = 0;
    for (u32 i = 0; i < u32(end - begin); ++i)
      if (begin + i - address_of(e) < size_of(e)) news |= 1u << i;
    news &= kind == kind_ ? ~exact_ : ~(exact_ | other_);
    if (!news) return;
    (kind == kind_ ? exact_ : other_) |= news;
    out_.list[out_.count++] = {
        address_of(e),         size_of(e), kind, where_of(e) & kLogSite, ContextId(place.what),
        LockSetId(place.where)};
    for (u32 i = 0; i < u32(end - begin); ++i)
      if (news >> i & 1) out_.of_byte[i] = u8(out_.count);
  }
  const AccessKind kind_;
  const u32 all_;
  u32 exact_ = 0, other_ = 0; // bytes of which the latest access of the kind is found, or of another one
  LoggedAccesses& out_;
};

} // namespace footrace
