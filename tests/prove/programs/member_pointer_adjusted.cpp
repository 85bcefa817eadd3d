// The pointer to a member of a second base adds to `this`: run writes what is_done reads.
// VERDICT: pairs
#include <mutex>
#include <thread>

struct Name {
  long letters[2] = {};
};

struct Worker {
  int done = 0;
  void run() { done = 1; } // RACE
};

struct Named : Name, Worker {};

int main() {
  Named named;
  void (Named::*run)() = &Named::run;
  std::thread thread(run, &named);
  int seen = named.done; // RACE
  thread.join();
  return seen;
}
