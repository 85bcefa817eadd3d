// The rest of <sanitizer/tsan_interface.h> and <sanitizer/common_interface_defs.h> that programs written for
// ThreadSanitizer link with: accesses made through functions, and questions about the detector.
#include "runtime/arena.h"
#include "runtime/interception.h"
#include "runtime/runtime.h"

#define FR_INTERFACE FR_EXPORT __attribute__((weak))

namespace footrace {
namespace {

template <class T> struct __attribute__((packed)) Unaligned {
  T value;
};

template <class T> T load(const void* p, Caller caller) {
  if (Thread* t = self()) check_read(t, caller, p, sizeof(T));
  return static_cast<const Unaligned<T>*>(p)->value;
}
template <class T> void store(void* p, T value, Caller caller) {
  if (Thread* t = self()) check_write(t, caller, p, sizeof(T));
  static_cast<Unaligned<T>*>(p)->value = value;
}

} // namespace

#define FR_UNALIGNED(bits)                                                                                   \
  FR_INTERFACE u##bits __sanitizer_unaligned_load##bits(const void* p) {                                     \
    return load<u##bits>(p, {FR_CALLER_PC(), __func__});                                                     \
  }                                                                                                          \
  FR_INTERFACE void __sanitizer_unaligned_store##bits(void* p, u##bits value) {                              \
    store(p, value, {FR_CALLER_PC(), __func__});                                                             \
  }
FR_UNALIGNED(16)
FR_UNALIGNED(32)
FR_UNALIGNED(64)

// Libraries that judge the use of their objects: each object is one byte. A tag names the type of object.
FR_INTERFACE void* __tsan_external_register_tag(const char*) { return arena_allocate(1); }
FR_INTERFACE void __tsan_external_register_header(void*, const char*) {}
FR_INTERFACE void __tsan_external_assign_tag(void*, void*) {}
FR_INTERFACE void __tsan_external_read(void* object, void* caller_pc, void*) {
  if (Thread* t = self()) check_read(t, {reinterpret_cast<uptr>(caller_pc), nullptr}, object, 1);
}
FR_INTERFACE void __tsan_external_write(void* object, void* caller_pc, void*) {
  if (Thread* t = self()) check_write(t, {reinterpret_cast<uptr>(caller_pc), nullptr}, object, 1);
}

// There is nothing to give back that the detector could do without.
FR_INTERFACE void __tsan_flush_memory() {}
// Says when a thread that should hold no locks holds some; an error of the program, but no race.
FR_INTERFACE void __tsan_check_no_mutexes_held() {}

// Synchronisation always counts: without it the detector would give false alarms.
FR_INTERFACE void AnnotateIgnoreSyncBegin(const char*, int) {}
FR_INTERFACE void AnnotateIgnoreSyncEnd(const char*, int) {}

// Reports are written by another process; the program cannot take them apart.
FR_INTERFACE void* __tsan_get_current_report() { return nullptr; }
#define FR_NO_REPORT(what)                                                                                   \
  FR_INTERFACE int __tsan_get_report_##what() { return 0; }
FR_NO_REPORT(data)
FR_NO_REPORT(stack)
FR_NO_REPORT(mop)
FR_NO_REPORT(loc)
FR_NO_REPORT(mutex)
FR_NO_REPORT(thread)
FR_NO_REPORT(unique_tid)

} // namespace footrace
