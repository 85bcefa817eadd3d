// Processes: the child of fork() has one thread, until it starts others.
#include <pthread.h>
#include <sys/types.h>
#include <thread>
#include <unistd.h>

int generation = 0, prepared = 0, in_parent = 0, children = 0, errors = 0, later = 0, parents = 0,
    started = 0;

void prepare_bad() { ++prepared; } // whoever forks does it
void parent_bad() { ++in_parent; }
void child_ok() { generation = 0; }
void register_handlers() { pthread_atfork(prepare_bad, parent_bad, child_ok); }

void work() { generation += prepared + in_parent + children + errors + later + parents + started; }

void run_child_ok() {
  if (fork() == 0) {
    children = 1;
    _exit(0);
  }
}
void run_child_of_variable_ok() {
  pid_t pid;
  pid = fork();
  if (pid < 0) return;
  if (!pid) children = 2;
}
void run_child_of_assignment_ok() {
  pid_t pid = -1;
  if ((pid = fork()) != 0) return;
  children = pid;
}
void run_child_of_switch_ok() {
  switch (fork()) {
  case -1:
    return;
  case 0:
    children = 3;
    _exit(0);
  default:
    break;
  }
}

// The parent goes on beside its threads.
void run_parent_bad() {
  const pid_t pid = fork();
  if (pid == 0) _exit(0);
  parents = pid;
}
// It is an error, not the child.
void fail_bad() {
  if (fork() == -1) errors = 1;
}
// Both go on.
void go_on_bad() {
  if (fork() == 0) children = 4;
  later = 1;
}
// The child has threads of its own.
void start_in_child_bad() {
  if (fork() != 0) return;
  std::thread thread(work);
  started = 1;
  thread.join();
}

extern "C" void loop_call(void (*command)());

int main() {
  register_handlers();
  std::thread thread(work);
  loop_call(run_child_ok);
  loop_call(run_child_of_variable_ok);
  loop_call(run_child_of_assignment_ok);
  loop_call(run_child_of_switch_ok);
  loop_call(run_parent_bad);
  loop_call(fail_bad);
  loop_call(go_on_bad);
  loop_call(start_in_child_bad);
  thread.join();
}
