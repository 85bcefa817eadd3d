// Every thread has a reference of its own, and the function that made the object has none in the end.
// VERDICT: race-free by local-thread
#include <memory>
#include <thread>
#include <vector>

struct Table {
  int numbers[4] = {1, 2, 3, 4};
};

int main() {
  std::vector<std::thread> threads;
  {
    std::shared_ptr<const Table> table = std::make_shared<Table>();
    for (int i = 0; i < 4; i++)
      threads.emplace_back([table, i] {
        volatile int number = table->numbers[i];
        (void)number;
      });
  }
  for (std::thread& thread : threads) thread.join();
}
