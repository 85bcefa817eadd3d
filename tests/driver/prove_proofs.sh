#!/bin/sh
# Proofs on their way into the compiler (--proofs, --use-proofs), and runs that confirm pairs (--confirm).
. "$(dirname "$0")/expect.sh"

cat >account.h <<'END'
#include <mutex>
class Account {
public:
  void deposit(long amount) {
    std::lock_guard<std::mutex> guard(mutex_);
    balance_ += amount;
  }
  long balance() {
    std::lock_guard<std::mutex> guard(mutex_);
    return balance_;
  }
  long hint = 0;

private:
  std::mutex mutex_;
  long balance_ = 0;
};
END
cat >bank.cpp <<'END'
#include "account.h"
#include <thread>
#ifndef AMOUNT
#define AMOUNT 5
#endif
Account account;
static void work() {
  account.hint = 1; // RACE
  for (int i = 0; i < 100; i++) account.deposit(i);
}
int main() {
  std::thread thread(work);
  account.hint = 2; // RACE
  account.deposit(AMOUNT);
  thread.join();
  return account.balance() == 0;
}
END
flags="-std=c++20 -O2 -g -pthread"
expect "proofs of what does not race, beside a pair" 66 stdout '^PAIRS REMAIN: 1$' -- "$footrace" prove bank.cpp --proofs=bank.proofs -- $flags
expect "the file says what it is" 0 stdout '^footrace-proofs 1$' stdout '^file [0-9a-f]{16} .*account.h$' stdout '^function .*deposit' -- cat bank.proofs
for preset in fasttrack bigfoot; do
  expect "$preset: accesses without checks are counted" 0 stderr '[1-9][0-9]* left out: proved-race-free' -- "$cxx" --preset=$preset --stats --use-proofs=bank.proofs $flags bank.cpp -o bank
  expect "$preset: the race is still found" 66 stderr 'bank.cpp:8' stderr 'bank.cpp:13' -- ./bank
  expect "$preset: nothing is lost to the validator" 0 -- "$cxx" --preset=$preset --validate-placement --use-proofs=bank.proofs $flags bank.cpp -o bank.validate
done
# With link-time optimisation, the checks placed before the link or in it.
for lto in "-flto" "-flto=thin" "--lto=link -flto"; do
  expect "$lto: accesses without checks are counted" 0 stderr '[1-9][0-9]* left out: proved-race-free' -- \
    sh -c '"$0" --stats --use-proofs=bank.proofs $1 -c bank.cpp -o lto.o && "$0" --stats --use-proofs=bank.proofs $1 lto.o -o lto' "$cxx" "$flags $lto"
  expect "$lto: the race is still found" 66 stderr 'bank.cpp:8' stderr 'bank.cpp:13' -- ./lto
done
cat >vectors.c <<'END'
#include <pthread.h>
#include <stdlib.h>
int *from, *to;
static void *work(void *unused) {
  int sum = 0;
  for (int i = 0; i < 4096; i++) sum += from[i];
  to[0] = sum; // RACE
  return unused;
}
int main(void) {
  from = calloc(4096, 4), to = calloc(2, 4);
  pthread_t thread;
  pthread_create(&thread, 0, work, 0);
  work(0);
  pthread_join(thread, 0);
  return 0;
}
END
expect "proofs of what is read in a loop" 66 stdout '^PAIRS REMAIN' -- "$footrace" prove vectors.c --proofs=vectors.proofs -- -O2 -g -pthread
for preset in fasttrack bigfoot; do
  expect "$preset: a loop of proved reads" 0 -- "$cc" --preset=$preset --use-proofs=vectors.proofs -O2 -g -pthread -S -emit-llvm vectors.c -o vectors.ll
  expect "$preset: is vectorised" 0 stdout 'load <' -- cat vectors.ll
  expect "$preset: without checks" 1 -- grep -E '@__footrace_(unseen_)?read(4|8|16|_range)\(' vectors.ll
done
expect "other optimisation, other code" 1 stderr 'was compiled otherwise' -- "$cxx" --preset=fasttrack --use-proofs=bank.proofs -std=c++20 -O0 -c bank.cpp -o bank0.o
expect "in two steps" 0 stderr 'proved-race-free' -- "$cxx" --preset=fasttrack --stats --use-proofs=bank.proofs $flags -c bank.cpp -o bank.o
expect "from an executable with its module" 66 stdout '^PAIRS REMAIN: 1$' -- sh -c "'$cxx' -fprove $flags bank.cpp -o carried && '$footrace' prove carried --proofs=carried.proofs"
expect "which serves as well" 0 stderr 'proved-race-free' -- "$cxx" --preset=fasttrack --stats --use-proofs=carried.proofs $flags bank.cpp -o bank

# Proofs that are not of this program leave out nothing: they are refused.
expect "no proofs" 2 stderr "there are no proofs in .*absent.proofs" -- "$cxx" --use-proofs=absent.proofs $flags bank.cpp -o bank
expect "something else" 1 stderr 'holds no proofs of this version' -- "$cxx" --use-proofs=bank.cpp $flags bank.cpp -o bank
expect "a damaged file" 1 stderr 'cut.proofs:[0-9]+: not a line of a file of proofs' -- sh -c "sed '3s/.*/nonsense/' bank.proofs >cut.proofs; '$cxx' --use-proofs=cut.proofs $flags bank.cpp -o bank"
cat >other.cpp <<'END'
int other() { return 1; }
END
expect "a file that was no part of the program" 1 stderr "other.cpp' was no part of the program" -- "$cxx" --use-proofs=bank.proofs $flags -c other.cpp -o other.o
expect "other options" 1 stderr "'main' was compiled otherwise" -- "$cxx" --use-proofs=bank.proofs $flags -DAMOUNT=6 -c bank.cpp -o bank.o
echo >>account.h
expect "a header that has changed" 1 stderr "account.h' has changed since; run 'footrace prove --proofs' again" -- "$cxx" --use-proofs=bank.proofs $flags bank.cpp -o bank
cat >unknown.c <<'END'
void unknown(void);
int main(void) { unknown(); return 0; }
END
expect "nothing is proved of what is not modelled" 3 stderr 'no proofs are written' stdout '^UNKNOWN$' -- "$footrace" prove unknown.c --proofs=unknown.proofs
expect "and nothing is written" 1 -- test -e unknown.proofs
expect "a file that cannot be written" 1 stderr "cannot write '/proc/no/such'" -- "$footrace" prove bank.cpp --proofs=/proc/no/such -- $flags

# Runs.
expect "a pair is confirmed" 66 stdout 'PAIRS REMAIN: 1, 1 confirmed by a run' -- "$footrace" prove bank.cpp --confirm -- -std=c++20
expect "with the confidence of what was seen" 66 stdout '"confidence":"certain"' -- "$footrace" prove bank.cpp --confirm --format json -- -std=c++20
cat >strings.cpp <<'END'
#include <chrono>
#include <iostream>
#include <sstream>
#include <string>
#include <thread>
std::string last;
int main() {
  std::jthread other([] { std::ostringstream out; out << "one " << 1; last = out.str(); });
  last = "two" + std::to_string(std::chrono::system_clock::now().time_since_epoch().count());
  other.join();
  std::cout << last << '\n' << std::wstring(20, L'x').size();
}
END
for standard in c++20 c++2b; do
  expect "a program with strings and streams of $standard links and runs" 66 stdout ' confirmed by a run$' -- "$footrace" prove strings.cpp --confirm=2 --findings strings.jsonl -- -std=$standard
  expect "and nothing was said of its linking" 1 -- grep -v '^footrace: note' err.txt
done
expect "threads have the names of what the user gave them" 0 stdout "Thread T[0-9] 'main::lambda::operator\(\)'" -- sh -c '"$0" prove strings.cpp -- -std=c++20 >pairs.txt; grep -o "Thread T[0-9] .[^ ]*" pairs.txt' "$footrace"
expect "and no others" 1 -- grep -E "Thread T[0-9].*(_State_impl|_M_run)" pairs.txt
expect "each run confirms once" 66 stdout 'confirmed by a witness (once|2 times)' -- "$footrace" report strings.jsonl
expect "sv: a witness" 66 stdout '^false$' -- "$footrace" prove bank.cpp --confirm --format sv -- -std=c++20
cat >task.c <<'END'
#include <pthread.h>
int __VERIFIER_nondet_int(void);
void __VERIFIER_atomic_begin(void);
void __VERIFIER_atomic_end(void);
static int guarded, shared;
static void* work(void* unused) {
  __VERIFIER_atomic_begin();
  guarded++;
  __VERIFIER_atomic_end();
  shared += __VERIFIER_nondet_int();
  return NULL;
}
int main(void) {
  pthread_t thread;
  pthread_create(&thread, NULL, work, NULL);
  work(NULL);
  pthread_join(thread, NULL);
}
END
expect "sv: a witness of a task that leaves its conventions undefined" 66 stdout '^false$' -- "$footrace" prove task.c --confirm --format sv
expect "their lock orders" 0 -- sh -c "! '$footrace' prove task.c --confirm | grep task.c:8"
cat >never.c <<'END'
#include <pthread.h>
#include <stdlib.h>
static int shared;
static void* work(void* text) {
  if (atoi(text) == 7) shared = 1;
  return NULL;
}
int main(int count, char** arguments) {
  pthread_t thread;
  pthread_create(&thread, NULL, work, count > 1 ? arguments[1] : "0");
  shared = 2;
  pthread_join(thread, NULL);
  return 0;
}
END
expect "a pair that no run shows" 66 stdout '^PAIRS REMAIN: 1$' -- "$footrace" prove never.c --confirm=2
expect "but for the right argument" 66 stdout '1 confirmed by a run$' -- "$footrace" prove never.c --confirm=2 --confirm-argument 7
expect "one that a delay shows" 66 stdout '1 confirmed by a run$' -- sh -c "cat >late.c <<'END'
#include <pthread.h>
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int shared, turn;
static void* work(void* unused) {
  pthread_mutex_lock(&lock);
  int first = turn++ == 0;
  pthread_mutex_unlock(&lock);
  if (first) shared = 1;
  return 0;
}
int main(void) {
  pthread_t thread;
  pthread_create(&thread, 0, work, 0);
  shared = 2;
  pthread_mutex_lock(&lock);
  turn++;
  pthread_mutex_unlock(&lock);
  pthread_join(thread, 0);
  return 0;
}
END
'$footrace' prove late.c --confirm=12"
expect "not a number of runs" 2 stderr "'--confirm' needs a number of runs" -- "$footrace" prove never.c --confirm=often
finish
