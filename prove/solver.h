// Inclusion constraints between nodes, solved in waves: nodes are visited in topological order of the copies between
// them, and each passes on only what is new (difference propagation). Before a wave, if many copies came in since the
// last time, cycles of copies are merged into one node and the order is made anew. A node with more than `pool_limit`
// targets makes them one: programs that pass all data through one kind of container would cost too much otherwise.
#pragma once

#include "prove/memory.h"
#include "prove/transfers.h"

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/SparseBitVector.h"

#include <chrono>
#include <deque>
#include <functional>
#include <memory>
#include <queue>

namespace footrace::prove {

using LocationSet = llvm::SparseBitVector<>;

struct SolverStatistics {
  std::uint64_t propagations = 0;
  std::uint64_t waves = 0;
  std::uint64_t cycles = 0; // nodes that were merged
};

class Solver {
public:
  Solver(const llvm::DataLayout& data, bool collapse_arrays, std::size_t pool_limit);

  NodeId create();
  NodeId find(NodeId id) const;
  Memory& memory() { return memory_; }
  const Memory& memory() const { return memory_; }

  void add_location(NodeId node, LocationId location);
  void add_copy(NodeId from, NodeId to);
  void add_load(NodeId pointer, NodeId to, std::uint64_t offset = 0);
  void add_store(NodeId pointer, NodeId from, std::uint64_t offset = 0);
  void add_shift(NodeId pointer, NodeId to, Shift shift);
  // Contents of `length` bytes of the objects behind `from` flow to the same offsets behind `to`.
  void add_copy_of_memory(NodeId to, NodeId from, std::uint64_t length = unbounded);
  // Called once for every location that the node may point to, now and later.
  void listen(NodeId node, std::function<void(LocationId)> listener);

  // False if the deadline passed first.
  bool solve(std::optional<std::chrono::steady_clock::time_point> deadline);

  // Merged ids are resolved only in the final sets; call `settle` first.
  void settle();
  const LocationSet& points_to(NodeId node) const { return nodes_[find(node)].points_to; }
  const SolverStatistics& statistics() const { return statistics_; }
  std::size_t node_count() const { return nodes_.size(); }

private:
  struct Access {
    NodeId value;
    std::uint64_t offset;
    auto operator<=>(const Access&) const = default;
  };
  using Listener = std::shared_ptr<std::function<void(LocationId)>>;
  // What is done for each location that a node points to.
  struct Constraints {
    std::vector<Access> loads, stores;
    std::vector<std::pair<NodeId, Shift>> shifts;
    std::vector<Listener> listeners;
  };
  // `done` are the locations that all constraints and copies of the node have seen.
  struct Node {
    LocationSet points_to, done, copies;
    Constraints constraints;
    std::size_t not_pooled = 0; // targets that were left apart the last time
    bool queued = false;
  };
  using Rank = std::uint32_t;

  void see(LocationId created);
  void enqueue(NodeId node);
  void process(NodeId node);
  void catch_up(NodeId node, const Constraints& late);
  void apply(const Constraints& constraints, LocationId location);
  void pool_targets_of(NodeId node);
  void pool_functions_of(Node& node);
  void resolve_merged_locations(Node& node);
  void propagate(NodeId node, const LocationSet& delta);
  void merge_waiting();
  void merge_all(llvm::ArrayRef<NodeId> members, NodeId kept);
  void collect(const Node& gone, Node& kept);
  bool has_many_new_copies() const;
  void merge_cycles();
  void order_nodes();
  NodeId content(LocationId location, std::uint64_t offset);

  std::deque<Node> nodes_; // references stay valid while nodes are added
  mutable std::vector<NodeId> merged_into_;
  std::vector<Rank> ranks_; // of nodes that were there when the order was made; the others come last
  std::priority_queue<std::pair<Rank, NodeId>, std::vector<std::pair<Rank, NodeId>>, std::greater<>> wave_;
  std::vector<NodeId> next_wave_;
  Rank current_ = 0;
  std::size_t pool_limit_;
  std::uint64_t locations_merged_ = 0; // when the sets were last resolved
  std::uint64_t copies_ = 0, copies_when_ordered_ = 0;
  std::vector<std::pair<NodeId, NodeId>> waiting_; // to be merged, into the second, before the next wave
  std::vector<LocationId> created_;                // fields that transfers have not seen
  LocationSet functions_;                          // locations of single functions
  SolverStatistics statistics_;
  Memory memory_;
  Transfers transfers_;
  LocationId any_function_;
};

} // namespace footrace::prove
