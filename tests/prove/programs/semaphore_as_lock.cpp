// A semaphore that begins with one, and is released by who acquired it, is a lock.
// VERDICT: race-free
#include <semaphore>
#include <thread>
int a;
std::binary_semaphore s(1);
int main() {
  std::thread t([&] {
    s.acquire();
    a++;
    s.release();
  });
  s.acquire();
  a = 2;
  s.release();
  t.join();
  return a;
}
