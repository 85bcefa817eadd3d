// elevator: a simulation of lifts (one thread each) that serve the riders of a building.
// Papers: FastTrack Tables 1-3, RedCard Tables 1-2 (there with pauses; here the lifts never sleep).
// Sharing: riders wait in queues that each floor guards with its lock; a rider object passes from the queue
// to a lift, which owns it while it travels, and on to the floor where it gets off. One more lock guards the
// count of riders who still wait, which every lift consults when it is empty.
#include "program.h"

#include <deque>
#include <memory>
#include <mutex>

using namespace bench;

namespace {

struct Rider {
  uint64_t id;
  size_t from, to;
  uint64_t arrives; // on the clock of the lift that comes by
  uint64_t boarded = 0;
};

class Floor {
public:
  void add(std::unique_ptr<Rider> rider) {
    auto& queue = rider->to > rider->from ? up_ : down_;
    queue.push_back(std::move(rider));
  }

  size_t board(bool up, uint64_t now, size_t capacity, std::vector<std::unique_ptr<Rider>>& cabin) {
    std::lock_guard lock(mutex_);
    auto& queue = up ? up_ : down_;
    size_t boarded = 0;
    while (cabin.size() < capacity && !queue.empty() && queue.front()->arrives <= now) {
      queue.front()->boarded = now;
      cabin.push_back(std::move(queue.front()));
      queue.pop_front();
      ++boarded;
    }
    return boarded;
  }

  void leave(std::unique_ptr<Rider> rider) {
    std::lock_guard lock(mutex_);
    sum_ += mix(mix(rider->id, rider->from), rider->to);
    ++delivered_;
    latecomers_ += rider->boarded < rider->arrives;
  }

  // After the lifts have stopped.
  uint64_t sum() const { return sum_; }
  size_t delivered() const { return delivered_; }
  size_t latecomers() const { return latecomers_; }

private:
  std::mutex mutex_;
  std::deque<std::unique_ptr<Rider>> up_, down_;
  uint64_t sum_ = 0;
  size_t delivered_ = 0, latecomers_ = 0;
};

struct Building {
  explicit Building(size_t floors) : floor(floors) {}
  void boarded(size_t riders) {
    std::lock_guard lock(mutex);
    waiting -= riders;
  }
  bool has_riders() {
    std::lock_guard lock(mutex);
    return waiting > 0;
  }
  std::vector<Floor> floor;
  std::mutex mutex;
  size_t waiting = 0;
};

class Lift {
public:
  Lift(Building& building, size_t start) : building_(building), at_(start) {}

  void run() {
    while (!cabin_.empty() || building_.has_riders()) {
      ++clock_;
      if (at_ + 1 == building_.floor.size()) up_ = false;
      if (at_ == 0) up_ = true;
      stop();
      at_ += up_ ? 1 : size_t(-1);
    }
  }

private:
  static constexpr size_t capacity = 8;

  void stop() {
    Floor& floor = building_.floor[at_];
    for (size_t i = 0; i < cabin_.size();) {
      if (cabin_[i]->to != at_) {
        ++i;
        continue;
      }
      floor.leave(std::move(cabin_[i]));
      cabin_[i] = std::move(cabin_.back());
      cabin_.pop_back();
    }
    if (const size_t boarded = floor.board(up_, clock_, capacity, cabin_)) building_.boarded(boarded);
  }

  Building& building_;
  size_t at_;
  bool up_ = true;
  uint64_t clock_ = 0;
  std::vector<std::unique_ptr<Rider>> cabin_;
};

uint64_t elevator(const Config& config) {
  constexpr size_t floors = 200;
  const size_t riders = config.pick<size_t>(30'000, 450'000, 2'400'000);
  Building building(floors);
  Random random(5);
  for (size_t id = 0; id < riders; ++id) {
    const size_t from = random.below(floors), to = (from + 1 + random.below(floors - 1)) % floors;
    building.floor[from].add(std::make_unique<Rider>(Rider{id, from, to, id / 16}));
  }
  building.waiting = riders;
  parallel(config.threads, [&](unsigned me) { Lift(building, me * floors / config.threads).run(); });

  uint64_t sum = 0;
  size_t delivered = 0;
  for (const Floor& floor : building.floor) {
    sum = mix(sum, floor.sum());
    delivered += floor.delivered();
    if (floor.latecomers()) return 1;
  }
  return delivered == riders ? sum : 2;
}

} // namespace

int main(int argc, char** argv) {
  return run_program(argc, argv, false, {0x56b03fe2eb40c92c, 0x61310b80cb74c3cc, 0xd7d99def83941834},
                     elevator);
}
