// Life of a thread: create_child (creator) -> register_handle (creator) -> start_on_this_thread -> finish ->
// end_join or detach. A finished thread keeps its final clock in its TidSlot until it is joined; the Thread
// itself is recycled at once.
#include "runtime/threads.h"

#include "abi/shadow_layout.h"

#include "base/placement.h"
#include "runtime/access.h"
#include "runtime/environment.h"
#include "runtime/fork.h"
#include "runtime/recording.h"
#include "runtime/renumbering.h"
#include "runtime/runtime.h"
#include "runtime/statistics.h"
#include "runtime/thread_slots.h"
#include "runtime/thread_stack.h"

#include <errno.h>
#include <limits.h>
#include <signal.h>
#include <sys/syscall.h>

// abi/shadow_layout.h
extern "C" __attribute__((visibility("default"))) __thread footrace::InLine __footrace_now = {};

namespace footrace {

__thread Thread* t_self;

namespace {

enum class Phase : u8 { Unknown = 0, Changing, Running, Finished };
__thread Phase t_phase; // tells a thread that we do not know from one that has not yet begun or has ended

SpinLock g_lock;
SpinLock g_stopper;       // one stop_world at a time
u32 g_fences_in_critical; // the kernel has no remote fence: critical_enter must do its own
Thread* g_arena;          // every Thread there ever is: one mapping, slots are recycled
u64 g_arena_used;
Thread* g_free; // through Thread::next
Link g_live;
u64 g_live_count;
u32 g_created;
bool g_started;
pthread_key_t g_key;

constexpr u32 kNobody = ~0u;

Thread* allocate_thread() {
  if (Thread* t = g_free) {
    g_free = t->next;
    return new (Place{t}) Thread();
  }
  return new (Place{&g_arena[g_arena_used++]}) Thread();
}

void recycle_thread(Thread* t) {
  t->~Thread();
  t->next = g_free;
  g_free = t;
}

// Under the lock: a Thread under a tid that was just taken.
Thread* make_thread(Tid tid, ThreadRecord*& record) {
  TidSlot& slot = slot_of(tid);
  Thread* t = allocate_thread();
  fasttrack::initial(*t, tid, slot.final_clock + 1);
  slot.state = SlotState::Live;
  slot.thread = t;
  slot.pins = 0;
  slot.asynchronous = false;
  slot.start = ThreadStart();
  t->record = record = add_record(slot, tid);
  record->number = slot.number = g_created++;
  record->parent_number = kNobody;
  record->first_clock = t->C.own;
  g_live.append(slot.live);
  ++g_live_count;
  return t;
}

// Under the lock: the thread leaves the registry; its slot stays.
void remove_thread(TidSlot& slot) {
  slot.live.unlink();
  slot.thread = nullptr;
  --g_live_count;
}

void mark_finished(ThreadRecord* record) {
  const u32 number = record->number;
  for (; record && record->number == number; record = record->earlier) record->finished = true;
}

// What reports say of a thread's end. Under the lock.
void note_joiner(TidSlot& slot, u32 joiner, ContextId join, bool joined) {
  for (ThreadRecord* record = slot.newest; record && record->number == slot.number;
       record = record->earlier) {
    record->joiner_number = joiner;
    record->join = join;
    record->joined = joined;
  }
}

// Of a thread that has died unnoticed, bytes may still wait for their check.
void finish_context(Thread* t) {
  if (FR_UNLIKELY(t->waiting.used)) settle_waiting(t, self() ? self() : t);
  record_thread_end(t);
  context_finish(t);
}

// The thread does nothing any more: called by itself, or by somebody who knows that it has ended. Its context is
// finished.
void retire_locked(Thread* t) {
  if (t != t_self) t->published = nullptr; // in its TLS, which may be gone
  TidSlot& slot = slot_of(t->tid());
  slot.final = t->C;
  slot.final_clock = t->C.own;
  mark_finished(t->record);
  remove_thread(slot);
  add_to_statistics(*t);
  if (t->detached) {
    remove_handle(slot);
    give_back_tid(slot, nullptr);
  } else {
    slot.state = SlotState::Zombie;
  }
  if (t == t_self) fasttrack::publish_epoch(*t, nullptr);
  recycle_thread(t);
  if (t == t_self) t_self = nullptr; // before fork may find the registry unlocked
}
void retire(Thread* t) {
  finish_context(t);
  SpinGuard guard(g_lock);
  retire_locked(t);
}

// It left through the system call and nobody has noticed.
bool has_died(Thread* t) {
  int id = t->record->os_id; // 0: not started yet
  if (!id || t == t_self || !is_own_process()) return false;
  return id == current_os_thread() || sys(SYS_tgkill, u64(sys(SYS_getpid)), u64(id), 0) == -ESRCH;
}

// Runs among the destructors of thread-specific data, and comes back until the user's have had all their
// rounds.
void on_thread_exit(void* rounds_left) {
  uptr rounds = reinterpret_cast<uptr>(rounds_left);
  if (rounds > 1)
    pthread_setspecific(g_key, reinterpret_cast<void*>(rounds - 1));
  else if (Thread* t = self())
    finish(t);
}

// The rest of both kinds of start; t is in the registry.
void run_as(Thread* t) {
  t->record->os_id = current_os_thread();
  t_self = t;
  fasttrack::publish_epoch(*t, is_recording_all() ? nullptr : &__footrace_now);
  {
    Critical critical(t);
    context_start(t, t->stack_high - t->stack_low);
  }
  pthread_setspecific(g_key, reinterpret_cast<void*>(uptr(PTHREAD_DESTRUCTOR_ITERATIONS)));
  t_phase = Phase::Running;
}

Thread* any_thread_but(Thread* me) {
  SpinGuard guard(g_lock);
  Link* link = &slot_of(me->tid()).live;
  link = link->next == &g_live ? g_live.next : link->next;
  Thread* t = slot_with(&TidSlot::live, link).thread;
  return t == me ? nullptr : t;
}

// What all threads have done, dead or alive; the world is stopped.
Clock everything_so_far() {
  Clock everything;
  retire_the_dead();
  for (Tid tid = 1; tid < tids_in_use(); ++tid) {
    TidSlot& slot = slot_of(tid);
    if (slot.state != SlotState::Live) {
      everything.tree.raise(tid, slot.final_clock);
      continue;
    }
    everything.join(slot.thread->C);
    fasttrack::tick(*slot.thread); // its clock has been published
  }
  everything.exact = false;
  return everything;
}

// Null: there is no tid.
Thread* try_create_child(Thread* parent, ContextId creation) {
  SpinGuard guard(g_lock);
  Tid tid;
  if (!take_tid(&parent->C, &slot_of(parent->tid()), tid)) return nullptr;
  ThreadRecord* record;
  Thread* child = make_thread(tid, record);
  record->parent_number = parent->record->number;
  record->creation = creation;
  return child;
}

} // namespace

u64 block_signals() {
  u64 all = ~0ull, old = 0;
  sys(SYS_rt_sigprocmask, SIG_SETMASK, u64(&all), u64(&old), sizeof old);
  return old;
}
void restore_signals(u64 mask) { sys(SYS_rt_sigprocmask, SIG_SETMASK, u64(&mask), 0, sizeof mask); }

Thread* start_main_thread() {
  t_phase = Phase::Changing;
  g_critical_slow = g_sync_slow = g_fences_in_critical = !remote_fence_start();
  reserve_tid_slots();
  g_arena = reinterpret_cast<Thread*>(map_memory((u64(kMaxTid) + 1) * sizeof(Thread)));
  FR_CHECK(g_arena && "no address space for threads");
  g_live.make_head();
  FR_CHECK(!pthread_key_create(&g_key, on_thread_exit));
  Thread* t;
  {
    SpinGuard guard(g_lock);
    Clock nothing;
    Tid tid;
    FR_CHECK(take_tid(&nothing, nullptr, tid));
    ThreadRecord* record;
    t = make_thread(tid, record);
    add_handle(slot_of(tid), pthread_self());
  }
  find_main_stack(t);
  run_as(t);
  __atomic_store_n(&g_started, true, __ATOMIC_RELEASE);
  return t;
}

Thread* create_child(Thread* parent, uptr pc) {
  for (;;) {
    {
      Critical critical(parent);
      if (Thread* child = try_create_child(parent, context_through_library(parent, pc))) {
        fasttrack::fork(*parent, *child);
        if (is_recording()) record_creation(parent, child->record->number, child->record->creation);
        renew_tid_if_needed(parent);
        return child;
      }
    }
    if (!renumber_for_thread(parent)) return nullptr;
  }
}

ThreadStart& start_info(Thread* t) { return slot_of(t->tid()).start; }

void abandon_child(Thread* child) {
  Thread* creator = self();
  Critical critical(creator);
  SpinGuard guard(g_lock);
  TidSlot& slot = slot_of(child->tid());
  slot.newest->finished = true;
  // Its clock may have been seen: by a foreign thread, for which everything counts.
  slot.final = child->C;
  slot.final_clock = child->C.own;
  remove_thread(slot);
  recycle_thread(child);
  if (creator) fasttrack::join(*creator, slot.final);
  record(creator, EventKind::Join, slot.number);
  give_back_tid(slot, creator ? &slot_of(creator->tid()) : nullptr);
}

void register_handle(Thread* child, pthread_t handle, bool detached) {
  Critical critical(self());
  SpinGuard guard(g_lock);
  child->detached = detached;
  add_handle(slot_of(child->tid()), handle);
}

void start_on_this_thread(Thread* t) {
  if (Thread* stray = self()) finish(stray); // a signal handler was here first
  t_phase = Phase::Changing;
  find_stack(t);
  run_as(t);
  memory_fresh(t->stack_low, t->stack_high - t->stack_low);
}

void finish(Thread* t) {
  if (t->waiting.used) {
    Critical last(t);
    settle_waiting(t, t);
  }
  // Whoever finds a robust mutex of a dead owner comes after that owner. Other locks stay locked, so nobody
  // notices.
  for (u32 i = t->context.held_count; i-- > 0;)
    if (t->context.held[i].mode == LockMode::Exclusive) {
      record(t, EventKind::Release, t->context.held[i].address);
      sync_release(t, t->context.held[i].address);
    }
  u64 mask = block_signals();
  t_phase = Phase::Changing;
  critical_enter(t); // no end: the Thread is gone then
  // The first thread's stack stays; any other is given to a later thread, or is the user's own.
  if (t->record->number) memory_gone(t->stack_low, t->stack_high - t->stack_low);
  retire(t);
  t_phase = Phase::Finished;
  restore_signals(mask);
}

Thread* attach_foreign_thread() {
  if (t_phase != Phase::Unknown || !__atomic_load_n(&g_started, __ATOMIC_ACQUIRE)) return nullptr;
  t_phase = Phase::Changing;
  u64 mask = block_signals();
  const bool is_still = stop_world(nullptr);
  Clock everything = everything_so_far();
  Tid tid;
  Thread* t = nullptr;
  bool has_tid = take_tid(&everything, nullptr, tid);
  if (!has_tid && is_still && renumber_stopped_world(nullptr)) {
    everything = everything_so_far();
    has_tid = take_tid(&everything, nullptr, tid);
  }
  if (has_tid) {
    ThreadRecord* record;
    t = make_thread(tid, record);
    fasttrack::acquire(*t, everything);
    record_attached(t);
    add_handle(slot_of(tid), pthread_self());
  }
  resume_world();
  if (t) {
    find_stack(t);
    run_as(t);
  }
  restore_signals(mask);
  return t;
}

JoinTicket begin_join(pthread_t handle, uptr pc) {
  Thread* joiner = self();
  Critical critical(joiner);
  const ContextId join = joiner && pc ? context_through_library(joiner, pc) : 0;
  SpinGuard guard(g_lock);
  TidSlot* slot = find_handle(handle);
  if (!slot) return {handle, 0, false};
  ++slot->pins;
  if (joiner) note_joiner(*slot, joiner->record->number, join, false);
  return {handle, slot->number, true};
}

void give_up_join(JoinTicket ticket) {
  if (!ticket.found) return;
  Critical critical(self());
  SpinGuard guard(g_lock);
  TidSlot* slot = find_thread(ticket.handle, ticket.number);
  if (!slot) return;
  --slot->pins;
  note_joiner(*slot, kNobody, 0, false);
}

void end_join(Thread* parent, JoinTicket ticket) {
  Critical critical(parent);
  Thread* unnoticed = nullptr;
  {
    SpinGuard guard(g_lock);
    TidSlot* attached = ticket.found ? nullptr : find_handle(ticket.handle);
    if (attached &&
        attached->state == SlotState::Zombie) { // a foreign thread that was first seen during the wait
      ++attached->pins;
      ticket = {ticket.handle, attached->number, true};
    }
    TidSlot* slot = ticket.found ? find_thread(ticket.handle, ticket.number) : nullptr;
    if (!slot) return;
    unnoticed = slot->thread; // it left through the system call
  }
  if (unnoticed) retire(unnoticed);
  SpinGuard guard(g_lock);
  TidSlot* slot = find_thread(ticket.handle, ticket.number);
  if (!slot) return; // it was detached meanwhile
  --slot->pins;
  if (parent) {
    fasttrack::join(*parent, slot->final);
    note_joiner(*slot, parent->record->number, slot->newest->join, true);
  }
  record(parent, EventKind::Join, slot->number);
  remove_handle(*slot);
  give_back_tid(*slot, parent ? &slot_of(parent->tid()) : nullptr);
}

void detach(pthread_t handle) {
  Critical critical(self());
  SpinGuard guard(g_lock);
  TidSlot* slot = find_handle(handle);
  if (!slot) return;
  if (slot->state == SlotState::Live) {
    slot->thread->detached = true;
  } else if (slot->state == SlotState::Zombie && !slot->pins) {
    remove_handle(*slot);
    give_back_tid(*slot, nullptr);
  }
}

void set_name(pthread_t handle, const char* name) {
  Critical critical(self());
  SpinGuard guard(g_lock);
  TidSlot* slot = find_handle(handle);
  if (!slot) return;
  ThreadRecord& record = *slot->newest;
  fill_bytes(record.name, 0, sizeof record.name);
  copy_bytes(record.name, name, min(length_of(name), u64(sizeof record.name - 1)));
}

void set_asynchronous(Thread* t, bool asynchronous) {
  Critical critical(t);
  SpinGuard guard(g_lock);
  slot_of(t->tid()).asynchronous = asynchronous;
}

void interrupt_asynchronous(pthread_t handle, int signo) {
  Critical critical(self());
  SpinGuard guard(g_lock); // keeps the thread from ending meanwhile
  TidSlot* slot = find_handle(handle);
  if (!slot || slot->state != SlotState::Live || !slot->asynchronous) return;
  sys(SYS_tgkill, u64(sys(SYS_getpid)), u64(slot->newest->os_id), u64(signo));
}

void renew_tid(Thread* t) {
  Critical critical(t);
  Tid old_tid = t->tid(), tid;
  const u64 last = t->C.own;
  {
    SpinGuard guard(g_lock);
    TidSlot& from = slot_of(old_tid);
    if (!take_tid(&t->C, &from, tid)) {
      FR_CHECK(last < kMaxClock && "a thread's clock is used up, and more than 8,000 threads are alive");
      t->pending |= kPendingRenumbering;
      return;
    }
    TidSlot& to = slot_of(tid);
    ThreadRecord* record = add_record(to, tid);
    ThreadRecord* older = record->older;
    *record = *t->record;
    record->tid = tid;
    record->older = older;
    record->earlier = t->record;
    record->first_clock = to.final_clock + 1;
    t->record = record;
    from.final_clock = last;
    hand_over(from, to);
    g_live.append(to.live);
  }
  log_new_tid(*t);
  // The old entry becomes one of those the thread has seen.
  Clock before = t->C, release_fence = t->release_fence, acquire_fence = t->acquire_fence;
  fasttrack::initial(*t, tid, t->record->first_clock);
  fasttrack::acquire(*t, before);
  t->release_fence = release_fence;
  t->acquire_fence = acquire_fence;
}

ThreadRecord* thread_record(Epoch epoch) {
  Critical critical(self());
  SpinGuard guard(g_lock);
  if (tid_of(epoch) >= tids_in_use()) return nullptr;
  for (ThreadRecord* r = slot_of(tid_of(epoch)).newest; r; r = r->older)
    if (r->first_clock <= clock_of(epoch)) return r;
  return nullptr;
}

void registry_lock() { g_lock.lock(); }
void registry_unlock() { g_lock.unlock(); }

void visit_threads_locked(void (*fn)(void* context, Thread* t), void* context) {
  for (Link *link = g_live.next, *next; link && link != &g_live; link = next) {
    next = link->next;
    fn(context, slot_with(&TidSlot::live, link).thread);
  }
}

bool stop_world(Thread* me, i64 patience_ms) {
  i64 deadline = now_ms() + patience_ms;
  while (!g_stopper.try_lock()) {
    Critical let_the_other_stop_us(me);
    yield_cpu();
  }
  __atomic_store_n(&g_stop_world, 1, __ATOMIC_RELAXED);
  __atomic_store_n(&g_critical_slow, 1, __ATOMIC_RELAXED);
  __atomic_store_n(&g_sync_slow, 1, __ATOMIC_RELAXED);
  // A handler may fork in the middle of such a section of ours; and what we do from here on may open another one.
  u32 own_sections = !me && t_critical_without_thread ? 1 : 0;
  if (!me) ++t_critical_without_thread;
  remote_fence(); // from here on everybody sees the flags, and we see who was inside
  for (;; yield_cpu()) {
    bool all_outside = __atomic_load_n(&g_critical_without_thread, __ATOMIC_ACQUIRE) <= own_sections;
    g_lock.lock();
    auto look = [&](Thread* t) {
      all_outside &= t == me || !__atomic_load_n(&t->critical, __ATOMIC_ACQUIRE);
    };
    visit_threads_locked([](void* f, Thread* t) { (*static_cast<decltype(look)*>(f))(t); }, &look);
    if (all_outside) return true;
    if (now_ms() >= deadline) break;
    g_lock.unlock();
  }
  say("warning: a thread has not left the runtime for seconds; fork, or the first sight of a foreign thread, "
      "goes on without it. Races of that thread may be missed; please report this.");
  return false;
}

void resume_world() {
  if (!self()) --t_critical_without_thread;
  g_lock.unlock();
  __atomic_store_n(&g_critical_slow, g_fences_in_critical, __ATOMIC_RELAXED);
  __atomic_store_n(&g_sync_slow, g_fences_in_critical | u32(is_recording()), __ATOMIC_RELAXED);
  __atomic_store_n(&g_stop_world, 0, __ATOMIC_RELEASE);
  g_stopper.unlock();
}

void retire_the_dead() {
  for_each_thread_locked([](Thread* t) {
    if (!has_died(t)) return;
    finish_context(t);
    retire_locked(t);
  });
}

void after_fork_child(Thread* me) {
  Critical critical(me);
  me->record->os_id = current_os_thread();
  while (Thread* other = any_thread_but(me)) {
    other->detached = true;          // nobody can join it here
    other->waiting = WaitingBytes(); // the parent checks what waits there
    retire(other);
  }
  SpinGuard guard(g_lock);
  fasttrack::acquire(*me, everything_so_far());
  for_each_slot([](TidSlot& slot) {
    if (slot.state != SlotState::Zombie) return;
    slot.pins = 0;
    remove_handle(slot);
    give_back_tid(slot, nullptr);
  });
}

RegistryCounts registry_counts() {
  Critical critical(self());
  SpinGuard guard(g_lock);
  return {g_created, g_live_count, tids_in_use()};
}

} // namespace footrace
