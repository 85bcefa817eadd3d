// Read and write rules of FastTrack (PLDI'09, Figures 2 and 5): [READ SAME EPOCH] [READ EXCLUSIVE] [READ
// SHARE] [READ SHARED] [WRITE SAME EPOCH] [WRITE EXCLUSIVE] [WRITE SHARED], extended to C++ atomics: atomic
// accesses never race with each other but do with plain ones, so a history also keeps the concurrent atomic
// writes (AW) and reads (AR) since the last plain write. Each rule is one function on a History (the bytes of
// a cell that share one). simple_step.h applies the same rules to a whole simple cell in one compare-and-swap;
// anything it cannot express goes through locked_step. Deviations: a write stamps R with its own epoch
// instead of leaving R (both are ordered before the write, or raced with it); sets need keep only
// maximal accesses (in place they keep more); after a race the access is recorded as if it had been ordered. Concurrency: shadow/cell.h.
#include "detectors/fasttrack/step.h"

namespace footrace::fasttrack {

namespace {

bool holds(u64 word, Epoch epoch) { return word == epoch || (is_set(word) && set_contains(word, epoch)); }

// [FT READ SAME EPOCH], also for sets (the extension the paper mentions) and for what the thread wrote in
// this epoch.
bool read_same_epoch(Step& s, History& x) {
  if (!holds(x.R, s.t.epoch) && x.W != s.t.epoch) return false;
  s.count(Rule::read_same_epoch);
  return true;
}
// [FT READ SHARED]: R_x is a set; replace the thread's entry.
void read_shared(Step& s, History& x) {
  s.count(Rule::read_shared);
  s.add_to(x.R, x.r_site, Step::Sets::Common);
}
// [FT READ EXCLUSIVE]: all earlier reads are ordered before this one (or R only mirrors W).
void read_exclusive(Step& s, History& x) {
  s.count(Rule::read_exclusive);
  x.R = s.t.epoch, x.r_site = s.site;
}
// [FT READ SHARE]: a second, concurrent reader.
void read_share(Step& s, History& x) {
  s.count(Rule::read_share);
  s.add_to(x.R, x.r_site, Step::Sets::Common);
}

void read(Step& s, History& x, u64 mask) {
  if (read_same_epoch(s, x)) return;
  s.conflicts_with(x.W, x.w_site, AccessKind::Write, mask);
  s.conflicts_with(x.AW, x.aw_site, AccessKind::AtomicWrite, mask);
  if (is_set(x.R))
    read_shared(s, x);
  else if (!x.R || x.R == x.W || covers(s.t, x.R))
    read_exclusive(s, x);
  else
    read_share(s, x);
}

// [FT WRITE SAME EPOCH]
bool write_same_epoch(Step& s, History& x) {
  if (x.W != s.t.epoch) return false;
  s.count(Rule::write_same_epoch);
  return true;
}
void record_write(Step& s, History& x) {
  x = History();
  x.W = x.R = s.t.epoch;
  x.w_site = x.r_site = s.site;
}
// [FT WRITE SHARED]: compares with every reader, then forgets them.
void write_shared(Step& s, History& x, u64 mask) {
  s.count(Rule::write_shared);
  s.conflicts_with(x.R, x.r_site, AccessKind::Read, mask);
  record_write(s, x);
}
// [FT WRITE EXCLUSIVE]
void write_exclusive(Step& s, History& x, u64 mask) {
  s.count(Rule::write_exclusive);
  if (x.R != x.W) s.conflicts_with(x.R, x.r_site, AccessKind::Read, mask);
  record_write(s, x);
}

void write(Step& s, History& x, u64 mask) {
  if (write_same_epoch(s, x)) return;
  s.conflicts_with(x.W, x.w_site, AccessKind::Write, mask);
  s.conflicts_with(x.AW, x.aw_site, AccessKind::AtomicWrite, mask);
  s.conflicts_with(x.AR, x.ar_site, AccessKind::AtomicRead, mask);
  if (is_set(x.R))
    write_shared(s, x, mask);
  else
    write_exclusive(s, x, mask);
}

// Atomic accesses: checked against plain ones only. AW and AR keep what is concurrent, as R does.
void atomic_read(Step& s, History& x, u64 mask) {
  if (holds(x.AR, s.t.epoch)) return;
  s.count(Rule::atomic_read);
  s.conflicts_with(x.W, x.w_site, AccessKind::Write, mask);
  s.add_to(x.AR, x.ar_site, Step::Sets::Own);
}
void atomic_write(Step& s, History& x, u64 mask) {
  if (holds(x.AW, s.t.epoch)) return;
  s.count(Rule::atomic_write);
  s.conflicts_with(x.W, x.w_site, AccessKind::Write, mask);
  if (x.R != x.W) s.conflicts_with(x.R, x.r_site, AccessKind::Read, mask);
  s.add_to(x.AW, x.aw_site, Step::Sets::Own);
}

} // namespace

void apply(Step& s, History& x, u64 mask, AccessKind kind) {
  switch (kind) {
  case AccessKind::Read:
    return read(s, x, mask);
  case AccessKind::Write:
    return write(s, x, mask);
  case AccessKind::AtomicRead:
    return atomic_read(s, x, mask);
  case AccessKind::AtomicWrite:
    return atomic_write(s, x, mask);
  }
}

} // namespace footrace::fasttrack
