// FastTrack for ranges of bytes on the real shadow: what the runtime and the property tests both call.
// `site` is a SiteId (shadow/site_id.h). A conflict is reported per cell and per previous access.
#pragma once

#include "detectors/fasttrack/sync_rules.h"

namespace footrace::fasttrack {

enum class AccessKind : u8 { Read, Write, AtomicRead, AtomicWrite };
constexpr bool may_write(AccessKind k) { return k == AccessKind::Write || k == AccessKind::AtomicWrite; }
constexpr bool is_atomic(AccessKind k) { return k >= AccessKind::AtomicRead; }

struct Conflict {
  uptr cell_address; // of the 8 bytes
  u8 bytes;          // mask of the bytes that race
  Epoch previous;    // who, and when
  AccessKind previous_kind;
  u32 previous_site;
};

// Called for every previous access that a group of bytes conflicts with, while the cell is locked: it must not touch the shadow.
using ConflictSink = void (*)(void* context, const Conflict& conflict);

struct AccessResult {
  u32 conflicts = 0;
  u64 done = 0; // bytes: all of them unless asked to stop
};

// True if access() would change nothing: the thread has read (or written) every byte in this epoch. Plain
// accesses only; takes no lock and needs none.
bool seen_in_this_epoch(const ThreadState& t, uptr address, u64 size, bool write);

// Checks [address, address+size) byte by byte and records the access. Never blocks on user locks. With stop_at_conflict it ends after
// the first cell that had any, so that the caller can report before the list overflows, and go on.
AccessResult access(ThreadState& t, uptr address, u64 size, AccessKind kind, u32 site, ConflictSink sink,
                    void* context, bool stop_at_conflict = false);

// Checks what waits in an entry of the thread's footprint.
void settle(ThreadState& t, PendingCell& pending, bool write, ConflictSink sink, void* context);
// Takes the cells of a run out of the footprint, to be checked.
FR_INLINE Run take_run(Footprint& f, Run& run) {
  const Run taken = run;
  run.begin = run.end, run.patience = Run::kPatience;
  --f.waiting, --f.waiting_runs;
  return taken;
}
// All that waits, reads first. settle_cell(PendingCell&, write), settle_run(Run&, write).
template <class SettleCell, class SettleRun>
FR_INLINE void settle_each(Footprint& f, SettleCell settle_cell, SettleRun settle_run) {
  for (Run& run : f.read_runs)
    if (run.waits()) settle_run(run, false);
  for (PendingCell& p : f.read)
    if (p.waits()) settle_cell(p, false);
  for (Run& run : f.written_runs)
    if (run.waits()) settle_run(run, true);
  for (PendingCell& p : f.written)
    if (p.waits()) settle_cell(p, true);
}

// Forget everything about the range (fresh memory: malloc, mmap, a new thread's stack). Frees side
// structures.
void forget(uptr address, u64 size);

// The same for memory that the thread allocates. Accesses that are ordered before it may stay: whoever is ordered after the allocation is
// ordered after them, and whoever is not races with them, in whichever life of the memory they were. False: nothing was forgotten.
bool forget_unordered(ThreadState& t, uptr address, u64 size);

} // namespace footrace::fasttrack
