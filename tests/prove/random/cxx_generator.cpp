// The C++ programs of generator.h: std::thread in its many owners, and the synchronising classes of the library, used
// rightly or with one of the mistakes that people make.
#include "tests/prove/random/generator.h"

#include "tests/prove/random/program_text.h"

#include <random>
#include <vector>

namespace footrace::prove {
namespace {

constexpr const char* unit_head = R"(#include <atomic>
#include <barrier>
#include <condition_variable>
#include <cstdlib>
#include <functional>
#include <future>
#include <latch>
#include <map>
#include <memory>
#include <mutex>
#include <queue>
#include <semaphore>
#include <shared_mutex>
#include <thread>
#include <vector>
struct Record {
  std::mutex lock;
  int value = 0;
  void add() {
    std::lock_guard<std::mutex> guard(lock);
    value += 1;
  }
  void add_carelessly() { value += 1; }
  ~Record() { value = 0; }
};
)";

class CxxGenerator : ProgramText {
public:
  CxxGenerator(std::mt19937_64& random, unsigned number) : ProgramText(random, number) {}

  std::string program() {
    line("namespace p@ {");
    threads_ = 2 + pick(2);
    gate_ = pick(8);
    meeting_ = pick(6);
    declare();
    unsigned bodies = 1 + pick(2);
    for (unsigned i = 0; i < bodies; i++) body(i);
    line("void run() {");
    line("  auto own = std::make_shared<Record>();");
    line("  int sum = 0, i = 3;");
    statements(pick(3));
    team(bodies);
    statements(pick(3));
    line("}");
    line("}");
    return take_text();
  }

private:
  bool is_mistake() { return pick(4) == 0; }
  std::string number(unsigned value) const { return std::to_string(value); }

  void declare() {
    line("int x, y, z[4];");
    line("std::mutex l, m;");
    line("std::shared_mutex rw;");
    line("std::recursive_mutex rec;");
    line("std::atomic<int> flag{0}, word{0};");
    line("std::atomic_flag spin;");
    line("std::atomic<Record*> mailbox{nullptr};");
    line("std::counting_semaphore<100> one{1}, none{0};");
    line("std::latch opening{2};");
    line("std::latch arrival{" + number(threads_) + "};");
    line("std::barrier<> meeting{" + number(threads_) + "};");
    line("std::once_flag once;");
    line("std::condition_variable cv;");
    line("std::condition_variable_any any;");
    line("bool ready = false;");
    line("std::promise<int> promise;");
    line("std::shared_future<int> future = promise.get_future().share();");
    line("std::shared_ptr<Record> held = std::make_shared<Record>();");
    line("std::vector<int> numbers;");
    line("std::map<int, int> table;");
    line("std::queue<int> queue;");
    line("Record shelf[2];");
    line("struct Ender {");
    line("  ~Ender() { x += 1; }");
    line("};");
    line("void first() {");
    simple_without_call();
    line("}");
    line("void helper(std::shared_ptr<Record> own) {");
    statements(2);
    line("}");
    line("Record& local() {");
    line("  static Record record;");
    line("  return record;");
    line("}");
    may_call_ = true;
  }

  void body(unsigned number_of_body) {
    line("void body" + number(number_of_body) + "(std::shared_ptr<Record> own, int i) {");
    statements(pick(2));
    wait_at_gate();
    statements(1 + pick(2));
    meet();
    statements(1 + pick(2));
    if (pick(6) == 0) nested();
    line("}");
  }

  // A thread of a thread.
  void nested() {
    line("  std::thread child([own, i] {");
    statements(1);
    line("  });");
    if (is_mistake()) statements(1);
    line("  child.join();");
    statements(1);
  }

  void wait_at_gate() {
    switch (gate_) {
    case 0:
      line("  {");
      line("    std::unique_lock<std::mutex> k(l);");
      line("    cv.wait(k, [] { return ready; });");
      return line("  }");
    case 1:
      return line(std::string("  while (!flag.load(std::memory_order_") +
                  (is_mistake() ? "relaxed" : "acquire") + ")) std::this_thread::yield();");
    case 2:
      return line("  none.acquire();");
    case 3:
      return line("  opening.wait();");
    case 4:
      return line("  flag.wait(0);");
    case 5:
      return line("  future.wait();");
    case 6:
      line("  {");
      line("    std::unique_lock<std::shared_mutex> k(rw);");
      line("    any.wait(k, [] { return ready; });");
      return line("  }");
    default:
      return;
    }
  }

  // Every thread gets through, sooner or later.
  void open_gate() {
    if (gate_ == 0) {
      line("  {");
      line("    std::lock_guard<std::mutex> k(l);");
      line("    ready = true;");
      line("  }");
      line("  cv.notify_all();");
    }
    if (gate_ == 1)
      line(std::string("  flag.store(1, std::memory_order_") + (is_mistake() ? "relaxed);" : "release);"));
    if (gate_ == 2) line("  none.release(" + number(threads_) + ");");
    if (gate_ == 3) {
      line("  opening.count_down();");
      if (is_mistake()) statements(1);
      line("  opening.count_down();");
    }
    if (gate_ == 4) {
      line("  flag.store(1);");
      line("  flag.notify_all();");
    }
    if (gate_ == 5) line("  promise.set_value(1);");
    if (gate_ == 6) {
      line("  {");
      line("    std::lock_guard<std::shared_mutex> k(rw);");
      line("    ready = true;");
      line("  }");
      line("  any.notify_all();");
    }
  }

  void meet() {
    if (meeting_ == 0) line("  meeting.arrive_and_wait();");
    if (meeting_ == 1) line("  arrival.arrive_and_wait();");
    if (meeting_ == 2) {
      line("  arrival.count_down();");
      if (is_mistake()) statements(1);
      line("  arrival.wait();");
    }
  }

  // The threads, what the creator does while they run, and how they end.
  void team(unsigned bodies) {
    auto call = [&](unsigned i) {
      return "body" + number(pick(bodies)) + ", " + argument() + ", " + number(is_mistake() ? 0 : i);
    };
    switch (pick(7)) {
    case 0:
      for (unsigned i = 0; i < threads_; i++) line("  std::thread t" + number(i) + "(" + call(i) + ");");
      meanwhile();
      for (unsigned i = 0; i < threads_; i++) {
        line("  t" + number(i) + ".join();");
        if (pick(4) == 0) statements(1);
      }
      return;
    case 1:
      line("  std::vector<std::thread> threads;");
      line("  for (int i = 0; i < " + number(threads_) + "; i++)");
      line("    threads.emplace_back(body" + number(pick(bodies)) + ", " + argument() + ", " +
           (is_mistake() ? "i / 2" : "i") + ");");
      meanwhile();
      line("  for (std::thread& thread : threads) {");
      line("    thread.join();");
      if (pick(4) == 0) statements(1);
      return line("  }");
    case 2:
      line("  {");
      line("    std::vector<std::jthread> threads;");
      for (unsigned i = 0; i < threads_; i++) line("    threads.emplace_back(" + call(i) + ");");
      meanwhile();
      return line("  }");
    case 3:
      line("  std::thread threads[" + number(threads_) + "];");
      line("  for (int i = 0; i < " + number(threads_) + "; i++)");
      line("    threads[i] = std::thread(body" + number(pick(bodies)) + ", " + argument() + ", i);");
      meanwhile();
      line("  for (int i = 0; i < " + number(threads_) + "; i++) threads[i].join();");
      return;
    case 4:
      for (unsigned i = 0; i < threads_; i++)
        line("  std::future<void> f" + number(i) + " = std::async(std::launch::async, " + call(i) + ");");
      meanwhile();
      for (unsigned i = 0; i < threads_; i++) {
        line("  f" + number(i) + (pick(2) ? ".get();" : ".wait();"));
        if (pick(4) == 0) statements(1);
      }
      return;
    case 5:
      line("  std::vector<std::thread> threads;");
      line("  for (int i = 0; i < " + number(threads_) + "; i++)");
      line("    threads.emplace_back([" + std::string(pick(2) ? "&, i" : "&sum, own, i") +
           (pick(6) ? "" : ", end = std::make_shared<Ender>()") + "] {");
      statements(1);
      if (pick(2)) line(is_mistake() ? "      z[i / 2] += 1;" : "      z[i] += 1;");
      if (pick(3) == 0) locked_sum();
      wait_at_gate();
      statements(1);
      line("    });");
      meanwhile();
      line("  for (auto thread = threads.begin(); thread != threads.end(); ++thread) thread->join();");
      return line("  y = z[" + number(pick(3)) + "] + sum;");
    default:
      line("  {");
      for (unsigned i = 0; i < threads_; i++)
        line("    std::jthread t" + number(i) + "([own, i = " + number(i) + "] { body" +
             number(pick(bodies)) + "(own, i); });");
      meanwhile();
      return line("  }");
    }
  }

  std::string argument() { return pick(2) ? "own" : pick(2) ? "std::make_shared<Record>()" : "held"; }

  void meanwhile() {
    const bool has_member_thread = pick(4) == 0;
    if (has_member_thread)
      line(std::string("  std::thread member(&Record::add") + (pick(2) ? "" : "_carelessly") + ", &shelf[" +
           number(pick(2)) + "]);");
    statements(pick(3));
    if (pick(3) == 0) line("  own = std::make_shared<Record>();"); // the others may be the last that have it
    open_gate();
    statements(pick(2));
    if (has_member_thread) line("  member.join();");
  }

  void locked_sum() {
    if (!is_mistake()) line("      std::lock_guard<std::mutex> k(m);");
    line("      sum += 1;");
  }

  void statements(unsigned count) {
    for (unsigned i = 0; i < count; i++) pick(5) < 3 ? region() : simple();
  }

  void simple() {
    switch (pick(may_call_ ? 20 : 13)) {
    case 0:
      return line("  x += 1;");
    case 1:
      return line("  y = x;");
    case 2:
      return line("  z[" + number(pick(4)) + "] += 1;");
    case 3:
      return line(pick(2) ? "  shelf[0].add();" : "  shelf[1].add_carelessly();");
    case 4:
      return line("  numbers.push_back(1);");
    case 5:
      return line("  table[1] += 1;");
    case 6:
      return line("  if (!queue.empty()) queue.pop();");
    case 7:
      return line("  queue.push(1);");
    case 8:
      return line("  mailbox.store(new Record, std::memory_order_" +
                  std::string(is_mistake() ? "relaxed);" : "release);"));
    case 9:
      return line("  if (Record* mail = mailbox.load(std::memory_order_" +
                  std::string(is_mistake() ? "relaxed" : "acquire") + ")) mail->value += 1;");
    case 10:
      if (gate_ == 4) return; // who is not woken sleeps for ever
      return line("  flag.store(0, std::memory_order_relaxed), flag.store(1, std::memory_order_release);");
    case 11:
      return line("  held->add();");
    case 12:
      return line("  y = static_cast<int>(numbers.size());");
    case 13:
      return line(pick(2) ? "  own->add();" : "  own->add_carelessly();");
    case 14:
      return line("  helper(own);");
    case 15:
      return line("  std::call_once(once, first);");
    case 16:
      return line(pick(2) ? "  local().add();" : "  local().add_carelessly();");
    case 17:
      return peek();
    case 18:
      return line("  z[i] += 1;");
    default:
      return line("  held = own;");
    }
  }

  // With or without a reference of its own.
  void peek() {
    line("  {");
    line("    std::shared_ptr<Record> mine = " + std::string(pick(2) ? "own;" : "held;"));
    line("    Record* raw = mine.get();");
    if (is_mistake()) line("    mine.reset();");
    line("    y = raw->value;");
    line("  }");
  }

  void region() {
    switch (pick(13)) {
    case 0:
    case 1:
      return scope("std::lock_guard<std::mutex> k(m);");
    case 2:
      return scope("std::scoped_lock k(m, rec);");
    case 3:
      return scope("std::unique_lock<std::shared_mutex> k(rw);");
    case 4:
      return scope("std::shared_lock<std::shared_mutex> k(rw);");
    case 5:
      return early_unlock();
    case 6:
      return try_lock();
    case 7:
      return scope("std::lock_guard<std::recursive_mutex> k(rec);");
    case 8:
      line("  one.acquire();");
      simple_without_call();
      return line(is_mistake() && pick(2) ? "  one.release(2);" : "  one.release();");
    case 9:
      return spin_lock();
    case 10:
      return word_lock();
    case 11:
      line("  {");
      line("    std::unique_lock<std::mutex> k(m, std::defer_lock);");
      if (!is_mistake()) line("    k.lock();");
      simple_without_call();
      return line("  }");
    default:
      line("  try {");
      line("    if (rand() < 0) throw 1;");
      simple_without_call();
      line("  } catch (int) {");
      simple_without_call();
      return line("  }");
    }
  }

  void early_unlock() {
    line("  {");
    line("    std::unique_lock<std::mutex> k(m);");
    simple_without_call();
    line("    k.unlock();");
    if (is_mistake()) simple_without_call();
    line("  }");
  }

  void try_lock() {
    line("  {");
    line("    std::unique_lock<std::mutex> k(m, std::try_to_lock);");
    line(is_mistake() ? "    if (!k) {" : "    if (k) {");
    simple_without_call();
    line("    }");
    line("  }");
  }

  void spin_lock() {
    std::string order = is_mistake() ? "relaxed" : "acquire";
    line("  while (spin.test_and_set(std::memory_order_" + order + ")) std::this_thread::yield();");
    simple_without_call();
    line("  spin.clear(std::memory_order_release);");
    if (is_mistake() && pick(2)) line("  spin.clear(std::memory_order_release);");
  }

  void word_lock() {
    line("  for (int none = 0; !word.compare_exchange_weak(none, 1); none = 0) std::this_thread::yield();");
    simple_without_call();
    line(pick(8) ? "  word.store(0);" : "  word.store(0, std::memory_order_relaxed);");
  }

  void scope(const std::string& guard) {
    line("  {");
    line("    " + guard);
    simple_without_call();
    line("  }");
  }

  // What is called may take the lock that is held.
  void simple_without_call() {
    bool may_call = may_call_;
    may_call_ = false;
    simple();
    may_call_ = may_call;
  }

  unsigned threads_ = 2, gate_ = 0, meeting_ = 0;
  bool may_call_ = false;
};

} // namespace

std::string random_cxx_unit(std::uint64_t seed, unsigned programs) {
  std::mt19937_64 random(seed);
  std::string text = unit_head,
              main = "int main(int, char** arguments) {\n  int chosen = std::atoi(arguments[1]);\n";
  for (unsigned i = 0; i < programs; i++) {
    text += CxxGenerator(random, i).program();
    const std::string number = std::to_string(i);
    main += "  if (chosen == " + number + ") p" + number + "::run();\n";
  }
  return text + main + "}\n";
}

} // namespace footrace::prove
