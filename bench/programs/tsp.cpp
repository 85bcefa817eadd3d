// tsp: the shortest round trip through n cities, by branch and bound.
// Papers: FastTrack Tables 1-3 (one race), RedCard Tables 1-2.
// Sharing: partial tours are handed out from a queue under a lock and searched in thread-local memory; the
// distances are only read; every node of the search reads the length of the best tour so far. That bound is
// an atomic, or with --racy a plain integer that is written under a lock and read without, as in the papers'
// program (a stale bound costs time, never the result).
#include "program.h"

#include <algorithm>
#include <array>
#include <atomic>
#include <mutex>

using namespace bench;

namespace {

constexpr size_t max_cities = 32;

struct Map {
  size_t cities;
  int distance[max_cities][max_cities];
  int shortest[max_cities]; // edge that leaves each city
};

Map random_map(size_t cities) {
  Map map{};
  map.cities = cities;
  Random random(7);
  std::vector<std::array<int, 2>> at(cities);
  for (auto& p : at) p = {int(random.below(1000)), int(random.below(1000))};
  for (size_t i = 0; i < cities; ++i) {
    map.shortest[i] = 1 << 20;
    for (size_t j = 0; j < cities; ++j) {
      map.distance[i][j] = std::abs(at[i][0] - at[j][0]) + std::abs(at[i][1] - at[j][1]);
      if (i != j) map.shortest[i] = std::min(map.shortest[i], map.distance[i][j]);
    }
  }
  return map;
}

struct AtomicBound {
  int current() const { return best.load(std::memory_order_relaxed); }
  void offer(int length) {
    int seen = current();
    while (length < seen && !best.compare_exchange_weak(seen, length, std::memory_order_relaxed)) {
    }
  }
  std::atomic<int> best{1 << 30};
};

struct RacyBound {
  int current() const { return best; }
  void offer(int length) {
    if (length >= best) return;
    std::lock_guard lock(mutex);
    best = std::min(best, length);
  }
  std::mutex mutex;
  int best = 1 << 30;
};

struct Tour {
  std::array<uint8_t, max_cities> path{};
  size_t depth = 1;
  int length = 0;
  int still_needed = 0; // at least, to leave the last city and all that are not visited
  uint32_t visited = 1;

  void extend(const Map& map, size_t city) {
    const size_t last = path[depth - 1];
    length += map.distance[last][city];
    still_needed -= map.shortest[last];
    visited |= 1u << city;
    path[depth++] = uint8_t(city);
  }
  void retreat(const Map& map) {
    const size_t city = path[--depth], last = path[depth - 1];
    length -= map.distance[last][city];
    still_needed += map.shortest[last];
    visited &= ~(1u << city);
  }
};

class Queue {
public:
  explicit Queue(const Map& map) {
    Tour start;
    for (size_t i = 0; i < map.cities; ++i) start.still_needed += map.shortest[i];
    fill(map, start);
    std::sort(tours_.begin(), tours_.end(), [](const Tour& a, const Tour& b) {
      return a.length + a.still_needed > b.length + b.still_needed; // the most promising last
    });
  }
  bool take(Tour& tour) {
    std::lock_guard lock(mutex_);
    if (tours_.empty()) return false;
    tour = tours_.back();
    tours_.pop_back();
    return true;
  }

private:
  void fill(const Map& map, Tour& tour) {
    if (tour.depth == 4) return tours_.push_back(tour);
    for (size_t city = 1; city < map.cities; ++city) {
      if (tour.visited >> city & 1) continue;
      tour.extend(map, city);
      fill(map, tour);
      tour.retreat(map);
    }
  }
  std::mutex mutex_;
  std::vector<Tour> tours_;
};

template <class Bound> void search(const Map& map, Tour& tour, Bound& bound) {
  if (tour.depth == map.cities) return bound.offer(tour.length + map.distance[tour.path[tour.depth - 1]][0]);
  for (size_t city = 1; city < map.cities; ++city) {
    if (tour.visited >> city & 1) continue;
    tour.extend(map, city);
    if (tour.length + tour.still_needed < bound.current()) search(map, tour, bound);
    tour.retreat(map);
  }
}

int greedy_length(const Map& map, size_t start) {
  uint32_t visited = 1u << start;
  size_t at = start;
  int length = 0;
  for (size_t step = 1; step < map.cities; ++step) {
    size_t next = map.cities;
    for (size_t city = 0; city < map.cities; ++city)
      if (!(visited >> city & 1) && (next == map.cities || map.distance[at][city] < map.distance[at][next]))
        next = city;
    length += map.distance[at][next];
    visited |= 1u << next;
    at = next;
  }
  return length + map.distance[at][start];
}

template <class Bound> int solve(const Map& map, unsigned threads) {
  Queue queue(map);
  Bound bound;
  parallel(threads, [&](unsigned me) {
    // Before a thread has taken any lock: nothing orders its first look at the bound after the first write
    // of it by another thread, nor that write after this look, so that --racy races in every run.
    bound.offer(greedy_length(map, me % map.cities));
    for (Tour tour; queue.take(tour);)
      if (tour.length + tour.still_needed < bound.current()) search(map, tour, bound);
  });
  return bound.current();
}

uint64_t tsp(const Config& config) {
  const Map map = random_map(config.pick<size_t>(16, 19, 20));
  const int best =
      config.racy ? solve<RacyBound>(map, config.threads) : solve<AtomicBound>(map, config.threads);
  return mix(map.cities, uint64_t(best));
}

} // namespace

int main(int argc, char** argv) {
  return run_program(argc, argv, true, {0xd59dc80c030a903b, 0x448f5bd910df83e4, 0xc5e91ebb8107d0d6}, tsp);
}
