#include "prove/barriers.h"

#include "llvm/IR/CFG.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Instructions.h"

namespace footrace::prove {
namespace {

constexpr unsigned many = 16; // waits; more are not told apart

} // namespace

Barriers::Barriers(const PointsTo& pointers, const Executions& executions, const Threads& threads)
    : pointers_(pointers), executions_(executions), counts_(pointers, executions, threads) {
  find();
}

void Barriers::find() {
  struct Uses {
    std::vector<Wait> waits, starts;
    bool is_certain = true;
  };
  std::map<LocationId, Uses> uses;
  for (InstanceId id = 0; id < pointers_.instances().size(); id++)
    for (const llvm::Instruction& inst : llvm::instructions(*pointers_.instances()[id].function))
      if (const auto* call = llvm::dyn_cast<llvm::CallBase>(&inst))
        for (const LibraryFunction* function : pointers_.library_callees(id, call)) {
          if (function->role != Role::Barrier && function->role != Role::BarrierInit) continue;
          const LocationSet& locations = pointers_.points_to(call->getArgOperand(0), id);
          for (LocationId location : locations) {
            Uses& use = uses[location];
            use.is_certain &=
                locations.count() == 1 && pointers_.certain_library_callee(id, call) == function;
            (function->role == Role::Barrier ? use.waits : use.starts).push_back({id, call});
          }
        }
  for (const auto& [location, use] : uses) {
    if (!use.is_certain || use.waits.empty() || use.starts.size() != 1 ||
        !executions_.is_single_location(location))
      continue;
    auto [starter, start] = use.starts[0];
    const auto* size = llvm::dyn_cast<llvm::ConstantInt>(start->getArgOperand(2));
    // With attributes, other processes may wait too.
    bool is_private = llvm::isa<llvm::ConstantPointerNull>(start->getArgOperand(1));
    if (!size || !is_private || executions_.may_run_again(starter, start)) continue;
    Barrier barrier{location, use.waits, {}};
    for (auto [instance, wait] : use.waits) barrier.threads.insert(pointers_.origin_of(instance));
    if (!has_all_threads(barrier, size->getZExtValue())) continue;
    barrier.has_one_sequence = has_one_sequence(barrier);
    barriers_.push_back(std::move(barrier));
  }
}

// Every wait is in the first function of its thread, and no more threads wait than it takes to pass.
bool Barriers::has_all_threads(const Barrier& barrier, std::uint64_t size) const {
  for (auto [instance, wait] : barrier.waits)
    if (counts_.entry_of(pointers_.origin_of(instance)) != instance) return false;
  std::uint64_t count = 0;
  for (OriginId origin : barrier.threads) {
    std::uint64_t more = counts_.threads_of(origin);
    if (more == unbounded) return false;
    count += more;
  }
  return count <= size;
}

bool Barriers::join(State& into, const State& from) {
  if (!from.is_reached) return false;
  if (!into.is_reached) {
    into = from;
    return true;
  }
  State before = into;
  into.least = std::min(into.least, from.least);
  into.most = std::max(into.most, from.most);
  into.last.insert(from.last.begin(), from.last.end());
  return into.least != before.least || into.most != before.most || into.last != before.last;
}

Barriers::State Barriers::at(const Barrier& barrier, InstanceId entry, const llvm::Instruction* inst) const {
  const llvm::Function& function = *pointers_.instances()[entry].function;
  std::map<const llvm::BasicBlock*, State> blocks;
  blocks[&function.getEntryBlock()] = {0, 0, {nullptr}, true};
  State found;
  bool again = true;
  while (again) {
    again = false;
    for (const llvm::BasicBlock& block : function) {
      State state = blocks[&block];
      if (!state.is_reached) continue;
      for (const llvm::Instruction& step : block) {
        if (&step == inst) join(found, state);
        if (!llvm::is_contained(barrier.waits, Wait{entry, llvm::dyn_cast<llvm::CallBase>(&step)})) continue;
        state.least = std::min(state.least + 1, many);
        state.most = state.most >= many ? many + 1 : state.most + 1;
        state.last = {&step};
      }
      for (const llvm::BasicBlock* next : llvm::successors(&block)) again |= join(blocks[next], state);
    }
  }
  return found;
}

bool Barriers::may_call(InstanceId from, const llvm::CallBase* call, InstanceId to) const {
  std::set<InstanceId> seen;
  llvm::ArrayRef<InstanceId> first = pointers_.callees(from, call);
  std::vector<InstanceId> work(first.begin(), first.end());
  while (!work.empty()) {
    InstanceId instance = work.back();
    work.pop_back();
    if (instance == to) return true;
    if (!seen.insert(instance).second) continue;
    for (const llvm::Instruction& inst : llvm::instructions(*pointers_.instances()[instance].function))
      if (const auto* inner = llvm::dyn_cast<llvm::CallBase>(&inst))
        for (InstanceId callee : pointers_.callees(instance, inner)) work.push_back(callee);
  }
  return false;
}

Barriers::State Barriers::before(const Barrier& barrier, const Access& access) const {
  std::optional<InstanceId> entry = counts_.entry_of(pointers_.origin_of(access.instance));
  State state;
  if (!entry || !barrier.threads.contains(pointers_.origin_of(access.instance))) return state;
  if (access.instance == *entry) return at(barrier, *entry, access.inst);
  for (const llvm::Instruction& inst : llvm::instructions(*pointers_.instances()[*entry].function))
    if (const auto* call = llvm::dyn_cast<llvm::CallBase>(&inst);
        call && may_call(*entry, call, access.instance))
      join(state, at(barrier, *entry, call));
  return state;
}

// All threads run one function and wait at the same places, and no wait has two waits that may come next.
bool Barriers::has_one_sequence(const Barrier& barrier) const {
  using Sites = std::set<const llvm::Instruction*>;
  std::map<OriginId, Sites> sites;
  for (auto [instance, wait] : barrier.waits) sites[pointers_.origin_of(instance)].insert(wait);
  const Sites& first = sites.begin()->second;
  for (const auto& [origin, places] : sites)
    if (places != first) return false;
  Sites followed;
  InstanceId entry = *counts_.entry_of(sites.begin()->first);
  for (const llvm::Instruction* wait : first)
    for (const llvm::Instruction* last : at(barrier, entry, wait).last)
      if (!followed.insert(last).second) return false;
  return true;
}

bool Barriers::must_be_ordered(const Access& a, const Access& b) const {
  for (const Barrier& barrier : barriers_) {
    State one = before(barrier, a), two = before(barrier, b);
    if (!one.is_reached || !two.is_reached) continue;
    if (one.most < two.least || two.most < one.least) return true;
    bool share_last = llvm::any_of(one.last, [&](const auto* last) { return two.last.contains(last); });
    if (barrier.has_one_sequence && !share_last) return true;
  }
  return false;
}

} // namespace footrace::prove
