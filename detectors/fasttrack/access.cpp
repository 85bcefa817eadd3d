// FastTrack on the cells of a range: the same-epoch tests, then a simple step, then the rules under the lock.
#include "detectors/fasttrack/access.h"

#include "detectors/fasttrack/atomic_step.h"
#include "detectors/fasttrack/block_access.h"
#include "detectors/fasttrack/record_step.h"
#include "detectors/fasttrack/step.h"

namespace footrace::fasttrack {

namespace {

// No other bytes of the cell have the sets of this group.
bool has_sets_alone(const Groups& groups, u32 index) {
  const History& h = groups.group[index].history;
  auto is_in = [](u64 word, const History& other) {
    return is_set(word) && (word == other.R || word == other.AW || word == other.AR);
  };
  for (u32 i = 0; i < groups.count; ++i)
    if (const History& other = groups.group[i].history;
        i != index && (is_in(h.R, other) || is_in(h.AW, other) || is_in(h.AR, other)))
      return false;
  return true;
}

// Under the cell's lock: take it apart, apply the rule to each group the access touches, put it together.
void locked_step(Step& s, Cell* cell, u64 w, u64 r, u64 mask, AccessKind kind) {
  Groups groups;
  take_apart(cell, w, r, s.address, groups);
  u64 rest = mask;
  for (u32 i = 0, n = groups.count; i < n; ++i) {
    u64 touched = groups.group[i].mask & mask;
    if (!touched) continue;
    rest &= ~touched;
    const u64 untouched = groups.group[i].mask & ~mask;
    if (untouched) {
      groups.group[groups.count] = groups.group[i];
      groups.group[groups.count++].mask = untouched;
      groups.group[i].mask = touched;
    }
    s.in_place =
        !untouched && (has_records(w) ? has_own_records(w) && has_sets_alone(groups, i) : groups.count == 1);
    apply(s, groups.group[i].history, touched, kind);
  }
  if (rest) {
    groups.group[groups.count].history = History();
    groups.group[groups.count].mask = rest;
    apply(s, groups.group[groups.count++].history, rest, kind);
  }
  put_together(cell, s.address, w, r, groups, s.t.epoch);
}

// The same-epoch tests of all representations, without the lock.
FR_INLINE bool cell_seen(const ThreadState& t, const Cell* cell, u64 w, u64 r, u64 mask, bool write) {
  if (!write && has_accessed(w, r, t.epoch, mask)) return true;
  if (has_records(w)) return records_same_epoch(cell, w, t.epoch, mask, write);
  if (write) return !is_locked(w) && has_written(w, r, t.epoch, mask);
  if (knows_readers(t, r, mask)) return true;
  return is_set(epoch_bits(r)) && !(mask & ~u64(mask_of(r))) && set_contains(epoch_bits(r), t.epoch) &&
         still_holds(&cell->R, r);
}

// Of a cell without groups that is not locked.
Simple simple_step_of_any(ThreadState& t, Cell* cell, uptr address, u64 w, u64 r, u64 mask, SiteId site,
                          bool write) {
  auto before = [] {};
  if (is_set(epoch_bits(r)))
    return write ? Simple::Lock : read_shared_in_place(t, cell, w, r, mask, site, before);
  if (is_exclusive_step(t, w, r, mask)) {
    const bool done = write ? exclusive_step<true>(t, cell, address, w, r, mask, site)
                            : exclusive_step<false>(t, cell, address, w, r, mask, site);
    return done ? Simple::Done : Simple::Retry;
  }
  return write ? simple_step<true>(t, cell, address, w, r, mask, site, before)
               : simple_step<false>(t, cell, address, w, r, mask, site, before);
}

Simple record_step_of_any(ThreadState& t, Cell* cell, uptr address, u64 w, u64 r, u64 mask, SiteId site,
                          bool write) {
  auto before = [] {};
  return write ? fasttrack::record_step<true>(t, cell, address, w, r, mask, site, before)
               : fasttrack::record_step<false>(t, cell, address, w, r, mask, site, before);
}

void access_cell(ThreadState& t, uptr address, u64 mask, AccessKind kind, SiteId site, ConflictSink sink,
                 void* context, AccessResult& result) {
  Cell* cell = cell_of(address);
  const bool plain = !is_atomic(kind), write = may_write(kind);
  for (u32 spins = 0;;) {
    u64 w = __atomic_load_n(&cell->W, __ATOMIC_ACQUIRE), r = __atomic_load_n(&cell->R, __ATOMIC_ACQUIRE);
    if (asks_header({w, r})) {
      switch (ask_header(t, address, mask, plain, write)) {
      case Asked::Seen:
        return;
      case Asked::Step:
        if (!access_cells_together(t, block_address(address), cells_between(address, address + 8), kind,
                                   site))
          return;
        break;
      case Asked::LookAgain:
        break;
      }
      continue;
    }
    if (plain && cell_seen(t, cell, w, r, mask, write)) {
      if (!write && is_set(epoch_bits(r)) && !knows_readers(t, r, mask) && is_worth_keeping(t, r))
        keep_readers(t, cell, r);
      return;
    }
    if (is_locked(w)) {
      pause_for(spins);
      continue;
    }
    if (plain) {
      const Simple outcome = has_records(w) ? record_step_of_any(t, cell, address, w, r, mask, site, write)
                                            : simple_step_of_any(t, cell, address, w, r, mask, site, write);
      if (outcome == Simple::Retry) continue;
      if (outcome == Simple::Done) return;
    }
    if (!lock_words(cell, w, r)) continue;
    Step step(t, address, site, sink, context);
    if (!plain && has_records(w) && atomic_step_in_place(t, w, mask, write, site))
      __atomic_store_n(&cell->W, w, __ATOMIC_RELEASE);
    else
      locked_step(step, cell, w, r, mask, kind);
    result.conflicts += step.conflicts;
    return;
  }
}

void access_cells(ThreadState& t, uptr block, AccessKind kind, SiteId site, ConflictSink sink, void* context,
                  AccessResult& result) {
  for (u32 i = 0; i < kBlockCells; ++i)
    access_cell(t, block + i * 8, kMaskBits, kind, site, sink, context, result);
}

} // namespace

bool seen_in_this_epoch(const ThreadState& t, uptr address, u64 size, bool write) {
  while (size) {
    u64 offset = address & 7, n = min<u64>(8 - offset, size);
    const Cell* cell = cell_of(address);
    Cell words = load_words(cell);
    if (asks_header(words)) {
      uptr end = min(block_address(address) + kBlockBytes, address + size);
      if (!cells_seen(t, address, cells_between(round_down(address, 8), round_up(end, 8)), write))
        return false;
      n = end - address;
    } else if (!cell_seen(t, cell, words.W, words.R, ((1ull << n) - 1) << offset, write)) {
      return false;
    }
    address += n;
    size -= n;
  }
  return true;
}

namespace {

// Whole cells of the range that lie in the block of its first byte, if they can be accessed together; where they end.
uptr access_together(ThreadState& t, uptr address, uptr end, bool enters_block, AccessKind kind, SiteId site,
                     ConflictSink sink, void* context, AccessResult& result) {
  end = round_down(min(block_address(address) + kBlockBytes, end), 8);
  if (address % 8 || end <= address + 8) return address;
  const u64 cells = cells_between(address, end);
  const uptr block = block_address(address);
  if (may_access_together(address, cells)) {
    u64 left = access_cells_together(t, block, cells, kind, site);
    for (; left; left &= left - 1)
      access_cell(t, block + u64(__builtin_ctzll(left)) * 8, kMaskBits, kind, site, sink, context, result);
    return end;
  }
  if (!enters_block || !may_join_cells(address, cells, may_write(kind)) ||
      !join_cells(t, block, cells, kind, site))
    return address;
  return end;
}

} // namespace

SiteId site_of_bytes(const PendingCell& pending, u64 mask) {
  const SiteId first = pending.sites[__builtin_ctzll(mask)];
  bool is_one = true;
  SiteId all[8] = {};
  for (; mask; mask &= mask - 1) {
    const u32 byte = u32(__builtin_ctzll(mask));
    all[byte] = pending.sites[byte];
    is_one &= all[byte] == first;
  }
  return FR_LIKELY(is_one) ? first : combine_sites(all);
}

void settle(ThreadState& t, PendingCell& pending, bool write, ConflictSink sink, void* context) {
  const AccessKind kind = write ? AccessKind::Write : AccessKind::Read;
  u64 left = pending.bytes & ~u64(pending.checked);
  pending.checked = pending.bytes;
  pending.patience = Footprint::kPatience;
  --t.footprint.waiting;
  AccessResult result;
  SiteId site = site_of_bytes(pending, left);
  if (FR_LIKELY(site != kNoSite)) {
    access_cell(t, pending.cell, left, kind, site, sink, context, result);
    return;
  }
  for (; left; left &= left - 1) { // the table of combinations is full
    const u32 byte = u32(__builtin_ctzll(left));
    access_cell(t, pending.cell, 1ull << byte, kind, pending.sites[byte], sink, context, result);
  }
}

AccessResult access(ThreadState& t, uptr address, u64 size, AccessKind kind, u32 site, ConflictSink sink,
                    void* context, bool stop_at_conflict) {
  AccessResult result;
  const bool may_be_together = !is_atomic(kind) && g_compress_blocks;
  const uptr begin = address, end = address + size;
  while (address < end && !(stop_at_conflict && result.conflicts)) {
    u64 offset = address & 7, n = min<u64>(8 - offset, end - address);
    if (may_be_together && end - address >= kBlockBytes && !(address % kBlockBytes)) {
      n = kBlockBytes;
      access_block(t, address, kind, site, sink, context, result, access_cells);
    } else if (uptr to = may_be_together
                             ? access_together(t, address, end, address == begin || !(address % kBlockBytes),
                                               kind, site, sink, context, result)
                             : address;
               to != address) {
      n = to - address;
    } else {
      access_cell(t, address - offset, ((1ull << n) - 1) << offset, kind, site, sink, context, result);
    }
    address += n;
    result.done += n;
  }
  return result;
}

} // namespace footrace::fasttrack
