// Who drops the last reference destroys the object, after what the others did with it.
// VERDICT: race-free by ordering
#include <memory>
#include <mutex>
#include <thread>

struct Shared {
  std::mutex lock;
  int sum = 0;
  const int first = 3;
};

static int read_first(const Shared& shared) { return shared.first; }

int main() {
  auto shared = std::make_shared<Shared>();
  std::thread thread([shared] {
    std::lock_guard<std::mutex> guard(shared->lock);
    shared->sum += shared->first;
  });
  int first = read_first(*shared);
  shared.reset();
  thread.join();
  return first;
}
