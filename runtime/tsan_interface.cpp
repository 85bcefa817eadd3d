// The annotations that code written for ThreadSanitizer uses (<sanitizer/tsan_interface.h>,
// dynamic_annotations, and libstdc++'s own): since __has_feature(thread_sanitizer) is true, such code calls
// them and expects them to order events.
#include "runtime/access.h"
#include "runtime/interception.h"
#include "runtime/recording.h"
#include "runtime/runtime.h"
#include "runtime/sync.h"

// Weak: programs may bring their own dynamic_annotations.
#define FR_ANNOTATION FR_EXPORT __attribute__((weak))

namespace footrace {
namespace {

constexpr u32 kReadLock = 1 << 3, kTryLock = 1 << 4, kTryLockFailed = 1 << 5; // flags of __tsan_mutex_*

uptr number(const void* p) { return reinterpret_cast<uptr>(p); }
// An annotated lock is an object of its own: the bytes at its address may be an atomic, whose stores begin release sequences. The bit is above all
// addresses, and the meta plane does not see it.
uptr annotated_lock(const void* p) { return number(p) | 1ull << 62; }

void annotate_acquire(const void* address) {
  if (Thread* t = self()) sync_annotate_acquire(t, number(address));
}
void annotate_release(const void* address) {
  if (Thread* t = self()) sync_annotate_release(t, number(address));
}

} // namespace

FR_ANNOTATION void __tsan_init() { ensure_started(); }

FR_ANNOTATION void __tsan_acquire(void* address) { annotate_acquire(address); }
FR_ANNOTATION void __tsan_release(void* address) { annotate_release(address); }
FR_ANNOTATION void AnnotateHappensBefore(const char*, int, const volatile void* address) {
  annotate_release(const_cast<void*>(address));
}
FR_ANNOTATION void AnnotateHappensAfter(const char*, int, const volatile void* address) {
  annotate_acquire(const_cast<void*>(address));
}
FR_ANNOTATION void WTFAnnotateHappensBefore(const char* f, int l, const volatile void* a) {
  AnnotateHappensBefore(f, l, a);
}
FR_ANNOTATION void WTFAnnotateHappensAfter(const char* f, int l, const volatile void* a) {
  AnnotateHappensAfter(f, l, a);
}

// Accesses between begin and end are not checked.
namespace {
void ignore_begin() {
  if (Thread* t = self()) ++t->ignore;
}
void ignore_end() {
  Thread* t = self();
  if (t && t->ignore) --t->ignore;
}
} // namespace
FR_ANNOTATION void __tsan_ignore_thread_begin() { ignore_begin(); }
FR_ANNOTATION void __tsan_ignore_thread_end() { ignore_end(); }
FR_ANNOTATION void AnnotateIgnoreReadsBegin(const char*, int) { ignore_begin(); }
FR_ANNOTATION void AnnotateIgnoreReadsEnd(const char*, int) { ignore_end(); }
FR_ANNOTATION void AnnotateIgnoreWritesBegin(const char*, int) { ignore_begin(); }
FR_ANNOTATION void AnnotateIgnoreWritesEnd(const char*, int) { ignore_end(); }

// Locks that the runtime does not intercept (spin locks of the program, libstdc++'s atomic<shared_ptr>).
FR_ANNOTATION void __tsan_mutex_create(void* address, unsigned) {
  if (self()) sync_forget(number(address), 1);
}
FR_ANNOTATION void __tsan_mutex_destroy(void* address, unsigned) {
  if (self()) sync_forget(number(address), 1);
}
FR_ANNOTATION void __tsan_mutex_pre_lock(void*, unsigned) { ignore_begin(); }
FR_ANNOTATION void __tsan_mutex_post_lock(void* address, unsigned flags, int) {
  ignore_end();
  Thread* t = self();
  if (!t || ((flags & kTryLock) && (flags & kTryLockFailed))) return;
  bool shared = flags & kReadLock;
  record_lock(t, shared ? EventKind::AcquireShared : EventKind::Acquire, number(address), FR_CALLER_PC());
  if (shared)
    sync_acquire_shared(t, annotated_lock(address));
  else
    sync_acquire(t, annotated_lock(address));
  lock_taken(t, number(address), shared ? LockMode::Shared : LockMode::Exclusive, FR_CALLER_PC());
}
FR_ANNOTATION int __tsan_mutex_pre_unlock(void* address, unsigned flags) {
  if (Thread* t = self()) {
    record_lock(t, flags & kReadLock ? EventKind::ReleaseShared : EventKind::Release, number(address), 0);
    if (flags & kReadLock)
      sync_release_shared(t, annotated_lock(address));
    else
      sync_release(t, annotated_lock(address));
    lock_dropped(t, number(address));
  }
  ignore_begin();
  return 1;
}
FR_ANNOTATION void __tsan_mutex_post_unlock(void*, unsigned) { ignore_end(); }
FR_ANNOTATION void __tsan_mutex_pre_signal(void*, unsigned) {}
FR_ANNOTATION void __tsan_mutex_post_signal(void*, unsigned) {}
FR_ANNOTATION void __tsan_mutex_pre_divert(void*, unsigned) {}
FR_ANNOTATION void __tsan_mutex_post_divert(void*, unsigned) {}

FR_ANNOTATION void AnnotateRWLockCreate(const char*, int, const volatile void* m) {
  __tsan_mutex_create(const_cast<void*>(m), 0);
}
FR_ANNOTATION void AnnotateRWLockCreateStatic(const char*, int, const volatile void* m) {
  __tsan_mutex_create(const_cast<void*>(m), 0);
}
FR_ANNOTATION void AnnotateRWLockDestroy(const char*, int, const volatile void* m) {
  __tsan_mutex_destroy(const_cast<void*>(m), 0);
}
FR_ANNOTATION void AnnotateRWLockAcquired(const char*, int, const volatile void* m, uptr writer) {
  __tsan_mutex_pre_lock(const_cast<void*>(m), 0);
  __tsan_mutex_post_lock(const_cast<void*>(m), writer ? 0 : kReadLock, 0);
}
FR_ANNOTATION void AnnotateRWLockReleased(const char*, int, const volatile void* m, uptr writer) {
  __tsan_mutex_pre_unlock(const_cast<void*>(m), writer ? 0 : kReadLock);
  __tsan_mutex_post_unlock(const_cast<void*>(m), 0);
}
FR_ANNOTATION void AnnotateNewMemory(const char*, int, const volatile void* memory, uptr size) {
  if (self()) memory_fresh(number(const_cast<void*>(memory)), size);
}
// Benign races, publication marks and names ask the detector to look away or say nothing that it needs.
FR_ANNOTATION void AnnotateBenignRace(const char*, int, const volatile void*, const char*) {}
FR_ANNOTATION void AnnotateBenignRaceSized(const char*, int, const volatile void*, uptr, const char*) {}
FR_ANNOTATION void WTFAnnotateBenignRaceSized(const char*, int, const volatile void*, uptr, const char*) {}
FR_ANNOTATION void AnnotateFlushState(const char*, int) {}
FR_ANNOTATION void AnnotateThreadName(const char*, int, const char*) {}
FR_ANNOTATION void AnnotateEnableRaceDetection(const char*, int, int) {}
FR_ANNOTATION void AnnotateMutexIsNotPHB(const char*, int, const volatile void*) {}
FR_ANNOTATION void AnnotateMutexIsUsedAsCondVar(const char*, int, const volatile void*) {}
FR_ANNOTATION void AnnotatePublishMemoryRange(const char*, int, const volatile void*, uptr) {}
FR_ANNOTATION void AnnotateUnpublishMemoryRange(const char*, int, const volatile void*, uptr) {}
FR_ANNOTATION void AnnotateExpectRace(const char*, int, const volatile void*, const char*) {}
FR_ANNOTATION void AnnotateNoOp(const char*, int, const volatile void*) {}
FR_ANNOTATION void AnnotatePCQCreate(const char*, int, const volatile void*) {}
FR_ANNOTATION void AnnotatePCQDestroy(const char*, int, const volatile void*) {}
FR_ANNOTATION void AnnotatePCQPut(const char*, int, const volatile void*) {}
FR_ANNOTATION void AnnotatePCQGet(const char*, int, const volatile void*) {}
FR_ANNOTATION int RunningOnValgrind() { return 0; }

} // namespace footrace
