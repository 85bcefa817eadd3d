// Two threads get each number.
// VERDICT: pairs
#include <thread>

int main() {
  static int out[4];
  std::thread first[4], second[4];
  for (int i = 0; i < 4; i++) {
    auto work = [i] { out[i] += i; }; // RACE
    first[i] = std::thread(work);
    second[i] = std::thread(work);
  }
  for (int i = 0; i < 4; i++) {
    first[i].join();
    second[i].join();
  }
}
