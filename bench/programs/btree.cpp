// B-tree: insertions, additions and lookups in one tree, by lock coupling.
// Sharing: every node has a shared_mutex; who goes down holds a node until it has its child. Full nodes are
// split on the way down, so a writer needs only the node and its parent. The root stays where it is.
#include "bench/programs/program.h"

#include <algorithm>
#include <array>
#include <memory>
#include <mutex>
#include <shared_mutex>
#include <utility>

namespace {

constexpr size_t kKeys = 31;

struct Node {
  std::shared_mutex mutex; // guards what follows
  bool leaf = true;
  size_t count = 0;
  std::array<uint64_t, kKeys> keys, values;
  std::array<std::unique_ptr<Node>, kKeys + 1> children;

  bool has_room() const { return count < kKeys; }
  bool has_key_at(size_t at, uint64_t key) const { return at < count && keys[at] == key; }
  size_t find(uint64_t key) const {
    return size_t(std::lower_bound(keys.begin(), keys.begin() + count, key) - keys.begin());
  }
  void insert(size_t at, uint64_t key, uint64_t value) {
    std::move_backward(keys.begin() + at, keys.begin() + count, keys.begin() + count + 1);
    std::move_backward(values.begin() + at, values.begin() + count, values.begin() + count + 1);
    keys[at] = key, values[at] = value;
    ++count;
  }
};

// The upper half of a full child becomes its right sibling, the key between them goes into the parent. Both
// are held exclusively, or nobody else knows the child yet.
void split_child(Node& parent, size_t at) {
  constexpr size_t kMiddle = kKeys / 2;
  Node& child = *parent.children[at];
  auto sibling = std::make_unique<Node>();
  sibling->leaf = child.leaf;
  sibling->count = kKeys - kMiddle - 1;
  std::copy(child.keys.begin() + kMiddle + 1, child.keys.end(), sibling->keys.begin());
  std::copy(child.values.begin() + kMiddle + 1, child.values.end(), sibling->values.begin());
  if (!child.leaf)
    std::move(child.children.begin() + kMiddle + 1, child.children.end(), sibling->children.begin());
  child.count = kMiddle;
  std::move_backward(parent.children.begin() + at + 1, parent.children.begin() + parent.count + 1,
                     parent.children.begin() + parent.count + 2);
  parent.children[at + 1] = std::move(sibling);
  parent.insert(at, child.keys[kMiddle], child.values[kMiddle]);
}

// The root's content moves into a new child, which is split. The root is held exclusively.
void split_root(Node& root) {
  auto child = std::make_unique<Node>();
  child->leaf = root.leaf;
  child->count = root.count;
  child->keys = root.keys;
  child->values = root.values;
  child->children = std::move(root.children);
  root.leaf = false;
  root.count = 0;
  root.children[0] = std::move(child);
  split_child(root, 0);
}

class BTree {
public:
  // Adds to the value of `key`, which is made if it is not there.
  void add(uint64_t key, uint64_t amount) {
    Node* node = &root_;
    std::unique_lock lock(node->mutex);
    if (!node->has_room()) split_root(*node);
    for (;;) {
      size_t at = node->find(key);
      if (node->has_key_at(at, key)) {
        node->values[at] += amount;
        return;
      }
      if (node->leaf) return node->insert(at, key, amount);
      Node* child = node->children[at].get();
      std::unique_lock child_lock(child->mutex);
      if (!child->has_room()) {
        split_child(*node, at);
        continue; // the key may be on either side, or be the one that moved up
      }
      lock = std::move(child_lock); // gives the parent back
      node = child;
    }
  }

  // The value of `key`, or 0.
  uint64_t get(uint64_t key) {
    Node* node = &root_;
    std::shared_lock lock(node->mutex);
    for (;;) {
      size_t at = node->find(key);
      if (node->has_key_at(at, key)) return node->values[at];
      if (node->leaf) return 0;
      node = node->children[at].get();
      lock = std::shared_lock(node->mutex);
    }
  }

  // Calls fn(key, value) in order of keys. Nobody else uses the tree.
  template <class Fn> void for_each(Fn fn) const { visit(root_, fn); }

private:
  Node root_;

  template <class Fn> static void visit(const Node& node, Fn& fn) {
    for (size_t i = 0; i < node.count; ++i) {
      if (!node.leaf) visit(*node.children[i], fn);
      fn(node.keys[i], node.values[i]);
    }
    if (!node.leaf) visit(*node.children[node.count], fn);
  }
};

// Every value is a sum of multiples of its key's factor.
uint64_t factor_of(uint64_t key) { return key % 13 + 1; }

uint64_t b_tree(const bench::Config& config) {
  const size_t operations = config.pick<size_t>(150'000, 1'100'000, 6'400'000);
  const uint64_t keys = config.pick<uint64_t>(50'000, 500'000, 2'000'000);
  BTree tree;
  std::vector<uint64_t> failures(config.threads);
  bench::parallel(config.threads, [&](unsigned me) {
    bench::Range mine = bench::share(operations, me, config.threads);
    uint64_t wrong = 0;
    for (size_t i = mine.begin; i < mine.end; ++i) {
      bench::Random random(i);
      uint64_t key = random.below(keys);
      if (random.below(8) < 3)
        tree.add(key, factor_of(key) * (1 + random.below(50)));
      else
        wrong += tree.get(key) % factor_of(key) != 0;
    }
    failures[me] = wrong;
  });
  uint64_t sum = 0, previous = 0, entries = 0, wrong = 0;
  tree.for_each([&](uint64_t key, uint64_t value) {
    wrong += entries && key <= previous;
    sum = bench::mix(bench::mix(sum, key), value);
    previous = key, ++entries;
  });
  for (uint64_t failed : failures) wrong += failed;
  return wrong ? wrong : bench::mix(sum, entries);
}

} // namespace

int main(int argc, char** argv) {
  return bench::run_program(argc, argv, false, {0x7d5b1e5585ac1489, 0x435cb21e8a2b4083, 0x2681cfad98f984da},
                            b_tree);
}
