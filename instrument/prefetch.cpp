#include "instrument/prefetch.h"

#include "abi/shadow_layout.h"

#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/IntrinsicInst.h"

using namespace llvm;

namespace footrace {

namespace {

constexpr uint64_t cache_line = 64;

bool is_prefetch_of_data(const Instruction& instruction) {
  const auto* call = dyn_cast<IntrinsicInst>(&instruction);
  if (call == nullptr || call->getIntrinsicID() != Intrinsic::prefetch) return false;
  const auto* cache = dyn_cast<ConstantInt>(call->getArgOperand(3));
  return cache != nullptr && cache->isOne() &&
         call->getArgOperand(0)->getType()->getPointerAddressSpace() == 0;
}

// The cells of the line that it fetches: two lines. A prefetch of no memory does nothing.
void prefetch_shadow_of(IntrinsicInst& prefetch) {
  IRBuilder<> at(prefetch.getNextNode());
  at.SetCurrentDebugLocation(prefetch.getDebugLoc());
  Value* line = at.CreateAnd(at.CreatePtrToInt(prefetch.getArgOperand(0), at.getInt64Ty()),
                             kAppMask & ~(cache_line - 1));
  Value* cells = at.CreateShl(line, 1);
  for (const uptr base : {kCellBase, kCellBase + cache_line}) {
    Value* place = at.CreateIntToPtr(at.CreateAdd(cells, at.getInt64(base)), at.getPtrTy());
    at.CreateIntrinsic(
        Intrinsic::prefetch, {at.getPtrTy()},
        {place, prefetch.getArgOperand(1), prefetch.getArgOperand(2), prefetch.getArgOperand(3)});
  }
}

} // namespace

void prefetch_shadow(Function& function) {
  SmallVector<IntrinsicInst*> found;
  for (Instruction& instruction : instructions(function))
    if (is_prefetch_of_data(instruction)) found.push_back(cast<IntrinsicInst>(&instruction));
  for (IntrinsicInst* prefetch : found) prefetch_shadow_of(*prefetch);
}

} // namespace footrace
