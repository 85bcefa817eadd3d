#include "instrument/same_epoch.h"

#include "abi/shadow_layout.h"

#include "llvm/Analysis/ValueTracking.h"
#include "llvm/IR/Module.h"
#include "llvm/Support/KnownBits.h"

#include <algorithm>

using namespace llvm;

namespace footrace {
namespace {

constexpr uint64_t cell_bytes = 8;
constexpr uint64_t most_cells = 4;
constexpr uint64_t no_mask = ~uint64_t(0);

Value* current_epoch(IRBuilderBase& at) {
  Module& module = *at.GetInsertBlock()->getModule();
  Type* word = at.getInt64Ty();
  auto* epoch = cast<GlobalVariable>(module.getOrInsertGlobal(FOOTRACE_EPOCH_SYMBOL, word, [&] {
    return new GlobalVariable(module, word, false, GlobalValue::ExternalLinkage, nullptr,
                              FOOTRACE_EPOCH_SYMBOL, nullptr, GlobalValue::InitialExecTLSModel);
  }));
  return at.CreateLoad(word, at.CreateThreadLocalAddress(epoch));
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

Value* seen_in_this_epoch(IRBuilderBase& at, AccessKind kind, const CheckedBytes& bytes) {
  const bool has_known_place = bytes.place_in_cell.has_value();
  const bool has_one_cell = isPowerOf2_64(bytes.size) && bytes.size <= bytes.alignment.value();
  if (!has_known_place && !(has_one_cell && bytes.size < cell_bytes)) return nullptr;
  const uint64_t place = bytes.place_in_cell.value_or(0);
  const uint64_t cells = has_known_place ? divideCeil(place + bytes.size, cell_bytes) : 1;
  if (cells > most_cells) return nullptr;

  Value* now = current_epoch(at);
  Type* word_type = at.getInt64Ty();
  Value* number = at.CreatePtrToInt(bytes.address, word_type);
  Value* offset = at.CreateShl(at.CreateAnd(number, kAppMask & ~(cell_bytes - 1)), 1);
  const uint64_t word_offset = kind == AccessKind::Read ? 8 : 0;
  const auto difference = [&](uint64_t cell) {
    Value* place_of_word = at.CreateAdd(offset, at.getInt64(kCellBase + word_offset + 16 * cell));
    LoadInst* word = at.CreateLoad(word_type, at.CreateIntToPtr(place_of_word, at.getPtrTy()));
    word->setAtomic(AtomicOrdering::Monotonic);
    return at.CreateXor(word, now);
  };
  if (!has_known_place) {
    Value* wrong = difference(0);
    Value* first = at.CreateAnd(number, cell_bytes - 1);
    Value* mask = at.CreateShl(at.getInt64((uint64_t(1) << bytes.size) - 1), first);
    return at.CreateIsNull(at.CreateAnd(wrong, at.CreateOr(mask, ~uint64_t(0xff))));
  }
  Value* wrong = nullptr;
  for (uint64_t cell = 0; cell < cells; ++cell) {
    Value* part = difference(cell);
    const uint64_t mask = mask_of_cell(place, bytes.size, cell);
    if (mask != no_mask) part = at.CreateAnd(part, mask);
    wrong = wrong == nullptr ? part : at.CreateOr(wrong, part);
  }
  return at.CreateIsNull(wrong);
}

} // namespace footrace
