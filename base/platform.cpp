#include "base/platform.h"

#include <fcntl.h>
#include <linux/membarrier.h>
#include <linux/mman.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <time.h>

namespace footrace {

i64 sys(i64 number, u64 a, u64 b, u64 c, u64 d, u64 e, u64 f) {
  i64 result;
  register u64 r10 asm("r10") = d;
  register u64 r8 asm("r8") = e;
  register u64 r9 asm("r9") = f;
  asm volatile("syscall"
               : "=a"(result)
               : "a"(number), "D"(a), "S"(b), "d"(c), "r"(r10), "r"(r8), "r"(r9)
               : "rcx", "r11", "memory");
  return result;
}

uptr map_memory(uptr size, uptr at) {
  u64 flags = MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE;
  if (at) flags |= MAP_FIXED_NOREPLACE;
  i64 result = sys(SYS_mmap, at, size, PROT_READ | PROT_WRITE, flags, ~0ull, 0);
  if (result < 0 && result > -4096) return 0;
  if (at && uptr(result) != at) { // kernels before 4.17 take the address as a hint
    unmap_memory(uptr(result), size);
    return 0;
  }
  return uptr(result);
}

void unmap_memory(uptr address, uptr size) { sys(SYS_munmap, address, size); }

void discard_pages(uptr address, uptr size) {
  uptr begin = round_up(address, 4096), end = round_down(address + size, 4096);
  if (begin < end) sys(SYS_madvise, begin, end - begin, MADV_DONTNEED);
}

bool write_all(int fd, const char* data, u64 size) {
  while (size) {
    i64 n = sys(SYS_write, u64(fd), u64(data), size);
    if (n == -4) continue; // EINTR
    if (n <= 0) return false;
    data += n;
    size -= u64(n);
  }
  return true;
}

namespace {
struct Stream {
  enum class State : u8 { Unknown, Closed, Open } state;
  u64 device, inode;
};
Stream g_streams[3]; // by descriptor

Stream stream_behind(int fd) {
  struct stat info = {};
  if (sys(SYS_fstat, u64(fd), u64(&info)) < 0) return {Stream::State::Closed, 0, 0};
  return {Stream::State::Open, info.st_dev, info.st_ino};
}
} // namespace

void remember_standard_stream(int fd) {
  if (fd == 1 || fd == 2) g_streams[fd] = stream_behind(fd);
}
void remember_standard_streams() {
  remember_standard_stream(1);
  remember_standard_stream(2);
}
bool is_standard_stream(int fd) {
  const Stream& then = g_streams[fd];
  const Stream now = stream_behind(fd);
  if (then.state == Stream::State::Unknown) return true; // the runtime has not yet begun
  return now.state == Stream::State::Open && then.state == Stream::State::Open && now.device == then.device &&
         now.inode == then.inode;
}
bool write_error(const char* data, u64 size) { return is_standard_stream(2) && write_all(2, data, size); }

bool remote_fence_start() { return sys(SYS_membarrier, MEMBARRIER_CMD_REGISTER_PRIVATE_EXPEDITED) >= 0; }
void remote_fence() {
  __atomic_thread_fence(__ATOMIC_SEQ_CST);
  sys(SYS_membarrier, MEMBARRIER_CMD_PRIVATE_EXPEDITED);
}

i64 now_ms() {
  timespec now = {};
  sys(SYS_clock_gettime, CLOCK_MONOTONIC, u64(&now));
  return now.tv_sec * 1000 + now.tv_nsec / 1'000'000;
}
void yield_cpu() { sys(SYS_sched_yield); }
int current_os_thread() { return int(sys(SYS_gettid)); }

u64 resident_bytes() {
  i64 file = sys(SYS_openat, u64(AT_FDCWD), u64("/proc/self/statm"), O_RDONLY | O_CLOEXEC);
  if (file < 0) return 0;
  char text[64];
  i64 size = sys(SYS_read, u64(file), u64(text), sizeof text);
  sys(SYS_close, u64(file));
  // "total resident ...", in pages
  u64 pages = 0;
  i64 i = 0;
  while (i < size && text[i] != ' ') ++i;
  for (++i; i < size && text[i] >= '0' && text[i] <= '9'; ++i) pages = pages * 10 + u64(text[i] - '0');
  return pages * 4096;
}

void copy_bytes(void* to, const void* from, u64 size) {
  asm volatile("rep movsb" : "+D"(to), "+S"(from), "+c"(size) : : "memory");
}
void fill_bytes(void* to, u8 value, u64 size) {
  asm volatile("rep stosb" : "+D"(to), "+c"(size) : "a"(value) : "memory");
}
int compare_bytes(const void* a, const void* b, u64 size) {
  const u8 *x = static_cast<const u8*>(a), *y = static_cast<const u8*>(b);
  for (u64 i = 0; i < size; ++i)
    if (x[i] != y[i]) return x[i] < y[i] ? -1 : 1;
  return 0;
}
u64 length_of(const char* text) {
  u64 n = 0;
  while (text[n]) {
    ++n;
    asm volatile("" : "+r"(n)); // keep the compiler from turning this into a call to strlen
  }
  return n;
}

namespace {
char* append(char* out, char* end, const char* text) {
  while (*text && out < end) *out++ = *text++;
  return out;
}
} // namespace

void panic(const char* what, const char* file, int line) {
  char buffer[512], digits[12];
  char *out = buffer, *end = buffer + sizeof buffer - 2;
  out = append(out, end, "footrace: fatal: internal check failed: ");
  out = append(out, end, what);
  out = append(out, end, " at ");
  out = append(out, end, file);
  out = append(out, end, ":");
  char* d = digits + sizeof digits - 1;
  *d = 0;
  do *--d = char('0' + line % 10);
  while (line /= 10);
  out = append(out, end, d);
  *out++ = '\n';
  write_error(buffer, u64(out - buffer));
  sys(SYS_exit_group, 1);
  __builtin_trap();
}

void VersionedLock::lock_slow() {
  for (u32 spins = 0;; pause_for(spins)) {
    u32 version = __atomic_load_n(&version_, __ATOMIC_RELAXED);
    if (!is_held(version) && take(version)) return;
  }
}

void SpinLock::lock_slow() {
  for (u32 spins = 0;; pause_for(spins))
    if (!__atomic_load_n(&word_, __ATOMIC_RELAXED) && try_lock()) return;
}

} // namespace footrace
