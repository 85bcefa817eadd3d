// Sharded hash map: additions, lookups and short-lived entries in a chained hash map of 64 shards that grow.
// Sharing: each shard has its own mutex; all of its state moves from thread to thread under it.
#include "bench/programs/program.h"

#include <array>
#include <memory>
#include <mutex>
#include <utility>

namespace {

uint64_t hash_of(uint64_t key) { return bench::mix(0x5eed, key); }

// Not thread-safe: whoever calls holds the shard's mutex.
class Table {
public:
  uint64_t& at(uint64_t key) {
    if (Entry* found = find_entry(key)) return found->value;
    if (++size_ > buckets_.size()) grow();
    auto& bucket = bucket_of(key);
    bucket = std::make_unique<Entry>(Entry{key, 0, std::move(bucket)});
    return bucket->value;
  }
  const uint64_t* find(uint64_t key) {
    Entry* found = find_entry(key);
    return found ? &found->value : nullptr;
  }
  bool erase(uint64_t key) {
    for (auto* link = &bucket_of(key); *link; link = &(*link)->next)
      if ((*link)->key == key) {
        *link = std::move((*link)->next);
        --size_;
        return true;
      }
    return false;
  }
  template <class Fn> void for_each(Fn fn) const {
    for (const auto& bucket : buckets_)
      for (const Entry* e = bucket.get(); e; e = e->next.get()) fn(e->key, e->value);
  }
  size_t size() const { return size_; }

private:
  struct Entry {
    uint64_t key, value;
    std::unique_ptr<Entry> next;
  };
  std::vector<std::unique_ptr<Entry>> buckets_ = std::vector<std::unique_ptr<Entry>>(16);
  size_t size_ = 0;

  // The high bits: the low ones have chosen the shard.
  std::unique_ptr<Entry>& bucket_of(uint64_t key) {
    return buckets_[(hash_of(key) >> 32) & (buckets_.size() - 1)];
  }
  Entry* find_entry(uint64_t key) {
    Entry* e = bucket_of(key).get();
    while (e && e->key != key) e = e->next.get();
    return e;
  }
  void grow() {
    std::vector<std::unique_ptr<Entry>> old(buckets_.size() * 2);
    old.swap(buckets_);
    for (auto& bucket : old)
      while (bucket) {
        std::unique_ptr<Entry> entry = std::move(bucket);
        bucket = std::move(entry->next);
        auto& to = bucket_of(entry->key);
        entry->next = std::move(to);
        to = std::move(entry);
      }
  }
};

class ShardedMap {
public:
  void add(uint64_t key, uint64_t amount) {
    Shard& shard = shard_of(key);
    std::lock_guard lock(shard.mutex);
    shard.table.at(key) += amount;
  }
  uint64_t get(uint64_t key) {
    Shard& shard = shard_of(key);
    std::lock_guard lock(shard.mutex);
    const uint64_t* found = shard.table.find(key);
    return found ? *found : 0;
  }
  bool erase(uint64_t key) {
    Shard& shard = shard_of(key);
    std::lock_guard lock(shard.mutex);
    return shard.table.erase(key);
  }
  uint64_t checksum() {
    uint64_t sum = 0, entries = 0;
    for (Shard& shard : shards_) {
      std::lock_guard lock(shard.mutex);
      entries += shard.table.size();
      shard.table.for_each([&](uint64_t key, uint64_t value) { sum += bench::mix(key, value); });
    }
    return bench::mix(sum, entries);
  }

private:
  struct alignas(64) Shard {
    std::mutex mutex;
    Table table; // guarded by mutex
  };
  std::array<Shard, 64> shards_;
  Shard& shard_of(uint64_t key) { return shards_[hash_of(key) % shards_.size()]; }
};

// Every operation adds a multiple of the key's factor, so a torn or lost value shows in any lookup.
uint64_t factor_of(uint64_t key) { return key % 7 + 1; }

uint64_t sharded_map(const bench::Config& config) {
  const size_t operations = config.pick<size_t>(400'000, 3'600'000, 20'000'000);
  const uint64_t keys = config.pick<uint64_t>(20'000, 200'000, 800'000), temporary = uint64_t(1) << 32;
  ShardedMap map;
  std::vector<uint64_t> failures(config.threads);
  bench::parallel(config.threads, [&](unsigned me) {
    bench::Range mine = bench::share(operations, me, config.threads);
    uint64_t wrong = 0;
    for (size_t i = mine.begin; i < mine.end; ++i) {
      bench::Random random(i);
      uint64_t key = random.below(keys);
      switch (random.below(8)) {
      case 0: // a short-lived entry, of this operation only
        map.add(temporary + i, i);
        wrong += map.get(temporary + i) != i;
        wrong += !map.erase(temporary + i);
        break;
      case 1:
      case 2:
      case 3:
        map.add(key, factor_of(key) * random.below(100));
        break;
      default:
        wrong += map.get(key) % factor_of(key) != 0;
      }
    }
    failures[me] = wrong;
  });
  uint64_t sum = map.checksum();
  for (uint64_t wrong : failures) sum += wrong;
  return sum;
}

} // namespace

int main(int argc, char** argv) {
  return bench::run_program(argc, argv, false, {0x51831c7532299e00, 0xf30e4ef8d47e6cdf, 0x42cac499244eb2f6},
                            sharded_map);
}
