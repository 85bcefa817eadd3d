// Free functions on globals: a lock or a thread is the evidence.
#include <atomic>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

namespace counting {
std::mutex mutex;
int locked_counter = 0;
int never_locked = 0;
std::atomic<int> atomic_counter{0};
thread_local int per_thread = 0;
const int limit = 10;
std::string text;
std::vector<int> list;
static int file_local = 0;

void increment_ok() {
  std::lock_guard<std::mutex> guard(mutex);
  ++locked_counter;
  ++per_thread;
  text = "x";
  list.push_back(limit);
  ++file_local;
}
int read_bad() { return locked_counter; }
void reset_bad() { locked_counter = 0; }
int other_ok() { return never_locked; }
int atomic_ok() { return ++atomic_counter; }
int per_thread_ok() { return per_thread; }
int constant_ok() { return limit; }
std::size_t text_bad() { return text.size(); }
std::string text_copy_bad() { return text; }
std::size_t list_bad() { return list.size(); }
void list_write_bad() { list.clear(); }
int file_local_bad() { return file_local; }

// Only called with the lock.
static void helper_ok() { ++locked_counter; }
void caller_ok() {
  std::lock_guard<std::mutex> guard(mutex);
  helper_ok();
}

int function_static_ok() {
  static int once = 42;
  return once;
}
int function_static_locked_ok() {
  std::lock_guard<std::mutex> guard(mutex);
  static int count = 0;
  return ++count;
}
} // namespace counting

namespace threads {
int result = 0;
int prepared = 0;
int collected = 0;

int awaited = 0;

void entry_bad() { result = prepared; }
void entry_of_main_ok() { collected = 1; }
int watcher_ok() { return result; }

// It lives only while the function runs that starts it.
void entry_that_ends_ok() { awaited = 1; }
void start_and_wait() {
  std::thread thread(entry_that_ends_ok);
  thread.join();
}
int awaited_ok() { return awaited; }

// The function does something meanwhile, in what it calls.
int meanwhile = 0;
void entry_beside_bad() { meanwhile = 1; }
static int look() { return meanwhile; }
int start_and_look() {
  std::thread thread(entry_beside_bad);
  int seen = look();
  thread.join();
  return seen;
}
} // namespace threads

// What nobody calls, by way of what the program uses: that is compared where the program uses it.
namespace unused {
std::mutex mutex;
int closing = 0;

static void close_later() {
  std::lock_guard<std::mutex> guard(mutex);
  ++closing;
}
static void close_now() { --closing; }
void finish_ok() { close_now(); }
void defer_ok() { close_later(); }
} // namespace unused

int main() {
  threads::prepared = 1;
  std::thread first(threads::entry_bad);
  std::thread second(threads::entry_of_main_ok);
  first.join();
  second.join();
  threads::start_and_wait();
  threads::start_and_look();
  unused::close_later();
  unused::close_now();
  return threads::collected;
}

// Functions on an object with a lock of its own.
struct Account {
  std::mutex mutex;
  int balance = 0;
};
void deposit_ok(Account& account, int n) {
  std::lock_guard<std::mutex> guard(account.mutex);
  account.balance += n;
}
int balance_bad(const Account& account) { return account.balance; }
void reset_bad(Account* account) { account->balance = 0; }
void fresh_ok() {
  Account account;
  account.balance = 1;
}

// The lock of an object is held by chance where a global is used.
namespace chance {
int settings = 0;

class Connection {
public:
  void send_ok() {
    std::lock_guard<std::mutex> guard(mutex_);
    sent_ += settings;
  }

private:
  std::mutex mutex_;
  int sent_ = 0;
};

void configure_ok(int n) { settings = n; }
} // namespace chance
