// Checks of accesses by lanes: under a mask, compressed, scattered.
#include "instrument/emit.h"

#include "llvm/IR/Instructions.h"

#include <algorithm>
#include <numeric>

using namespace llvm;

namespace footrace {
namespace {

constexpr unsigned lanes_per_call = 64; // bits of the mask argument

SmallVector<int, 64> consecutive(unsigned first, unsigned count) {
  SmallVector<int, 64> lanes(count);
  std::iota(lanes.begin(), lanes.end(), static_cast<int>(first));
  return lanes;
}

Value* first_lanes(IRBuilderBase& at, Value* vector, unsigned first, unsigned count) {
  if (cast<FixedVectorType>(vector->getType())->getNumElements() == count) return vector;
  return at.CreateShuffleVector(vector, consecutive(first, count));
}

Constant* lane_numbers(IntegerType* element, unsigned count) {
  SmallVector<Constant*, 64> numbers;
  for (unsigned i = 0; i < count; ++i) numbers.push_back(ConstantInt::get(element, i));
  return ConstantVector::get(numbers);
}

} // namespace

Value* Emitter::lane_bools(IRBuilderBase& at, const Lanes& lanes) {
  Value* mask = lanes.mask;
  switch (lanes.form) {
  case MaskForm::Bools:
    mask = first_lanes(at, mask, 0, lanes.count);
    break;
  case MaskForm::SignBits: {
    auto* type = cast<FixedVectorType>(mask->getType());
    mask = at.CreateBitCast(mask, VectorType::getInteger(type));
    mask = at.CreateICmpSLT(mask, Constant::getNullValue(mask->getType()));
    mask = first_lanes(at, mask, 0, lanes.count);
    break;
  }
  case MaskForm::LowBits:
    if (auto* type = dyn_cast<FixedVectorType>(mask->getType()))
      mask = at.CreateBitCast(mask, at.getIntNTy(type->getNumElements()));
    mask = at.CreateBitCast(at.CreateZExtOrTrunc(mask, at.getIntNTy(lanes.count)),
                            FixedVectorType::get(at.getInt1Ty(), lanes.count));
    break;
  }
  if (lanes.active != nullptr) {
    auto* type = cast<IntegerType>(lanes.active->getType());
    Value* limit = at.CreateVectorSplat(lanes.count, lanes.active);
    mask = at.CreateAnd(mask, at.CreateICmpULT(lane_numbers(type, lanes.count), limit));
  }
  return mask;
}

Value* Emitter::lane_bits(IRBuilderBase& at, Value* bools, unsigned first, unsigned count) {
  Value* part = first_lanes(at, bools, first, count);
  return at.CreateZExt(at.CreateBitCast(part, at.getIntNTy(count)), at.getInt64Ty());
}

void Emitter::emit_masked(IRBuilderBase& at, const Access& access) {
  const bool read = access.kind == AccessKind::Read;
  Value* bools = lane_bools(at, access.lanes);
  if (access.extent == Extent::Compressed) {
    Value* bits = at.CreateBitCast(bools, at.getIntNTy(access.lanes.count));
    Value* lanes = at.CreateUnaryIntrinsic(Intrinsic::ctpop, bits);
    Value* length = at.CreateMul(at.CreateZExtOrTrunc(lanes, at.getInt64Ty()), at.getInt64(access.size));
    return emit_range(at, access, access.address, length);
  }
  for (unsigned first = 0; first < access.lanes.count; first += lanes_per_call) {
    const unsigned count = std::min(lanes_per_call, access.lanes.count - first);
    Value* bits = lane_bits(at, bools, first, count);
    Value* address = access.address;
    if (first != 0) address = at.CreateConstGEP1_64(at.getInt8Ty(), address, first * access.size);
    callbacks_.call(at, read ? Callback::__footrace_read_masked : Callback::__footrace_write_masked,
                    {address, at.getInt64(access.size), bits, site(access, access.size)});
  }
}

Value* Emitter::lane_addresses(IRBuilderBase& at, const Access& access) {
  const Lanes& lanes = access.lanes;
  if (access.address->getType()->isVectorTy()) return access.address;
  auto* wide = FixedVectorType::get(at.getInt64Ty(), lanes.count);
  Value* index = lanes.index != nullptr
                     ? at.CreateSExtOrTrunc(first_lanes(at, lanes.index, 0, lanes.count), wide)
                     : static_cast<Value*>(lane_numbers(at.getInt64Ty(), lanes.count));
  Value* scale = at.CreateSExtOrTrunc(lanes.scale, at.getInt64Ty());
  Value* offsets = at.CreateMul(index, at.CreateVectorSplat(lanes.count, scale));
  return at.CreateGEP(at.getInt8Ty(), access.address, offsets);
}

AllocaInst* Emitter::address_buffer() {
  if (address_buffer_ == nullptr) {
    BasicBlock& entry = function_.getEntryBlock();
    IRBuilder<> at(&entry, entry.begin());
    address_buffer_ =
        at.CreateAlloca(ArrayType::get(at.getPtrTy(), lanes_per_call), nullptr, "footrace.lanes");
    address_buffer_->setAlignment(Align(64));
  }
  return address_buffer_;
}

void Emitter::emit_scattered(IRBuilderBase& at, const Access& access) {
  const bool read = access.kind == AccessKind::Read;
  Value* bools = lane_bools(at, access.lanes);
  Value* addresses = lane_addresses(at, access);
  for (unsigned first = 0; first < access.lanes.count; first += lanes_per_call) {
    const unsigned count = std::min(lanes_per_call, access.lanes.count - first);
    at.CreateAlignedStore(first_lanes(at, addresses, first, count), address_buffer(), Align(8));
    callbacks_.call(at, read ? Callback::__footrace_read_gather : Callback::__footrace_write_scatter,
                    {address_buffer(), at.getInt64(access.size), lane_bits(at, bools, first, count),
                     site(access, access.size)});
  }
}

} // namespace footrace
