// rand() writes static data of the library, and need not lock it; the result of localtime() is such data.
// VERDICT: pairs
#include <pthread.h>
#include <stdlib.h>
#include <time.h>

time_t now;
struct tm* parts;

static void* worker(void* argument) {
  srand(1);                           // RACE
  return (void*)(long)parts->tm_hour; // RACE
}

int main(void) {
  pthread_t thread;
  parts = localtime(&now);
  pthread_create(&thread, NULL, worker, NULL);
  localtime(&now); // RACE
  return rand();   // RACE
}
