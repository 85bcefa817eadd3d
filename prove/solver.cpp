#include "prove/solver.h"

namespace footrace::prove {

Solver::Solver(const llvm::DataLayout& data, bool collapse_arrays)
    : memory_(data, collapse_arrays,
              {[this] { return create(); }, [this](NodeId a, NodeId b) { merge(a, b); },
               [this](LocationId id) { created_.push_back(id); }}) {}

NodeId Solver::create() {
  auto id = static_cast<NodeId>(nodes_.size());
  nodes_.emplace_back();
  merged_into_.push_back(id);
  return id;
}

NodeId Solver::find(NodeId id) const {
  while (merged_into_[id] != id) {
    merged_into_[id] = merged_into_[merged_into_[id]];
    id = merged_into_[id];
  }
  return id;
}

void Solver::enqueue(NodeId id) {
  id = find(id);
  if (nodes_[id].queued) return;
  nodes_[id].queued = true;
  worklist_.push_back(id);
}

void Solver::add_location(NodeId id, LocationId location) {
  id = find(id);
  if (nodes_[id].points_to.test_and_set(memory_.find(location))) enqueue(id);
}

void Solver::add_copy(NodeId from, NodeId to) {
  from = find(from), to = find(to);
  if (from == to || !nodes_[from].copies.test_and_set(to)) return;
  bool is_more = nodes_[to].points_to |= nodes_[from].points_to;
  if (is_more) enqueue(to);
}

// A constraint that comes later than the locations: let the node present all of them again.
void Solver::add_load(NodeId pointer, NodeId to, std::uint64_t offset) {
  pointer = find(pointer);
  nodes_[pointer].loads.push_back({to, offset});
  nodes_[pointer].done.clear();
  enqueue(pointer);
}

void Solver::add_store(NodeId pointer, NodeId from, std::uint64_t offset) {
  pointer = find(pointer);
  nodes_[pointer].stores.push_back({from, offset});
  nodes_[pointer].done.clear();
  enqueue(pointer);
}

void Solver::add_shift(NodeId pointer, NodeId to, Shift shift) {
  pointer = find(pointer);
  nodes_[pointer].shifts.push_back({to, std::move(shift)});
  nodes_[pointer].done.clear();
  enqueue(pointer);
}

void Solver::listen(NodeId node, std::function<void(LocationId)> listener) {
  node = find(node);
  auto seen = std::make_shared<llvm::DenseSet<LocationId>>();
  auto once = [seen, listener = std::move(listener)](LocationId location) {
    if (seen->insert(location).second) listener(location);
  };
  nodes_[node].listeners.push_back(std::make_shared<std::function<void(LocationId)>>(once));
  nodes_[node].done.clear();
  enqueue(node);
}

void Solver::add_copy_of_memory(NodeId to, NodeId from) {
  listen(from, [this, to](LocationId source) {
    listen(to, [this, source](LocationId target) { add_memory_copy(source, target); });
  });
}

void Solver::add_memory_copy(LocationId from, LocationId to) {
  from = memory_.find(from), to = memory_.find(to);
  if (from == to || !memory_copies_.insert({from, to}).second) return;
  MemoryCopy copy{from, to};
  ObjectId object = memory_.object_of(from);
  copies_from_[object].push_back(copy);
  std::vector<LocationId> fields;
  for (auto [offset, field] : memory_[object].fields) fields.push_back(field);
  for (LocationId field : fields) copy_field(copy, field);
}

void Solver::copy_field(const MemoryCopy& copy, LocationId field) {
  const Location source = memory_.at(copy.from);
  std::uint64_t offset = memory_.at(field).offset;
  std::uint64_t distance;
  if (offset >= source.offset) {
    distance = offset - source.offset;
  } else {
    const Range* around = memory_[source.object].layout.range_at(source.offset);
    if (!around || !around->contains(offset)) return; // lies before what is copied
    distance = offset + around->stride - source.offset;
  }
  NodeId from = memory_.at(field).content;
  LocationId to = memory_.shifted(copy.to, {{static_cast<std::int64_t>(distance), 0, 0}});
  add_copy(from, memory_.at(to).content);
}

NodeId Solver::content(LocationId location, std::uint64_t offset) {
  if (offset) location = memory_.shifted(location, {{static_cast<std::int64_t>(offset), 0, 0}});
  return find(memory_.at(location).content);
}

void Solver::apply(NodeId id, LocationId location) {
  // The lists may grow, and the node may be merged, while they are worked on.
  for (std::size_t i = 0; i < nodes_[id].shifts.size(); i++) {
    auto [to, shift] = nodes_[id].shifts[i];
    add_location(to, memory_.shifted(location, shift));
  }
  for (std::size_t i = 0; i < nodes_[id].loads.size(); i++) {
    Access load = nodes_[id].loads[i];
    add_copy(content(location, load.offset), load.value);
  }
  for (std::size_t i = 0; i < nodes_[id].stores.size(); i++) {
    Access store = nodes_[id].stores[i];
    add_copy(store.value, content(location, store.offset));
  }
  for (std::size_t i = 0; i < nodes_[id].listeners.size(); i++) {
    auto listener = nodes_[id].listeners[i];
    (*listener)(memory_.find(location));
  }
}

void Solver::process(NodeId id) {
  nodes_[id].queued = false;
  if (find(id) != id) return;
  LocationSet delta = nodes_[id].points_to;
  delta.intersectWithComplement(nodes_[id].done);
  if (delta.empty()) return;
  nodes_[id].done |= delta;
  statistics_.propagations++;
  for (LocationId location : delta) apply(id, location);
  propagate(find(id), delta);
}

std::vector<NodeId> Solver::targets_of(NodeId id) const {
  std::vector<NodeId> targets;
  for (NodeId target : nodes_[id].copies) targets.push_back(target);
  return targets;
}

void Solver::propagate(NodeId id, const LocationSet& delta) {
  std::vector<NodeId> targets = targets_of(id);
  for (NodeId target : targets) {
    NodeId to = find(target), from = find(id);
    if (to == from) continue;
    bool is_more = nodes_[to].points_to |= delta;
    if (is_more) {
      enqueue(to);
    } else if (nodes_[to].points_to == nodes_[from].points_to && checked_.insert({from, to}).second) {
      collapse_cycles_from(to);
    }
  }
}

void Solver::merge(NodeId a, NodeId b) {
  a = find(a), b = find(b);
  if (a == b) return;
  statistics_.cycles++;
  merged_into_[a] = b;
  Node gone = std::move(nodes_[a]);
  nodes_[a] = Node();
  Node& kept = nodes_[b];
  kept.points_to |= gone.points_to;
  kept.copies |= gone.copies;
  kept.done.clear();
  kept.loads.insert(kept.loads.end(), gone.loads.begin(), gone.loads.end());
  kept.stores.insert(kept.stores.end(), gone.stores.begin(), gone.stores.end());
  kept.shifts.insert(kept.shifts.end(), gone.shifts.begin(), gone.shifts.end());
  kept.listeners.insert(kept.listeners.end(), gone.listeners.begin(), gone.listeners.end());
  enqueue(b);
}

// Tarjan's components of what `start` reaches by copies, without recursion.
void Solver::collapse_cycles_from(NodeId start) {
  struct Frame {
    NodeId node;
    std::vector<NodeId> next;
    std::size_t position = 0;
  };
  llvm::DenseMap<NodeId, unsigned> number, low;
  llvm::DenseSet<NodeId> on_stack;
  std::vector<NodeId> stack;
  std::vector<Frame> frames;
  std::vector<std::pair<NodeId, NodeId>> merges;
  auto enter = [&](NodeId node) {
    number[node] = low[node] = static_cast<unsigned>(number.size()) + 1;
    stack.push_back(node);
    on_stack.insert(node);
    frames.push_back({node, targets_of(node)});
  };
  enter(find(start));
  while (!frames.empty()) {
    Frame& frame = frames.back();
    if (frame.position < frame.next.size()) {
      NodeId next = find(frame.next[frame.position++]);
      if (!number.contains(next))
        enter(next);
      else if (on_stack.contains(next))
        low[frame.node] = std::min(low[frame.node], number[next]);
      continue;
    }
    NodeId node = frame.node;
    frames.pop_back();
    if (!frames.empty()) low[frames.back().node] = std::min(low[frames.back().node], low[node]);
    if (low[node] != number[node]) continue;
    while (true) {
      NodeId member = stack.back();
      stack.pop_back();
      on_stack.erase(member);
      if (member == node) break;
      merges.push_back({member, node});
    }
  }
  for (auto [member, node] : merges) merge(member, node);
}

bool Solver::solve(std::optional<std::chrono::steady_clock::time_point> deadline) {
  unsigned steps = 0;
  while (!worklist_.empty() || !created_.empty()) {
    while (!created_.empty()) {
      LocationId field = created_.back();
      created_.pop_back();
      auto copies = copies_from_.find(memory_.object_of(field));
      if (copies == copies_from_.end()) continue;
      for (std::size_t i = 0; i < copies->second.size(); i++) copy_field(copies->second[i], field);
    }
    if (worklist_.empty()) continue;
    NodeId node = worklist_.back();
    worklist_.pop_back();
    process(node);
    if (deadline && ++steps % 4096 == 0 && std::chrono::steady_clock::now() > *deadline) return false;
  }
  return true;
}

void Solver::settle() {
  for (Node& node : nodes_) {
    LocationSet settled;
    for (LocationId location : node.points_to) settled.set(memory_.find(location));
    node.points_to = std::move(settled);
  }
}

} // namespace footrace::prove
