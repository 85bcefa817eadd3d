// A whole program around an event loop that is not seen: its handlers run while the threads of main do, whatever threads they
// start or end themselves.
#include <mutex>
#include <thread>

extern "C" void loop_call(void (*handler)(int));
extern "C" void loop_run();

std::thread worker, helper;
int verbose = 0, generation = 0, results = 0, restored = 0, ticks = 0;

void work() { results = verbose + generation + restored + ticks; }
void start_worker() { worker = std::thread(work); }
void stop_worker() {
  if (worker.joinable()) worker.join();
}

void help() {}
void start_helper() { helper = std::thread(help); }
void stop_helper() { helper.join(); }

// One command may start a thread, and one may end it: that says nothing about the threads of main.
void handle_commands_bad(int commands) {
  for (; commands > 0; commands /= 4) switch (commands % 4) {
    case 0:
      ++verbose;
      break;
    case 1:
      start_helper();
      break;
    case 2:
      stop_helper();
      break;
    }
}
// All threads have ended.
void handle_exit_ok(int) {
  stop_worker();
  results = 0;
}
void handle_restart_ok(int) {
  stop_worker();
  generation = 1;
  start_worker();
}

// Functions that are kept: they run when what keeps them calls them.
struct Hooks {
  void (*load)();
  void (*save)();
  void (*tick)();
};
Hooks hooks;
void register_hooks(void (*load)(), void (*save)()) {
  hooks.load = load;
  hooks.save = *save;
}
class KeepsTick {
public:
  explicit KeepsTick(void (*tick)()) { hooks.tick = tick; }
};

// Before the threads and after them.
void load_ok() { restored = 1; }
void save_ok() { restored = results; }
// In between.
void tick() { ++ticks; }

int main() {
  register_hooks(load_ok, save_ok);
  KeepsTick keeps(tick);
  loop_call(handle_commands_bad);
  loop_call(handle_exit_ok);
  loop_call(handle_restart_ok);
  hooks.load();
  worker = std::thread(work);
  hooks.tick();
  loop_run();
  stop_worker();
  hooks.save();
}
