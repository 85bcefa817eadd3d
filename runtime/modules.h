// The files mapped into the process, for the symboliser. Entries of unloaded modules stay: old stacks point
// into them. Concurrency: entries are only added, under the loader's own lock; so refresh_modules must not be
// called with a lock that a thread inside a dl_iterate_phdr callback could wait for.
#pragma once

#include "base/types.h"

namespace footrace {

struct LoadedModule {
  const char* path;
  uptr base;       // load bias: file address = address - base
  uptr begin, end; // of all loaded segments
  bool loaded;
};

// Looks again if anything was loaded or unloaded since. Returns a number that differs when the list has
// changed.
u64 refresh_modules();
u32 module_count();
const LoadedModule& module_at(u32 index);
const LoadedModule* find_module(uptr address);    // a loaded one; null if none
bool has_new_owner(const LoadedModule& unloaded); // another module lies in its place now

// A library that was just loaded: its data begins without history, whatever lay there before.
void forget_module_data(uptr address_inside);

const char* executable_path(); // from /proc/self/exe; "" if unknown

} // namespace footrace
