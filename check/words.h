// What the shadow knows of a stretch of memory (a granule of 4 bytes, mostly) fits in two words of 32 bits:
//   W   the epoch of the last plain write, or none
//   R   the epoch of the last access that everything before it is ordered before (a write stamps R as well), or a reference to a set of
//       accesses that are not ordered with one another (check/readers.h)
// Where the four bytes of a granule know different things, a word names four words instead, one for each byte (check/bytes.h).
// A reference has the top bit, and so is greater than every epoch of its "slot": to covers() it is never covered, without a test of its own.
#pragma once

#include "clocks/epoch.h"

namespace footrace {

enum class Reference : u8 {
  CommonSet = 0, // any number of granules have it; it never changes
  OwnSet = 1,    // of one granule; its entries change in place
  CellSet = 2,   // of both granules of one cell; the same
  ByteSet = 3,   // of one byte of one granule; its entries change in place while R of the granule is locked
  Bytes = 4,     // not a set: four words, one for each byte; they never change
  Header = 5,    // the header of the block says it (check/arrays.h)
};

struct Word {
  u32 raw = 0;

  constexpr Word() = default;
  constexpr Word(Epoch e) : raw(e.raw) {}
  constexpr explicit Word(u32 bits) : raw(bits) {}
  constexpr Word(Reference kind, u32 index) : raw(kTop | u32(kind) << kKindShift | index) {}
  constexpr bool operator==(const Word&) const = default;

  constexpr bool is_none() const { return raw == 0; }
  constexpr bool is_reference() const { return raw & kTop; }
  constexpr bool is_set() const { return is_reference() && kind() < Reference::Bytes; }
  constexpr bool is_bytes() const { return is_reference() && kind() == Reference::Bytes; }
  // R without a state of its own: the block's header knows.
  constexpr bool asks_header() const { return is_none() || raw == Word(Reference::Header, 0).raw; }
  constexpr Epoch epoch() const { return {raw}; } // unless it is a reference
  constexpr Reference kind() const { return Reference(raw >> kKindShift & 7); }
  constexpr u32 index() const { return raw & kMaxIndex; }
  // Of a reference: one thread puts something else in its place, or changes a set of one byte.
  constexpr bool is_locked() const { return is_reference() && raw & kLock; }
  constexpr Word locked() const { return Word(raw | kLock); }
  constexpr Word unlocked() const { return Word(raw & ~kLock); }

  static constexpr u32 kTop = 1u << 31, kKindShift = 28, kLock = 1u << 27, kMaxIndex = kLock - 1;
};
static_assert(sizeof(Word) == 4);

enum class AccessKind : u8 { Read, Write, AtomicRead, AtomicWrite };
constexpr bool may_write(AccessKind k) { return k == AccessKind::Write || k == AccessKind::AtomicWrite; }
constexpr bool is_atomic(AccessKind k) { return k >= AccessKind::AtomicRead; }
// Two accesses to the same byte that are a race unless they are ordered.
constexpr bool may_conflict(AccessKind a, AccessKind b) {
  return (may_write(a) || may_write(b)) && !(is_atomic(a) && is_atomic(b));
}
// Whatever conflicts with an access of kind `a` conflicts with one of kind `b`: `b` stands for `a` to who is ordered after neither.
constexpr bool stands_for(AccessKind b, AccessKind a) {
  return b == AccessKind::Write || b == a || a == AccessKind::AtomicRead;
}

} // namespace footrace
