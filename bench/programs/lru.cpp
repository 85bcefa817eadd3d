// LRU cache: texts computed on demand and kept in a cache of bounded size, the least recently used dropped.
// Sharing: lookups hold a shared_mutex shared and read index and entry; misses, and hits on entries that have
// not been moved for a while, hold it exclusively and relink the list.
#include "bench/programs/program.h"

#include <atomic>
#include <iterator>
#include <list>
#include <mutex>
#include <optional>
#include <shared_mutex>
#include <string>
#include <unordered_map>

namespace {

class LruCache {
public:
  explicit LruCache(size_t capacity) : capacity_(capacity) {}

  std::optional<std::string> get(uint64_t key) {
    bool has_aged;
    std::optional<std::string> text;
    {
      std::shared_lock lock(mutex_);
      auto found = index_.find(key);
      if (found == index_.end()) return std::nullopt;
      text = found->second->text;
      has_aged = moves_ - found->second->moved_at > capacity_ / 4;
    }
    if (has_aged) move_to_front(key);
    hits_.fetch_add(1, std::memory_order_relaxed);
    return text;
  }

  void put(uint64_t key, std::string text) {
    std::unique_lock lock(mutex_);
    if (index_.contains(key)) return; // another thread was faster
    if (index_.size() == capacity_) {
      index_.erase(order_.back().key);
      order_.pop_back();
    }
    order_.push_front({key, std::move(text), ++moves_});
    index_.emplace(key, order_.begin());
  }

  bool has_consistent_state() {
    std::unique_lock lock(mutex_);
    if (index_.size() != order_.size() || index_.size() > capacity_) return false;
    for (auto at = order_.begin(); at != order_.end(); ++at) {
      auto found = index_.find(at->key);
      if (found == index_.end() || found->second != at) return false;
      if (at != order_.begin() && std::prev(at)->moved_at < at->moved_at) return false;
    }
    return true;
  }
  uint64_t hits() const { return hits_.load(std::memory_order_relaxed); }

private:
  struct Entry {
    uint64_t key;
    std::string text;
    uint64_t moved_at;
  };
  const size_t capacity_;
  std::atomic<uint64_t> hits_ = 0;
  std::shared_mutex mutex_; // guards what follows
  std::list<Entry> order_;  // most recently used first
  std::unordered_map<uint64_t, std::list<Entry>::iterator> index_;
  uint64_t moves_ = 0;

  void move_to_front(uint64_t key) {
    std::unique_lock lock(mutex_);
    auto found = index_.find(key);
    if (found == index_.end()) return; // dropped in the meantime
    order_.splice(order_.begin(), order_, found->second);
    found->second->moved_at = ++moves_;
  }
};

// What the cache saves: a text that takes a while to make and depends on the key alone.
std::string compute(uint64_t key) {
  bench::Random random(key);
  std::string text;
  size_t length = 24 + key % 40;
  while (text.size() < length) {
    uint64_t bits = random.next();
    for (int i = 0; i < 8; ++i, bits >>= 8) text += char('a' + (bits & 15));
  }
  return text;
}

// Popular keys are asked for most, and what is popular drifts.
uint64_t key_of_request(size_t i) {
  bench::Random random(i);
  double u = random.unit();
  return uint64_t(u * u * u * u * 100'000.0) + i / 1000;
}

uint64_t lru(const bench::Config& config) {
  const size_t requests = config.pick<size_t>(150'000, 800'000, 12'000'000);
  LruCache cache(8192);
  std::vector<uint64_t> sums(config.threads);
  bench::parallel(config.threads, [&](unsigned me) {
    uint64_t sum = 0;
    for (size_t i = me; i < requests; i += config.threads) {
      uint64_t key = key_of_request(i);
      std::optional<std::string> text = cache.get(key);
      if (!text) {
        text = compute(key);
        cache.put(key, *text);
      }
      uint64_t h = key;
      for (size_t at = 0; at < text->size(); at += 5) h = h * 31 + uint64_t((*text)[at]);
      sum += h;
    }
    sums[me] = sum;
  });
  uint64_t total = 0;
  for (uint64_t sum : sums) total += sum;
  // Hits differ from run to run; a cache that never hits does not.
  if (!cache.has_consistent_state() || cache.hits() < requests / 4) return 1;
  return bench::mix(0, total);
}

} // namespace

int main(int argc, char** argv) {
  return bench::run_program(argc, argv, false, {0xa7172c7c1808fe8b, 0x49754aad3470ee59, 0x2b57d24ff20ee624},
                            lru);
}
