// Binary trees: builds, walks and drops many short-lived trees, half of them with new and delete, half in an
// arena of the building thread; one long-lived tree is built first and searched by everybody.
// Sharing: the heap recycles nodes from thread to thread, the long-lived tree is read-shared after its
// builder forked the readers, and everything else is thread-local.
#include "bench/programs/program.h"

#include <memory>

namespace {

struct Node {
  uint64_t key;
  Node* left;
  Node* right;
};

// Nodes come from chunks and go away all at once.
class Arena {
public:
  Node* make(uint64_t key, Node* left, Node* right) {
    if (used_ == kChunk) {
      if (++current_ == chunks_.size()) chunks_.push_back(std::make_unique<Node[]>(kChunk));
      used_ = 0;
    }
    Node* node = &chunks_[current_][used_++];
    *node = {key, left, right};
    return node;
  }
  void drop_all() { current_ = 0, used_ = 0; }

private:
  static constexpr size_t kChunk = 1024;
  std::vector<std::unique_ptr<Node[]>> chunks_ = first_chunk();
  size_t current_ = 0, used_ = 0;

  static std::vector<std::unique_ptr<Node[]>> first_chunk() {
    std::vector<std::unique_ptr<Node[]>> chunks;
    chunks.push_back(std::make_unique<Node[]>(kChunk));
    return chunks;
  }
};

struct Heap {
  Node* make(uint64_t key, Node* left, Node* right) { return new Node{key, left, right}; }
};

void drop(Node* node) {
  if (!node) return;
  drop(node->left);
  drop(node->right);
  delete node;
}

// A perfect search tree of the keys [low, low + 2^depth - 1).
template <class Allocator> Node* build(Allocator& allocator, uint64_t low, unsigned depth) {
  if (!depth) return nullptr;
  uint64_t half = (uint64_t(1) << (depth - 1)) - 1;
  Node* left = build(allocator, low, depth - 1);
  Node* right = build(allocator, low + half + 1, depth - 1);
  return allocator.make(low + half, left, right);
}

uint64_t sum_of(const Node* node, uint64_t depth) {
  return node ? node->key * depth + sum_of(node->left, depth + 1) + sum_of(node->right, depth + 1) : 0;
}

// The number of steps to `key`, which is there.
uint64_t search(const Node* node, uint64_t key) {
  uint64_t steps = 1;
  for (; node->key != key; ++steps) node = key < node->key ? node->left : node->right;
  return steps;
}

// One round: a tree on the heap, one in the arena, and some searches of the long-lived tree.
uint64_t one_round(uint64_t round, Arena& arena, const Node* shared, unsigned shared_depth) {
  const unsigned depth = 4 + round % 12;
  Heap heap;
  Node* on_heap = build(heap, round, depth);
  Node* in_arena = build(arena, 2 * round, depth);
  uint64_t sum = sum_of(on_heap, 1) + 3 * sum_of(in_arena, 1);
  drop(on_heap);
  arena.drop_all();
  bench::Random random(round);
  for (unsigned i = 0; i < 500; ++i) sum += search(shared, random.below((uint64_t(1) << shared_depth) - 1));
  return sum;
}

uint64_t binary_trees(const bench::Config& config) {
  const size_t rounds = config.pick<size_t>(120, 1200, 9600);
  constexpr unsigned kSharedDepth = 16;
  Heap heap;
  Node* shared = build(heap, 0, kSharedDepth);
  std::vector<uint64_t> sums(config.threads);
  bench::parallel(config.threads, [&](unsigned me) {
    Arena arena;
    bench::Range mine = bench::share(rounds, me, config.threads);
    uint64_t sum = 0;
    for (size_t round = mine.begin; round < mine.end; ++round)
      sum += one_round(round, arena, shared, kSharedDepth);
    sums[me] = sum;
  });
  uint64_t total = sum_of(shared, 1);
  drop(shared);
  for (uint64_t sum : sums) total += sum;
  return bench::mix(0, total);
}

} // namespace

int main(int argc, char** argv) {
  return bench::run_program(argc, argv, false, {0xb5383678c3e268e9, 0x47efacb6b53eb3ca, 0xe1b03aea9bf27490},
                            binary_trees);
}
