// Lock-free queue: messages through a bounded queue for many producers and consumers (Vyukov's algorithm).
// Sharing: a slot's message is plain memory, handed from producer to consumer and back by release stores and
// acquire loads of the slot's turn; positions are claimed by relaxed compare-and-swap.
#include "bench/programs/program.h"

#include <atomic>
#include <memory>

namespace {

struct Message {
  uint64_t number;
  uint64_t words[6];
};

class MpmcQueue {
public:
  explicit MpmcQueue(size_t capacity) : slots_(new Slot[capacity]), mask_(capacity - 1) {
    for (size_t i = 0; i < capacity; ++i) slots_[i].turn.store(i, std::memory_order_relaxed);
  }

  bool try_push(const Message& message) {
    size_t at = tail_.load(std::memory_order_relaxed);
    for (;;) {
      Slot& slot = slots_[at & mask_];
      // Acquire: the consumer of one lap ago has read the message that we overwrite.
      auto lag = std::ptrdiff_t(slot.turn.load(std::memory_order_acquire) - at);
      if (lag < 0) return false;
      if (lag > 0) {
        at = tail_.load(std::memory_order_relaxed);
      } else if (tail_.compare_exchange_weak(at, at + 1, std::memory_order_relaxed)) {
        slot.message = message;
        slot.turn.store(at + 1, std::memory_order_release);
        return true;
      }
    }
  }

  bool try_pop(Message& message) {
    size_t at = head_.load(std::memory_order_relaxed);
    for (;;) {
      Slot& slot = slots_[at & mask_];
      auto lag = std::ptrdiff_t(slot.turn.load(std::memory_order_acquire) - (at + 1));
      if (lag < 0) return false;
      if (lag > 0) {
        at = head_.load(std::memory_order_relaxed);
      } else if (head_.compare_exchange_weak(at, at + 1, std::memory_order_relaxed)) {
        message = slot.message;
        slot.turn.store(at + mask_ + 1, std::memory_order_release);
        return true;
      }
    }
  }

private:
  // turn == position: free for the producer of that position; position + 1: full, for its consumer.
  struct alignas(64) Slot {
    std::atomic<size_t> turn;
    Message message;
  };
  std::unique_ptr<Slot[]> slots_;
  const size_t mask_;
  alignas(64) std::atomic<size_t> head_ = 0;
  alignas(64) std::atomic<size_t> tail_ = 0;
};

Message make(size_t number) {
  bench::Random random(number);
  Message message{number, {}};
  for (uint64_t& word : message.words) word = random.next();
  return message;
}

uint64_t consume(const Message& message) {
  uint64_t h = message.number;
  for (uint64_t word : message.words) h = bench::mix(h, word);
  return h;
}

uint64_t lock_free(const bench::Config& config) {
  const size_t messages = config.pick<size_t>(1'000'000, 5'000'000, 80'000'000);
  MpmcQueue queue(1024);
  std::atomic<size_t> consumed = 0;
  std::vector<uint64_t> sums(config.threads);
  // Every thread produces and consumes in turns of varying length, so the queue runs both full and empty.
  bench::parallel(config.threads, [&](unsigned me) {
    bench::Range mine = bench::share(messages, me, config.threads);
    bench::Random random(me);
    size_t next = mine.begin;
    uint64_t sum = 0;
    while (consumed.load(std::memory_order_relaxed) < messages) {
      size_t pushes = random.below(256), pops = random.below(256), done = 0;
      for (; pushes && next < mine.end && queue.try_push(make(next)); --pushes) ++next;
      for (Message message; pops && queue.try_pop(message); --pops, ++done) sum += consume(message);
      if (done)
        consumed.fetch_add(done, std::memory_order_relaxed);
      else if (next == mine.end)
        std::this_thread::yield();
    }
    sums[me] = sum;
  });
  uint64_t total = 0;
  for (uint64_t sum : sums) total += sum;
  return bench::mix(total, consumed);
}

} // namespace

int main(int argc, char** argv) {
  return bench::run_program(argc, argv, false, {0x8db3267e6ef1b1d6, 0xebd279eb43b79bde, 0x5aba1ffcaf5af3f3},
                            lock_free);
}
