// Every thread has its own number in its closure, and writes the element of that number.
// VERDICT: race-free by local-thread
#include <thread>
#include <vector>

static void square(std::vector<int>& out, int number) { out[number] = number * number; }

int main() {
  std::vector<int> out(8), other(8);
  int plain[8] = {};
  int* first = plain;
  std::vector<std::thread> threads;
  for (int i = 0; i < 8; i++)
    threads.emplace_back([&out, &other, first, i] {
      out[i] = i;
      first[i] = out[i];
      square(other, i);
    });
  for (std::thread& thread : threads) thread.join();
  return out[2] + other[3] + plain[4];
}
