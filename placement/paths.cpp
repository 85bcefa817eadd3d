#include "placement/paths.h"

#include "llvm/Analysis/LoopInfo.h"
#include "llvm/Analysis/ScalarEvolutionExpressions.h"
#include "llvm/IR/DataLayout.h"
#include "llvm/IR/Dominators.h"
#include "llvm/IR/Instructions.h"

#include <algorithm>
#include <map>
#include <set>

using namespace llvm;

namespace footrace {
namespace {

struct LeafSearch {
  Leaves found = {};

  bool follow(const SCEV* expression) {
    if (const auto* unknown = dyn_cast<SCEVUnknown>(expression)) {
      if (const auto* inst = dyn_cast<Instruction>(unknown->getValue())) found.instructions.push_back(inst);
    } else if (const auto* recurrence = dyn_cast<SCEVAddRecExpr>(expression)) {
      found.loops.push_back(recurrence->getLoop());
    }
    return true;
  }
  static bool isDone() { return false; }
};

uint64_t alignment_of(const Access& access) {
  if (access.offset == 0 && isa<LoadInst, StoreInst>(access.inst))
    return getLoadStoreAlignment(access.inst).value();
  return 1;
}

} // namespace

Leaves leaves_of(ArrayRef<const SCEV*> expressions) {
  LeafSearch search;
  SCEVTraversal<LeafSearch> traversal(search);
  for (const SCEV* expression : expressions)
    if (expression != nullptr) traversal.visitAll(expression);
  return std::move(search.found);
}

int64_t take_constant(const SCEV*& address, ScalarEvolution& scev) {
  if (const auto* constant = dyn_cast<SCEVConstant>(address)) {
    address = scev.getZero(constant->getType());
    return constant->getAPInt().getSExtValue();
  }
  if (const auto* sum = dyn_cast<SCEVAddExpr>(address)) {
    SmallVector<const SCEV*, 4> operands(sum->operands());
    int64_t constant = 0;
    for (const SCEV*& operand : operands) constant += take_constant(operand, scev);
    if (constant != 0) address = scev.getAddExpr(operands);
    return constant;
  }
  if (const auto* recurrence = dyn_cast<SCEVAddRecExpr>(address)) {
    const SCEV* start = recurrence->getStart();
    const int64_t constant = take_constant(start, scev);
    if (constant == 0) return 0;
    SmallVector<const SCEV*, 4> operands(recurrence->operands());
    operands[0] = start;
    address = scev.getAddRecExpr(operands, recurrence->getLoop(), SCEV::FlagAnyWrap);
    return constant;
  }
  return 0;
}

Paths::Paths(const Plan& plan, const BitVector& tracked, ScalarEvolution& scev,
             const DominatorTree& dominators)
    : dominators_(dominators), accesses_(static_cast<unsigned>(plan.accesses.size())) {
  for (const unsigned index : tracked.set_bits()) add_path(index, plan.accesses[index].access, scev);
  cut_atoms(plan);
  find_deaths();
}

void Paths::add_path(unsigned index, const Access& access, ScalarEvolution& scev) {
  const SCEV* base = scev.getSCEV(access.address);
  const int64_t offset = take_constant(base, scev);
  const auto [entry, inserted] = key_of_.try_emplace(base, static_cast<unsigned>(keys_.size()));
  if (inserted) keys_.push_back({base, {}});
  const unsigned key = entry->second;
  const int64_t begin = offset + static_cast<int64_t>(access.offset);
  paths_[index].path = {.key = key, .begin = begin, .end = begin + static_cast<int64_t>(access.size)};

  SmallVectorImpl<Anchor>& anchors = keys_[key].anchors;
  if (none_of(anchors, [&](const Anchor& a) { return a.value == access.address; }))
    anchors.push_back({access.address, offset, alignment_of(access)});
  // The same without the constant part may be computed earlier than the address itself.
  const DataLayout& layout = access.inst->getDataLayout();
  APInt stripped(layout.getIndexTypeSizeInBits(access.address->getType()), 0);
  Value* origin = access.address->stripAndAccumulateConstantOffsets(layout, stripped, true);
  if (origin == access.address || any_of(anchors, [&](const Anchor& a) { return a.value == origin; })) return;
  const int64_t distance = stripped.getSExtValue();
  const uint64_t alignment = MinAlign(alignment_of(access), static_cast<uint64_t>(distance));
  anchors.push_back({origin, offset - distance, alignment});
}

void Paths::cut_atoms(const Plan& plan) {
  std::map<unsigned, std::set<int64_t>> cuts;
  for (const auto& [index, entry] : paths_) {
    cuts[entry.path.key].insert(entry.path.begin);
    cuts[entry.path.key].insert(entry.path.end);
  }
  for (const auto& [key, places] : cuts) {
    keys_[key].first_atom = static_cast<unsigned>(atoms_.size());
    for (auto place = places.begin(); std::next(place) != places.end(); ++place)
      atoms_.push_back({key, *place, *std::next(place)});
    keys_[key].last_atom = static_cast<unsigned>(atoms_.size());
  }
  for (auto& [index, entry] : paths_) {
    Path& path = entry.path;
    const Key& key = keys_[path.key];
    path.first_atom = key.first_atom;
    while (atoms_[path.first_atom].begin != path.begin) ++path.first_atom;
    path.last_atom = path.first_atom;
    while (path.last_atom != key.last_atom && atoms_[path.last_atom].end <= path.end) ++path.last_atom;
    entry.bits.resize(bits());
    const bool write = plan.accesses[index].access.kind == AccessKind::Write;
    for (unsigned atom = path.first_atom; atom != path.last_atom; ++atom) {
      entry.bits.set(2 * atom);
      if (write) entry.bits.set(2 * atom + 1);
    }
  }
}

void Paths::find_deaths() {
  for (const Key& key : keys_) {
    const Leaves leaves = leaves_of({key.base});
    const auto kill = [&](PathSet& set) {
      set.resize(bits());
      set.set(2 * key.first_atom, 2 * key.last_atom);
    };
    for (const Instruction* leaf : leaves.instructions)
      isa<PHINode>(leaf) ? kill(by_edge_[leaf->getParent()]) : kill(by_definition_[leaf]);
    for (const Loop* loop : leaves.loops) kill(by_edge_[loop->getHeader()]);
  }
}

const PathSet* Paths::killed_by(const Instruction& definition) const {
  const auto found = by_definition_.find(&definition);
  return found == by_definition_.end() ? nullptr : &found->second;
}

const PathSet* Paths::killed_on_edge_into(const BasicBlock& block) const {
  const auto found = by_edge_.find(&block);
  return found == by_edge_.end() ? nullptr : &found->second;
}

bool Paths::has_anchor_in(const Key& key, const BasicBlock& block) const {
  return any_of(key.anchors, [&](const Anchor& anchor) {
    const auto* inst = dyn_cast<Instruction>(anchor.value);
    return inst == nullptr || dominators_.properlyDominates(inst->getParent(), &block) ||
           (isa<PHINode>(inst) && inst->getParent() == &block);
  });
}

const PathSet& Paths::usable_in(const BasicBlock& block) const {
  auto [entry, inserted] = usable_.try_emplace(&block, bits());
  if (inserted)
    for (const Key& key : keys_)
      if (has_anchor_in(key, block)) entry->second.set(2 * key.first_atom, 2 * key.last_atom);
  return entry->second;
}

const Paths::Anchor* Paths::anchor(unsigned key, const Instruction& before) const {
  const Anchor* best = nullptr;
  for (const Anchor& anchor : keys_[key].anchors)
    if (dominators_.dominates(anchor.value, &before) &&
        (best == nullptr || anchor.alignment > best->alignment))
      best = &anchor;
  return best;
}

std::vector<Paths::Interval> Paths::intervals(const PathSet& set, const SCEV* address,
                                              ScalarEvolution& scev) const {
  std::vector<Interval> found;
  const int64_t offset = take_constant(address, scev);
  const auto key = key_of_.find(address);
  if (key == key_of_.end()) return found;
  for (unsigned atom = keys_[key->second].first_atom; atom != keys_[key->second].last_atom; ++atom)
    if (set.test(2 * atom))
      found.push_back({atoms_[atom].begin - offset, atoms_[atom].end - offset,
                       set.test(2 * atom + 1) ? AccessKind::Write : AccessKind::Read});
  return found;
}

PathSet Paths::inside(const SCEV* address, const Interval& interval, ScalarEvolution& scev) const {
  PathSet set(bits());
  const int64_t offset = take_constant(address, scev);
  const auto key = key_of_.find(address);
  if (key == key_of_.end()) return set;
  for (unsigned atom = keys_[key->second].first_atom; atom != keys_[key->second].last_atom; ++atom) {
    if (atoms_[atom].begin < interval.begin + offset || interval.end + offset < atoms_[atom].end) continue;
    set.set(2 * atom);
    if (interval.kind == AccessKind::Write) set.set(2 * atom + 1);
  }
  return set;
}

std::vector<Value*> Paths::variables() const {
  std::vector<Value*> found;
  for (const Key& key : keys_) {
    const auto* unknown = dyn_cast<SCEVUnknown>(key.base);
    if (unknown != nullptr && isa<Argument, GlobalVariable>(unknown->getValue()))
      found.push_back(unknown->getValue());
  }
  return found;
}

std::vector<Paths::Run> Paths::coalesce_fields(const PathSet& set) const {
  std::vector<Run> runs;
  unsigned last = 0;
  for (unsigned atom = 0; atom < atoms_.size(); ++atom) {
    const bool write = set.test(2 * atom + 1);
    if (!write && !set.test(2 * atom)) continue;
    const AccessKind kind = write ? AccessKind::Write : AccessKind::Read;
    const bool grows = !runs.empty() && last + 1 == atom && runs.back().key == atoms_[atom].key &&
                       runs.back().kind == kind && runs.back().end == atoms_[atom].begin;
    if (!grows)
      runs.push_back({.key = atoms_[atom].key,
                      .kind = kind,
                      .begin = atoms_[atom].begin,
                      .end = atoms_[atom].end,
                      .bits = PathSet(bits())});
    Run& run = runs.back();
    run.end = atoms_[atom].end;
    run.bits.set(2 * atom);
    if (write) run.bits.set(2 * atom + 1);
    last = atom;
  }
  return runs;
}

} // namespace footrace
