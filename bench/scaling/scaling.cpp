// One program whose work grows along one axis:  scaling AXIS N
//   data     2 threads write and read an array of N * 64 KB, in turns, a fixed number of times
//   threads  N threads, one after the other alive together, each with a fixed number of locked steps
//   locks    2 threads take N locks in turn, a fixed number of steps in all
//   live     N threads wait while 2 others take locks and write, a fixed number of steps in all
// Prints "units <count>": what the CPU time is divided by.
#include <barrier>
#include <condition_variable>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <mutex>
#include <thread>
#include <vector>

namespace {

template <class Body> void on_threads(unsigned threads, Body body) {
  std::vector<std::thread> team;
  for (unsigned i = 0; i < threads; ++i) team.emplace_back([&body, i] { body(i); });
  for (std::thread& t : team) t.join();
}

struct Counter {
  std::mutex mutex;
  uint64_t value = 0;
};

// Each round the halves change hands.
uint64_t data(unsigned n) {
  size_t words = size_t(n) * 65536 / sizeof(uint64_t);
  constexpr unsigned rounds = 12;
  std::vector<uint64_t> array(words);
  std::barrier<> turn(2);
  on_threads(2, [&](unsigned me) {
    for (unsigned round = 0; round < rounds; ++round) {
      size_t begin = (round + me) % 2 ? words / 2 : 0;
      for (size_t i = begin; i < begin + words / 2; ++i) array[i] = array[i] * 3 + round;
      turn.arrive_and_wait();
    }
  });
  return words * rounds;
}

uint64_t threads(unsigned n) {
  constexpr unsigned steps = 100'000;
  Counter shared;
  on_threads(n, [&](unsigned) {
    for (unsigned i = 0; i < steps; ++i) {
      std::lock_guard lock(shared.mutex);
      shared.value += i;
    }
  });
  return uint64_t(n) * steps;
}

uint64_t locks(unsigned n) {
  constexpr unsigned steps = 2'000'000;
  std::vector<Counter> counters(n);
  on_threads(2, [&](unsigned me) {
    for (unsigned i = 0; i < steps / 2; ++i) {
      Counter& counter = counters[(size_t(i) * 7919 + me * (n / 2)) % n];
      std::lock_guard lock(counter.mutex);
      counter.value += i;
    }
  });
  return steps;
}

uint64_t live(unsigned n) {
  constexpr unsigned steps = 2'000'000;
  std::mutex mutex;
  std::condition_variable changed;
  bool done = false;
  std::vector<std::thread> waiting;
  for (unsigned i = 0; i < n; ++i)
    waiting.emplace_back([&] {
      std::unique_lock lock(mutex);
      changed.wait(lock, [&] { return done; });
    });
  uint64_t units = 0;
  {
    Counter counters[2];
    on_threads(2, [&](unsigned me) {
      for (unsigned i = 0; i < steps / 2; ++i) {
        std::lock_guard lock(counters[me].mutex);
        counters[me].value += i;
      }
    });
    units = steps;
  }
  {
    std::lock_guard lock(mutex);
    done = true;
  }
  changed.notify_all();
  for (std::thread& t : waiting) t.join();
  return units;
}

} // namespace

int main(int argc, char** argv) {
  struct Axis {
    const char* name;
    uint64_t (*run)(unsigned);
  };
  const Axis axes[] = {{"data", data}, {"threads", threads}, {"locks", locks}, {"live", live}};
  int n = argc == 3 ? std::atoi(argv[2]) : 0;
  if (n > 0)
    for (const Axis& axis : axes)
      if (!std::strcmp(argv[1], axis.name)) {
        std::printf("units %llu\n", static_cast<unsigned long long>(axis.run(unsigned(n))));
        return 0;
      }
  std::fprintf(stderr, "usage: %s data|threads|locks|live N\n", argv[0]);
  return 2;
}
