// Several threads of one function that are told who they are: what only one of them does.
#include <pthread.h>
#include <thread>
#include <vector>

int leaders = 0, negated = 0, chosen = 0, rest = 0, everybody = 0, before = 0, named = 0, captured = 0,
    told = 0;
int final = 0, either = 0, state_count = 0, other_value = 0;

void numbered_bad(int number, int last) {
  if (number == 0) ++leaders;
  if (number) rest = 1; // all but one
  if (!number) negated = number;
  switch (number) {
  case 3:
    ++chosen;
    break;
  default:
    break;
  }
  if (number == last - 1) final = last;
  ++everybody;
}
void helper_ok(int number) {
  if (number != 0) return;
  ++before;
}
void through_a_call_ok(int number) { helper_ok(number); }

struct Task {
  int number;
  bool first;
  int* sum;
};
void* by_task_ok(void* argument) {
  Task* task = static_cast<Task*>(argument);
  const int me = task->number;
  if (me == 0) named = 1;
  if (task->first) told = 1;
  return nullptr;
}

// Two values are two threads; one side of a test is not the other.
void both_sides_bad(bool first) {
  if (first)
    either = 1;
  else
    either = 2;
}
void two_values_bad(int number) {
  if (number == 1) other_value = 1;
  if (number == 2) other_value = 2;
}

// A state that all share says nothing of who looks at it.
struct State {
  int is_made = 0;
};
void make_bad(State* state) {
  if (state->is_made == 0) {
    state->is_made = 1;
    ++state_count;
  }
}

// A test of what the caller computed says nothing of who it is.
int failures, checks;
void check(bool passed) {
  if (!passed) ++failures;
}
void checks_bad(int* result) { check(*result == 1); }
void check_ok(bool first) {
  if (first) ++checks;
}
void checks_ok(int number) { check_ok(number == 0); }

int main() {
  std::vector<std::thread> threads;
  static State state;
  Task tasks[4] = {};
  pthread_t handles[4];
  for (int i = 0; i < 4; ++i) {
    threads.emplace_back(numbered_bad, i, 4);
    threads.emplace_back(through_a_call_ok, i);
    threads.emplace_back([i] {
      if (i == 2) captured = i;
    });
    threads.emplace_back(both_sides_bad, i == 0);
    threads.emplace_back(two_values_bad, i);
    threads.emplace_back(make_bad, &state);
    threads.emplace_back(checks_bad, &tasks[i].number);
    threads.emplace_back(checks_ok, i);
    tasks[i].number = i;
    pthread_create(&handles[i], nullptr, by_task_ok, &tasks[i]);
  }
  for (std::thread& thread : threads) thread.join();
  for (pthread_t handle : handles) pthread_join(handle, nullptr);
}
