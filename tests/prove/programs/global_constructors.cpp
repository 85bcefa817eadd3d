// A constructor of a global variable runs before main, its destructor after; neither runs beside the thread.
// VERDICT: race-free by may-happen-in-parallel
#include <pthread.h>

struct Holder {
  int* pointer;
  Holder() : pointer(new int(1)) {}
  ~Holder() { delete pointer; }
};
Holder holder;

static void* body(void*) {
  ++*holder.pointer;
  return nullptr;
}

int main() {
  pthread_t thread;
  pthread_create(&thread, nullptr, body, nullptr);
  pthread_join(thread, nullptr);
  return 0;
}
