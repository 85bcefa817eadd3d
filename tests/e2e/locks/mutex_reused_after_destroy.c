// RUN: %e2e %s
// Mutexes that live in reused heap memory do not carry order, or confusion, from the previous mutex there.
#include "e2e.h"

struct Account {
  pthread_mutex_t mutex;
  int balance;
};

static void* body(void* argument) {
  struct Account* account = (struct Account*)argument;
  pthread_mutex_lock(&account->mutex);
  ++account->balance; // NORACE
  pthread_mutex_unlock(&account->mutex);
  return NULL;
}

int main(void) {
  for (int i = 0; i < 50; ++i) {
    struct Account* account = (struct Account*)malloc(sizeof *account);
    pthread_mutex_init(&account->mutex, NULL);
    account->balance = 0; // NORACE
    pthread_t one = start(body, account), two = start(body, account);
    join(one);
    join(two);
    require(account->balance == 2, "both ran"); // NORACE
    pthread_mutex_destroy(&account->mutex);
    free(account);
  }
}
