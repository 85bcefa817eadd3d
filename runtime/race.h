// What is known about one race, as ids and addresses: collected by report.cpp, written by race_json.cpp for
// the reporter and, when there is none, by race_text.cpp for the user. Concurrency: writers hold the report
// lock (they share scratch memory) and site_table_lock().
#pragma once

#include "runtime/context.h"
#include "runtime/heap.h"
#include "runtime/json_writer.h"
#include "runtime/live_frame.h"
#include "runtime/site_table.h"
#include "runtime/thread.h"

namespace footrace {

constexpr u32 kNoThread = ~0u;

struct RaceAccess {
  const char* kind; // "read", "write", "atomic read", "atomic write", "free"
  u64 size;
  uptr address;
  u32 thread; // number; kNoThread if forgotten
  SiteId site;
  ContextId context;
  LockSetId locks;
  bool is_lost; // it has aged out: neither context nor locks are known, and mostly no site
};

enum class RaceRegion : u8 { Unknown, Heap, Stack, Tls, Global };

struct RaceMemory {
  RaceRegion region;
  uptr address;
  u32 thread; // whose stack or TLS; who allocated
  uptr
      code_data; // what is in the 8 bytes there, if it points into a module: of an object, where its virtual functions are; else 0
  HeapBlock block;
  LiveFrame frame; // of a stack
};

// Of a lock that is held at the current access: who has released it last before it was taken.
struct TakenAfter {
  uptr lock;
  u32 thread;
};

// What the current access knows of the thread of the previous one.
enum class SeenBefore : u8 {
  Unknown,
  None,    // nothing that it did is ordered before the current access
  Earlier, // something that it did before the previous access is
};

struct Race {
  u64 id;
  RaceAccess accesses[2]; // current, previous
  RaceMemory memory;
  static constexpr u32 kMostTakenAfter = 5;
  TakenAfter taken_after[kMostTakenAfter];
  u32 taken_after_count;
  SeenBefore seen;
  ContextId slept;    // where the thread of the current access slept after the previous one; 0: it did not
  uptr heard_through; // the object that brought it last; 0: not known
  ThreadRecord threads[3 + kMostTakenAfter]; // every thread mentioned
  u32 thread_count;
};

// Of a deeper stack only the innermost frames are told.
constexpr u32 kMaxFrames = 64 << 10;
constexpr u32 kMaxLocks = 64;

void write_hello_json(TextBuffer& out);
void write_modules_json(TextBuffer& out);
void write_race_json(TextBuffer& out, const Race& race);
void write_race_text(TextBuffer& out, const Race& race);

} // namespace footrace
