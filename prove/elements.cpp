#include "prove/elements.h"

#include "llvm/ADT/MapVector.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/Operator.h"

namespace footrace::prove {

std::optional<Element> element_of(const Address& address, const llvm::DataLayout& data,
                                  const Equalities& equalities, InstanceId instance) {
  const auto* gep = llvm::dyn_cast_or_null<llvm::GetElementPtrInst>(address.root);
  if (!gep) return Element{address.root, address.offset};
  llvm::SmallMapVector<llvm::Value*, llvm::APInt, 4> variables;
  llvm::APInt constant(64, 0);
  if (!gep->isInBounds() || !gep->collectOffset(data, 64, variables, constant) || variables.size() != 1)
    return std::nullopt;
  const auto& [index, stride] = variables.front();
  const Address base = address_of(gep->getPointerOperand(), data, equalities, instance);
  Element element{base.root, base.offset + constant.getSExtValue() + address.offset, stride.getZExtValue()};
  element.index = equalities.representative(instance, index);
  if (llvm::isa<llvm::SExtInst, llvm::ZExtInst>(element.index)) {
    const auto* widened = llvm::cast<llvm::CastInst>(element.index);
    element.widening = widened->getOpcode();
    element.index = equalities.representative(instance, widened->getOperand(0));
  }
  return element;
}

bool must_have_same_index(const Element& a, const Element& b) {
  return a.index == b.index && a.widening == b.widening;
}

bool must_correspond(const Element& a_data, const Element& a_lock, const Element& b_data,
                     const Element& b_lock, std::uint64_t size) {
  if (!must_have_same_index(a_data, a_lock) || !must_have_same_index(b_data, b_lock)) return false;
  const Element &data = a_data.index ? a_data : b_data, &lock = a_data.index ? a_lock : b_lock;
  if (b_data.index && (b_data.stride != data.stride || b_lock.stride != lock.stride)) return false;
  const auto data_stride = static_cast<std::int64_t>(data.stride),
             lock_stride = static_cast<std::int64_t>(lock.stride);
  if (!data.index || data_stride <= 0 || lock_stride <= 0 || size > data.stride) return false;
  const std::int64_t distance = b_data.begin - a_data.begin;
  return distance % data_stride == 0 && b_lock.begin - a_lock.begin == distance / data_stride * lock_stride;
}

} // namespace footrace::prove
