// A semaphore that begins with two lets both in.
// VERDICT: pairs
#include <semaphore>
#include <thread>
int a;
std::counting_semaphore<4> s(2);
int main() {
  std::thread t([&] {
    s.acquire();
    a++; // RACE
    s.release();
  });
  s.acquire();
  a = 2; // RACE
  s.release();
  t.join();
  return a;
}
