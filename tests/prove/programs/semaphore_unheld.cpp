// Who does not hold the semaphore releases it.
// VERDICT: pairs
#include <semaphore>
#include <thread>
int x;

std::binary_semaphore s(1);
int main() {
  std::thread t([] {
    s.release();
    s.acquire();
    x++; // RACE
    s.release();
  });
  s.acquire();
  x++; // RACE
  s.release();
  t.join();
  return x;
}
