#include "prove/thread_numbers.h"

#include "prove/loop_arithmetic.h"

#include "llvm/IR/Instructions.h"
#include "llvm/IR/Operator.h"

namespace footrace::prove {
namespace {

constexpr unsigned narrowest_number = 32; // bits; a run does not have more threads than that

const llvm::SCEV* without_extensions(const llvm::SCEV* value) {
  while (llvm::isa<llvm::SCEVSignExtendExpr, llvm::SCEVZeroExtendExpr>(value))
    value = llvm::cast<llvm::SCEVCastExpr>(value)->getOperand();
  return value;
}

} // namespace

// One place creates these threads, in a loop that is run through once, with a counter as the argument.
bool ThreadNumbers::gets_own_number(OriginId origin) const {
  auto [known, is_new] = own_.try_emplace(origin, false);
  if (!is_new) return known->second;
  llvm::ArrayRef<Spawn> creations = threads_.creations(origin);
  if (creations.size() != 1 || threads_.may_be_created_again(creations[0])) return false;
  const auto* argument = llvm::dyn_cast_or_null<llvm::IntToPtrInst>(argument_of(pointers_, creations[0]));
  if (!argument) return false;
  LoopArithmetic facts(const_cast<llvm::Function&>(*creations[0].site->getFunction()));
  const llvm::Loop* loop = facts.loops.getLoopFor(creations[0].site->getParent());
  const auto* counter = llvm::dyn_cast<llvm::SCEVAddRecExpr>(
      without_extensions(facts.evolution.getSCEV(argument->getOperand(0))));
  if (!loop || loop->getParentLoop() || !counter || counter->getLoop() != loop || !counter->isAffine())
    return false;
  const auto* step = llvm::dyn_cast<llvm::SCEVConstant>(counter->getStepRecurrence(facts.evolution));
  bool is_counter = step && step->getAPInt().abs().isOne() &&
                    facts.evolution.getTypeSizeInBits(counter->getType()) >= narrowest_number;
  return own_[origin] = is_counter;
}

bool ThreadNumbers::is_number(InstanceId instance, const llvm::Value* value) const {
  while (const auto* cast = llvm::dyn_cast<llvm::CastInst>(value)) {
    if (cast->getType()->isIntegerTy() && cast->getType()->getIntegerBitWidth() < narrowest_number)
      return false;
    value = cast->getOperand(0);
  }
  const auto* parameter = llvm::dyn_cast<llvm::Argument>(value);
  const Instance& in = pointers_.instances()[instance];
  return parameter && parameter->getArgNo() == 0 && pointers_.contexts()[in.context].calls.empty() &&
         in.function == pointers_.contexts().origin(pointers_.origin_of(instance)).entry;
}

std::optional<ThreadNumbers::Element> ThreadNumbers::element_of(const Access& access) const {
  const llvm::DataLayout& data = pointers_.module().getDataLayout();
  llvm::SmallMapVector<llvm::Value*, llvm::APInt, 4> indices;
  llvm::APInt offset(64, 0);
  const llvm::Value* pointer = access.pointer;
  while (const auto* gep = llvm::dyn_cast<llvm::GEPOperator>(pointer)) {
    if (!gep->collectOffset(data, 64, indices, offset)) return std::nullopt;
    pointer = gep->getPointerOperand();
  }
  const auto* array = llvm::dyn_cast<llvm::GlobalVariable>(pointer);
  if (!array || array->isThreadLocal() || indices.size() != 1) return std::nullopt;
  const auto& [index, stride] = *indices.begin();
  if (!is_number(access.instance, index) || !stride.isStrictlyPositive()) return std::nullopt;
  return Element{array, stride.getZExtValue(), offset.getSExtValue()};
}

bool ThreadNumbers::must_be_apart(const Access& a, const Access& b) const {
  OriginId origin = pointers_.origin_of(a.instance);
  if (origin != pointers_.origin_of(b.instance) || origin == main_origin) return false;
  std::optional<Element> one = element_of(a), two = element_of(b);
  if (!one || !two || one->array != two->array || one->stride != two->stride) return false;
  auto stride = static_cast<std::int64_t>(one->stride);
  auto is_within = [&](const Element& element, std::uint64_t size) {
    return element.offset >= 0 && size <= one->stride &&
           static_cast<std::uint64_t>(element.offset % stride) + size <= one->stride;
  };
  return is_within(*one, a.size) && is_within(*two, b.size) && one->offset / stride == two->offset / stride &&
         gets_own_number(origin);
}

} // namespace footrace::prove
