// RUN: %e2e %s
// What the headers of ThreadSanitizer declare is there, works, and orders what it should.
#include "e2e.h"
#include <errno.h>
#include <sanitizer/common_interface_defs.h>
#include <sanitizer/linux_syscall_hooks.h>
#include <sanitizer/tsan_interface.h>
#include <sanitizer/tsan_interface_atomic.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

void AnnotateIgnoreSyncBegin(const char* file, int line);
void AnnotateIgnoreSyncEnd(const char* file, int line);

static int ordered;
static __tsan_atomic32 flag;
static char bytes[16] __attribute__((aligned(8)));
static struct InvisibleGate gate;

static void* first(void* unused) {
  ordered = 1; // NORACE
  __tsan_atomic32_store(&flag, 1, __tsan_memory_order_release);
  __sanitizer_unaligned_store32(bytes + 5, 7); // RACE(a)
  invisible_signal(&gate);
  return NULL;
}
static void* second(void* unused) {
  while (!__tsan_atomic32_load(&flag, __tsan_memory_order_acquire)) {
  }
  KEEP(ordered); // NORACE
  invisible_wait(&gate, 1);
  KEEP(__sanitizer_unaligned_load16(bytes + 8)); // RACE(a)
  return NULL;
}

static void operations_compute(void) {
  static __tsan_atomic8 a8 = -16;
  static __tsan_atomic64 a64 = 5;
  static __tsan_atomic128 a128;
  const int order = __tsan_memory_order_seq_cst;
  require(__tsan_atomic8_fetch_nand(&a8, 0x3c, order) == -16 && a8 == -49, "nand");
  require(__tsan_atomic64_fetch_sub(&a64, 7, order) == 5 && a64 == (__tsan_atomic64)-2, "sub");
  __tsan_atomic128 big = (__tsan_atomic128)1 << 100, expected = 0;
  require(__tsan_atomic128_compare_exchange_strong(&a128, &expected, big, order, order), "cas succeeds");
  require(!__tsan_atomic128_compare_exchange_weak(&a128, &expected, 1, order, order), "cas fails");
  require(expected == big && __tsan_atomic128_load(&a128, order) == big, "cas tells");
  require(__tsan_atomic128_exchange(&a128, 3, order) == big &&
              __tsan_atomic128_fetch_add(&a128, 1, order) == 3,
          "128 bits");
  __tsan_atomic128_store(&a128, 9, order);
  require(__tsan_atomic128_compare_exchange_val(&a128, 9, 1, order, order) == 9 && a128 == 1, "val");
  __tsan_atomic_thread_fence(order);
  __tsan_atomic_signal_fence(order);
}

static void raw_system_calls(void) {
  int fd = dup(1);
  __sanitizer_syscall_pre_close(fd);
  long result = syscall(SYS_close, fd);
  __sanitizer_syscall_post_close(result, fd);
  require(result == 0, "close");
  __sanitizer_syscall_pre_fork();
  pid_t child = (pid_t)syscall(SYS_fork);
  __sanitizer_syscall_post_fork(child);
  if (!child) _exit(3);
  int status;
  require(waitpid(child, &status, 0) == child && WEXITSTATUS(status) == 3, "fork");
}

int main(void) {
  AnnotateIgnoreSyncBegin(__FILE__, __LINE__);
  AnnotateIgnoreSyncEnd(__FILE__, __LINE__);
  __tsan_flush_memory();
  __tsan_check_no_mutexes_held();
  require(__tsan_get_current_report() == NULL, "no report");
  require(__tsan_external_register_tag("thing") != NULL, "a tag");
  operations_compute();
  raw_system_calls();
  run_two(first, second);
}
