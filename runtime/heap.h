// The user's heap: glibc's allocator, with a header in front of every block so that a report can describe it.
//
// Reuse: whoever is ordered after the allocation meets nothing of what happened to the bytes before (memory_allocated).
//
// Use after free: free by instrumented code is a write to the whole block. It stays in the shadow until the
// memory is handed out again, so an access that races with the free is reported from either side.
//
// Concurrency: any thread, also before the runtime has started and after a thread's teardown (self() is
// null); the block is then plain memory with a header.
#pragma once

#include "runtime/runtime.h"

namespace footrace {

struct HeapBlock {
  uptr begin;
  u64 size;
  u32 allocation_context; // runtime/context.h
  u32 thread_number;      // ~0u: allocated before the runtime started
  bool freed;
};

// The block that holds `address`, live or freed not long ago.
bool heap_find(uptr address, HeapBlock* out);

// What the interceptors are made of; `caller` is who called them. Failure gives null and ENOMEM.
void* heap_allocate(Caller caller, u64 size);
void* heap_allocate(Caller caller, u64 size, u64 alignment);
void* heap_allocate_zeroed(Caller caller, u64 count, u64 size);
void* heap_reallocate(Caller caller, void* block, u64 size);
void heap_free(Caller caller, void* block); // preserves errno
u64 heap_usable_size(void* block);          // what was asked for: the slack behind it is not the program's

// Called once at start-up.
void heap_start();
// Around fork (runtime/fork.cpp).
void heap_lock_all();
void heap_unlock_all();

} // namespace footrace
