// Every check of this program is needed where it is: whichever is dropped, moved past synchronisation, widened or weakened, the placement
// is no longer precise. Each function runs once in each of two threads; no byte is accessed twice in one span, and the byte behind each
// access never is.
#include <pthread.h>

struct Item {
  unsigned first, unused_1, second, unused_2;
};
unsigned scalars[8];
struct Item items[4];
unsigned char bytes[64];
unsigned long wide[16];
pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

__attribute__((noinline)) unsigned before_and_inside(unsigned* a, struct Item* item) {
  a[0] = 1;
  pthread_mutex_lock(&lock);
  item->first = 2;
  unsigned sum = item->second;
  pthread_mutex_unlock(&lock);
  a[2] = sum;
  return sum;
}

__attribute__((noinline)) unsigned long two_sections(unsigned char* b, unsigned long* w) {
  pthread_mutex_lock(&lock);
  b[0] = 1;
  pthread_mutex_unlock(&lock);
  pthread_mutex_lock(&lock);
  unsigned long sum = w[0];
  pthread_mutex_unlock(&lock);
  pthread_mutex_lock(&lock);
  w[2] = sum + 1;
  pthread_mutex_unlock(&lock);
  return sum;
}

__attribute__((noinline)) void loops(unsigned char* b, long n, long step) {
  pthread_mutex_lock(&lock);
#pragma clang loop vectorize(disable) unroll(disable) // no version of the loop that does not run
  for (long i = 0; i < n; i++) b[i] = (unsigned char)i;
  pthread_mutex_unlock(&lock);
  pthread_mutex_lock(&lock);
#pragma clang loop vectorize(disable) unroll(disable)
  for (long i = 0; i < n; i += step) b[32 + i] = 4;
  pthread_mutex_unlock(&lock);
}

// Checked through one of them.
static unsigned low __attribute__((aligned(64))), high __attribute__((aligned(64)));
__attribute__((noinline)) unsigned together(unsigned value) {
  pthread_mutex_lock(&lock);
  low = value;
  high = value;
  pthread_mutex_unlock(&lock);
  pthread_mutex_lock(&lock);
  unsigned sum = low + high;
  pthread_mutex_unlock(&lock);
  return sum;
}

struct Part {
  unsigned* a;
  void* unused_1;
  struct Item* item;
  void* unused_2;
  unsigned char* b;
  void* unused_3;
  unsigned long* w;
  void* unused_4;
};
static void* run(void* raw) {
  struct Part* part = raw;
  unsigned long sum = before_and_inside(part->a, part->item);
  sum += two_sections(part->b, part->w);
  sum += together((unsigned)sum + 1);
  loops(part->b, 8 + (long)(sum & 0), 3);
  return 0;
}

int main(void) {
  static struct Part parts[2];
  pthread_t thread;
  for (int i = 0; i < 2; i++) {
    parts[i].a = scalars + 4 * i;
    parts[i].item = &items[2 * i];
    parts[i].b = bytes + 16 * i;
    parts[i].w = wide + 8 * i;
  }
  pthread_create(&thread, 0, run, &parts[1]);
  run(&parts[0]);
  pthread_join(thread, 0);
  return 0;
}
