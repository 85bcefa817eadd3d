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

constexpr unsigned cell_bytes = 8, granule_bytes = 4;
constexpr uint64_t most_words = 4;

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

Value* offset_of_cell(IRBuilderBase& at, Value* address) {
  return at.CreateShl(at.CreateAnd(address, kAppMask & ~uptr(cell_bytes - 1)), 1);
}

// Bytes of unknown place: granules from that of the first byte on, four bytes apart.
uint64_t granules_of(const CheckedBytes& bytes) { return divideCeil(bytes.size, granule_bytes); }
// The last byte may be in one more.
bool may_end_beyond(const CheckedBytes& bytes) {
  const uint64_t alignment = std::min<uint64_t>(bytes.alignment.value(), granule_bytes);
  return granule_bytes - alignment + bytes.size > granules_of(bytes) * granule_bytes;
}

bool may_test(const CheckedBytes& bytes) {
  if (bytes.place_in_cell) return *bytes.place_in_cell + bytes.size <= most_words * cell_bytes;
  return granules_of(bytes) + (may_end_beyond(bytes) ? 1 : 0) <= most_words;
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
  if (!may_test(bytes)) return;
  const uint64_t base = kCellBase + (kind == AccessKind::Read ? cell_bytes : 0);
  if (bytes.place_in_cell)
    find_words_of_cells(at, base, bytes);
  else
    find_words_of_granules(at, base, bytes);
  LoadInst* first = at.CreateLoad(words_[0].type, words_[0].address);
  first->setAtomic(AtomicOrdering::Monotonic);
  first_ = first;
}

void SameEpochTest::add_word(IRBuilderBase& at, Value* offset, uint64_t base, IntegerType* type) {
  Value* address = at.CreateAdd(offset, at.getInt64(base));
  words_.push_back({at.CreateIntToPtr(address, at.getPtrTy()), type});
}

// Whole cells where both granules are touched.
void SameEpochTest::find_words_of_cells(IRBuilderBase& at, uint64_t base, const CheckedBytes& bytes) {
  Value* cell = offset_of_cell(at, at.CreatePtrToInt(bytes.address, at.getInt64Ty()));
  const uint64_t begin = *bytes.place_in_cell, end = begin + bytes.size;
  for (uint64_t place = 0; place < end; place += cell_bytes) {
    const uint64_t middle = place + granule_bytes;
    const bool has_low = begin < middle;
    const bool has_high = end > middle;
    add_word(at, cell, base + 2 * place + (has_low ? 0 : granule_bytes),
             has_low && has_high ? at.getInt64Ty() : at.getInt32Ty());
  }
  const auto whole = find_if(words_, [&](const Word& word) { return word.type == at.getInt64Ty(); });
  if (whole != words_.end()) std::swap(words_.front(), *whole);
}

void SameEpochTest::find_words_of_granules(IRBuilderBase& at, uint64_t base, const CheckedBytes& bytes) {
  IntegerType* word = at.getInt32Ty();
  Value* address = at.CreatePtrToInt(bytes.address, at.getInt64Ty());
  Value* half = at.CreateAnd(address, granule_bytes);
  Value* even = at.CreateAdd(offset_of_cell(at, address), half);
  // From the upper granule of a cell it is farther to the next one than from the lower.
  Value* odd = granules_of(bytes) > 1 ? at.CreateAdd(even, at.CreateShl(half, 1)) : nullptr;
  for (uint64_t granule = 0; granule < granules_of(bytes); granule += 2) {
    add_word(at, even, base + granule * cell_bytes, word);
    if (granule + 1 < granules_of(bytes))
      add_word(at, odd, base + granule * cell_bytes + granule_bytes, word);
  }
  if (!may_end_beyond(bytes)) return;
  Value* last = at.CreateAdd(address, at.getInt64(bytes.size - 1));
  add_word(at, at.CreateAdd(offset_of_cell(at, last), at.CreateAnd(last, granule_bytes)), base, word);
}

Value* SameEpochTest::is_other(IRBuilderBase& at, Value* expected) const {
  Value* wrong = at.CreateICmpNE(first_, expected);
  for (const Word& word : drop_begin(words_)) {
    // Each is for one compare, as its operand: an atomic load would take an instruction of its own.
    Value* other = at.CreateLoad(word.type, word.address);
    wrong = at.CreateOr(wrong, at.CreateICmpNE(other, at.CreateTrunc(first_, word.type)));
  }
  return wrong;
}

Value* SameEpochTest::has_other_epoch(IRBuilderBase& at) const {
  return is_other(at, at.CreateLoad(words_[0].type, address_of_now(at)));
}

Value* SameEpochTest::has_unknown_readers(IRBuilderBase& at) const {
  static_assert(slot_of_readers(0x1'2345'6789) == (0x1'2345'6789 & (kReadersSlots - 1)));
  Type* word = at.getInt64Ty();
  Value* slot = at.CreateAnd(at.CreateZExt(first_, word), kReadersSlots - 1);
  Value* place = at.CreateGEP(word, address_of_now(at),
                              at.CreateAdd(slot, at.getInt64(offsetof(InLine, readers) / sizeof(u64))));
  return is_other(at, at.CreateLoad(words_[0].type, place));
}

} // namespace footrace
