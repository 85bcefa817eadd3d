#include "instrument/same_epoch.h"

#include "abi/shadow_layout.h"

#include "llvm/Analysis/ValueTracking.h"
#include "llvm/IR/Module.h"
#include "llvm/Support/KnownBits.h"

#include <algorithm>
#include <cstddef>

using namespace llvm;

namespace footrace {
namespace {

constexpr uint64_t cell_bytes = 8;
constexpr uint64_t most_cells = 4;
constexpr uint64_t no_mask = ~uint64_t(0);

// What code in line knows of its thread: the words of abi/shadow_layout.h's InLine.
Value* address_of_now(IRBuilderBase& at) {
  Module& module = *at.GetInsertBlock()->getModule();
  Type* words = ArrayType::get(at.getInt64Ty(), sizeof(InLine) / sizeof(u64));
  auto* now = cast<GlobalVariable>(module.getOrInsertGlobal(FOOTRACE_IN_LINE_SYMBOL, words, [&] {
    return new GlobalVariable(module, words, false, GlobalValue::ExternalLinkage, nullptr,
                              FOOTRACE_IN_LINE_SYMBOL, nullptr, GlobalValue::InitialExecTLSModel);
  }));
  return at.CreateThreadLocalAddress(now);
}

// The bytes [first, end) of a check that begins `place` bytes into its first cell, as a mask of cell number `cell`.
uint64_t mask_of_cell(uint64_t place, uint64_t size, uint64_t cell) {
  const uint64_t begin = std::max(place, cell * cell_bytes) - cell * cell_bytes;
  const uint64_t end = std::min(place + size, (cell + 1) * cell_bytes) - cell * cell_bytes;
  if (end - begin == cell_bytes) return no_mask;
  return ~uint64_t(0xff) | (((uint64_t(1) << (end - begin)) - 1) << begin);
}

} // namespace

CheckedBytes checked_bytes(Value* address, uint64_t size, Align alignment, const Instruction& at) {
  const DataLayout& layout = at.getModule()->getDataLayout();
  CheckedBytes bytes{.address = address, .size = size, .alignment = alignment};
  if (alignment >= Align(cell_bytes)) {
    bytes.place_in_cell = 0;
    return bytes;
  }
  const KnownBits known = computeKnownBits(address, layout);
  bytes.alignment = std::max(alignment, Align(uint64_t(1) << std::min(known.countMinTrailingZeros(), 3u)));
  const KnownBits low = known.trunc(3);
  if (low.isConstant()) bytes.place_in_cell = static_cast<unsigned>(low.getConstant().getZExtValue());
  return bytes;
}

SameEpochTest::SameEpochTest(IRBuilderBase& at, AccessKind kind, const CheckedBytes& bytes) {
  const bool has_known_place = bytes.place_in_cell.has_value();
  if (!has_known_place && !(isPowerOf2_64(bytes.size) && bytes.size < cell_bytes)) return;
  const uint64_t place = bytes.place_in_cell.value_or(0);
  const uint64_t cells = has_known_place ? divideCeil(place + bytes.size, cell_bytes) : 1;
  if (cells > most_cells) return;

  Type* word_type = at.getInt64Ty();
  Value* number = at.CreatePtrToInt(bytes.address, word_type);
  Value* offset = at.CreateShl(at.CreateAnd(number, kAppMask & ~(cell_bytes - 1)), 1);
  const uint64_t word_offset = kind == AccessKind::Read ? 8 : 0;
  for (uint64_t cell = 0; cell < cells; ++cell) {
    Value* place_of_word = at.CreateAdd(offset, at.getInt64(kCellBase + word_offset + 16 * cell));
    LoadInst* word = at.CreateLoad(word_type, at.CreateIntToPtr(place_of_word, at.getPtrTy()));
    word->setAtomic(AtomicOrdering::Monotonic);
    words_.push_back(word);
    if (has_known_place) {
      const uint64_t mask = mask_of_cell(place, bytes.size, cell);
      masks_.push_back(mask == no_mask ? nullptr : at.getInt64(mask));
    } else {
      Value* first = at.CreateAnd(number, cell_bytes - 1);
      Value* mask = at.CreateShl(at.getInt64((uint64_t(1) << bytes.size) - 1), first);
      masks_.push_back(at.CreateOr(mask, ~uint64_t(0xff)));
      if (bytes.size > bytes.alignment.value()) beyond_ = at.CreateLShr(mask, cell_bytes);
    }
  }
}

Value* SameEpochTest::is_other(IRBuilderBase& at, Value* expected) const {
  if (words_.size() == 1 && masks_[0] == nullptr) return at.CreateICmpNE(words_[0], expected);
  Value* wrong = nullptr;
  for (const auto& [word, mask] : zip(words_, masks_)) {
    Value* part = at.CreateXor(word, expected);
    if (mask != nullptr) part = at.CreateAnd(part, mask);
    wrong = wrong == nullptr ? part : at.CreateOr(wrong, part);
  }
  if (beyond_ != nullptr) wrong = at.CreateOr(wrong, beyond_);
  return at.CreateIsNotNull(wrong);
}

Value* SameEpochTest::has_other_epoch(IRBuilderBase& at) const {
  return is_other(at, at.CreateLoad(at.getInt64Ty(), address_of_now(at)));
}

Value* SameEpochTest::has_unknown_readers(IRBuilderBase& at) const {
  Type* word_type = at.getInt64Ty();
  Value* slot = at.CreateAnd(at.CreateLShr(words_[0], kReadersShift), kReadersSlots - 1);
  Value* place = at.CreateGEP(word_type, address_of_now(at),
                              at.CreateAdd(slot, at.getInt64(offsetof(InLine, readers) / sizeof(u64))));
  return is_other(at, at.CreateLoad(word_type, place));
}

} // namespace footrace
