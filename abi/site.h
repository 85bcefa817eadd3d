// A site is one place in the program that is checked. The pass emits one record per site into the section
// `footrace_sites`; entry points get the record's address. The layout is shared by the pass and the runtime.
#pragma once

#include "base/types.h"

namespace footrace {

enum class SiteKind : u8 {
  Inlined = 0, // not an access: a call site that an access was inlined through
  Read = 1,
  Write = 2,
  AtomicLoad = 3,
  AtomicStore = 4,
  AtomicRmw = 5,
  AtomicCas = 6,
  Free = 7, // made by the runtime: free, delete, munmap
};

// What a record is. A check of several accesses is a row of records: Check, Place, then Covered, Place or Proxied, Place for each of them, and Extent, Place.
enum class SiteRole : u8 {
  Access = 0,  // an access that is checked by itself, or a call site
  Check = 1,   // a check of several accesses
  Covered = 2, // one of those
  Place = 3,   // of the record before it, or how many accesses the Check before it covers
  Scope = 4,   // the body of a function that other records are in: as often as it was inlined
  Proxied =
      5, // an access that touches bytes which are not checked: they race whenever those do that are checked for them
  Extent = 6, // such bytes, of which the Covered records say what accesses them
};

// An access whose place in its check is decided at run time.
constexpr i32 kUnknownOffset = -0x7fff'ffff - 1;

// Everything but strings is at a known distance in the function's own array, so only scopes have relocations, and none at load time.
struct SiteRecord {
  union {
    u32 line; // 0 = no debug info
    i32 file; // Scope: -> NUL-terminated path, joined with its directory; relative to this field, 0 means unknown
    i32 offset; // Place: the access is at `offset` bytes from where the check starts and, if `stride` is not 0, ...
    i32 variable; // Place of a Proxied, an Extent: -> its first byte; relative to this field
  };
  u16 column;
  SiteKind kind;
  SiteRole role;
  union {
    u32 size;     // bytes; 0 = decided at run time
    i32 function; // Scope: -> NUL-terminated linkage name; relative to this field, 0 means unknown
    i32 proxy; // Place of a Proxied, an Extent: -> the first byte that is checked for it; relative to this field
    u32 stride; // Place: ... at every multiple of `stride` bytes from there (those of them that the check reaches)
  };
  union {
    i32 scope;      // bytes from this record to its Scope
    i32 inlined_at; // Scope: bytes from this record to that of the call it was inlined at; 0: not inlined
    u32 covered;    // Place of a Check: how many accesses
  };
};
static_assert(sizeof(SiteRecord) == 16);

#define FOOTRACE_SITE_SECTION "footrace_sites"

} // namespace footrace
