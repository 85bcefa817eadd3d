// The parts of libstdc++ that synchronise inside: guards of function-local statics, and the reference count
// of exceptions.
#include "runtime/interceptors/cxx_lookup.h"
#include "runtime/interceptors/sync_calls.h"
#include "runtime/recording.h"

#include <dlfcn.h>
#include <limits.h>
#include <linux/futex.h>
#include <sys/syscall.h>

using namespace footrace;

// Guards, compatible bit by bit with libstdc++'s, which libraries bound with -Bsymbolic may use on the same
// guard. Replaced rather than wrapped: with -static-libstdc++ there would be nothing to wrap. Instrumented
// code tests the first byte itself, as an atomic acquire load, so the edge must lie in the object at the
// guard's address.
namespace {
constexpr u32 kDone = 1, kRunning = 1u << 8, kWaited = 1u << 16;

// In a trace the edge is that of an atomic at the guard's address.
void record_guard(Thread* t, EventKind kind, u32* guard) {
  if (is_recording())
    record_atomic(t, kind, u32(kind == EventKind::AtomicStore ? MemoryOrder::Release : MemoryOrder::Acquire),
                  reinterpret_cast<uptr>(guard), 1, 0);
}

void settle_guard(u32* guard, u32 state) {
  if (Thread* t = syncing_thread()) {
    record_guard(t, EventKind::AtomicStore, guard);
    sync_release(t, reinterpret_cast<uptr>(guard));
  }
  if (__atomic_exchange_n(guard, state, __ATOMIC_ACQ_REL) & kWaited)
    sys(SYS_futex, u64(guard), FUTEX_WAKE, INT_MAX);
}

// True if the caller is to run the initialiser.
bool take_guard(u32* guard) {
  for (;;) {
    u32 seen = 0;
    if (__atomic_compare_exchange_n(guard, &seen, kRunning, false, __ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE))
      return true;
    if (seen == kDone) return false;
    if (seen == kRunning &&
        !__atomic_compare_exchange_n(guard, &seen, kRunning | kWaited, false, __ATOMIC_ACQ_REL,
                                     __ATOMIC_ACQUIRE) &&
        seen != (kRunning | kWaited))
      continue;
    sys(SYS_futex, u64(guard), FUTEX_WAIT, kRunning | kWaited, 0);
  }
}
} // namespace

FR_REPLACEMENT(int, __cxa_guard_acquire, u32* guard) {
  bool run = take_guard(guard);
  if (Thread* t = syncing_thread()) {
    sync_read_volatile(t, reinterpret_cast<uptr>(guard));
    record_guard(t, EventKind::AtomicLoad, guard);
  }
  return run;
}
FR_REPLACEMENT(void, __cxa_guard_release, u32* guard) { settle_guard(guard, kDone); }
FR_REPLACEMENT(void, __cxa_guard_abort, u32* guard) { settle_guard(guard, 0); }

// Exceptions shared through std::exception_ptr: the last reference destroys the object, on whichever thread,
// and only the hidden count orders that after the others' uses. So every drop of a reference releases through
// the object's address, and a thread that finds itself the only owner left acquires before the object dies.
// References are dropped by exception_ptr::_M_release and by the end of a catch block.
namespace {

// __cxa_exception of libstdc++ (unwind-cxx.h) on x86-64, unchanged since GCC 4.4. The object follows it.
struct ExceptionHeader {
  void* type; // of a dependent exception (rethrown from an exception_ptr): the object of the primary one
  void* destructor;
  void* handlers[2];
  ExceptionHeader* next;
  i32 handler_count, switch_value;
  void* found[4];
  u64 exception_class;
  void* cleanup;
  u64 unwinder[2];
};
static_assert(sizeof(ExceptionHeader) == 112);
constexpr u64 kPrimary = 0x474e'5543'432b'2b00, kDependent = kPrimary + 1; // "GNUCC++"
constexpr uptr kCountBefore = 128; // the count lies in front of the header, padded

i32* references_of(void* object) { return reinterpret_cast<i32*>(uptr(object) - kCountBefore); }

void drop_reference(Thread* t, void* object, void (*real_release)(void**)) {
  sync_write_volatile(t, reinterpret_cast<uptr>(object));
  i32* references = references_of(object);
  i32 count = __atomic_load_n(references, __ATOMIC_ACQUIRE);
  while (count > 1)
    if (__atomic_compare_exchange_n(references, &count, count - 1, false, __ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE))
      return;
  sync_read_volatile(t, reinterpret_cast<uptr>(object));
  real_release(&object);
}

// The object whose reference the end of the innermost catch block drops; null if it drops none of
// libstdc++'s.
void* object_to_drop(uptr pc) {
  static ExceptionHeader** (*get_globals)();
  if (!get_globals) get_globals = real_cxx<ExceptionHeader**()>("__cxa_get_globals", pc);
  ExceptionHeader* header = *get_globals();
  if (!header || header->handler_count != 1) return nullptr;
  if (header->exception_class == kPrimary) return header + 1;
  return header->exception_class == kDependent ? header->type : nullptr;
}

constexpr const char* kRelease = "_ZNSt15__exception_ptr13exception_ptr10_M_releaseEv";

} // namespace

FR_REPLACEMENT(void, _ZNSt15__exception_ptr13exception_ptr10_M_releaseEv, void** exception_ptr) {
  static void (*real)(void**);
  if (!real) real = real_cxx<void(void**)>(kRelease, FR_CALLER_PC());
  Thread* t = syncing_thread();
  if (!t || !*exception_ptr) return real(exception_ptr);
  void* object = *exception_ptr;
  *exception_ptr = nullptr;
  drop_reference(t, object, real);
}

FR_REPLACEMENT(void, __cxa_end_catch) {
  static void (*real)();
  uptr pc = FR_CALLER_PC();
  if (!real) real = real_cxx<void()>("__cxa_end_catch", pc);
  Thread* t = syncing_thread();
  void* object = t ? object_to_drop(pc) : nullptr;
  if (!object) return real();
  if (__atomic_load_n(references_of(object), __ATOMIC_ACQUIRE) == 1) {
    sync_read_volatile(t, reinterpret_cast<uptr>(object));
    return real();
  }
  __atomic_add_fetch(references_of(object), 1, __ATOMIC_ACQ_REL); // keeps the real one from being the last
  real();
  drop_reference(t, object, real_cxx<void(void**)>(kRelease, pc));
}

// What promise::set_value_at_thread_exit and its kin have stored becomes ready in libstdc++'s own code, when the thread ends: an instrumented waiter finds the
// new status with an atomic load, so the edge must lie in the object at the status. Layout of _Make_ready and _State_baseV2 since GCC 5.
namespace {

struct AtThreadExit {
  AtThreadExit* next;
  void (*call)(void*);
  struct State {
    void *vtable, *result;
    u32 status;
  }* state; // of a weak_ptr, whose other half comes behind
};
void (*g_make_ready)(void*);

void release_and_make_ready(void* self) {
  AtThreadExit* const at_exit = static_cast<AtThreadExit*>(self);
  if (Thread* t = syncing_thread(); t && at_exit->state) {
    const uptr status = reinterpret_cast<uptr>(&at_exit->state->status);
    if (is_recording())
      record_atomic(t, EventKind::AtomicRmw, u32(MemoryOrder::Release), status, sizeof(u32), 0);
    sync_write_volatile(t, status);
  }
  __atomic_load_n(&g_make_ready, __ATOMIC_ACQUIRE)(self);
}

} // namespace

FR_REPLACEMENT(void, _ZNSt13__future_base13_State_baseV211_Make_ready6_M_setEv, AtThreadExit* at_exit) {
  real_cxx<void(AtThreadExit*)>("_ZNSt13__future_base13_State_baseV211_Make_ready6_M_setEv",
                                FR_CALLER_PC())(at_exit);
  __atomic_store_n(&g_make_ready, at_exit->call, __ATOMIC_RELEASE);
  at_exit->call = release_and_make_ready;
}

// libc++'s call_once: the flag is tested in line, as an atomic acquire load, and set inside the library.
namespace {

struct Once {
  void (*routine)(void*);
  void* argument;
  uptr flag;
};
void run_once(void* once) {
  const Once& what = *static_cast<Once*>(once);
  what.routine(what.argument);
  if (Thread* t = syncing_thread()) sync_write_volatile(t, what.flag); // not if it has thrown
}

} // namespace

FR_REPLACEMENT(void, _ZNSt3__111__call_onceERVmPvPFvS2_E, volatile u64* flag, void* argument,
               void (*routine)(void*)) {
  Once once = {routine, argument, reinterpret_cast<uptr>(flag)};
  real_cxx<void(volatile u64*, void*, void (*)(void*))>("_ZNSt3__111__call_onceERVmPvPFvS2_E",
                                                        FR_CALLER_PC())(flag, &once, run_once);
  if (Thread* t = syncing_thread()) sync_read_volatile(t, once.flag);
}
