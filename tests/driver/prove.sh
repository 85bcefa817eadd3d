#!/bin/sh
# `footrace prove`: what it reads, what it answers, and what it says when something is wrong.
. "$(dirname "$0")/expect.sh"

cat >counter.h <<'END'
void add(int amount);
int total(void);
END
cat >counter.c <<'END'
#include "counter.h"
#include <pthread.h>
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int sum;
void add(int amount) {
  pthread_mutex_lock(&lock);
  sum += amount;
  pthread_mutex_unlock(&lock);
}
#ifdef RACY
int total(void) { return sum; }
#else
int total(void) {
  pthread_mutex_lock(&lock);
  int result = sum;
  pthread_mutex_unlock(&lock);
  return result;
}
#endif
END
cat >main.c <<'END'
#include "counter.h"
#include <pthread.h>
static void* work(void* unused) {
  for (int i = 0; i < 100; i++) add(i);
  return NULL;
}
int main(void) {
  pthread_t thread;
  pthread_create(&thread, NULL, work, NULL);
  int seen = total();
  pthread_join(thread, NULL);
  return seen > total();
}
END

# Verdicts and formats.
expect "a program without races" 0 stdout '^RACE-FREE$' stdout 'global-lock: .* under .lock' stdout 'assumptions:' \
  stdout 'library functions do what .*pthread_mutex_lock' -- "$footrace" prove main.c counter.c
expect "one with a race" 66 stdout '^PAIRS REMAIN: 1$' stdout 'counter.c:11' stdout 'counter.c:7' stdout 'work' \
  stdout 'no lock is certain to be held at one of the accesses' stdout 'ordering: no barrier' -- "$footrace" prove main.c counter.c -- -DRACY
expect "as a finding" 66 stdout '"part":"prove"' -- "$footrace" prove main.c counter.c --format json -- -DRACY
expect "sv: a proof" 0 stdout '^true$' -- "$footrace" prove main.c counter.c --format sv
expect "sv: no proof is no witness" 66 stdout '^unknown$' -- "$footrace" prove main.c counter.c --format=sv -- -DRACY
expect "the rest of the program is missing" 3 stdout 'not modelled: the function add' stdout '^UNKNOWN$' -- "$footrace" prove main.c
expect "the user vouches for it" 0 stdout 'harmless by --allow-unmodelled: the function add' -- "$footrace" prove main.c --allow-unmodelled
expect "stages" 0 stdout 'may-happen-in-parallel +[0-9]+ +[0-9]+' -- "$footrace" prove main.c counter.c --stats
expect "progress" 0 stderr 'points-to' stderr 'local-thread' stderr 'concluding' -- "$footrace" prove main.c counter.c --progress

# What a pair says: how both accesses are reached, under which locks, who made the thread, and what each stage lacked.
cat >pair.c <<'END'
#include <pthread.h>
static pthread_mutex_t a = PTHREAD_MUTEX_INITIALIZER, b = PTHREAD_MUTEX_INITIALIZER;
static int sum;
static void add(int amount) {
  sum += amount;
  if (amount > 100) add(amount - 1);
}
static void* work(void* unused) {
  pthread_mutex_lock(&a);
  add(1);
  pthread_mutex_unlock(&a);
  return unused;
}
int main(void) {
  pthread_t thread;
  pthread_create(&thread, NULL, work, NULL);
  pthread_mutex_lock(&b);
  add(2);
  pthread_mutex_unlock(&b);
  pthread_join(thread, NULL);
  return 0;
}
END
expect "paths, locks, threads and stages of a pair" 66 stdout '#1 main .*pair.c:18' stdout '#1 work .*pair.c:10' stdout "holding 'a'" stdout "holding 'b'" \
  stdout "'work' created by main thread at" stdout '#0 main .*pair.c:16' stdout 'escaping: sum is known' stdout 'may-happen-in-parallel: the main thread and the thread of work' \
  stdout 'global-lock: . and . need not be the same lock' stdout 'local-lock: distinct locks' stdout 'local-thread: distinct threads' -- "$footrace" prove pair.c

# How much is told apart: elements with constant indices, callers.
cat >elements.c <<'END'
#include <pthread.h>
static int elements[2];
static void* work(void* unused) {
  elements[0] = 1;
  return unused;
}
int main(void) {
  pthread_t thread;
  pthread_create(&thread, NULL, work, NULL);
  elements[1] = 2;
  pthread_join(thread, NULL);
  return 0;
}
END
expect "elements" 0 stdout '^RACE-FREE$' -- "$footrace" prove elements.c
expect "arrays as in the paper" 66 stdout '^PAIRS REMAIN: 1$' -- "$footrace" prove elements.c --collapse-arrays
twice=$here/../prove/programs/async_twice.cpp
expect "one caller" 66 stdout '^PAIRS REMAIN: ' -- "$footrace" prove "$twice" -- -std=c++20
expect "two callers" 0 stdout '^RACE-FREE$' -- "$footrace" prove "$twice" -k 2 -- -std=c++20

# Assembly is not read.
echo 'int main(void) { __asm__ volatile("nop"); return 0; }' >assembly.c
expect "assembly" 3 stdout 'not modelled: inline assembly in main' stdout '^UNKNOWN$' -- "$footrace" prove assembly.c
expect "assembly that is vouched for" 0 stdout '^RACE-FREE$' -- "$footrace" prove assembly.c --allow-unmodelled

# Queues: who takes something out owns it, if the user says so.
cat >queue.c <<'END'
#include <pthread.h>
#include <stdlib.h>
struct Job { struct Job* next; int done; };
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct Job* head;
static void* work(void* unused) {
  for (;;) {
    pthread_mutex_lock(&lock);
    struct Job* job = head;
    if (job) head = job->next;
    pthread_mutex_unlock(&lock);
    if (!job) return unused;
    job->done = 1;
    free(job);
  }
}
int main(void) {
  pthread_t threads[2];
  for (int i = 0; i < 2; i++) pthread_create(&threads[i], NULL, work, NULL);
  for (int i = 0; i < 9; i++) {
    struct Job* job = calloc(1, sizeof *job);
    pthread_mutex_lock(&lock);
    job->next = head;
    head = job;
    pthread_mutex_unlock(&lock);
  }
  for (int i = 0; i < 2; i++) pthread_join(threads[i], NULL);
  return 0;
}
END
expect "a queue" 66 stdout '^PAIRS REMAIN: [0-9]+$' -- "$footrace" prove queue.c
expect "a queue that hands over" 0 stdout '^RACE-FREE$' stdout 'by --assume=queue-transfer: who takes memory from queue.c:[0-9]+ out of a queue' \
  -- "$footrace" prove queue.c --assume=queue-transfer
expect "another assumption" 2 stderr "'--assume' is queue-transfer, not 'luck'" -- "$footrace" prove queue.c --assume luck

# Many pairs: some are shown, all are counted.
expect "the first pairs" 66 stdout 'shown: the first 1 of [0-9]+ pairs' stdout '^ +[0-9]+  memory from queue.c:[0-9]+$' stdout '^PAIRS REMAIN: [0-9]+$' \
  -- "$footrace" prove queue.c --most-pairs 1
expect "all pairs" 66 stdout '^PAIRS REMAIN: [0-9]+$' -- "$footrace" prove queue.c --most-pairs 0
expect "not a number of pairs" 2 stderr "'--most-pairs' needs a number" -- "$footrace" prove queue.c --most-pairs few

# Inputs: bitcode, assembly, a build, objects, archives, executables, link-time optimisation.
clang=$("$cc" --footrace-print-commands -c main.c -o /dev/null 2>&1 | head -n 1 | sed "s/^'\{0,1\}\([^ ']*\).*/\1/")
"$clang" -O0 -g -emit-llvm -c main.c -o main.bc
"$clang" -O0 -g -emit-llvm -S counter.c -o counter.ll
expect "bitcode and assembly" 0 stdout '^RACE-FREE$' -- "$footrace" prove main.bc counter.ll
mkdir build elsewhere
printf '[{"directory":"%s","file":"../main.c","command":"cc -O2 -c ../main.c -o main.o"},\n{"directory":"%s","file":"../counter.c","arguments":["cc","-DRACY","-c","../counter.c","-MD","-MF","x.d"]}]' \
  "$work/build" "$work/build" >build/compile_commands.json
expect "a build, with its flags" 66 stdout '^PAIRS REMAIN: 1$' -- "$footrace" prove -p build
expect "some files of a build" 3 stdout 'the function add' -- "$footrace" prove -p build main.c
expect "a file that the build does not have" 2 stderr 'is not in the compile commands' -- "$footrace" prove -p build counter.h
for file in main counter; do "$cc" -fprove -O2 -c $file.c -o $file.o; done
expect "objects that carry their modules" 0 stdout '^RACE-FREE$' -- "$footrace" prove main.o counter.o
ar rc libcounter.a counter.o
expect "an archive" 0 stdout '^RACE-FREE$' -- "$footrace" prove main.o libcounter.a
expect "an archive that nothing needs" 1 stderr 'nothing needs the members of the archives' -- "$footrace" prove libcounter.a
"$cc" main.o libcounter.a -pthread -o program
expect "an executable" 0 stdout '^RACE-FREE$' -- "$footrace" prove ./program
expect "which runs as ever" 0 -- ./program
"$cc" -O2 -c counter.c -o plain.o
"$cc" main.o plain.o -pthread -o partial
expect "an executable that is only partly there" 3 stdout 'not modelled: the function add' -- "$footrace" prove ./partial
"$cc" -fprove -flto -O2 -c counter.c -o lto.o
expect "an object for link-time optimisation" 0 stdout '^RACE-FREE$' -- "$footrace" prove main.o lto.o

# Before C++20 the code of strings is in the library; sources, bitcode and objects are all analysed with it.
cat >strings.cpp <<'END'
#include <mutex>
#include <string>
#include <thread>
static std::mutex lock;
static std::string text;
int main() {
  std::thread other([] {
    std::lock_guard<std::mutex> guard(lock);
    text += "other";
  });
  {
#ifndef RACY
    std::lock_guard<std::mutex> guard(lock);
#endif
    text.append(3, 'x');
  }
  other.join();
  return text.find("xxx") == std::string::npos;
}
END
"$cxx" -std=c++17 -fprove -O2 -c strings.cpp -o strings.o
"$clang" -std=c++17 -O0 -g -emit-llvm -c strings.cpp -o strings.bc
"$cxx" -std=c++17 -fprove -O2 -DRACY -c strings.cpp -o racy_strings.o
expect "strings in a source" 0 stdout '^RACE-FREE$' -- "$footrace" prove strings.cpp -- -std=c++17
expect "strings in an object" 0 stdout '^RACE-FREE$' -- "$footrace" prove strings.o
expect "strings in bitcode" 0 stdout '^RACE-FREE$' -- "$footrace" prove strings.bc
expect "a race on a string" 66 stdout '^PAIRS REMAIN: [0-9]+$' -- "$footrace" prove racy_strings.o

cat >two.c <<'END'
int main(void) { return 0; }
END
printf '[{"directory":"%s","file":"main.c","command":"cc -c main.c"},{"directory":"%s","file":"counter.c","command":"cc -c counter.c"},{"directory":"%s","file":"two.c","command":"cc -c two.c"}]' \
  "$work" "$work" "$work" >elsewhere/compile_commands.json
expect "a build of two programs" 2 stderr 'choose one with --main FILE: .*main.c, .*two.c' -- "$footrace" prove -p elsewhere
expect "one of them" 0 stdout '^RACE-FREE$' -- "$footrace" prove -p elsewhere --main main.c

# Bad input.
expect "nothing" 2 stderr 'no file given' -- "$footrace" prove
expect "an unknown option" 2 stderr "unknown option '--best'" -- "$footrace" prove --best main.c
expect "an option without its value" 2 stderr "'--proofs', or its value is missing" -- "$footrace" prove main.c --proofs
expect "not a number" 2 stderr "'--timeout' needs seconds" -- "$footrace" prove main.c --timeout soon
expect "an unknown format" 2 stderr 'text, json or sv' -- "$footrace" prove main.c --format xml
expect "no such file" 2 stderr "'missing.c' does not exist" -- "$footrace" prove missing.c
expect "no build" 2 stderr "cannot read 'nowhere" -- "$footrace" prove -p nowhere
expect "a source that does not compile" 1 stderr 'these do not compile: .*broken.c' -- sh -c "echo 'int main( {' >broken.c; '$footrace' prove broken.c"
expect "an object without its module" 1 stderr 'plain.o: carries no LLVM module: build it with' -- "$footrace" prove plain.o
expect "damaged bitcode" 1 stderr 'bad.bc. is neither bitcode nor textual IR ' -- sh -c "head -c 100 main.bc >bad.bc; '$footrace' prove bad.bc"
expect "empty bitcode" 1 stderr 'empty.bc. is empty' -- sh -c "true >empty.bc; '$footrace' prove empty.bc"
expect "something else" 1 stderr 'counter.h: neither C or C\+\+ source' -- "$footrace" prove counter.h
expect "main twice" 1 stderr 'cannot be linked with the files before it' -- "$footrace" prove main.c two.c counter.c

# Limits.
mkfifo pipe.c # nobody ever writes to it
expect "no time" 3 stdout "not modelled: out of time in stage 'compiling'; no pairs yet" stdout '^UNKNOWN$' -- "$footrace" prove --timeout 1 pipe.c
cat >endless.c <<'END'
#include <pthread.h>
#include <unistd.h>
static int shared;
static void* work(void* unused) {
  shared = 1;
  return NULL;
}
int main(void) {
  pthread_t thread;
  pthread_create(&thread, NULL, work, NULL);
  shared = 2;
  while (1) pause();
}
END
expect "no time, but pairs so far" 3 stdout "out of time in stage 'running the program'; the pairs are those so far" stdout '^UNKNOWN: 1$' \
  stdout 'endless.c:5' -- "$footrace" prove --timeout 20 --confirm endless.c
expect "no memory" 3 stdout 'out of memory in stage' -- "$footrace" prove --memory-limit 1 main.c counter.c
expect "no memory, for a verifier" 3 stdout '^unknown$' -- "$footrace" prove --memory-limit 1 --format sv main.c counter.c
expect "enough of both" 66 stdout '^PAIRS REMAIN: 1$' -- "$footrace" prove --timeout 600 --memory-limit 4000 main.c counter.c -- -DRACY
# How a person reads what is left: pairs of constructors last, threads by the user's name, names demangled.
cat >births.cpp <<'CODE'
#include <thread>
struct Account {
  Account() { balance = 1; }
  ~Account() { balance = 0; }
  void pay() { balance = 2; }
  long balance;
};
Account* shared;
void clerk() {
  shared = new Account;
  shared->pay();
  delete shared;
}
int main() {
  std::thread one([] { clerk(); }), two(clerk);
  one.join();
  two.join();
}
CODE
expect "prove a program with constructors" 66 stdout "by thread T1 'main::lambda::operator\(\)'" stdout "'clerk'" \
  -- "$footrace" prove births.cpp --findings births.jsonl
expect "assumptions" 66 stdout 'library.def says: .*std::thread::join\(\)' -- "$footrace" prove births.cpp
cp out.txt births.txt
expect "nothing is mangled" 1 -- grep -E '_ZNSt|_State_impl' births.txt
expect "and the last pairs are those of constructors and destructors" 0 -- awk '/"confidence":"likely"/ { birth = /Account::(~?)Account/; if (seen && !birth) exit 1; if (birth) seen = 1 } END { exit !seen }' births.jsonl

# A build of several programs is asked about before all of it is compiled.
mkdir several && printf 'int main() { return 0; }\n' >several/a.cpp && cp several/a.cpp several/b.cpp && printf '#error compiled\n' >several/c.cpp
printf '[%s]\n' "$(for f in a b c; do printf '{"directory":"%s","file":"%s.cpp","command":"c++ -c %s.cpp"},' "$work/several" $f $f; done | sed 's/,$//')" >several/compile_commands.json
expect "which main" 2 stderr 'several programs; choose one with --main FILE: .*a.cpp, .*b.cpp' -- "$footrace" prove -p several
cp err.txt which.txt
expect "the rest was not compiled yet" 1 -- grep 'error compiled' which.txt
finish
