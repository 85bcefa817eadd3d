// In C, because there a clean-up needs only libgcc's personality routine: C programs have no other.
#include "runtime/interceptors/call_then.h"

struct Ending {
  void (*then)(void*);
  void* argument;
};

static __attribute__((nothrow)) void end(struct Ending* ending) { ending->then(ending->argument); }

void footrace_call_then(void (*routine)(void), void (*then)(void*), void* argument) {
  __attribute__((cleanup(end))) struct Ending ending = {then, argument};
  routine();
  (void)ending;
}
