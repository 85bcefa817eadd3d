// One program of many commands, each with threads of its own: what one of them has started does not run beside the others.
#include <cstdlib>
#include <thread>

// Before its own threads; those that main has started, by calling something, have ended.
namespace before {
int prepared = 0;

void entry_ok() { (void)(prepared + 1); }
int command_ok() {
  prepared = 1;
  std::thread thread(entry_ok);
  thread.join();
  return 0;
}
} // namespace before

// One function starts the thread and another waits for it: it lives while their caller runs.
namespace apart {
struct Task {
  std::thread thread;
  int number = 0;
};
int in_task = 0;
int meanwhile = 0;
int left_running = 0;

void entry_bad() {
  in_task = 1;
  meanwhile = 1;
}
void start(Task* task) { task->thread = std::thread(entry_bad); }
void finish(Task* task) { task->thread.join(); }
int command_ok() {
  Task task;
  start(&task);
  finish(&task);
  return in_task;
}
int other_command_ok() { return in_task; }
static int look() { return meanwhile; }
int impatient_command() {
  Task task;
  start(&task);
  int seen = look();
  finish(&task);
  return seen;
}

// Nobody waits for this one.
void entry_left_running_bad() { left_running = 1; }
void start_and_leave(Task* task) { task->thread = std::thread(entry_left_running_bad); }
int leave() {
  start_and_leave(new Task);
  return 0;
}
int meets_it_ok() { return left_running; }
} // namespace apart

// A function that has threads and waits for them calls what it is given itself.
namespace fed {
int fed = 0, copied = 0;

void copy() { copied = 1; }
void run_and_feed(int (*feed)()) {
  std::thread thread(copy);
  while (feed()) {
  }
  thread.join();
}
int feed_ok() { return ++fed; }
int command() {
  run_and_feed(feed_ok);
  return fed;
}
int other_command_ok() { return fed; }
// Its thread calls it as well: it is kept where the thread finds it.
int fed_by_thread = 0;
int (*kept)() = nullptr;
int feed_kept_bad() { return ++fed_by_thread; }
void call_kept() { kept(); }
void run_kept(int (*feed)()) {
  kept = feed;
  std::thread thread(call_kept);
  feed();
  thread.join();
}
int keep() {
  run_kept(feed_kept_bad);
  return 0;
}
int watch_ok() { return fed_by_thread; }
} // namespace fed

// What the thread runs is stored by who has it started.
namespace stored {
struct Task {
  int (*run)() = nullptr;
  std::thread thread;
};
int filtered = 0, copied = 0;

int filter() { return ++filtered; }
int copy() { return ++copied; }
void entry_bad(Task* task) { task->run(); }
void start(Task* task) { task->thread = std::thread(entry_bad, task); }
void finish(Task* task) { task->thread.join(); }
int filtering_command() {
  Task task;
  task.run = filter;
  start(&task);
  finish(&task);
  return 0;
}
static int look() { return filtered + copied; }
int copying_command() {
  Task task;
  task.run = copy;
  start(&task);
  int seen = look();
  finish(&task);
  return seen;
}
} // namespace stored

// On the way to exit() nobody is compared with; a function that is never left for another reason runs beside the others.
namespace ends {
int messages = 0;
int rounds = 0;

[[noreturn]] void die() {
  ++messages;
  if (messages > 1) std::abort(); // nothing else in this block
  std::exit(1);
}
[[noreturn]] void serve_for_ever() {
  for (;;) ++rounds;
}
void entry_ok(int error) {
  if (error) die();
}
void server_bad() { serve_for_ever(); }
int command_ok() {
  std::thread thread(entry_ok, 0);
  std::thread(server_bad).detach();
  thread.detach();
  return messages;
}
int watch_ok() { return messages + rounds; }
} // namespace ends

void add_command(int (*command)()); // somewhere else

int main() {
  before::command_ok();
  add_command(before::command_ok);
  add_command(apart::command_ok);
  add_command(apart::other_command_ok);
  add_command(apart::impatient_command);
  add_command(apart::leave);
  add_command(apart::meets_it_ok);
  add_command(fed::command);
  add_command(fed::other_command_ok);
  add_command(fed::keep);
  add_command(fed::watch_ok);
  add_command(stored::filtering_command);
  add_command(stored::copying_command);
  add_command(ends::command_ok);
  add_command(ends::watch_ok);
}
