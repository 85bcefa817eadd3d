// The log of a validating run: what every thread accessed, checked and synchronised, in its own order. Written by the recorder inside
// the program, read by the validator. A header, then chunks; each chunk belongs to one thread, and the chunks of a thread are in its
// order. The file is mapped while it is written, so it survives however the program ends. `FILE.sites` holds the sites as text, one per
// line: address, line, column, function, file, separated by tabs.
#pragma once

#include "base/types.h"

namespace footrace::validation {

enum class EventType : u8 {
  None,    // the rest of the chunk is empty
  Access,  // the program accesses memory
  Check,   // a check of the placement
  Acquire, // `name` says what
  Release, // likewise
  Forget,  // the bytes begin or end their life: allocated, freed
  Proxied, // bytes for which the check before it is made too; `stride` is the distance to the byte of it that is checked for them
  End,     // the thread ended, or it ended the process; without it the thread was cut off
};

// `count` elements of `size` bytes, the first at `address`, each `stride` bytes after the last.
struct Elements {
  u64 address;
  u64 size;
  i64 stride;
  u64 count;
};

struct Event {
  EventType type;
  bool write;           // Access, Check, Proxied
  bool must_be_covered; // Access: false if it cannot race, so no check need cover it
  u8 reserved[5];
  u64 site; // Access, Check, Proxied: address of the SiteRecord
  union {
    Elements elements; // Access, Check, Proxied, Forget
    char name[32];     // Acquire, Release
  };
};
static_assert(sizeof(Event) == 48);

constexpr u64 kEventsPerChunk = 1365;
struct Chunk {
  u64 thread; // 1, 2, ... in the order of their first events
  u64 reserved;
  Event events[kEventsPerChunk];
};
static_assert(sizeof(Chunk) <= 65536);

constexpr u64 kMagic = 0x32676f6c2d676f6c; // bumped when the layout changes
struct Header {
  u64 magic;
  u64 chunks; // given to threads so far
};
constexpr u64 kFirstChunk = 65536;
constexpr u64 kChunkDistance = 65536;

} // namespace footrace::validation
