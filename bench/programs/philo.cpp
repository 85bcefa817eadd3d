// philo: dining philosophers, one thread each, around a table that is a monitor.
// Papers: FastTrack Tables 1-3, RedCard Tables 1-2 (there with pauses; here they work while they think).
// Sharing: a philosopher waits at the monitor until both forks are free and then owns them, so that the data
// of a fork passes from one thread to the next through the monitor's lock alone. Thinking is private.
#include "program.h"

#include <array>
#include <condition_variable>
#include <mutex>
#include <numeric>

using namespace bench;

namespace {

constexpr size_t courses = 64;

struct Fork {
  std::array<uint64_t, courses> carried{};
  uint64_t uses = 0;
};

class Table {
public:
  explicit Table(size_t seats) : forks_(seats), free_(seats, true) {}

  struct Pair {
    Fork &left, &right;
  };
  Pair take_forks(size_t seat) {
    const size_t left = seat, right = (seat + 1) % forks_.size();
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [&] { return free_[left] && free_[right]; });
    free_[left] = free_[right] = false;
    return {forks_[left], forks_[right]};
  }
  void put_back(size_t seat) {
    std::lock_guard lock(mutex_);
    free_[seat] = free_[(seat + 1) % forks_.size()] = true;
    changed_.notify_all();
  }
  const std::vector<Fork>& forks() const { return forks_; } // when nobody eats any more

private:
  std::mutex mutex_;
  std::condition_variable changed_;
  std::vector<Fork> forks_;
  std::vector<bool> free_;
};

class Philosopher {
public:
  // Sorts out this meal's thoughts: a shuffle and a pass of neighbour exchanges.
  uint64_t think(uint64_t meal) {
    std::iota(thoughts_.begin(), thoughts_.end(), meal);
    Random random(meal);
    for (size_t i = thoughts_.size() - 1; i > 0; --i) std::swap(thoughts_[i], thoughts_[random.below(i + 1)]);
    uint64_t idea = 0;
    for (int pass = 0; pass < 4; ++pass)
      for (size_t i = 1; i < thoughts_.size(); ++i) {
        if (thoughts_[i - 1] > thoughts_[i]) std::swap(thoughts_[i - 1], thoughts_[i]);
        idea = mix(idea, thoughts_[i]);
      }
    return idea;
  }
  static void eat(Table::Pair forks, uint64_t idea) {
    for (size_t course = 0; course < courses; ++course) {
      const uint64_t bite = mix(idea, course);
      forks.left.carried[course] += bite;
      forks.right.carried[course] += bite >> 1;
    }
    ++forks.left.uses;
    ++forks.right.uses;
  }

private:
  std::array<uint64_t, 512> thoughts_{};
};

uint64_t philo(const Config& config) {
  const size_t meals = config.pick<size_t>(3'000, 60'000, 360'000);
  Table table(config.threads < 2 ? 2 : config.threads); // nobody eats with one fork
  parallel(config.threads, [&](unsigned seat) {
    Philosopher philosopher;
    const Range mine = share(meals, seat, config.threads);
    for (size_t meal = mine.begin; meal < mine.end; ++meal) {
      const uint64_t idea = philosopher.think(meal);
      philosopher.eat(table.take_forks(seat), idea);
      table.put_back(seat);
    }
  });

  std::array<uint64_t, courses> total{};
  uint64_t uses = 0;
  for (const Fork& fork : table.forks()) {
    uses += fork.uses;
    for (size_t course = 0; course < courses; ++course) total[course] += fork.carried[course];
  }
  if (uses != 2 * meals) return 1;
  uint64_t sum = 0;
  for (uint64_t t : total) sum = mix(sum, t);
  return sum;
}

} // namespace

int main(int argc, char** argv) {
  return run_program(argc, argv, false, {0x0f665b51e4762e0d, 0xa9dcc5c32587f0c6, 0xe8df628933e3aa85}, philo);
}
