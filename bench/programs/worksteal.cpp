// Work stealing: quicksort of arrays, its halves as tasks in a deque per thread (Chase and Lev, SPAA'05).
// Sharing: a task and its part of the array go to a thief by the release store of `bottom` and its acquire
// load. Orders are those of Le et al. (PPoPP'13) with sequentially consistent operations for the fences.
#include "bench/programs/program.h"

#include <algorithm>
#include <array>
#include <atomic>
#include <memory>
#include <utility>

namespace {

struct Task {
  uint64_t* begin;
  uint64_t* end;
};

class Deque {
public:
  // Owner only. False: full.
  bool push(Task* task) {
    int64_t b = bottom_.load(std::memory_order_relaxed);
    if (b - top_.load(std::memory_order_acquire) >= kCapacity) return false;
    slot(b).store(task, std::memory_order_relaxed);
    bottom_.store(b + 1, std::memory_order_release);
    return true;
  }
  // Owner only. Null: empty.
  Task* pop() {
    int64_t b = bottom_.load(std::memory_order_relaxed) - 1;
    bottom_.store(b, std::memory_order_seq_cst);
    int64_t t = top_.load(std::memory_order_seq_cst);
    Task* task = nullptr;
    if (t < b) return slot(b).load(std::memory_order_relaxed);
    if (t == b) { // the last one: race the thieves for it
      task = slot(b).load(std::memory_order_relaxed);
      if (!top_.compare_exchange_strong(t, t + 1, std::memory_order_seq_cst)) task = nullptr;
    }
    // Release: since C++20 a relaxed store ends the release sequence of its own thread's earlier pushes.
    bottom_.store(b + 1, std::memory_order_release);
    return task;
  }
  // Anybody. Null: empty, or another thread was faster.
  Task* steal() {
    int64_t t = top_.load(std::memory_order_seq_cst);
    if (t >= bottom_.load(std::memory_order_seq_cst)) return nullptr;
    Task* task = slot(t).load(std::memory_order_relaxed);
    return top_.compare_exchange_strong(t, t + 1, std::memory_order_seq_cst) ? task : nullptr;
  }

private:
  static constexpr int64_t kCapacity = 256;
  alignas(64) std::atomic<int64_t> top_ = 0;
  alignas(64) std::atomic<int64_t> bottom_ = 0;
  std::array<std::atomic<Task*>, kCapacity> ring_ = {};
  std::atomic<Task*>& slot(int64_t i) { return ring_[size_t(i) % kCapacity]; }
};

class Sorter {
public:
  explicit Sorter(unsigned threads) : deques_(threads) {}

  void run(unsigned threads, uint64_t* begin, uint64_t* end) {
    deques_[0].push(new Task{begin, end});
    bench::parallel(threads, [&](unsigned me) { work(me); });
  }

private:
  std::vector<Deque> deques_;
  std::atomic<int64_t> pending_ = 1; // tasks made and not finished

  void work(unsigned me) {
    bench::Random random(me);
    while (pending_.load(std::memory_order_acquire)) {
      Task* task = deques_[me].pop();
      if (!task) task = deques_[random.below(deques_.size())].steal();
      if (!task) {
        std::this_thread::yield();
        continue;
      }
      std::unique_ptr<Task> mine(task);
      sort(me, mine->begin, mine->end);
      pending_.fetch_sub(1, std::memory_order_acq_rel);
    }
  }

  // Keeps the left part, offers the right one.
  void sort(unsigned me, uint64_t* begin, uint64_t* end) {
    while (end - begin > kCutOff) {
      uint64_t* middle = partition(begin, end);
      auto right = std::make_unique<Task>(Task{middle, end});
      pending_.fetch_add(1, std::memory_order_relaxed);
      if (deques_[me].push(right.get())) {
        right.release();
      } else {
        sort(me, middle, end);
        pending_.fetch_sub(1, std::memory_order_relaxed);
      }
      end = middle;
    }
    insertion_sort(begin, end);
  }

  static constexpr std::ptrdiff_t kCutOff = 48;

  static uint64_t* partition(uint64_t* begin, uint64_t* end) {
    uint64_t a = *begin, b = begin[(end - begin) / 2], c = end[-1];
    uint64_t pivot = std::max(std::min(a, b), std::min(std::max(a, b), c));
    uint64_t *low = begin, *high = end - 1;
    for (;;) {
      while (*low < pivot) ++low;
      while (pivot < *high) --high;
      if (low >= high) return low == begin ? low + 1 : low;
      std::swap(*low++, *high--);
    }
  }
  static void insertion_sort(uint64_t* begin, uint64_t* end) {
    for (uint64_t* at = begin; at != end; ++at) {
      uint64_t value = *at, *to = at;
      for (; to != begin && value < to[-1]; --to) *to = to[-1];
      *to = value;
    }
  }
};

uint64_t work_steal(const bench::Config& config) {
  std::vector<uint64_t> data(config.pick<size_t>(150'000, 1'000'000, 8'000'000));
  bench::Random random(2005);
  uint64_t sum = 0;
  for (unsigned round = 0; round < 4; ++round) {
    for (uint64_t& x : data) x = random.below(1'000'000'000);
    Sorter(config.threads).run(config.threads, data.data(), data.data() + data.size());
    if (!std::is_sorted(data.begin(), data.end())) return 1;
    for (size_t i = 0; i < data.size(); i += 7) sum = bench::mix(sum, data[i]);
  }
  return sum;
}

} // namespace

int main(int argc, char** argv) {
  return bench::run_program(argc, argv, false, {0xc546f01ecc90614d, 0x1902dda5e557fd49, 0x7dab674cd93f27d8},
                            work_steal);
}
