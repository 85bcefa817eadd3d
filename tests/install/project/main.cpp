#include <thread>

void count();

int main() {
  std::thread a(count), b(count);
  a.join();
  b.join();
  return 0;
}
