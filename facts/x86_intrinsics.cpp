// x86 intrinsics that touch memory and whose extent is known. The others (AMX tiles, XSAVE areas, key
// handles...) are left to the caller, which counts them as unknown.
#include "facts/accesses.h"

#include "llvm/ADT/StringSwitch.h"
#include "llvm/IR/Constants.h"
#include "llvm/IR/DataLayout.h"
#include "llvm/IR/DerivedTypes.h"
#include "llvm/IR/IntrinsicInst.h"

#include <algorithm>

using namespace llvm;

namespace footrace {
namespace {

class X86Intrinsic {
public:
  X86Intrinsic(IntrinsicInst& call, const DataLayout& layout, AccessList& out)
      : call_(call), layout_(layout), out_(out) {}

  bool collect() {
    StringRef name = Intrinsic::getBaseName(call_.getIntrinsicID());
    if (!name.consume_front("llvm.x86.")) return false;
    if (name.starts_with("avx.maskload.") || name.starts_with("avx2.maskload."))
      return masked(AccessKind::Read, 0, 1, call_.getType(), MaskForm::SignBits);
    if (name.starts_with("avx.maskstore.") || name.starts_with("avx2.maskstore."))
      return masked(AccessKind::Write, 0, 1, type_of(2), MaskForm::SignBits);
    if (name == "sse2.maskmov.dqu") return masked(AccessKind::Write, 2, 1, type_of(0), MaskForm::SignBits);
    if (name.starts_with("avx2.gather.")) return gather(MaskForm::SignBits);
    if (name.starts_with("avx512.mask.gather")) return gather(MaskForm::Bools);
    if (name.starts_with("avx512.gather")) return gather(MaskForm::LowBits);
    if (name.starts_with("avx512.mask.scatter")) return scatter(MaskForm::Bools);
    if (name.starts_with("avx512.scatter")) return scatter(MaskForm::LowBits);
    if (name.starts_with("avx512.mask.pmov") && name.contains(".mem.")) return truncating_store(name);
    if (name == "movdir64b") return fixed(AccessKind::Read, 1, 64) && fixed(AccessKind::Write, 0, 64);
    if (name == "directstore32" || name == "directstore64")
      return fixed(AccessKind::Write, 0, layout_.getTypeStoreSize(type_of(1)));
    struct Whole {
      AccessKind kind;
      uint64_t size;
    };
    const Whole whole = StringSwitch<Whole>(name)
                            .Case("sse3.ldu.dq", {AccessKind::Read, 16})
                            .Case("avx.ldu.dq.256", {AccessKind::Read, 32})
                            .Case("sse.ldmxcsr", {AccessKind::Read, 4})
                            .Case("sse.stmxcsr", {AccessKind::Write, 4})
                            .Cases({"fxsave", "fxsave64"}, {AccessKind::Write, 512})
                            .Cases({"fxrstor", "fxrstor64"}, {AccessKind::Read, 512})
                            .Cases({"ldtilecfg", "ldtilecfg.internal"}, {AccessKind::Read, 64})
                            .Case("sttilecfg", {AccessKind::Write, 64})
                            .Default({AccessKind::Read, 0});
    return whole.size != 0 && fixed(whole.kind, 0, whole.size);
  }

private:
  Type* type_of(unsigned argument) const { return call_.getArgOperand(argument)->getType(); }
  static unsigned lanes_of(Type* type) { return cast<FixedVectorType>(type)->getNumElements(); }
  uint64_t lane_bytes(Type* vector) const {
    return layout_.getTypeStoreSize(cast<FixedVectorType>(vector)->getElementType());
  }

  bool fixed(AccessKind kind, unsigned argument, uint64_t size) {
    out_.push_back({.inst = &call_, .kind = kind, .address = call_.getArgOperand(argument), .size = size});
    return true;
  }

  bool masked(AccessKind kind, unsigned address, unsigned mask, Type* data, MaskForm form) {
    out_.push_back({.inst = &call_,
                    .kind = kind,
                    .extent = Extent::Masked,
                    .address = call_.getArgOperand(address),
                    .size = lane_bytes(data),
                    .lanes = {.count = lanes_of(data), .form = form, .mask = call_.getArgOperand(mask)}});
    return true;
  }

  // gather(source, base, index, mask, scale)
  bool gather(MaskForm form) { return scattered(AccessKind::Read, 1, 2, 3, type_of(0), form); }
  // scatter(base, mask, index, value, scale)
  bool scatter(MaskForm form) { return scattered(AccessKind::Write, 0, 2, 1, type_of(3), form); }

  // Index, mask and data vectors may be wider than the number of lanes that are really transferred.
  bool scattered(AccessKind kind, unsigned base, unsigned index, unsigned mask, Type* data, MaskForm form) {
    unsigned lanes = std::min(lanes_of(data), lanes_of(type_of(index)));
    if (form == MaskForm::Bools) lanes = std::min(lanes, lanes_of(type_of(mask)));
    out_.push_back({.inst = &call_,
                    .kind = kind,
                    .extent = Extent::Scattered,
                    .address = call_.getArgOperand(base),
                    .size = lane_bytes(data),
                    .lanes = {.count = lanes,
                              .form = form,
                              .mask = call_.getArgOperand(mask),
                              .index = call_.getArgOperand(index),
                              .scale = call_.getArgOperand(4)}});
    return true;
  }

  // avx512.mask.pmov{,s,us}.<from><to>.mem.<bits>(address, vector, mask): one narrow lane per element.
  bool truncating_store(StringRef name) {
    const char to = name.substr(name.find(".mem.") - 1, 1)[0];
    const uint64_t bytes = to == 'b' ? 1 : to == 'w' ? 2 : 4;
    out_.push_back({.inst = &call_,
                    .kind = AccessKind::Write,
                    .extent = Extent::Masked,
                    .address = call_.getArgOperand(0),
                    .size = bytes,
                    .lanes = {.count = lanes_of(type_of(1)),
                              .form = MaskForm::LowBits,
                              .mask = call_.getArgOperand(2)}});
    return true;
  }

  IntrinsicInst& call_;
  const DataLayout& layout_;
  AccessList& out_;
};

} // namespace

bool collect_x86_intrinsic(IntrinsicInst& call, const DataLayout& layout, AccessList& out) {
  return X86Intrinsic(call, layout, out).collect();
}

} // namespace footrace
