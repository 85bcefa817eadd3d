// Who holds the semaphore releases it twice.
// VERDICT: pairs
#include <semaphore>
#include <thread>
int x;

std::counting_semaphore<8> s(1);
int main() {
  std::thread t([] {
    s.acquire();
    x++; // IMPRECISE
    s.release(2);
  });
  std::thread u([] {
    s.acquire();
    x++; // RACE
    s.release();
  });
  s.acquire();
  x++; // RACE
  s.release();
  t.join();
  u.join();
  return x;
}
