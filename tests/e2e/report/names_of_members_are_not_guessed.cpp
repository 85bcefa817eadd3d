// RUN: %e2e %s
// FLAGS: -gline-tables-only
// Without debug information about variables and types, reports name what the linker knows and invent nothing.
// EXPECT-TEXT: global 'account' of size 16 at 0x[0-9a-f]+ \(offset 8\)
// EXPECT-TEXT: heap block of size 16 at 0x[0-9a-f]+ \(offset 8\) allocated by
// REJECT-TEXT: Location is .*(account\.|Account)
#include "e2e.h"

struct Account {
  long id, balance;
};
Account account;
static Account* on_heap;

static void* body(void*) {
  account.balance++;  // RACE
  on_heap->balance++; // RACE
  return nullptr;
}

int main() {
  on_heap = new Account;
  run_two(body, body);
  delete on_heap;
}
