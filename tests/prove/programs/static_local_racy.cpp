// A static local variable that is changed after its initialisation.
// VERDICT: pairs
#include <pthread.h>
int choose();
int choose() { return 3; }
static int& level() {
  static int made = choose();
  return made;
}
static void* use(void*) {
  level()++; // RACE
  return nullptr;
}
int main() {
  pthread_t one, two;
  pthread_create(&one, nullptr, use, nullptr);
  pthread_create(&two, nullptr, use, nullptr);
  return 0;
}
