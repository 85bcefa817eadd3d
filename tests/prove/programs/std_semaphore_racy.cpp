// A semaphore that begins with one does not make anybody wait.
// VERDICT: pairs
#include <semaphore>
#include <thread>
int a;
std::binary_semaphore s(1);
int main() {
  std::thread t([&] {
    a = 1; // RACE
    s.release();
  });
  s.acquire();
  a = 2; // RACE
  t.join();
  return a;
}
