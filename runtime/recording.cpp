#include "runtime/recording.h"

#include "runtime/access.h"
#include "runtime/environment.h"
#include "runtime/modules.h"
#include "runtime/options.h"
#include "runtime/recording_channel.h"
#include "runtime/site_table.h"
#include "runtime/threads.h"

#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <time.h>

namespace footrace {

bool g_recording, g_recording_all;

namespace {

static_assert(sizeof(LogEntry) == sizeof(RingEntry) && kRingEvent == (kPlaceSize | 1 << 14) &&
              kRingSegment == (kPlaceSize | 2 << 14));

// Variables that no program has: what a thread has done at its end, and everything that came before a thread that nobody has seen start.
constexpr u64 kEnded = 1ull << 61, kAttached = kEnded + 1;

uptr g_mapping;
SpinLock g_rings_lock; // of opening
u32 g_rings;
alignas(64) u64 g_stamp;

// -- Rings

// What the recorder can see now. Names first: it may look at once.
void publish(Thread* t) {
  ThreadRecording& r = t->recording;
  if (FR_UNLIKELY(has_new_names())) send_names();
  __atomic_store_n(&r.ring->written, r.at, __ATOMIC_RELEASE);
}

// False: nobody will ever make room.
FR_COLD bool wait_for_room(ThreadRecording& r) {
  for (u32 spins = 0; is_recording(); ++spins) {
    r.end = __atomic_load_n(&r.ring->taken, __ATOMIC_ACQUIRE) + kRingEntries;
    if (r.end != r.at) return true;
    const timespec moment = {0, 50'000};
    if (spins > 20) sys(SYS_nanosleep, u64(&moment), 0);
    if (spins % 256 == 255 && !recorder_is_there()) give_up_recording("the recorder is gone");
  }
  return false;
}

// Mostly a few: the processor's instruction for long stretches takes its time to begin.
FR_INLINE void copy_entries(RingEntry* to, const RingEntry* from, u64 count) {
  constexpr u64 kFew = 32;
  if (count > kFew) return copy_bytes(to, from, count * sizeof *from);
  for (u64 i = 0; i < count; ++i) to[i] = from[i];
}

void put(Thread* t, const RingEntry* from, u64 count) {
  ThreadRecording& r = t->recording;
  RingEntry* entries = entries_of(r.ring);
  while (count) {
    if (FR_UNLIKELY(r.at == r.end)) {
      publish(t);
      if (!wait_for_room(r)) return;
    }
    const u64 place = r.at % kRingEntries;
    const u64 now = min(min(count, r.end - r.at), kRingEntries - place);
    copy_entries(entries + place, from, now);
    r.at += now, from += now, count -= now;
  }
}

FR_COLD bool open_ring(Thread* t) {
  ThreadRecording& r = t->recording;
  if (r.is_over) return false;
  bool is_new = false;
  {
    SpinGuard guard(g_rings_lock);
    RingHeader* ring = nullptr;
    for (u32 i = 0; i < g_rings && !r.ring; ++i) {
      ring = ring_at(g_mapping, i);
      if (!ring->is_open && __atomic_load_n(&ring->taken, __ATOMIC_ACQUIRE) == ring->written) r.ring = ring;
    }
    if (!r.ring && g_rings < kMostRings) r.ring = ring_at(g_mapping, g_rings++), is_new = true;
    if (!r.ring) return give_up_recording("there are more threads than it has room for"), false;
    r.ring->thread = t->record->number;
    r.ring->os_id = u64(t->record->os_id);
    r.ring->is_open = 1;
  }
  r.at = r.ring->written;
  r.end = r.ring->taken + kRingEntries;
  if (!is_new) return true;
  return tell_recorder(RecordingMessage::Rings, g_rings);
}

bool can_record(Thread* t) { return is_recording() && (t->recording.ring || open_ring(t)); }

void put_segment(Thread* t, u64 index) {
  const RingEntry segment = {kRingSegment << 48, index};
  put(t, &segment, 1);
}

// What is new of the log.
void take_log(Thread* t) {
  ThreadRecording& r = t->recording;
  const Log& log = t->log;
  if (!log.end || is_recording_all()) return;
  if (!r.taken) {
    r.taken = newer_begin(log);
    put_segment(t, 0);
  }
  if (r.taken == log.next) return;
  put(t, reinterpret_cast<const RingEntry*>(r.taken), u64(log.next - r.taken));
  r.taken = log.next;
  if (t->waiting.used) log_begins_era(*t); // or its latest entry could become longer
}

// In place of the log: a segment of the ring's own, with places as its accesses need them.
void put_access(Thread* t, uptr address, u64 size, AccessKind kind, Site site) {
  constexpr u32 kSegment = 1 << 15;
  ThreadRecording& r = t->recording;
  const ContextId node = top_frame(t)->node, context = node ? node : current_context(t);
  if (r.place == ThreadRecording::kNoPlace || r.index + 4 > kSegment) {
    put_segment(t, r.index = 0);
    r.place = ThreadRecording::kNoPlace;
  }
  if (r.place == ThreadRecording::kNoPlace || r.context != context) {
    const RingEntry place = {context | kPlaceSize << 48, 0};
    put(t, &place, 1);
    r.place = r.index++;
    r.context = context;
  }
  const bool is_long = size >= kLongSize;
  const RingEntry access[] = {
      {address | log_bits(is_long ? kLongSize : size, kind), site | u64(r.place) << 48}, {size, 0}};
  put(t, access, 1 + is_long);
  r.index += 1 + is_long;
}

void put_event(Thread* t, const Event& e, Site site, ContextId context) {
  RingEvent event = {
      kRingEvent << 48 | u64(e.order) << 8 | u64(e.kind), 0, e.target, e.extent, site, context};
  event.stamp = __atomic_add_fetch(&g_stamp, 1, __ATOMIC_ACQ_REL);
  put(t, reinterpret_cast<const RingEntry*>(&event), kEventEntries);
}

// Locks that were released by who does not hold them: used to signal, as semaphores. They have no holders, and order as variables do.
constexpr u32 kMostSignals = 256;
uptr g_signals[kMostSignals];
u32 g_signal_count;
SpinLock g_signals_lock;

FR_INLINE bool is_signal(uptr lock) {
  for (u32 i = __atomic_load_n(&g_signal_count, __ATOMIC_ACQUIRE); i-- > 0;)
    if (g_signals[i] == lock) return true;
  return false;
}
FR_COLD void remember_signal(uptr lock) {
  SpinGuard guard(g_signals_lock);
  if (is_signal(lock) || g_signal_count == kMostSignals) return;
  g_signals[g_signal_count] = lock;
  __atomic_store_n(&g_signal_count, g_signal_count + 1, __ATOMIC_RELEASE);
}

// For whoever is in a critical section, or has stopped the world.
void record_from(Thread* t, const Event& e, Site site, ContextId context) {
  if (!can_record(t)) return;
  take_log(t);
  put_event(t, e, site, context);
  publish(t);
}
void record_now(Thread* t, const Event& e, Site site = 0) {
  if (is_recording()) record_from(t, e, site, current_context(t));
}

// -- Start

constexpr u64 kBytes = kMostRings * kRingBytes; // of address space; of memory, what is used

// Shared memory counts as a file: a limit on their size would end the process. The soft one is the program's own, and comes back.
bool resize_file(int file) {
  rlimit64 limit = {}, wider;
  if (sys(SYS_prlimit64, 0, RLIMIT_FSIZE, 0, u64(&limit)) < 0 || limit.rlim_max < kBytes) return false;
  wider = {limit.rlim_max, limit.rlim_max};
  if (limit.rlim_cur < kBytes && sys(SYS_prlimit64, 0, RLIMIT_FSIZE, u64(&wider), 0) < 0) return false;
  const bool done = !sys(SYS_ftruncate, u64(file), kBytes);
  if (limit.rlim_cur < kBytes) sys(SYS_prlimit64, 0, RLIMIT_FSIZE, u64(&limit), 0);
  return done;
}

bool map_rings(int& memory) {
  const i64 descriptor = sys(SYS_memfd_create, u64("footrace-recording"), MFD_CLOEXEC);
  if (descriptor < 0) return false;
  memory = int(descriptor);
  const i64 mapping = resize_file(memory) ? sys(SYS_mmap, 0, kBytes, PROT_READ | PROT_WRITE,
                                                MAP_SHARED | MAP_NORESERVE, u64(memory), 0)
                                          : -1;
  g_mapping = mapping > 0 ? uptr(mapping) : 0;
  if (!g_mapping) sys(SYS_close, u64(memory));
  return g_mapping;
}

void start_process() {
  const char* path = options().record;
  if (!open_recording_channel(path)) {
    say("this process is not recorded: nobody answers at ", path,
        "; 'footrace record' sets that option for what it runs");
    return;
  }
  int memory = -1;
  if (!map_rings(memory)) {
    say("this process is not recorded: there is no memory to share with the recorder (memfd_create, "
        "ftruncate, mmap; see ulimit -f and -v)");
    close_recording_channel();
    return;
  }
  g_recording = true;
  g_rings = 0;
  g_stamp = 0;
  tell_recorder(RecordingMessage::Hello, 0, memory);
  sys(SYS_close, u64(memory));
  if (is_recording()) g_sync_slow = 1; // for good
  if (!is_recording() || !options().record_all || g_recording_all) return;
  if (divert_entry_points && divert_entry_points())
    g_recording_all = true;
  else
    give_up_recording("the system does not let it change code, which record_all needs");
  if (is_recording_all()) fasttrack::publish_epoch(*self(), nullptr); // main is there already
}

} // namespace

void recording_start() {
  if (!*options().record) return;
  start_process();
  if (is_recording()) recording_modules();
}

void recording_modules() {
  if (!is_recording()) return;
  const u64 version = refresh_modules();
  Critical critical(self());
  send_modules(version);
}

void take_before_turn(ThreadState& state) {
  Thread* t = static_cast<Thread*>(&state);
  if (!is_recording() || !can_record(t)) return;
  take_log(t);
  publish(t);
  t->recording.taken = nullptr;
}

void record_access(Thread* t, uptr address, u64 size, AccessKind kind, Site site) {
  Critical critical(t);
  if (!can_record(t)) return;
  put_access(t, address, size, kind, site);
  constexpr u32 kUnseen = 64; // of a program that is killed they may be lost
  if (!(t->recording.index % kUnseen)) publish(t);
}

void record_event(Thread* t, const Event& e, Site site) {
  Critical critical(t);
  record_now(t, e, site);
}

void record_creation(Thread* t, u32 child, ContextId where) {
  Critical critical(t);
  record_from(t, {.kind = EventKind::Fork, .target = child}, 0, where);
}

void record_taken_or_dropped(Thread* t, EventKind kind, uptr address, uptr pc) {
  Critical critical(t);
  const HeldLock* held = find_held(t->context, address);
  const bool takes = kind == EventKind::Acquire || kind == EventKind::AcquireShared;
  if (takes ? held != nullptr : held && held->depth > 1) return;
  if (!takes && !held) remember_signal(address);
  if (is_signal(address)) kind = takes ? EventKind::VolatileRead : EventKind::VolatileWrite;
  record_now(t, {.kind = kind, .target = address}, pc ? pc_site(pc, SiteKind::Inlined) : 0);
}

void record_atomic(Thread* t, EventKind kind, u32 order, uptr address, u64 size, Site site) {
  auto o = MemoryOrder(min(order, u32(MemoryOrder::SeqCst)));
  const bool loads = kind == EventKind::AtomicLoad || kind == EventKind::AtomicCasFail;
  // Orders that C++ does not allow are taken for what is left of them.
  if (loads && has_release(o) && o != MemoryOrder::SeqCst)
    o = has_acquire(o) ? MemoryOrder::Acquire : MemoryOrder::Relaxed;
  if (kind == EventKind::AtomicStore && has_acquire(o) && o != MemoryOrder::SeqCst)
    o = has_release(o) ? MemoryOrder::Release : MemoryOrder::Relaxed;
  record_event(t, {.kind = kind, .order = o, .target = address, .extent = size}, site);
}

void record_thread_end(Thread* t) {
  if (!is_recording()) return;
  record_now(t, {.kind = EventKind::VolatileWrite, .target = kEnded});
  record_now(t, {.kind = EventKind::Exit});
  ThreadRecording& r = t->recording;
  if (r.ring) __atomic_store_n(&r.ring->is_open, 0, __ATOMIC_RELEASE);
  r = ThreadRecording();
  r.is_over = true;
}

void record_attached(Thread* t) {
  if (!is_recording()) return;
  for_each_thread_locked([t](Thread* other) {
    if (other != t) record_now(other, {.kind = EventKind::VolatileWrite, .target = kAttached});
  });
  record_now(t, {.kind = EventKind::VolatileRead, .target = kEnded});
  record_now(t, {.kind = EventKind::VolatileRead, .target = kAttached});
}

void recording_finish() {
  if (!is_recording()) return;
  Thread* me = self();
  stop_world(me);
  for_each_thread_locked([](Thread* t) {
    if (!can_record(t)) return;
    take_log(t);
    publish(t);
  });
  if (__atomic_exchange_n(&g_recording, false, __ATOMIC_RELAXED)) tell_recorder(RecordingMessage::Bye);
  resume_world();
}

void recording_before_child() {
  if (!is_recording()) return;
  g_recording = false;
  close_recording_channel();
  unmap_memory(g_mapping, kBytes); // the parent's
  for_each_thread([](Thread* t) { t->recording = ThreadRecording(); });
}

// The child's trace begins with the locks that it holds.
void recording_in_child() {
  recording_start();
  Thread* t = self();
  if (!is_recording() || !t) return;
  Critical critical(t);
  log_begins_era(*t); // the places of before are in the parent's trace
  if (t->log.end && can_record(t)) {
    t->recording.taken = t->log.next;
    put_segment(t, u64(t->log.next - newer_begin(t->log)));
  }
  for (u32 i = 0; i < t->context.held_count; ++i)
    record_now(t, {.kind = t->context.held[i].mode == LockMode::Exclusive ? EventKind::Acquire
                                                                          : EventKind::AcquireShared,
                   .target = t->context.held[i].address});
}

} // namespace footrace
