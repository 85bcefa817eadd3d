// What a thread has checked since its epoch began, for ranges: [READ SAME EPOCH] and [WRITE SAME EPOCH] for a whole range at the cost of a
// few compares, however many cells it spans (the deduplicating half of paper 000's footprints; nothing is put off here).
//
// One bit per byte of a 512-byte block and kind of access; a bounded direct-mapped table, in which who comes later evicts. Forgetting an entry
// costs a second look at the cells; a wrong one would lose a race. An entry holds for one epoch: a second check of the same bytes in it decides
// nothing new, unless the memory began a new life in between. Only the thread itself can end a life without a race or a new epoch: a free
// by somebody else that is ordered after the check is ordered by a release of this thread. So memory_fresh drops the calling thread's entries.
// In front of it, the ranges that were checked last: a loop that comes back to a row asks for the same range again.
// Concurrency: belongs to its thread; used inside critical sections only, so that no signal handler comes between.
#pragma once

#include "base/types.h"
#include "clocks/epoch.h"

namespace footrace {

class CheckedBlocks {
public:
  static constexpr u64 kBytes = 512, kWords = kBytes / 64, kEntries = 256;

  // Bytes of a block.
  struct Bits {
    u64 word[kWords];
    void set(u64 offset, u64 size) {
      for (u64 end = offset + size; offset < end;) {
        u64 bit = offset % 64, n = min<u64>(64 - bit, end - offset);
        word[offset / 64] |= (n == 64 ? ~0ull : (1ull << n) - 1) << bit;
        offset += n;
      }
    }
    void add(const Bits& o) {
      for (u64 i = 0; i < kWords; ++i) word[i] |= o.word[i];
    }
    bool holds(const Bits& o) const {
      u64 missing = 0;
      for (u64 i = 0; i < kWords; ++i) missing |= o.word[i] & ~word[i];
      return !missing;
    }
  };

  bool has_range(Epoch epoch, uptr begin, uptr end, bool write) const {
    const Range& r = range_of(begin);
    return r.begin == begin && r.epoch == epoch && end <= r.end && r.life == life_ && (r.write || !write);
  }
  void add_range(Epoch epoch, uptr begin, uptr end, bool write) {
    const_cast<Range&>(range_of(begin)) = {begin, end, epoch, life_, write};
  }

  // `address`: any in the block.
  bool has(Epoch epoch, uptr address, const Bits& bits, bool write) const {
    const Entry& e = entries_[index(address)];
    return e.block == address / kBytes && e.epoch == epoch && (write ? e.written : e.seen).holds(bits);
  }
  void add(Epoch epoch, uptr address, const Bits& bits, bool write) {
    Entry& e = entries_[index(address)];
    if (e.block != address / kBytes || e.epoch != epoch) e = {address / kBytes, epoch, {}, {}};
    e.seen.add(bits); // a write check covers reads
    if (write) e.written.add(bits);
  }
  void drop(uptr address, u64 size) {
    ++life_;
    u64 first = address / kBytes, last = (address + size - 1) / kBytes;
    if (last - first >= kEntries) return drop_all();
    for (u64 block = first; block <= last; ++block)
      if (Entry& e = entries_[block % kEntries]; e.block == block) e.epoch = 0;
  }
  void drop_all() {
    ++life_;
    for (Entry& e : entries_) e.epoch = 0;
  }

private:
  struct Entry {
    u64 block;
    Epoch epoch; // 0: holds nothing
    Bits seen, written;
  };
  struct Range {
    uptr begin, end;
    Epoch epoch;
    u32 life; // of the memory: another one whenever any is fresh
    bool write;
  };
  static constexpr u64 kRanges = 512; // a blocked loop comes back to a hundred pieces of rows
  static u64 index(uptr address) { return address / kBytes % kEntries; }
  static_assert(kRanges == 512); // the top nine bits
  const Range& range_of(uptr begin) const { return ranges_[(begin >> 3) * 0x9e3779b97f4a7c15 >> 55]; }

  Entry entries_[kEntries];
  Range ranges_[kRanges];
  u32 life_;
};

} // namespace footrace
