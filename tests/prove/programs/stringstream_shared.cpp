// Other streams than the standard ones do not lock themselves.
// VERDICT: pairs
#include <sstream>
#include <thread>
int x;

int main() {
  std::ostringstream o;
  std::thread t([&] { o << 1; }); // RACE
  o << 2;                         // RACE
  t.join();
  return 0;
}
