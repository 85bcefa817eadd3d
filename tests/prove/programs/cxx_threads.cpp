// std::thread finds its entry through the vtable of its state; lock guards release what they took.
// VERDICT: race-free by global-lock
#include <mutex>
#include <thread>

std::mutex lock;
int shared;

int main() {
  std::thread other([] {
    std::lock_guard<std::mutex> guard(lock);
    shared++;
  });
  {
    std::unique_lock<std::mutex> guard(lock);
    shared++;
  }
  other.join();
  return shared;
}
