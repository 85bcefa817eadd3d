// Concurrency: others change the words meanwhile; whoever does names the epoch no more. A block whose cells are being filled counts as naming it.
#include "check/still_names.h"

#include "check/arrays.h"
#include "check/bytes.h"
#include "check/touched_pages.h"

namespace footrace::fasttrack {

namespace {

constexpr u32 kLowHalf = 0b0101, kHighHalf = 0b1010, kReaders = 0b1100;

class Question {
public:
  explicit Question(Epoch epoch) : epoch_(epoch), all_{epoch.raw, epoch.raw, epoch.raw, epoch.raw} {}

  bool is_named_in(uptr begin, uptr end) {
    for (uptr at = round_down(begin, 8); at < end; at += 8) {
      const u32 halves = (at + kGranule > begin ? kLowHalf : 0) | (end > at + kGranule ? kHighHalf : 0);
      u32 empty = 0;
      if (is_named_by_cell(at, halves, empty)) return true;
      if (FR_LIKELY(!empty)) continue;
      const u64 header = load_word(header_of(at));
      if (is_named_by_header(header)) return true;
      if (is_coarse(header)) at = block_address(at) + kBlockBytes - 8; // no cell of it says more
      // It may have been filled since the cell was looked at.
      else if (is_fine(header) && is_named_by_cell(at, halves, empty))
        return true;
    }
    return false;
  }

  bool is_named_by_header(u64 header) {
    if (header == kLockedBlock) return true;
    return is_coarse(header) && (low_word(header) == Word(epoch_) || is_named_by(high_word(header)));
  }

private:
  // `empty`: halves whose header speaks for them.
  bool is_named_by_cell(uptr cell, u32 halves, u32& empty) {
    const CellWords words = load_cell(cell);
    if (top_bits(CellWords(words == all_)) & halves) return true;
    constexpr u32 kAsks = Word(Reference::Header, 0).raw;
    empty = top_bits(CellWords((words == CellWords{}) | (words == CellWords{kAsks, kAsks, kAsks, kAsks}))) &
            halves & kReaders;
    const u32 references = top_bits(words) & halves;
    if (FR_LIKELY(!references)) return false;
    for (u32 i = 0; i < 4; ++i)
      if (references >> i & 1 && is_named_by(Word(words[i]))) return true;
    return false;
  }

  bool is_named_by(Word r) {
    if (r == Word(epoch_)) return true;
    if (!r.is_reference() || r.asks_header() || r == last_) return false; // neighbours mostly hold the same
    bool found = false;
    if (r.is_bytes())
      found = bytes_name(r, [&](Word other) { return is_named_by(other); });
    else
      for_each_entry(set_of(r), [&](SetEntry e) { found |= e.epoch() == epoch_; });
    if (!found) last_ = r;
    return found;
  }

  const Epoch epoch_;
  const CellWords all_;
  Word last_;
};

// Of more bytes it is asked first which of their shadow exists at all.
constexpr u64 kManyBytes = 1 << 20;

bool is_named_in_touched(Question& question, uptr begin, uptr end) {
  bool found = false;
  const uptr window = begin & ~kAppMask;
  const auto address_of = [&](uptr cell) { return (cell - kCellBase) / 2 | window; };
  for_each_touched(uptr(cell_of(begin)), uptr(cell_of(end - 1)) + 16, [&](uptr from, uptr to) {
    found = found || question.is_named_in(max(address_of(from), begin), min(address_of(to), end));
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
