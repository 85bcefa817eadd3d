// The thread is joined when the variable goes out of scope, not before.
// VERDICT: pairs
#include <thread>
static int data;
int main() {
  std::jthread t([] { data = 1; }); // RACE
  data = 2;                         // RACE
}
