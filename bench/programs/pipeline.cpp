// Pipeline: blocks of text go through four stages (make, find words, compress, collect) over bounded queues.
// Sharing: a queue is a ring under a mutex with two condition variables; a block belongs to one stage at a
// time and is handed over by pointer. The middle stages have as many workers as --threads says.
#include "bench/programs/program.h"

#include <condition_variable>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <utility>

namespace {

template <class T> class BoundedQueue {
public:
  BoundedQueue(size_t capacity, unsigned producers) : ring_(capacity), producers_(producers) {}

  void push(T item) {
    std::unique_lock lock(mutex_);
    not_full_.wait(lock, [&] { return count_ < ring_.size(); });
    ring_[(first_ + count_++) % ring_.size()] = std::move(item);
    lock.unlock();
    not_empty_.notify_one();
  }
  // Nothing, when all producers are done and the queue is empty.
  std::optional<T> pop() {
    std::unique_lock lock(mutex_);
    not_empty_.wait(lock, [&] { return count_ || !producers_; });
    if (!count_) return std::nullopt;
    T item = std::move(ring_[first_]);
    first_ = (first_ + 1) % ring_.size(), --count_;
    lock.unlock();
    not_full_.notify_one();
    return item;
  }
  void producer_done() {
    std::lock_guard lock(mutex_);
    if (!--producers_) not_empty_.notify_all();
  }

private:
  std::mutex mutex_; // guards what follows
  std::condition_variable not_empty_, not_full_;
  std::vector<T> ring_;
  size_t first_ = 0, count_ = 0;
  unsigned producers_; // that may still push
};

struct Block {
  size_t number;
  std::string text;
  std::vector<std::pair<uint32_t, uint32_t>> words; // offset, length
  std::vector<uint8_t> packed;
};
using BlockQueue = BoundedQueue<std::unique_ptr<Block>>;

void make_text(Block& block) {
  bench::Random random(block.number);
  while (block.text.size() < 2000) {
    uint64_t bits = random.next();
    for (size_t length = 1 + bits % 9; length; --length) block.text += char('a' + (bits >>= 4) % 16);
    block.text += ' ';
  }
}

void find_words(Block& block) {
  uint32_t begin = 0;
  for (uint32_t at = 0; at < block.text.size(); ++at)
    if (block.text[at] == ' ') {
      if (at > begin) block.words.emplace_back(begin, at - begin);
      begin = at + 1;
    }
}

// A word seen lately becomes a reference into a small table, others are copied.
void compress(Block& block) {
  std::vector<std::pair<uint32_t, uint32_t>> recent(256, {0, 0});
  for (auto word : block.words) {
    uint32_t h = 0;
    for (uint32_t i = 0; i < word.second; ++i) h = h * 33 + uint8_t(block.text[word.first + i]);
    auto& slot = recent[h & 255];
    if (slot.second == word.second &&
        block.text.compare(word.first, word.second, block.text, slot.first, slot.second) == 0) {
      block.packed.push_back(0xff);
      block.packed.push_back(uint8_t(h));
    } else {
      block.packed.push_back(uint8_t(word.second));
      for (uint32_t i = 0; i < word.second; ++i) block.packed.push_back(uint8_t(block.text[word.first + i]));
      slot = word;
    }
  }
}

template <class Work> void run_stage(BlockQueue& from, BlockQueue& to, Work work) {
  while (auto block = from.pop()) {
    work(**block);
    to.push(std::move(*block));
  }
  to.producer_done();
}

uint64_t pipeline(const bench::Config& config) {
  const size_t blocks = config.pick<size_t>(1'000, 12'000, 104'000);
  const unsigned workers = config.threads;
  BlockQueue made(32, 1), split(32, workers), done(32, workers);
  std::vector<std::thread> team;
  team.emplace_back([&] {
    for (size_t i = 0; i < blocks; ++i) {
      auto block = std::make_unique<Block>();
      block->number = i;
      make_text(*block);
      made.push(std::move(block));
    }
    made.producer_done();
  });
  for (unsigned i = 0; i < workers; ++i) {
    team.emplace_back([&] { run_stage(made, split, find_words); });
    team.emplace_back([&] { run_stage(split, done, compress); });
  }
  // Blocks arrive in any order.
  uint64_t sum = 0, seen = 0;
  while (auto block = done.pop()) {
    uint64_t h = (*block)->number;
    for (uint8_t byte : (*block)->packed) h = h * 131 + byte;
    sum += bench::mix(h, (*block)->words.size());
    ++seen;
  }
  for (std::thread& t : team) t.join();
  return bench::mix(sum, seen);
}

} // namespace

int main(int argc, char** argv) {
  return bench::run_program(argc, argv, false, {0x5b7e8463ac6c9916, 0x72efbdfbd881864d, 0x286f8e662b08dda1},
                            pipeline);
}
