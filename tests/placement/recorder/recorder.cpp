#include "recorder.h"

#include "abi/site.h"

#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

namespace footrace::validation {
namespace {

constexpr u64 kMapped = u64(64) << 30; // sparse: only what is written takes space

struct ThreadLog {
  Event* next;
  Event* end;
  u64 thread;
  bool dead; // after fork there is no log in the child
};

__thread ThreadLog t_log;
char* g_log; // null until the first event
u64 g_threads;

[[noreturn]] void fail(const char* what) {
  perror(what);
  abort();
}

const char* log_path() {
  const char* path = getenv("FOOTRACE_PLACEMENT_LOG");
  return path ? path : "footrace-placement.log";
}

void open_log() {
  int file = open(log_path(), O_RDWR | O_CREAT | O_TRUNC | O_CLOEXEC, 0644);
  if (file < 0 || ftruncate(file, off_t(kMapped)) != 0) fail("footrace: cannot write FOOTRACE_PLACEMENT_LOG");
  void* map = mmap(nullptr, kMapped, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_NORESERVE, file, 0);
  close(file);
  if (map == MAP_FAILED) fail("footrace: cannot map FOOTRACE_PLACEMENT_LOG");
  g_log = static_cast<char*>(map);
  reinterpret_cast<Header*>(g_log)->magic = kMagic;
}

void stop_in_child() { t_log.dead = true; }

FR_NOINLINE Event* next_chunk() {
  static Event nowhere;
  if (t_log.dead) return &nowhere;
  if (!__atomic_load_n(&g_log, __ATOMIC_ACQUIRE)) {
    // Not pthread_once: that is one of the events.
    static u32 turn;
    u32 expected = 0;
    if (__atomic_compare_exchange_n(&turn, &expected, 1, false, __ATOMIC_ACQUIRE, __ATOMIC_RELAXED)) {
      open_log();
      pthread_atfork(nullptr, nullptr, stop_in_child);
      __atomic_store_n(&turn, 2, __ATOMIC_RELEASE);
    }
    while (__atomic_load_n(&turn, __ATOMIC_ACQUIRE) != 2) {
    }
  }
  if (!t_log.thread) t_log.thread = __atomic_add_fetch(&g_threads, 1, __ATOMIC_RELAXED);
  u64 index = __atomic_fetch_add(&reinterpret_cast<Header*>(g_log)->chunks, 1, __ATOMIC_RELAXED);
  u64 offset = kFirstChunk + index * kChunkDistance;
  if (offset + kChunkDistance > kMapped) {
    fputs("footrace: the placement log is full\n", stderr);
    abort();
  }
  auto* chunk = reinterpret_cast<Chunk*>(g_log + offset);
  chunk->thread = t_log.thread;
  t_log.next = chunk->events;
  t_log.end = chunk->events + kEventsPerChunk;
  return t_log.next++;
}

template <class T> const T* target(const i32& offset) {
  return offset ? reinterpret_cast<const T*>(reinterpret_cast<const char*>(&offset) + offset) : nullptr;
}

} // namespace

Event& record(EventType type) {
  Event* event = FR_LIKELY(t_log.next != t_log.end) ? t_log.next++ : next_chunk();
  event->type = type;
  return *event;
}

static void record_named(EventType type, const char* name) {
  Event& event = record(type);
  strncpy(event.name, name, sizeof(event.name) - 1);
}
void record_acquire(const char* name) { record_named(EventType::Acquire, name); }
void record_release(const char* name) { record_named(EventType::Release, name); }

void record_forget(const void* address, u64 size) {
  if (!address || !size) return;
  Event& event = record(EventType::Forget);
  event.elements.address = reinterpret_cast<u64>(address);
  event.elements.size = size;
  event.elements.count = 1;
}

void record_end() {
  record_release("end of thread");
  record(EventType::End);
}

// Runs after the program's own destructors.
__attribute__((destructor(101))) static void process_ends() { record_end(); }

extern "C" void __footrace_register_module(void* begin, void* end, void*, u32);
extern "C" void __footrace_register_module(void* begin, void* end, void*, u32) {
  char path[4096];
  if (snprintf(path, sizeof path, "%s.sites", log_path()) >= int(sizeof path))
    fail("footrace: the path of the log is too long");
  static bool first = true; // modules register one after the other
  FILE* out = fopen(path, first ? "w" : "a");
  if (!out) fail("footrace: cannot write the sites of the placement log");
  first = false;
  for (auto* site = static_cast<const SiteRecord*>(begin); site != end; site++) {
    if (site->role == SiteRole::Scope || site->role == SiteRole::Place) continue;
    const SiteRecord& scope =
        *reinterpret_cast<const SiteRecord*>(reinterpret_cast<const char*>(site) + site->scope);
    const char* function = target<char>(scope.function);
    const char* file = target<char>(scope.file);
    fprintf(out, "%llu\t%u\t%u\t%s\t%s\n", static_cast<unsigned long long>(reinterpret_cast<u64>(site)),
            site->line, site->column, function ? function : "?", file ? file : "?");
  }
  fclose(out);
}
extern "C" void __footrace_unregister_module(void*);
extern "C" void __footrace_unregister_module(void*) {}

} // namespace footrace::validation
