#include "prove/copied_values.h"

#include "llvm/IR/DataLayout.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/Module.h"

#include <algorithm>

namespace footrace::prove {
namespace {

constexpr std::size_t max_steps = 10;

std::optional<LocationId> only_location(const PointsTo& pointers, const llvm::Value* pointer,
                                        InstanceId instance) {
  const LocationSet& locations = pointers.points_to(pointer, instance);
  if (locations.count() != 1) return std::nullopt;
  return static_cast<LocationId>(locations.find_first());
}

// The field as far behind `to` as `field` is behind `from`; both must be exact.
std::optional<LocationId> moved(const Memory& memory, LocationId field, LocationId from, LocationId to) {
  const Location &wanted = memory.at(field), &begin = memory.at(from), &target = memory.at(to);
  if (wanted.object != begin.object || wanted.offset < begin.offset) return std::nullopt;
  const Object& object = memory[target.object];
  const std::uint64_t offset = target.offset + (wanted.offset - begin.offset);
  if (object.layout.range_at(target.offset) || object.layout.range_at(offset)) return std::nullopt;
  auto found = object.fields.find(offset);
  return found == object.fields.end() ? std::nullopt : std::optional(memory.find(found->second));
}

} // namespace

const llvm::Value* Copying::value() const {
  return llvm::cast<llvm::StoreInst>(first().inst)->getValueOperand();
}

std::vector<AccessId> CopiedValues::writes_of(LocationId field, std::uint64_t size) const {
  const Memory& memory = pointers_.memory();
  if (writes_.empty())
    for (AccessId id = 0; id < accesses_.all().size(); id++) {
      if (!accesses_[id].may_write() || accesses_[id].kind == AccessKind::Allocation) continue;
      for (LocationId location : accesses_.locations(id)) {
        std::vector<AccessId>& writes = writes_[memory.object_of(location)];
        if (writes.empty() || writes.back() != id) writes.push_back(id);
      }
    }
  std::vector<AccessId> found;
  if (auto writes = writes_.find(memory.object_of(field)); writes != writes_.end())
    std::ranges::copy_if(writes->second, std::back_inserter(found), [&](AccessId id) {
      return accesses_[id].kind == AccessKind::Free || accesses_.may_touch(accesses_[id], field, size);
    });
  return found;
}

std::optional<Copying> CopiedValues::source_of(LocationId field, std::uint64_t size) const {
  Copying copying;
  if (!trace(field, size, copying)) return std::nullopt;
  std::ranges::reverse(copying.steps);
  return copying;
}

// The variable is one of the function's own.
bool CopiedValues::is_counted_by(LocationId field, std::uint64_t size, const Access& beginning,
                                 const Access& step) const {
  const auto *from = llvm::dyn_cast<llvm::StoreInst>(beginning.inst),
             *to = llvm::dyn_cast<llvm::StoreInst>(step.inst);
  const auto* sum = to ? llvm::dyn_cast<llvm::BinaryOperator>(to->getValueOperand()) : nullptr;
  if (!from || !sum || beginning.instance != step.instance || beginning.size != size || step.size != size)
    return false;
  const auto* before = llvm::dyn_cast<llvm::LoadInst>(sum->getOperand(0));
  const auto* one = llvm::dyn_cast<llvm::ConstantInt>(sum->getOperand(1));
  bool is_step = (sum->getOpcode() == llvm::Instruction::Add || sum->getOpcode() == llvm::Instruction::Sub) &&
                 one && one->getValue().abs().isOne();
  const auto* variable = llvm::dyn_cast<llvm::AllocaInst>(to->getPointerOperand());
  return is_step && before && variable && before->getPointerOperand() == variable &&
         from->getPointerOperand() == variable && before->getParent() == to->getParent() &&
         only_location(pointers_, variable, step.instance) == field;
}

bool CopiedValues::trace(LocationId field, std::uint64_t size, Copying& found) const {
  const Memory& memory = pointers_.memory();
  const Location& place = memory.at(field);
  if (found.steps.size() >= max_steps || pointers_.known_to_unknown_code().test(field) ||
      memory[place.object].kind == ObjectKind::Pool || memory[place.object].layout.range_at(place.offset))
    return false;
  std::vector<AccessId> writes = writes_of(field, size);
  std::erase_if(writes, [&](AccessId id) { return accesses_[id].kind == AccessKind::Free; }); // its end
  if (writes.size() == 2)
    for (auto [beginning, step] : {std::pair(writes[0], writes[1]), std::pair(writes[1], writes[0])})
      if (is_counted_by(field, size, accesses_[beginning], accesses_[step])) {
        found.steps.push_back({accesses_[step].instance, accesses_[step].inst, field});
        found.beginning = accesses_[beginning].inst;
        return true;
      }
  if (writes.size() != 1) return false;
  const Access& write = accesses_[writes[0]];
  std::optional<LocationId> to = only_location(pointers_, write.pointer, write.instance);
  if (!to || write.is_atomic) return false;
  found.steps.push_back({write.instance, write.inst, field});
  if (const auto* store = llvm::dyn_cast<llvm::StoreInst>(write.inst)) {
    if (*to != field || write.size != size) return false;
    const auto* load = llvm::dyn_cast<llvm::LoadInst>(store->getValueOperand());
    if (!load) return true;
    std::optional<LocationId> from = only_location(pointers_, load->getPointerOperand(), write.instance);
    bool is_at_once = load->getParent() == store->getParent(); // otherwise the value may be an old one
    return from && is_at_once && !load->isAtomic() && trace(*from, size, found);
  }
  const auto* copy = llvm::dyn_cast<llvm::MemTransferInst>(write.inst);
  if (!copy || write.size == unbounded || place.offset + size > memory.at(*to).offset + write.size)
    return false;
  std::optional<LocationId> from = only_location(pointers_, copy->getRawSource(), write.instance);
  std::optional<LocationId> part = from ? moved(memory, field, *to, *from) : std::nullopt;
  return part && trace(*part, size, found);
}

} // namespace footrace::prove
