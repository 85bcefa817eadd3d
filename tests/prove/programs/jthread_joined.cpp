// The destructor of std::jthread joins.
// VERDICT: race-free by may-happen-in-parallel
#include <thread>
static int data;
int main() {
  {
    std::jthread t([] { data = 1; });
  }
  data = 2;
}
