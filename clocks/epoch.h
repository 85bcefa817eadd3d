// Epochs of FastTrack (PLDI'09, section 3): c@t, a clock and the thread it belongs to, in one word.
// Layout: tid in the top 20 bits, 2 bits that are zero in an epoch and tell the form of a shadow cell, the clock in
// 34 bits, and 8 low bits that are zero in an epoch and hold the byte mask where a shadow cell stores one.
// Zero is the minimal epoch: clocks start at 1. A thread whose clock reaches kMaxClock goes on under a fresh tid (runtime/threads.cpp), so nothing ever wraps.
#pragma once

#include "base/types.h"

namespace footrace {

using Tid = u32;
using Epoch = u64;

constexpr u32 kTidBits = 20;
constexpr u32 kClockShift = 8;
constexpr u32 kTidShift = 44;
constexpr u32 kClockBits = 34;
constexpr u64 kMaxClock = (1ull << kClockBits) - 2;
constexpr Tid kReservedTids = 8; // the highest ones tag shadow words that are not epochs
constexpr Tid kMaxTid = (1u << kTidBits) - kReservedTids - 1;
constexpr Epoch kNoEpoch = 0;

constexpr Epoch make_epoch(Tid tid, u64 clock) { return (u64(tid) << kTidShift) | (clock << kClockShift); }
constexpr Tid tid_of(Epoch e) { return Tid(e >> kTidShift); }
constexpr u64 clock_of(Epoch e) { return (e >> kClockShift) & ((1ull << kClockBits) - 1); }

} // namespace footrace
