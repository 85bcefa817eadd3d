// Is an old access still the one that some byte of the shadow would tell? Asked of every entry of a log before it is overwritten, so most answers come
// from comparing the four words of a cell at once.
// Concurrency: others change the words meanwhile; whoever does names the epoch no more. A block whose cells are being filled counts as naming it.
#include "check/arrays.h"
#include "check/bytes.h"
#include "check/step.h"
#include "check/touched_pages.h"

namespace footrace::fasttrack {

namespace {

typedef u32 Words __attribute__((vector_size(16))); // W_lo, W_hi, R_lo, R_hi
constexpr int kLowHalf = 0b0101, kHighHalf = 0b1010, kReaders = 0b1100;

int lanes(Words mask) {
  typedef float Lanes __attribute__((vector_size(16)));
  return __builtin_ia32_movmskps(Lanes(mask)); // the top bits
}

class Question {
public:
  explicit Question(Epoch epoch) : epoch_(epoch), all_{epoch.raw, epoch.raw, epoch.raw, epoch.raw} {}

  // Of those halves of a cell. What their header says is asked apart: `empty` are halves without a state of their own.
  bool is_named_by(uptr cell, int halves, int& empty) {
    const Words words = *reinterpret_cast<const volatile Words*>(cell_of(cell));
    if (lanes(Words(words == all_)) & halves) return true;
    empty = lanes(Words(words == Words{})) & halves & kReaders;
    const int references = lanes(words) & halves & kReaders;
    return FR_UNLIKELY(references) && ((references & kLowHalf && is_named_by(Word(words[2]))) ||
                                       (references & kHighHalf && is_named_by(Word(words[3]))));
  }

  bool is_named_by(Word r) {
    if (r == Word(epoch_)) return true;
    if (!r.is_reference() || r == last_) return false; // neighbours mostly hold the same
    const auto names = [&](Word other) { return is_named_by(other); };
    if (r.is_bytes()) return bytes_name(r, epoch_, names);
    bool found = false;
    for_each_entry(set_of(r), [&](SetEntry e) { found |= e.epoch() == epoch_; });
    if (!found) last_ = r;
    return found;
  }

  bool is_named_by_header(u64 header) {
    if (header == kLockedBlock) return true;
    return is_coarse(header) && (Word(u32(header)) == Word(epoch_) || is_named_by(Word(u32(header >> 32))));
  }

  bool is_named_in(uptr begin, uptr end) {
    for (uptr at = round_down(begin, 8); at < end; at += 8) {
      const int halves = (at + kGranule > begin ? kLowHalf : 0) | (end > at + kGranule ? kHighHalf : 0);
      int empty = 0;
      if (is_named_by(at, halves, empty)) return true;
      if (FR_LIKELY(!empty)) continue;
      const u64 header = load_word(header_of(at));
      if (FR_LIKELY(header == kVirginBlock || header == kFineBlock)) {
        // It may have been filled since the cell was looked at.
        if (header == kFineBlock && is_named_by(at, halves, empty)) return true;
        continue;
      }
      if (is_named_by_header(header)) return true;
      if (is_coarse(header)) at = block_address(at) + kBlockBytes - 8; // no cell of it says more
    }
    return false;
  }

private:
  const Epoch epoch_;
  const Words all_;
  Word last_;
};

// Of more bytes it is asked first which of their shadow exists at all.
constexpr u64 kManyBytes = 1 << 20;

bool is_named_in_touched(Question& question, uptr begin, uptr end) {
  bool found = false;
  const auto address_of = [](uptr cell) { return (cell - kCellBase) / 2; };
  const uptr high_bits = begin & ~kAppMask;
  for_each_touched(uptr(cell_of(begin)), uptr(cell_of(end - 1)) + 16, [&](uptr from, uptr to) {
    found = found || question.is_named_in(max(address_of(from) | high_bits, begin),
                                          min(address_of(to) | high_bits, end));
  });
  if (!g_compress_blocks) return found;
  for (uptr block = block_address(begin); block < end && !found; block += kBlockBytes)
    found = question.is_named_by_header(load_word(header_of(block)));
  return found;
}

} // namespace

bool still_names(uptr address, u64 size, Epoch epoch) {
  if (!epoch || !size) return false;
  Question question(epoch);
  return size < kManyBytes ? question.is_named_in(address, address + size)
                           : is_named_in_touched(question, address, address + size);
}

} // namespace footrace::fasttrack
