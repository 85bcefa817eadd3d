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

enum class SiteRole : u8 {
  Access = 0,  // an access that is checked by itself, or a call site
  Check = 1,   // a check of several accesses: the records of those follow it directly
  Covered = 2, // one of those
};

// An access whose place in its check is decided at run time.
constexpr i32 kUnknownOffset = -0x7fff'ffff - 1;

// file, function and inlined_at are relative to the address of the field itself (no relocations at load time); 0 means unknown.
struct SiteRecord {
  i32 file;     // -> NUL-terminated path, joined with its directory
  i32 function; // -> NUL-terminated linkage name
  u32 line;     // 0 = no debug info
  u16 column;
  SiteKind kind;
  SiteRole role;
  u32 size;       // bytes; 0 = decided at run time
  i32 inlined_at; // -> SiteRecord of kind Inlined: where `function` was inlined
  // Covered: the access is at `offset` bytes from where the check starts and, if `stride` is not 0, at every multiple of
  // `stride` bytes from there (those of them that the check reaches).
  i32 offset;
  u32 stride; // Check: how many records it covers
};
static_assert(sizeof(SiteRecord) == 32);

#define FOOTRACE_SITE_SECTION "footrace_sites"

} // namespace footrace
