// RUN: %e2e %s
// Reports say which member of which variable was accessed, of what type a block on the heap is, and which variable lies on a stack; locks have names, too.
// EXPECT-TEXT: global 'account\.balance' in 'account' of size 88 at 0x[0-9a-f]+ \(offset 40\)
// EXPECT-TEXT: global 'accounts\[2\]\.inner\.name\[3\]' in 'accounts'
// EXPECT-TEXT: global 'plain' of size 4
// EXPECT-TEXT: global 'choice\.value' in 'choice'
// EXPECT-TEXT: \(offset 40: Account\.balance\) allocated by
// EXPECT-TEXT: \(offset 128: Account\[1\]\.balance\) allocated by
// EXPECT-TEXT: \(offset 32: Counted\[1\]\.count\) allocated by
// EXPECT-TEXT: \(offset 4: Pair\.second\) allocated by
// EXPECT-TEXT: : Shared\.count\) allocated by
// EXPECT-TEXT: variable 'on_stack\.balance' on the stack of main thread, at 0x[0-9a-f]+, declared at .*names_of_members\.cpp
// EXPECT-TEXT: holding mutex M[0-9]+ 'account\.mutex'
// EXPECT-TEXT: holding mutex M[0-9]+ 'Account\.mutex'
// REJECT-TEXT: global .choice\.value\.
#include "e2e.h"
#include <memory>
#include <mutex>
#include <vector>

struct Account {
  char name[40];
  long balance;
  std::mutex mutex;
};
struct Pair {
  int first, second;
};
struct Shared {
  long id, count;
};
struct Counted { // its arrays begin with the number of elements
  long id, count;
  ~Counted() { KEEP(id); }
};
struct Nested {
  int number;
  Account inner;
};
struct Choice {
  int kind;
  union {
    int number;
    float real;
  } value; // one byte has several members: the report stops here
};

Account account;
Nested accounts[3];
int plain;
Choice choice;
static Account *on_heap, *elements, *of_main;
static Counted* counted;
static Pair* by_malloc;
static std::shared_ptr<Shared> shared;
static InvisibleGate gate;

static void access_all() {
  account.balance++;             // RACE
  accounts[2].inner.name[3] = 1; // RACE
  plain++;                       // RACE
  choice.value.number++;         // RACE
  on_heap->balance++;            // RACE
  elements[1].balance++;         // RACE
  counted[1].count++;            // RACE
  by_malloc->second++;           // RACE
  shared->count++;               // RACE
  of_main->balance++;            // RACE
}

static void* with_locks(void*) {
  std::lock_guard one(account.mutex);
  std::lock_guard two(on_heap->mutex);
  access_all();
  invisible_signal(&gate);
  return nullptr;
}

static void* without_locks(void*) {
  invisible_wait(&gate, 1);
  access_all();
  return nullptr;
}

int main() {
  Account on_stack;
  on_heap = new Account;
  elements = new Account[3];
  counted = new Counted[2];
  by_malloc = (Pair*)malloc(sizeof(Pair));
  shared = std::make_shared<Shared>();
  of_main = &on_stack;
  run_two(with_locks, without_locks);
  free(by_malloc);
  delete[] counted;
  delete[] elements;
  delete on_heap;
}
