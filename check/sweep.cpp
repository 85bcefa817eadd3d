#include "check/sweep.h"

#include "base/platform.h"
#include "check/arrays.h"
#include "check/bytes.h"
#include "check/fresh_memory.h"
#include "check/readers.h"
#include "check/touched_pages.h"

namespace footrace {

SweepRequest g_sweep;

namespace {

constexpr u32 kChunk = 64;        // units handed out at once, if there are so many in a row
constexpr u64 kShareOfShadow = 4; // a pool may grow by this part of the shadow before it is swept
u64 g_least_growth = 4u << 20;

// Units (lines of sets, or four words) by index. None has the index 0.
class Pool {
public:
  constexpr explicit Pool(u32 unit_bytes) : unit_bytes_(unit_bytes) {}

  Chunk take(u32 wanted) {
    SpinGuard guard(lock_);
    Chunk chunk = find_free(wanted);
    if (chunk.next == chunk.end) {
      const u32 count = max(wanted, kChunk);
      FR_CHECK(count <= Word::kMaxIndex - end_ &&
               "too many sets of readers, or granules with different bytes");
      chunk = {end_, end_ + count};
      end_ += count;
    }
    grown_ += chunk.end - chunk.next;
    if (grown_ * unit_bytes_ >= limit()) __atomic_store_n(&g_sweep.is_due, 1, __ATOMIC_RELAXED);
    return chunk;
  }

  // A sweep: all is free, but for what is marked.
  void start_sweep() {
    if (!used_) {
      used_ = reinterpret_cast<u64*>(map_memory((u64(Word::kMaxIndex) + 1) / 8));
      FR_CHECK(used_ && "no address space for the marks of a sweep");
    }
    for (u32 word = 0; word <= end_ / 64; ++word) used_[word] = 0;
    swept_end_ = end_;
    live_ = grown_ = 0;
    for (u32& cursor : cursor_) cursor = kChunk;
  }
  bool is_marked(u32 i) const { return is_used(i); }
  void mark(u32 first, u32 count) {
    FR_CHECK(count <= end_ - first);
    set_used(first, count);
    live_ += count;
  }
  void finish_sweep(u64 shadow_bytes) { shadow_bytes_ = shadow_bytes; }

  u64 in_use() const { return live_ + grown_; }

private:
  u64 limit() const { return max(g_least_growth, max(live_ * unit_bytes_, shadow_bytes_ / kShareOfShadow)); }
  bool is_used(u32 i) const { return used_[i / 64] >> (i % 64) & 1; }
  void set_used(u32 first, u32 count) {
    for (u32 i = first; i < first + count; ++i) used_[i / 64] |= 1ull << (i % 64);
  }
  // The first unit from `at` on that is used, or not; at most `end`.
  u32 find(bool used, u32 at, u32 end) const {
    while (at < end) {
      const u64 word = (used ? used_[at / 64] : ~used_[at / 64]) >> (at % 64);
      if (word) return min(end, at + u32(__builtin_ctzll(word)));
      at = (at / 64 + 1) * 64;
    }
    return end;
  }
  // Nothing becomes free between two sweeps, so each size of run is looked for from where the last one was found. Shorter runs are left to
  // who wants less.
  Chunk find_free(u32 wanted) {
    u32& cursor = cursor_[wanted == 1 ? 0 : 32 - __builtin_clz(wanted - 1)];
    while (cursor < swept_end_) {
      const u32 first = find(false, cursor, swept_end_);
      const u32 end = find(true, first, min(swept_end_, first + max(wanted, kChunk)));
      cursor = end;
      if (end - first < wanted) continue;
      set_used(first, end - first);
      return {first, end};
    }
    return {};
  }

  SpinLock lock_;
  const u32 unit_bytes_;
  u32 end_ = kChunk;         // all that was ever handed out is below
  u32 swept_end_ = 0;        // `used_` is known below
  u32 cursor_[32] = {};      // by the logarithm of the run's length
  u64* used_ = nullptr;      // a bit per unit
  u64 live_ = 0, grown_ = 0; // units: found by the last sweep, handed out since
  u64 shadow_bytes_ = 0;     // that the last sweep has looked at
};

Pool g_sets(sizeof(ReaderSet)), g_four_words(sizeof(fasttrack::FourWords));

} // namespace

Chunk take_set_lines(u32 lines) { return g_sets.take(lines); }
Chunk take_four_words() { return g_four_words.take(1); }
u64 set_lines_in_use() { return g_sets.in_use(); }
u64 fasttrack::four_words_in_use() { return g_four_words.in_use(); }
void set_sweep_threshold(u64 bytes) { g_least_growth = bytes; }

Sweep::Sweep(const EpochVisitor* epochs) : epochs_(epochs) {
  g_sets.start_sweep();
  g_four_words.start_sweep();
  forget_common_sets();
  fasttrack::forget_four_words();
  visit(fasttrack::state_of_nobody());
}

void Sweep::visit(ThreadState& t) {
  for (u64 known : in_line(t).readers.word)
    if (low_word(known).is_set()) mark(low_word(known));
  for (ReadMemo& memo : t.memo) memo = {};
  for (u64& known : t.known_set) known = 0; // sets of this epoch may go, and their indices to others
  for (BytesMemo& memo : t.bytes_memo) memo = {};
  t.sets = t.bytes = {};
}

FR_INLINE Word Sweep::changed(Word epoch) {
  if (epoch != last_epoch_) {
    last_epoch_ = epoch;
    last_changed_ = epochs_->change(epochs_->self, epoch.epoch());
  }
  return last_changed_;
}

// Code in line may read the words meanwhile.
void Sweep::visit_words(u32* word, u32 count) {
  for (; count--; ++word) {
    const Word before(*word);
    if (before.asks_header()) continue;
    if (before.is_reference()) {
      if (before == last_) continue;
      last_ = before;
      mark(before);
    } else if (epochs_) {
      const Word after = changed(before);
      if (after != before) store_word(word, after.raw);
    }
  }
}

void Sweep::visit_set(ReaderSet& set) {
  for (u32 i = 0; i < set.capacity; ++i) {
    const SetEntry e = load_entry(set, i);
    if (!e) return;
    const Word after = changed(e.epoch());
    if (after != Word(e.epoch())) store_word(&set.entry[i], SetEntry(after.epoch(), e.kind()).raw);
  }
}

void Sweep::mark(Word reference) {
  const u32 index = reference.index();
  if (reference.is_set()) {
    if (g_sets.is_marked(index)) return;
    ReaderSet& set = set_of(reference);
    g_sets.mark(index, lines_of(set));
    if (epochs_) visit_set(set);
  } else if (!g_four_words.is_marked(index)) {
    g_four_words.mark(index, 1);
    visit_words(reinterpret_cast<u32*>(fasttrack::four_words_of(reference).pair), 4);
  }
}

void Sweep::visit_memory(uptr begin, uptr end) {
  if (begin >= end) return;
  const auto cells = [](uptr at) { return reinterpret_cast<uptr>(cell_of(at)); };
  const auto headers = [](uptr at) { return reinterpret_cast<uptr>(header_of(at)); };
  for_each_touched(cells(begin), cells(end - 1) + 16, [this](uptr from, uptr to) { visit_cells(from, to); });
  for_each_touched(headers(begin), headers(end - 1) + sizeof(u64),
                   [this](uptr from, uptr to) { visit_headers(from, to); });
}

void Sweep::visit_cells(uptr from, uptr to) {
  looked_at_ += to - from;
  for (u64* cell = reinterpret_cast<u64*>(from); cell < reinterpret_cast<u64*>(to); cell += 2) {
    constexpr u64 kAnyTop = u64(Word::kTop) << 32 | Word::kTop;
    if ((cell[0] | cell[1]) & (epochs_ ? ~0ull : kAnyTop)) visit_words(reinterpret_cast<u32*>(cell), 4);
  }
}

void Sweep::visit_headers(uptr from, uptr to) {
  looked_at_ += to - from;
  for (u64* header = reinterpret_cast<u64*>(from); header < reinterpret_cast<u64*>(to); ++header)
    if (is_coarse(*header)) visit_words(reinterpret_cast<u32*>(header), 2);
}

void Sweep::finish() {
  g_sets.finish_sweep(looked_at_);
  g_four_words.finish_sweep(looked_at_);
  __atomic_store_n(&g_sweep.is_due, 0, __ATOMIC_RELAXED);
}

} // namespace footrace
