// Inclusion constraints between nodes, solved by difference propagation: a node passes on only what is new. Cycles of
// copies are found lazily (when a copy brings nothing new to an equal set) and merged into one node.
#pragma once

#include "prove/memory.h"

#include "llvm/ADT/DenseSet.h"
#include "llvm/ADT/SparseBitVector.h"

#include <chrono>
#include <deque>
#include <functional>
#include <memory>

namespace footrace::prove {

using LocationSet = llvm::SparseBitVector<>;

struct SolverStatistics {
  std::uint64_t propagations = 0;
  std::uint64_t cycles = 0; // nodes that were merged
};

class Solver {
public:
  Solver(const llvm::DataLayout& data, bool collapse_arrays);

  NodeId create();
  NodeId find(NodeId id) const;
  Memory& memory() { return memory_; }
  const Memory& memory() const { return memory_; }

  void add_location(NodeId node, LocationId location);
  void add_copy(NodeId from, NodeId to);
  void add_load(NodeId pointer, NodeId to, std::uint64_t offset = 0);
  void add_store(NodeId pointer, NodeId from, std::uint64_t offset = 0);
  void add_shift(NodeId pointer, NodeId to, Shift shift);
  // Contents of the objects behind `from` flow to the same offsets behind `to`.
  void add_copy_of_memory(NodeId to, NodeId from);
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
  };
  struct Node {
    LocationSet points_to, done, copies;
    std::vector<Access> loads, stores;
    std::vector<std::pair<NodeId, Shift>> shifts;
    std::vector<std::shared_ptr<std::function<void(LocationId)>>> listeners;
    bool queued = false;
  };
  struct MemoryCopy {
    LocationId from, to;
  };

  void enqueue(NodeId node);
  std::vector<NodeId> targets_of(NodeId node) const;
  void process(NodeId node);
  void apply(NodeId node, LocationId location);
  void propagate(NodeId node, const LocationSet& delta);
  void merge(NodeId a, NodeId b);
  void collapse_cycles_from(NodeId node);
  NodeId content(LocationId location, std::uint64_t offset);
  void add_memory_copy(LocationId from, LocationId to);
  void copy_field(const MemoryCopy& copy, LocationId field);

  std::deque<Node> nodes_; // references stay valid while nodes are added
  mutable std::vector<NodeId> merged_into_;
  std::vector<NodeId> worklist_;
  llvm::DenseSet<std::pair<NodeId, NodeId>> checked_;
  std::map<ObjectId, std::vector<MemoryCopy>> copies_from_;
  llvm::DenseSet<std::pair<LocationId, LocationId>> memory_copies_;
  std::vector<LocationId> created_; // fields that memory copies have not seen
  SolverStatistics statistics_;
  Memory memory_;
};

} // namespace footrace::prove
