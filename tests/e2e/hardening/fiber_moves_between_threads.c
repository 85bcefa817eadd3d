// RUN: %e2e %s
// A fiber that is told about keeps its own order and its own stack when another thread takes it over; what two
// threads do outside of it is not ordered by that.
#include "e2e.h"
#include <sanitizer/tsan_interface.h>
#include <ucontext.h>

static ucontext_t fiber_context, thread_context[2];
static void *fiber, *thread_fiber[2];
static char stack[256 << 10] __attribute__((aligned(16)));
static struct InvisibleGate gate;
int of_fiber, of_creator, unordered;
static int turn; // of the fiber: the thread that runs it

// The switch is in the function that tells of it.
#define GIVE_BACK()                                                                                          \
  do {                                                                                                       \
    int runner = turn;                                                                                       \
    __tsan_switch_to_fiber(thread_fiber[runner], 0);                                                         \
    swapcontext(&fiber_context, &thread_context[runner]);                                                    \
  } while (0)

__attribute__((noinline)) static void deeper(int depth) {
  ++of_fiber; // NORACE
  if (depth) {
    deeper(depth - 1);
    ++of_fiber;
  } else {
    GIVE_BACK();
  }
  ++of_fiber;
}
static void body(void) {
  KEEP(of_creator); // NORACE
  deeper(20);
  ++of_fiber; // NORACE
  GIVE_BACK();
}

static void enter_fiber(int number) {
  thread_fiber[number] = __tsan_get_current_fiber();
  __tsan_switch_to_fiber(fiber, 0);
  turn = number;
  swapcontext(&thread_context[number], &fiber_context);
}
static void* first(void* unused) {
  enter_fiber(0);
  unordered = 1; // RACE
  invisible_signal(&gate);
  return NULL;
}
static void* second(void* unused) {
  invisible_wait(&gate, 1);
  enter_fiber(1);
  unordered = 2; // RACE
  return NULL;
}

int main(void) {
  of_creator = 1;
  fiber = __tsan_create_fiber(0);
  __tsan_set_fiber_name(fiber, "worker");
  getcontext(&fiber_context);
  fiber_context.uc_stack.ss_sp = stack;
  fiber_context.uc_stack.ss_size = sizeof stack;
  makecontext(&fiber_context, body, 0);
  run_two(first, second);
  __tsan_destroy_fiber(fiber);
  require(__tsan_create_fiber(0) == fiber, "fibers are used again");
}
