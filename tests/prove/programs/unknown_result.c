// Unknown code can name every variable with external linkage.
// VERDICT: pairs
#include <pthread.h>
int visible;
static int hidden;
int* get(void);
static void* write_both(void* arg) {
  visible = 1; // RACE
  hidden = 1;
  return 0;
}
int main(void) {
  pthread_t one;
  pthread_create(&one, 0, write_both, 0);
  return *get(); // RACE
}
