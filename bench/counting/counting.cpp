// A runtime that checks nothing and counts: how many checks does the instrumented program execute? Linked in
// place of the detector by `--runtime=count`. At exit it appends "NAME VALUE" lines to the file named by
// FOOTRACE_COUNT_FILE.
// Concurrency: every thread has counters of its own, which outlive it.
#include "base/types.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

namespace footrace {
namespace {

using Void = void;
using Ptr = void*;
using I32 = u32;
using I64 = u64;

// The contract: a definition below that disagrees with the list does not compile.
extern "C" {
#define FR_CALLBACK(symbol, result, ...) result symbol(__VA_ARGS__);
#define FR_CALLBACK_KEEPING(symbol, result, ...) FR_KEEPS_REGISTERS result symbol(__VA_ARGS__);
#include "abi/callbacks.def"
}

#define FOOTRACE_COUNTS(X) X(reads) X(writes) X(ranges) X(atomics) X(fences) X(functions)
struct Counts {
#define X(name) u64 name;
  FOOTRACE_COUNTS(X)
#undef X
  Counts* next;
};

Counts* g_all;
__thread Counts* t_counts;

FR_NOINLINE Counts* first_of_thread() {
  t_counts = static_cast<Counts*>(calloc(1, sizeof(Counts)));
  if (!t_counts) abort();
  t_counts->next = __atomic_load_n(&g_all, __ATOMIC_RELAXED);
  while (!__atomic_compare_exchange_n(&g_all, &t_counts->next, t_counts, true, __ATOMIC_RELEASE,
                                      __ATOMIC_RELAXED)) {
  }
  return t_counts;
}

FR_INLINE Counts& counts() { return FR_LIKELY(t_counts != nullptr) ? *t_counts : *first_of_thread(); }

__attribute__((destructor)) void print() {
  const char* path = getenv("FOOTRACE_COUNT_FILE");
  FILE* out = path ? fopen(path, "a") : stderr;
  if (!out) {
    perror("footrace: cannot write FOOTRACE_COUNT_FILE");
    return;
  }
  Counts sum = {};
  for (Counts* c = __atomic_load_n(&g_all, __ATOMIC_ACQUIRE); c; c = c->next) {
#define X(name) sum.name += __atomic_load_n(&c->name, __ATOMIC_RELAXED);
    FOOTRACE_COUNTS(X)
#undef X
  }
#define X(name) fprintf(out, #name " %llu\n", static_cast<unsigned long long>(sum.name));
  FOOTRACE_COUNTS(X)
#undef X
  if (out != stderr) fclose(out);
}

} // namespace

#define FR_SIZED(size)                                                                                       \
  extern "C" void __footrace_read##size(void*, void*) { ++counts().reads; }                                  \
  extern "C" void __footrace_write##size(void*, void*) { ++counts().writes; }
FR_SIZED(1)
FR_SIZED(2)
FR_SIZED(4)
FR_SIZED(8)
FR_SIZED(16)

extern "C" void __footrace_read_range(void*, u64, void*) { ++counts().ranges; }
extern "C" void __footrace_write_range(void*, u64, void*) { ++counts().ranges; }
extern "C" void __footrace_read_strided(void*, u64, u64, u64, void*) { ++counts().ranges; }
extern "C" void __footrace_write_strided(void*, u64, u64, u64, void*) { ++counts().ranges; }
extern "C" void __footrace_read_masked(void*, u64, u64, void*) { ++counts().ranges; }
extern "C" void __footrace_write_masked(void*, u64, u64, void*) { ++counts().ranges; }
extern "C" void __footrace_read_gather(void*, u64, u64, void*) { ++counts().ranges; }
extern "C" void __footrace_write_scatter(void*, u64, u64, void*) { ++counts().ranges; }

extern "C" void __footrace_note_access(u32) {}

extern "C" void* __footrace_memcpy(void* to, void* from, u64 size, void*) {
  counts().ranges += 2;
  return memcpy(to, from, size);
}
extern "C" void* __footrace_memmove(void* to, void* from, u64 size, void*) {
  counts().ranges += 2;
  return memmove(to, from, size);
}
extern "C" void* __footrace_memset(void* to, u32 value, u64 size, void*) {
  ++counts().ranges;
  return memset(to, int(value), size);
}

extern "C" void* __footrace_atomic_begin(void*, u64, void*) {
  ++counts().atomics;
  return nullptr;
}
extern "C" void __footrace_atomic_end_load(void*, u32) {}
#define LOAD(bytes, type)                                                                                    \
  extern "C" u64 __footrace_atomic_load##bytes(void* address, u32, void*) {                                  \
    ++counts().atomics;                                                                                      \
    return __atomic_load_n(static_cast<type*>(address), __ATOMIC_SEQ_CST);                                   \
  }
LOAD(1, uint8_t)
LOAD(2, uint16_t)
LOAD(4, uint32_t)
LOAD(8, uint64_t)
#undef LOAD
extern "C" void __footrace_atomic_end_store(void*, u32) {}
extern "C" void __footrace_atomic_end_rmw(void*, u32) {}
extern "C" void __footrace_atomic_end_cas(void*, u32, u32, u32) {}
extern "C" void __footrace_fence(u32) { ++counts().fences; } // the program has its own fence as well

// Called by the constructor that -fsanitize=thread makes.
extern "C" void __tsan_init();
extern "C" void __tsan_init() {}

extern "C" void __footrace_register_module(void*, void*, void*, u32) {}
extern "C" void __footrace_unregister_module(void*) {}
extern "C" void* __footrace_enter(void*) {
  ++counts().functions;
  return nullptr;
}
extern "C" void __footrace_leave(void*) {}
extern "C" void __footrace_resume(void*) {}
extern "C" void __footrace_call_out(void*) {}

} // namespace footrace
