#!/bin/sh
# `footrace scan --witness`: what is confirmed, what is not and why, and that the test that is kept stands on its own.
. "$(dirname "$0")/expect.sh"

# Two files, a constructor with arguments, a method with arguments; the other file comes from the project.
cat >account.h <<'END2'
#include <map>
#include <memory>
#include <mutex>
#include <string>
struct Owner {
  explicit Owner(const std::string& name);
  std::string name;
};
class Account {
public:
  Account(std::unique_ptr<Owner> owner, long start);
  void deposit(long amount, const std::string& note);
  long balance() const;

private:
  void add(long amount);
  std::unique_ptr<Owner> owner_;
  mutable std::mutex mutex_;
  long balance_;
};
END2
cat >deposit.cpp <<'END2'
#include "account.h"
Owner::Owner(const std::string& text) : name(text) {}
Account::Account(std::unique_ptr<Owner> owner, long start) : owner_(std::move(owner)), balance_(start) {}
void Account::add(long amount) { balance_ += amount; }
void Account::deposit(long amount, const std::string&) {
  std::lock_guard<std::mutex> guard(mutex_);
  add(amount);
}
END2
cat >balance.cpp <<'END2'
#include "account.h"
long Account::balance() const { return balance_; }
int main() { return 0; }
END2
entry() { printf '{"directory":"%s","file":"%s","command":"c++ -std=c++20 -Werror -c %s -o %s.o"}' "$work" "$1" "$1" "$1"; }
mkdir build
printf '[%s,\n%s]\n' "$(entry deposit.cpp)" "$(entry balance.cpp)" >build/compile_commands.json
expect "a race between two files is confirmed" 66 stdout 'Confirmed by a run of .*footrace-witnesses/Account_balance_Account_deposit_.*\.cpp' \
  stderr '1 of 1 race confirmed' -- "$footrace" scan -p build --witness
expect "with the confidence of what was seen" 66 stdout '"confidence":"certain"' -- "$footrace" scan -p build --witness=kept --format=json
expect "without a witness there is none" 66 stdout '"confidence":"likely"' -- "$footrace" scan -p build --format=json
expect "the test that is kept compiles" 0 -- "$cxx" -std=c++20 -g -pthread footrace-witnesses/Account_*.cpp deposit.cpp -o kept_test
expect "and shows the race to whoever runs it" 66 stderr 'Account::balance' -- ./kept_test 100

# One file of a project: what its test calls may be in the others.
cat >both.cpp <<'END2'
#include "account.h"
class Teller {
public:
  Teller() : account_(std::make_unique<Owner>("a"), 1) {}
  void open() { std::lock_guard<std::mutex> guard(mutex_); open_ = true; }
  bool is_open() const { return open_; }

private:
  Account account_;
  mutable std::mutex mutex_;
  bool open_ = false;
};
END2
printf '[%s,\n%s,\n%s]\n' "$(entry deposit.cpp)" "$(entry balance.cpp)" "$(entry both.cpp)" >build/compile_commands.json
expect "one file of a project" 66 stderr '1 of 1 race confirmed' -- "$footrace" scan -p build --witness both.cpp

# Functions on a global, in one file.
cat >free.cpp <<'END2'
#include <mutex>
namespace stock {
namespace {
std::mutex mutex;
int pieces;
} // namespace
void put(int count) {
  std::lock_guard<std::mutex> guard(mutex);
  pieces += count;
}
void take() { pieces = 0; }
} // namespace stock
END2
expect "functions on a global" 66 stdout 'Confirmed by a run of' stderr '1 of 1 race confirmed' -- "$footrace" scan --witness free.cpp -- -std=c++20

# A constructor as one of the two: the copy reads what the other writes with the lock.
cat >copy.cpp <<'END2'
#include <mutex>
namespace shop {
template <class T> class Cart {
public:
  Cart() = default;
  Cart(const Cart& other) : items_(other.items_) {}
  void add(T count) {
    std::lock_guard<std::mutex> guard(mutex_);
    items_ += count;
  }

private:
  std::mutex mutex_;
  T items_ = 0;
};
template class Cart<long>;
} // namespace shop
END2
expect "a copy constructor" 66 stdout 'Confirmed by a run of' stderr '1 of 1 race confirmed' -- "$footrace" scan --witness=copies copy.cpp -- -std=c++20
expect "is a kept test" 0 stdout 'Cart' -- ls copies

# The same in C: one file, a static function, numbers, pointers and structures as arguments; and two files of a project.
cat >stock.c <<'END2'
#include <pthread.h>
struct Order { int count; const char *name; };
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static long pieces;
void stock_put(const struct Order *order, int count, char *buffer) {
  pthread_mutex_lock(&mutex);
  pieces += order->count + count + buffer[0];
  pthread_mutex_unlock(&mutex);
}
void stock_clear(struct Order order) { pieces = order.count; }
END2
expect "functions of C" 66 stdout 'Confirmed by a run of .*stock_clear_stock_put_.*\.c\.' stderr '1 of 1 race confirmed' \
  -- "$footrace" scan --witness stock.c -- -std=c99 -D_GNU_SOURCE
expect "the test that is kept compiles as C" 0 -- "$cc" -std=c99 -D_GNU_SOURCE -g -pthread footrace-witnesses/stock_*.c -o kept_c
expect "and shows the race" 66 stderr 'stock_clear' -- ./kept_c 100
mkdir c_project
cat >c_project/put.c <<'END2'
#include <pthread.h>
int shelf;
pthread_mutex_t shelf_mutex = PTHREAD_MUTEX_INITIALIZER;
void shelf_put(void) { pthread_mutex_lock(&shelf_mutex); ++shelf; pthread_mutex_unlock(&shelf_mutex); }
END2
echo 'extern int shelf; int shelf_look(void) { return shelf; }' >c_project/look.c
c_entry() { printf '{"directory":"%s/c_project","file":"%s","command":"cc -c %s"}' "$work" "$1" "$1"; }
printf '[%s,\n%s]\n' "$(c_entry put.c)" "$(c_entry look.c)" >c_project/compile_commands.json
expect "functions of two C files" 66 stderr '1 of 1 race confirmed' -- "$footrace" scan -p c_project --witness
# Static functions of the same name in both files, a function that is reached through one that takes a function, and a library
# that the compile commands do not name.
mkdir apart
cat >apart/put.c <<'END2'
#include <pthread.h>
int crate;
pthread_mutex_t crate_mutex = PTHREAD_MUTEX_INITIALIZER;
static void helper(void) { ++crate; }
static void locked(void) { pthread_mutex_lock(&crate_mutex); helper(); pthread_mutex_unlock(&crate_mutex); }
void crate_put(void (*action)(int)) { locked(); action(0); }
END2
cat >apart/look.c <<'END2'
int library_call(int);
extern int crate;
static int helper(void) { return crate; }
int crate_look(void) { return helper() ? library_call(1) : 0; }
END2
a_entry() { printf '{"directory":"%s/apart","file":"%s","command":"cc -c %s"}' "$work" "$1" "$1"; }
printf '[%s,\n%s]\n' "$(a_entry put.c)" "$(a_entry look.c)" >apart/compile_commands.json
echo 'int library_call(int n) { return n; }' >library.c
expect "a library for the test" 0 -- "$cc" -fPIC -shared library.c -o liblibrary.so
expect "static functions of two files" 66 stdout 'Confirmed by a run of .*/helper_locked_.*\.c' stderr '1 of 1 race confirmed' \
  -- "$footrace" scan -p apart --witness=apart-tests "--witness-flags=-L$work -llibrary -Wl,-rpath,$work"
expect "a library that is not named, and not needed" 66 stderr '1 of 1 race confirmed' -- "$footrace" scan -p apart --witness=apart-tests
expect "--witness-flags without --witness" 2 stderr 'belongs to --witness' -- "$footrace" scan -p apart --witness-flags=-lm
cat >callback.c <<'END2'
#include <pthread.h>
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static int value;
void call_it(void (*action)(int)) { pthread_mutex_lock(&mutex); action(value++); pthread_mutex_unlock(&mutex); }
int look(void) { return value; }
END2
expect "a function that C is given" 66 stdout 'a function that it is given is not made up in C' -- "$footrace" scan --witness callback.c

# What cannot be made or called is named, and nothing is confirmed.
guarded() { # guarded CLASS-LINE CONSTRUCTOR
  cat <<END2
#include <mutex>
class Hidden;
class Box {
$1
  void set() { std::lock_guard<std::mutex> guard(mutex_); value_ = 1; }
  int get() const { return value_; }
private:
  $2
  mutable std::mutex mutex_;
  int value_ = 0;
};
END2
}
guarded 'public: virtual ~Box(); virtual void f() = 0;' '' >abstract.cpp
expect "an abstract class" 66 stdout "Not confirmed by a run: 'Box' is abstract" stderr '0 of 1 race confirmed' stdout 'get' \
  -- "$footrace" scan --witness abstract.cpp
guarded 'public:' 'Box();' >private.cpp
expect "a private constructor" 66 stdout "'Box' has no public constructor" -- "$footrace" scan --witness private.cpp
guarded 'public: static Box& instance() { static Box box; return box; }' 'Box() {}' >single.cpp
expect "a function that gives the only one" 66 stdout 'Confirmed by a run' -- "$footrace" scan --witness single.cpp
guarded 'public: explicit Box(Hidden& hidden);' '' >unknown.cpp
expect "an unknown argument" 66 stdout "'Hidden' is only declared" -- "$footrace" scan --witness unknown.cpp
guarded 'public: Box();' '' >unlinked.cpp
expect "a constructor that is nowhere" 66 stdout 'does not link: .*Box::Box.*--witness-flags' -- "$footrace" scan --witness unlinked.cpp

# A report that no run can show: the flag is never set. The witness must not confirm it.
cat >never.cpp <<'END2'
#include <mutex>
class Never {
public:
  void set() { std::lock_guard<std::mutex> guard(mutex_); value_ = 1; }
  int get() const {
    if (!on_) return 0;
    return value_;
  }
private:
  mutable std::mutex mutex_;
  int value_ = 0;
  const bool on_ = false;
};
END2
expect "only tests that show a race are in the folder" 66 stdout 'the witness ran 3 times 100 rounds without this race: .*never/unconfirmed/Never_get_Never_set_.*\.cpp' \
  -- "$footrace" scan --witness=never never.cpp
expect "the other is beside them" 0 stdout '^unconfirmed$' -- ls never
expect "a race that does not happen" 66 stdout 'Not confirmed by a run: the witness ran 3 times' stdout '"confidence":"likely"' \
  -- "$footrace" scan --witness --format=json never.cpp

expect "--witness with units" 2 stderr 'compiles the sources' -- "$footrace" scan --merge --witness free.summary
expect "a folder that cannot be made" 66 stderr 'cannot make the folder' -- "$footrace" scan --witness=/proc/no/such free.cpp
finish
