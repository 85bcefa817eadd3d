// What a recorded program and its recorder (`footrace record`) share: a mapping with one ring per thread, and messages over a socket.
//
// A thread copies its log into its ring, piece by piece, with an Event wherever it synchronises; the recorder takes it out, in another process. So nothing that
// has come into a ring is lost with the program, however that ends. Names come as messages, before an entry that needs them is published.
#pragma once

#include "base/types.h"

namespace footrace {

// As check/log.h has it (LogEntry): accesses, places, lengths. An access refers to its place by an index that counts from the segment's begin.
struct RingEntry {
  u64 what, where;
};
// Besides, in the top 16 bits of `what`:
constexpr u64 kRingEvent = 0x7fff; // an event: kEventEntries entries, see RingEvent
constexpr u64 kRingSegment =
    0xbfff; // another segment of the log, from the index `where` on: places before are forgotten
struct RingEvent {
  u64 what;  // kRingEvent << 48 | order << 8 | kind (events/event.h)
  u64 stamp; // 1, 2, 3... over all threads
  u64 target, extent;
  u64 site;    // as in a log entry; 0: unknown
  u64 context; // of the calls
};
constexpr u32 kEventEntries = sizeof(RingEvent) / sizeof(RingEntry);

// Positions count entries from the ring's begin and are not taken modulo its size.
struct RingHeader {
  alignas(64) u64 written; // by the thread
  u32 thread;              // its number
  u32 is_open;             // by a thread. Closed, and all is taken: another thread may have it
  u64 os_id;
  alignas(64) u64 taken; // by the recorder
};
constexpr u32 kRingEntries = 1 << 14;
constexpr u64 kRingHeaderBytes = 4096, kRingBytes = kRingHeaderBytes + kRingEntries * sizeof(RingEntry);
constexpr u32 kMostRings = 8192;
static_assert(sizeof(RingHeader) <= kRingHeaderBytes);

inline RingHeader* ring_at(uptr mapping, u32 index) {
  return reinterpret_cast<RingHeader*>(mapping + index * kRingBytes);
}
inline RingEntry* entries_of(RingHeader* ring) {
  return reinterpret_cast<RingEntry*>(reinterpret_cast<uptr>(ring) + kRingHeaderBytes);
}

// Messages of the program, in datagrams that keep their bounds; behind the head come `count` rows.
enum class RecordingMessage : u32 {
  Hello,    // the descriptor of the mapping comes with it; no rows
  Contexts, // ContextRow: nodes of the calling-context tree, from number `first` on
  Pcs,      // PcRow: sites of library calls, from number `first` on
  Module,   // one ModuleRow and its path
  Rings,    // no rows; rings up to `first` are in use
  Bye,      // no rows: the process ends by itself, and everything is in the rings
};
struct RecordingHead {
  RecordingMessage message;
  u32 count;
  u64 first;
};
struct ContextRow {
  u64 pc;
  u64 parent;
};
struct PcRow {
  u64 pc;
  u32 kind; // SiteKind
  char function[36];
};
struct ModuleRow {
  u64 base, begin, end;
};
constexpr u64 kMostMessageBytes = 32 << 10;

} // namespace footrace
