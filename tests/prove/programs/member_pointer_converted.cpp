// The conversion adds to `this` only when it runs.
// VERDICT: pairs
#include <thread>

struct Name {
  long letters[2] = {};
};

struct Worker {
  int done = 0;
  void run() { done = 1; } // RACE
};

struct Named : Name, Worker {};

void start(Named& named, void (Worker::*function)()) {
  void (Named::*converted)() = function;
  std::thread thread(converted, &named);
  int seen = named.done; // RACE
  thread.join();
  if (seen) start(named, function);
}

int main() {
  Named named;
  start(named, &Worker::run);
}
