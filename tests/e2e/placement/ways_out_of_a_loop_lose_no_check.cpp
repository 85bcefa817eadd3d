// RUN: %e2e %s
// What a loop has accessed is checked whichever way it is left: by an exception, a return, a goto, a callee that never comes back, a destructor.
#include "e2e.h"

#include <stdexcept>
#include <vector>

constexpr int count = 60;
int thrown[count], returned[count], jumped[count], cleaned[count], rethrown[count], ended[count];

namespace {

InvisibleGate gate;

struct Cleaner {
  int* place;
  ~Cleaner() { *place = 1; } // RACE(clean)
};

__attribute__((noinline)) void maybe_throw(int i, int when) {
  if (i == when) throw std::runtime_error("in the middle");
}

__attribute__((noinline)) void leave_by_throw() {
  for (int i = 0; i < count; ++i) {
    thrown[i] = i; // RACE(throw)
    maybe_throw(i, 30);
  }
}

__attribute__((noinline)) int leave_by_return(const std::vector<int>& values) {
  for (int value : values) {
    returned[value] = value; // RACE(return)
    if (value == 20) return value;
  }
  return -1;
}

__attribute__((noinline)) void leave_by_goto() {
  for (int i = 0; i < 10; ++i)
    for (int j = 0; j < 6; ++j) {
      jumped[i * 6 + j] = 1; // RACE(goto)
      if (i == 4 && j == 3) goto out;
    }
out:;
}

__attribute__((noinline)) void leave_with_cleanup() {
  for (int i = 0; i < count; ++i) {
    Cleaner cleaner{&cleaned[i]};
    maybe_throw(i, 10);
  }
}

__attribute__((noinline)) void leave_again() {
  for (int i = 0; i < count; ++i) {
    try {
      rethrown[i] = 1; // RACE(rethrow)
      maybe_throw(i, 40);
    } catch (const std::logic_error&) {
      rethrown[0] = 2;
    } catch (...) {
      throw;
    }
  }
}

__attribute__((noinline)) void leave_thread(int i) {
  if (i == 50) pthread_exit(nullptr);
}

template <class F> void catching(F f) {
  try {
    f();
  } catch (const std::exception&) {
  }
}

void* walker(void*) {
  std::vector<int> values;
  for (int i = 0; i < count; ++i) values.push_back(i);
  catching(leave_by_throw);
  leave_by_return(values);
  leave_by_goto();
  catching(leave_with_cleanup);
  catching(leave_again);
  struct Signal {
    ~Signal() { invisible_signal(&gate); }
  } signal;
  for (int i = 0; i < count; ++i) {
    ended[i] = 1; // RACE(end)
    leave_thread(i);
  }
  return nullptr;
}

void* visitor(void*) {
  invisible_wait(&gate, 1);
  thrown[31] = 1;
  thrown[30] = 1; // RACE(throw)
  returned[21] = 1;
  returned[20] = 1; // RACE(return)
  jumped[28] = 1;
  jumped[27] = 1; // RACE(goto)
  cleaned[11] = 1;
  cleaned[10] = 1; // RACE(clean)
  rethrown[41] = 1;
  rethrown[40] = 1; // RACE(rethrow)
  ended[51] = 1;
  ended[50] = 1; // RACE(end)
  return nullptr;
}

} // namespace

int main() { run_two(walker, visitor); }
