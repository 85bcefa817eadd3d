// Epochs of FastTrack (PLDI'09, section 3): c@t, a clock and the slot of the thread that it belongs to, in one word of 32 bits.
// Layout: the top bit is zero (a word of the shadow with that bit is a reference, check/words.h), then the slot (a Tid), then the clock.
// Zero is no epoch: clocks start at 1. A thread whose clock reaches kMaxClock goes on in a fresh slot (runtime/threads.cpp), and when slots run out, epochs
// are renumbered (clocks/epoch_map.h), so nothing ever wraps and nothing is forgotten. Slot 0 is nobody's.
#pragma once

#include "base/types.h"

namespace footrace {

using Tid = u32; // a slot: the name of a thread, or of a stretch of one

// Tests choose smaller ones, to come to the end of clocks and slots.
#ifndef FOOTRACE_CLOCK_BITS
#define FOOTRACE_CLOCK_BITS 18
#endif
#ifndef FOOTRACE_SLOT_BITS
#define FOOTRACE_SLOT_BITS 13
#endif

constexpr u32 kTidShift = 18; // whatever the tests choose, so that covers() is the same code
constexpr u32 kClockBits = FOOTRACE_CLOCK_BITS, kTidBits = FOOTRACE_SLOT_BITS;
static_assert(kClockBits <= kTidShift && kTidBits + kTidShift <= 31);
constexpr u64 kMaxClock = (1ull << kClockBits) - 2;
constexpr Tid kMaxTid = (1u << kTidBits) - 1;
constexpr u32 kSlots = 1u << 13;

struct Epoch {
  u32 raw = 0;
  constexpr bool operator==(const Epoch&) const = default;
  constexpr explicit operator bool() const { return raw != 0; }
};
constexpr Epoch kNoEpoch = {};
constexpr Epoch kAncientEpoch = {1}; // in slot 0: what everybody covers, for ever (ThreadState::covered)

constexpr Epoch make_epoch(Tid tid, u64 clock) { return {tid << kTidShift | u32(clock)}; }
constexpr Tid tid_of(Epoch e) { return e.raw >> kTidShift; }
constexpr u64 clock_of(Epoch e) { return e.raw & ((1u << kTidShift) - 1); }

} // namespace footrace
