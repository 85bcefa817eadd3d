// A std::binary_semaphore that begins with zero hands the data over.
// VERDICT: race-free
#include <semaphore>
#include <thread>
int a;
std::binary_semaphore s(0);
int main() {
  std::thread t([&] {
    a = 1;
    s.release();
  });
  s.acquire();
  a = 2;
  t.join();
  return a;
}
