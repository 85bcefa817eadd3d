// What freestanding code asks of the kernel: raw system calls, memory, spin locks. Never touches libc or
// errno.
#pragma once

#include "base/types.h"

namespace footrace {

// Raw system call; returns -errno on failure.
i64 sys(i64 number, u64 a = 0, u64 b = 0, u64 c = 0, u64 d = 0, u64 e = 0, u64 f = 0);

// Reserves or maps zeroed memory (MAP_NORESERVE). `at` != 0 asks for exactly that address. Returns 0 on
// failure.
uptr map_memory(uptr size, uptr at = 0);
void unmap_memory(uptr address, uptr size);
// Gives the pages inside [address, address+size) back to the kernel; they read as zero afterwards.
void discard_pages(uptr address, uptr size);
// Writes all of it to a descriptor, retrying; returns false on error.
bool write_all(int fd, const char* data, u64 size);
// The program may close its standard output or error and open something else under the number, which is no place for messages. So what lies behind the
// numbers is remembered at the start, and whenever the program puts something there on purpose (dup2 and its kin, freopen).
void remember_standard_streams();
void remember_standard_stream(int fd); // ignores other descriptors
bool is_standard_stream(int fd);       // 1 or 2: still what was remembered
// To standard error if it is one; false if not, or on an error.
bool write_error(const char* data, u64 size);
void yield_cpu();
i64 now_ms(); // of a clock that only goes forward
// A full fence on every running thread of the process, so that the other side of the handshake needs none.
// start: call once; false if the kernel cannot do it.
bool remote_fence_start();
void remote_fence();
int current_os_thread();
u64 resident_bytes(); // of this process; 0 if unknown

void copy_bytes(void* to, const void* from, u64 size);
void fill_bytes(void* to, u8 value, u64 size);
int compare_bytes(const void* a, const void* b, u64 size);
u64 length_of(const char* text);

// Prints "footrace: fatal: ..." and ends the process with exit code 1.
[[noreturn]] void panic(const char* what, const char* file, int line);
#define FR_CHECK(condition)                                                                                  \
  do {                                                                                                       \
    if (FR_UNLIKELY(!(condition))) ::footrace::panic(#condition, __FILE__, __LINE__);                        \
  } while (0)

// Spins, then yields. Constant-initialised to unlocked (zero).
class SpinLock {
public:
  void lock() {
    if (FR_LIKELY(!__atomic_exchange_n(&word_, 1, __ATOMIC_ACQUIRE))) return;
    lock_slow();
  }
  bool try_lock() { return !__atomic_exchange_n(&word_, 1, __ATOMIC_ACQUIRE); }
  void unlock() { __atomic_store_n(&word_, 0, __ATOMIC_RELEASE); }

private:
  void lock_slow();
  u32 word_ = 0;
};

// A spin lock that counts: who reads what it protects without taking it knows by the version whether somebody has held it meanwhile.
class VersionedLock {
public:
  void lock() {
    u32 version = __atomic_load_n(&version_, __ATOMIC_RELAXED);
    if (FR_LIKELY(!is_held(version) && take(version))) return;
    lock_slow();
  }
  bool try_lock() {
    const u32 version = __atomic_load_n(&version_, __ATOMIC_RELAXED);
    return !is_held(version) && take(version);
  }
  void unlock() { __atomic_store_n(&version_, version_ + 1, __ATOMIC_RELEASE); }
  u32 version() const { return __atomic_load_n(&version_, __ATOMIC_ACQUIRE); }
  static bool is_held(u32 version) { return version & 1; }

private:
  bool take(u32 version) {
    return __atomic_compare_exchange_n(&version_, &version, version + 1, false, __ATOMIC_ACQUIRE,
                                       __ATOMIC_RELAXED);
  }
  void lock_slow();
  u32 version_ = 0;
};

class SpinGuard {
public:
  explicit SpinGuard(SpinLock& lock) : lock_(lock) { lock_.lock(); }
  ~SpinGuard() { lock_.unlock(); }
  SpinGuard(const SpinGuard&) = delete;

private:
  SpinLock& lock_;
};

// A line of the cache that is going to be changed: asked for at once as its owner, and not for reading first. A processor that does not know the instruction
// does nothing.
FR_INLINE void fetch_to_change(const void* p) {
#if defined(__x86_64__)
  asm volatile("prefetchw %0" : : "m"(*static_cast<const char*>(p)));
#else
  __builtin_prefetch(p, 1);
#endif
}

// Waits a little for another thread: spins at first, then gives way.
FR_INLINE void pause_for(u32& spins) {
  if (++spins < 50)
    __builtin_ia32_pause();
  else
    yield_cpu();
}

} // namespace footrace
