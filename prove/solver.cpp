#include "prove/solver.h"

#include "llvm/ADT/DenseSet.h"
#include "llvm/ADT/STLExtras.h"

namespace footrace::prove {
namespace {

constexpr std::size_t many_constraints = 16;

template <class List> void remove_duplicates(List& list) {
  if (list.size() < many_constraints) return;
  llvm::sort(list);
  list.erase(std::unique(list.begin(), list.end()), list.end());
}

} // namespace

Solver::Solver(const llvm::DataLayout& data, bool collapse_arrays, std::size_t pool_limit)
    : pool_limit_(pool_limit),
      memory_(data, collapse_arrays,
              {[this] { return create(); },
               [this](NodeId gone, NodeId kept) { waiting_.push_back({gone, kept}); },
               [this](LocationId id) { see(id); },
               [this](ObjectId from, LocationId to) { transfers_.move(from, to); }}),
      transfers_(memory_,
                 {[this] { return create(); }, [this](NodeId from, NodeId to) { add_copy(from, to); }}),
      any_function_(memory_.any_function()) {}

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

// Into this wave if it has not come past the node yet.
void Solver::enqueue(NodeId id) {
  if (nodes_[id].queued) return;
  nodes_[id].queued = true;
  Rank rank = id < ranks_.size() ? ranks_[id] : static_cast<Rank>(-1);
  if (rank > current_)
    wave_.push({rank, id});
  else
    next_wave_.push_back(id);
}

void Solver::add_location(NodeId id, LocationId location) {
  id = find(id);
  if (nodes_[id].points_to.test_and_set(memory_.find(location))) enqueue(id);
}

void Solver::add_copy(NodeId from, NodeId to) {
  from = find(from), to = find(to);
  if (from == to || !nodes_[from].copies.test_and_set(to)) return;
  copies_++;
  bool is_more = nodes_[to].points_to |= nodes_[from].points_to;
  if (is_more) enqueue(to);
}

void Solver::add_load(NodeId pointer, NodeId to, std::uint64_t offset) {
  pointer = find(pointer);
  nodes_[pointer].constraints.loads.push_back({to, offset});
  catch_up(pointer, {{{to, offset}}, {}, {}, {}});
}

void Solver::add_store(NodeId pointer, NodeId from, std::uint64_t offset) {
  pointer = find(pointer);
  nodes_[pointer].constraints.stores.push_back({from, offset});
  catch_up(pointer, {{}, {{from, offset}}, {}, {}});
}

void Solver::add_shift(NodeId pointer, NodeId to, Shift shift) {
  pointer = find(pointer);
  nodes_[pointer].constraints.shifts.push_back({to, shift});
  catch_up(pointer, {{}, {}, {{to, shift}}, {}});
}

void Solver::listen(NodeId node, std::function<void(LocationId)> listener) {
  node = find(node);
  auto seen = std::make_shared<llvm::DenseSet<LocationId>>();
  auto once = std::make_shared<std::function<void(LocationId)>>(
      [seen, listener = std::move(listener)](LocationId location) {
        if (seen->insert(location).second) listener(location);
      });
  nodes_[node].constraints.listeners.push_back(once);
  catch_up(node, {{}, {}, {}, {once}});
}

void Solver::add_copy_of_memory(NodeId to, NodeId from, std::uint64_t length) {
  TransferId transfer = transfers_.create(length);
  listen(from, [this, transfer](LocationId source) { transfers_.add_source(transfer, source); });
  listen(to, [this, transfer](LocationId target) { transfers_.add_target(transfer, target); });
}

NodeId Solver::content(LocationId location, std::uint64_t offset) {
  if (offset) location = memory_.shifted(location, {{static_cast<std::int64_t>(offset), 0, 0}});
  return memory_.at(location).content;
}

void Solver::see(LocationId id) {
  if (memory_[memory_.at(id).object].kind == ObjectKind::Function) functions_.set(id);
  created_.push_back(id);
}

void Solver::apply(const Constraints& constraints, LocationId location) {
  for (const auto& [to, shift] : constraints.shifts) add_location(to, memory_.shifted(location, shift));
  for (const Listener& listener : constraints.listeners) (*listener)(memory_.find(location));
  if (is_function(memory_[memory_.object_of(location)].kind)) return; // code is no data
  for (const Access& load : constraints.loads) add_copy(content(location, load.offset), load.value);
  for (const Access& store : constraints.stores) add_copy(store.value, content(location, store.offset));
}

// A constraint that comes later than the locations.
void Solver::catch_up(NodeId node, const Constraints& late) {
  LocationSet before = nodes_[node].done; // the node may change and be merged
  for (LocationId location : before) apply(late, location);
}

void Solver::process(NodeId id) {
  nodes_[id].queued = false;
  if (find(id) != id) return;
  if (nodes_[id].points_to.count() > pool_limit_ + nodes_[id].not_pooled) pool_targets_of(id);
  if (find(id) != id) return;
  if (nodes_[id].points_to.test(any_function_)) nodes_[id].points_to.intersectWithComplement(functions_);
  LocationSet delta = nodes_[id].points_to;
  delta.intersectWithComplement(nodes_[id].done);
  if (delta.empty()) return;
  nodes_[id].done |= delta;
  statistics_.propagations++;
  // Constraints that are added meanwhile catch up by themselves, also if the node is merged.
  Constraints constraints = nodes_[id].constraints;
  for (LocationId location : delta) apply(constraints, location);
  propagate(find(id), delta);
}

// What the program allocates first; its variables only if there are still far too many.
void Solver::pool_targets_of(NodeId id) {
  auto pool = [&](std::initializer_list<ObjectKind> kinds) {
    LocationSet targets = nodes_[id].points_to;
    for (LocationId location : targets)
      if (llvm::is_contained(kinds, memory_[memory_.object_of(location)].kind))
        memory_.pool(memory_.object_of(location));
    resolve_merged_locations(nodes_[find(id)]);
  };
  pool({ObjectKind::Heap, ObjectKind::Stack, ObjectKind::Library, ObjectKind::Varargs});
  id = find(id);
  if (nodes_[id].points_to.count() > pool_limit_) pool({ObjectKind::Global});
  pool_functions_of(nodes_[find(id)]);
  nodes_[find(id)].not_pooled = nodes_[find(id)].points_to.count();
}

// A pointer to very many functions may as well point to any.
void Solver::pool_functions_of(Node& node) {
  LocationSet functions = node.points_to;
  functions &= functions_;
  if (functions.count() <= pool_limit_ / 4) return;
  node.points_to.intersectWithComplement(functions);
  node.done.intersectWithComplement(functions);
  node.points_to.set(any_function_);
}

// A location that stands for more than before is done again, except in the pool, where all are one.
void Solver::resolve_merged_locations(Node& node) {
  LocationSet points_to, done;
  for (LocationId location : node.points_to) points_to.set(memory_.find(location));
  for (LocationId location : node.done) {
    LocationId now = memory_.find(location);
    if (now == location || memory_[memory_.object_of(now)].kind == ObjectKind::Pool) done.set(now);
  }
  node.points_to = std::move(points_to);
  node.done = std::move(done);
}

void Solver::propagate(NodeId from, const LocationSet& delta) {
  for (NodeId target : nodes_[from].copies) {
    NodeId to = find(target);
    if (to == from) continue;
    bool is_more = nodes_[to].points_to |= delta;
    if (is_more) enqueue(to);
  }
}

// Contents of locations that memory has merged.
void Solver::merge_waiting() {
  std::map<NodeId, std::vector<NodeId>> merges;
  for (auto [gone, kept] : waiting_) merges[kept].push_back(gone);
  waiting_.clear();
  for (auto& [kept, members] : merges) merge_all(members, kept);
}
// At once: the sets of copies are too long to be joined one by one.
void Solver::merge_all(llvm::ArrayRef<NodeId> members, NodeId kept) {
  kept = find(kept);
  std::vector<NodeId> copies;
  auto keep_copies = [&](const Node& node) {
    for (NodeId copy : node.copies) copies.push_back(copy);
  };
  keep_copies(nodes_[kept]);
  for (NodeId member : members) {
    member = find(member);
    if (member == kept) continue;
    statistics_.cycles++;
    merged_into_[member] = kept;
    Node gone = std::move(nodes_[member]);
    nodes_[member] = Node();
    keep_copies(gone);
    collect(gone, nodes_[kept]);
  }
  llvm::sort(copies);
  nodes_[kept].copies.clear();
  for (NodeId copy : copies) nodes_[kept].copies.set(copy);
  for (std::vector<Access>* list : {&nodes_[kept].constraints.loads, &nodes_[kept].constraints.stores}) {
    for (Access& access : *list) access.value = find(access.value);
    remove_duplicates(*list);
  }
  enqueue(kept);
}

void Solver::collect(const Node& gone, Node& kept) {
  kept.points_to |= gone.points_to;
  kept.done &= gone.done;
  kept.not_pooled = std::max(kept.not_pooled, gone.not_pooled);
  auto append = [](auto& to, const auto& from) { to.insert(to.end(), from.begin(), from.end()); };
  append(kept.constraints.loads, gone.constraints.loads);
  append(kept.constraints.stores, gone.constraints.stores);
  append(kept.constraints.listeners, gone.constraints.listeners);
  append(kept.constraints.shifts, gone.constraints.shifts);
}

bool Solver::has_many_new_copies() const {
  return copies_ > copies_when_ordered_ + copies_when_ordered_ / 16;
}

// Tarjan's components of copies, without recursion.
void Solver::merge_cycles() {
  struct Frame {
    NodeId node;
    LocationSet::iterator next;
  };
  std::vector<std::uint32_t> number(nodes_.size(), 0), low(nodes_.size(), 0);
  std::vector<bool> on_stack(nodes_.size(), false);
  std::vector<NodeId> stack;
  std::vector<Frame> frames;
  std::vector<std::pair<NodeId, std::vector<NodeId>>> merges; // of the others into the node
  std::uint32_t count = 0;
  auto enter = [&](NodeId node) {
    number[node] = low[node] = ++count;
    stack.push_back(node);
    on_stack[node] = true;
    frames.push_back({node, nodes_[node].copies.begin()});
  };
  auto leave = [&](NodeId node) {
    frames.pop_back();
    if (!frames.empty()) low[frames.back().node] = std::min(low[frames.back().node], low[node]);
    if (low[node] != number[node]) return;
    auto members = std::find(stack.rbegin(), stack.rend(), node).base();
    for (auto member = std::prev(members); member != stack.end(); ++member) on_stack[*member] = false;
    if (members != stack.end()) merges.push_back({node, {members, stack.end()}});
    stack.erase(std::prev(members), stack.end());
  };
  for (NodeId start = 0; start < number.size(); start++) {
    if (find(start) != start || number[start]) continue;
    enter(start);
    while (!frames.empty()) {
      Frame& frame = frames.back();
      if (frame.next == nodes_[frame.node].copies.end()) {
        leave(frame.node);
        continue;
      }
      NodeId next = find(*frame.next);
      ++frame.next;
      if (!number[next])
        enter(next);
      else if (on_stack[next])
        low[frame.node] = std::min(low[frame.node], number[next]);
    }
  }
  for (const auto& [node, members] : merges) merge_all(members, node);
}

// Reverse postorder of copies and shifts, in which values flow.
void Solver::order_nodes() {
  std::vector<bool> seen(nodes_.size(), false);
  bool are_locations_merged = locations_merged_ != memory_.merged_count();
  locations_merged_ = memory_.merged_count();
  ranks_.assign(nodes_.size(), 0);
  Rank next_rank = static_cast<Rank>(nodes_.size());
  std::vector<std::pair<NodeId, bool>> work; // node, and whether what follows it is done
  for (NodeId start = 0; start < seen.size(); start++) {
    if (find(start) != start || seen[start]) continue;
    work.push_back({start, false});
    while (!work.empty()) {
      auto [node, is_done] = work.back();
      work.pop_back();
      if (is_done) {
        ranks_[node] = next_rank--;
        continue;
      }
      if (seen[node]) continue;
      seen[node] = true;
      work.push_back({node, true});
      auto visit = [&](NodeId target) {
        target = find(target);
        if (!seen[target]) work.push_back({target, false});
      };
      if (are_locations_merged) {
        resolve_merged_locations(nodes_[node]);
        if (!(nodes_[node].done == nodes_[node].points_to)) enqueue(node);
      }
      LocationSet copies;
      for (NodeId target : nodes_[node].copies)
        if (find(target) != node) copies.set(find(target));
      nodes_[node].copies = std::move(copies);
      for (NodeId target : nodes_[node].copies) visit(target);
      for (const auto& [target, shift] : nodes_[node].constraints.shifts) visit(target);
    }
  }
}

bool Solver::solve(std::optional<std::chrono::steady_clock::time_point> deadline) {
  unsigned steps = 0;
  while (true) {
    for (; !created_.empty();) {
      LocationId field = created_.back();
      created_.pop_back();
      transfers_.see(field);
    }
    if (wave_.empty()) {
      current_ = 0;
      statistics_.waves++;
      merge_waiting();
      if (has_many_new_copies()) {
        current_ = static_cast<Rank>(-1); // what is merged waits for its new rank
        merge_cycles();
        order_nodes();
        copies_when_ordered_ = copies_;
        current_ = 0;
      }
      std::vector<NodeId> queued = std::move(next_wave_);
      next_wave_.clear();
      for (NodeId node : queued) nodes_[node].queued = false;
      for (NodeId node : queued) enqueue(node);
      if (wave_.empty() && created_.empty() && waiting_.empty()) return true;
      continue;
    }
    auto [rank, node] = wave_.top();
    wave_.pop();
    current_ = rank;
    process(node);
    if (deadline && ++steps % 1024 == 0 && std::chrono::steady_clock::now() > *deadline) return false;
  }
}

void Solver::settle() {
  for (Node& node : nodes_) {
    LocationSet settled;
    for (LocationId location : node.points_to) settled.set(memory_.find(location));
    node.points_to = std::move(settled);
  }
}

} // namespace footrace::prove
