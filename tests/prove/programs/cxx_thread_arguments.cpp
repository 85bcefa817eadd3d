// What a std::thread is given lives in its state, which the creator has given away: nobody deletes it while the thread reads.
// VERDICT: race-free by may-happen-in-parallel
#include <thread>

int shared;

static void work(int* to, int value) { *to = value; }

int main() {
  std::thread other(work, &shared, 5);
  other.join();
  return shared;
}
