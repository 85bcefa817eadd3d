// Split cells: a thread works through the bytes of a cell one after the other, in an epoch that is newer than the
// cell's. Two bits above the clock of W tell the form; R is always the newest epoch and the bytes it has touched, so the
// same-epoch test of reads in line needs to know nothing of forms, and that of writes simply fails.
//
//   form            W word           R word          bytes in R's mask              the other bytes
//   kReadOver       e_w | distance   e_n | read      W = e_w, R = e_n               W = e_w, R = older
//   kWriteOver      e_w | kept       e_n | touched   kept: W = e_w, R = e_n;        kept: W = R = e_w;
//                                                    others: W = R = e_n            others: nothing
//   kWriteOverReads e_w | distance   e_n | written   W = R = e_n                    W = e_w, R = older
//
// `older` is an epoch of the same thread as e_n, `distance` ticks before it. e_w is 0 in kReadOver if nobody has written.
// A split cell becomes plain again when its thread has done all bytes, or when a whole cell is accessed in a later epoch. It stays split when
// the thread accesses the one part in a later epoch and the other part has one past: halves of a cell, each in epochs of its own.
#pragma once

#include "clocks/epoch.h"

namespace footrace {

constexpr u64 kReadOver = 1ull << (kClockShift + kClockBits), kWriteOver = 2ull << (kClockShift + kClockBits);
constexpr u64 kWriteOverReads = kReadOver | kWriteOver;
constexpr u64 kFormBits = kReadOver | kWriteOver;
static_assert(kClockShift + kClockBits + 2 == kTidShift);
constexpr u64 kAllBytes = 0xff;

// Of a W word that is neither locked nor names groups; 0: plain.
constexpr u64 form_of(u64 w) { return w & kFormBits; }
constexpr Epoch split_write_epoch(u64 w) { return w & ~(kFormBits | kAllBytes); }

// The distance of two epochs of one thread, if a split cell can hold it; else 0.
constexpr u64 distance_of(Epoch newer, Epoch older) {
  u64 ticks = (newer - older) >> kClockShift; // huge unless `older` is older, and of the same thread
  return ticks <= kAllBytes ? ticks : 0;
}
constexpr Epoch older_by(Epoch e, u64 distance) { return e - (distance << kClockShift); }

// What each byte of a split cell holds.
struct SplitBytes {
  Epoch W_new, W_old, R_new, R_old;
  u64 w_new, w_old, r_new, r_old; // masks; a byte is in at most one of each pair
};
constexpr SplitBytes bytes_of_split(u64 w, u64 r) {
  Epoch e_w = split_write_epoch(w), e_n = r & ~kAllBytes;
  u64 low = w & kAllBytes, touched = r & kAllBytes, others = kAllBytes & ~touched;
  switch (form_of(w)) {
  case kReadOver:
    return {0, e_w, e_n, older_by(e_n, low), 0, e_w ? kAllBytes : 0, touched, others};
  case kWriteOver:
    return {e_n, e_w, e_n, e_w, touched & ~low, low, touched, low & ~touched};
  default:
    return {e_n, e_w, e_n, older_by(e_n, low), touched, others, touched, others};
  }
}

} // namespace footrace
