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

// Offsets are relative to the address of the field itself (no relocations at load time); 0 means unknown.
struct SiteRecord {
  i32 file;     // -> NUL-terminated path, joined with its directory
  i32 function; // -> NUL-terminated linkage name
  u32 line;     // 0 = no debug info
  u16 column;
  SiteKind kind;
  u8 reserved0;
  u32 size;       // bytes; 0 = decided at run time
  i32 inlined_at; // -> SiteRecord of kind Inlined: where `function` was inlined
  u32 reserved1;
  u32 reserved2;
};
static_assert(sizeof(SiteRecord) == 32);

#define FOOTRACE_SITE_SECTION "footrace_sites"

} // namespace footrace
