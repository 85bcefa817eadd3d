// Which entry of the vtable is called is not known: for all that is known it is the destructor.
// VERDICT: pairs
#include <thread>

struct Worker {
  int done = 0;
  virtual void run() {}
  virtual ~Worker() = default; // IMPRECISE
};

struct Eager : Worker {             // IMPRECISE
  void run() override { done = 1; } // RACE
};

int main() {
  Eager eager;
  Worker* worker = &eager;
  std::thread thread(&Worker::run, worker);
  int seen = worker->done; // RACE
  thread.join();
  return seen;
}
