// LLVM's own vector memory intrinsics: llvm.masked.* and the memory operations of llvm.vp.*.
#include "facts/accesses.h"

#include "llvm/IR/DataLayout.h"
#include "llvm/IR/DerivedTypes.h"
#include "llvm/IR/IntrinsicInst.h"

using namespace llvm;

namespace footrace {
namespace {

// Bytes between neighbouring lanes. Vectors of i1 and other sub-byte elements are packed and have none.
std::optional<uint64_t> lane_bytes(const FixedVectorType* data, const DataLayout& layout) {
  const TypeSize bits = layout.getTypeSizeInBits(data->getElementType());
  if (bits.isScalable() || bits.getFixedValue() % 8 != 0) return std::nullopt;
  return bits.getFixedValue() / 8;
}

} // namespace

bool collect_lane_intrinsic(IntrinsicInst& call, const DataLayout& layout, AccessList& out) {
  const auto argument = [&](unsigned i) { return call.getArgOperand(i); };
  Access a{.inst = &call};
  Type* data = nullptr; // the vector that is transferred
  switch (call.getIntrinsicID()) {
  case Intrinsic::masked_load:
    data = call.getType(), a.extent = Extent::Masked, a.address = argument(0), a.lanes.mask = argument(1);
    break;
  case Intrinsic::masked_store:
    data = argument(0)->getType(), a.kind = AccessKind::Write, a.extent = Extent::Masked;
    a.address = argument(1), a.lanes.mask = argument(2);
    break;
  case Intrinsic::masked_expandload:
    data = call.getType(), a.extent = Extent::Compressed, a.address = argument(0), a.lanes.mask = argument(1);
    break;
  case Intrinsic::masked_compressstore:
    data = argument(0)->getType(), a.kind = AccessKind::Write, a.extent = Extent::Compressed;
    a.address = argument(1), a.lanes.mask = argument(2);
    break;
  case Intrinsic::masked_gather:
    data = call.getType(), a.extent = Extent::Scattered, a.address = argument(0), a.lanes.mask = argument(1);
    break;
  case Intrinsic::masked_scatter:
    data = argument(0)->getType(), a.kind = AccessKind::Write, a.extent = Extent::Scattered;
    a.address = argument(1), a.lanes.mask = argument(2);
    break;
  case Intrinsic::vp_load:
  case Intrinsic::vp_gather:
  case Intrinsic::vp_store:
  case Intrinsic::vp_scatter:
  case Intrinsic::experimental_vp_strided_load:
  case Intrinsic::experimental_vp_strided_store: {
    auto& vp = cast<VPIntrinsic>(call);
    Value* stored = vp.getMemoryDataParam();
    data = stored != nullptr ? stored->getType() : call.getType();
    a.kind = stored != nullptr ? AccessKind::Write : AccessKind::Read;
    a.address = vp.getMemoryPointerParam();
    a.lanes.mask = vp.getMaskParam();
    a.lanes.active = vp.getVectorLengthParam();
    const Intrinsic::ID id = call.getIntrinsicID();
    const bool strided =
        id == Intrinsic::experimental_vp_strided_load || id == Intrinsic::experimental_vp_strided_store;
    const bool contiguous = id == Intrinsic::vp_load || id == Intrinsic::vp_store;
    a.extent = contiguous ? Extent::Masked : Extent::Scattered;
    if (strided) a.lanes.scale = argument(stored != nullptr ? 2 : 1);
    break;
  }
  default:
    return false;
  }

  const auto* vector = dyn_cast<FixedVectorType>(data);
  if (vector == nullptr) {
    a.unmodelled = Reason::ScalableVector;
  } else if (const auto bytes = lane_bytes(vector, layout)) {
    a.size = *bytes;
    a.lanes.count = vector->getNumElements();
  } else {
    a.unmodelled = Reason::UnknownIntrinsic;
  }
  out.push_back(a);
  return true;
}

} // namespace footrace
