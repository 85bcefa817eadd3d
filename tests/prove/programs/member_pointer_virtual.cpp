// Which entry of the vtable is called is not known; that it is the destructor, which frees, cannot be: the object is a variable.
// VERDICT: pairs
#include <thread>

struct Worker {
  int done = 0;
  virtual void run() {}
  virtual ~Worker() = default;
};

struct Eager : Worker {
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
