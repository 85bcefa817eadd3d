// The guard of a static local variable orders its initialisation before every use.
// VERDICT: race-free by global-lock
#include <pthread.h>
struct Settings {
  int level;
  explicit Settings(int l) : level(l) {}
};
int choose();
int choose() { return 3; }
static const Settings& settings() {
  static Settings made(choose());
  return made;
}
static void* use(void*) { return reinterpret_cast<void*>(static_cast<long>(settings().level)); }
int main() {
  pthread_t one, two;
  pthread_create(&one, nullptr, use, nullptr);
  pthread_create(&two, nullptr, use, nullptr);
  return settings().level;
}
