// Read and write rules of FastTrack (PLDI'09, Figures 2 and 5): [READ SAME EPOCH] [READ EXCLUSIVE] [READ
// SHARE] [READ SHARED] [WRITE SAME EPOCH] [WRITE EXCLUSIVE] [WRITE SHARED], extended to C++ atomics: atomic
// accesses never race with each other but do with plain ones, so a history also keeps the concurrent atomic
// writes (AW) and reads (AR) since the last plain write. Each rule is one function on a History (the bytes of
// a cell that share one). simple_step.h applies the same rules to a whole simple cell in one compare-and-swap;
// anything it cannot express goes through locked_step. Deviations: a write stamps R with its own epoch
// instead of leaving R (both are ordered before the write, or raced with it); sets keep only maximal
// accesses; after a race the access is recorded as if it had been ordered. Concurrency: shadow/cell.h.
#include "detectors/fasttrack/access.h"

#include "detectors/fasttrack/simple_step.h"

namespace footrace::fasttrack {

namespace {

struct Step {
  Step(ThreadState& t, uptr address, SiteId site, ConflictSink sink, void* context)
      : t(t), address(address), site(site), sink(sink), context(context) {}

  ThreadState& t;
  uptr address; // of the cell
  SiteId site;
  ConflictSink sink;
  void* context;
  u32 conflicts = 0;
  u64 made[32]; // sets made in this step: one reference each, dropped at its end
  u32 made_count = 0;

  void count(Rule rule) { ++t.rule_count[u32(rule)]; }
  u64 keep(u64 word) {
    if (is_set(word)) made[made_count++] = word;
    return word;
  }
  // Tells of every access in `word` (epoch or set) that is not ordered before this one.
  void conflicts_with(u64 word, SiteId word_site, AccessKind kind, u64 mask) {
    if (!word) return;
    if (!is_set(word)) return conflicts_with_one(word, word_site, kind, mask);
    const SetEntry* e = set_entries(word);
    for (u32 i = 0, n = set_size(word); i < n; ++i) conflicts_with_one(e[i].epoch, e[i].site, kind, mask);
  }
  void conflicts_with_one(Epoch previous, SiteId previous_site, AccessKind kind, u64 mask) {
    if (t.C.covers(previous)) return;
    ++conflicts;
    sink(context, {address, u8(mask), previous, kind, previous_site});
  }
  // word := word plus this access, keeping only what is not ordered before it.
  void add_to(u64& word, SiteId& word_site) {
    if (is_set(word)) {
      SiteId single = site;
      word = keep(add_to_set(word, {t.epoch, site, 0}, t.C, &single));
      word_site = is_set(word) ? kNoSite : single;
    } else if (!word || t.C.covers(word)) {
      word = t.epoch, word_site = site;
    } else {
      word = keep(make_set({word, word_site, 0}, {t.epoch, site, 0}));
      word_site = kNoSite;
    }
  }
};

bool holds(u64 word, Epoch epoch) { return word == epoch || (is_set(word) && set_contains(word, epoch)); }

// [FT READ SAME EPOCH], also for sets (the extension the paper mentions) and for what the thread wrote in
// this epoch.
bool read_same_epoch(Step& s, History& x) {
  if (!holds(x.R, s.t.epoch) && x.W != s.t.epoch) return false;
  s.count(Rule::read_same_epoch);
  return true;
}
// [FT READ SHARED]: R_x is a set; replace the thread's entry.
void read_shared(Step& s, History& x) {
  s.count(Rule::read_shared);
  s.add_to(x.R, x.r_site);
}
// [FT READ EXCLUSIVE]: all earlier reads are ordered before this one (or R only mirrors W).
void read_exclusive(Step& s, History& x) {
  s.count(Rule::read_exclusive);
  x.R = s.t.epoch, x.r_site = s.site;
}
// [FT READ SHARE]: a second, concurrent reader.
void read_share(Step& s, History& x) {
  s.count(Rule::read_share);
  s.add_to(x.R, x.r_site);
}

void read(Step& s, History& x, u64 mask) {
  if (read_same_epoch(s, x)) return;
  s.conflicts_with(x.W, x.w_site, AccessKind::Write, mask);
  s.conflicts_with(x.AW, x.aw_site, AccessKind::AtomicWrite, mask);
  if (is_set(x.R))
    read_shared(s, x);
  else if (!x.R || x.R == x.W || s.t.C.covers(x.R))
    read_exclusive(s, x);
  else
    read_share(s, x);
}

// [FT WRITE SAME EPOCH]
bool write_same_epoch(Step& s, History& x) {
  if (x.W != s.t.epoch) return false;
  s.count(Rule::write_same_epoch);
  return true;
}
void record_write(Step& s, History& x) {
  x = History();
  x.W = x.R = s.t.epoch;
  x.w_site = x.r_site = s.site;
}
// [FT WRITE SHARED]: compares with every reader, then forgets them.
void write_shared(Step& s, History& x, u64 mask) {
  s.count(Rule::write_shared);
  s.conflicts_with(x.R, x.r_site, AccessKind::Read, mask);
  record_write(s, x);
}
// [FT WRITE EXCLUSIVE]
void write_exclusive(Step& s, History& x, u64 mask) {
  s.count(Rule::write_exclusive);
  if (x.R != x.W) s.conflicts_with(x.R, x.r_site, AccessKind::Read, mask);
  record_write(s, x);
}

void write(Step& s, History& x, u64 mask) {
  if (write_same_epoch(s, x)) return;
  s.conflicts_with(x.W, x.w_site, AccessKind::Write, mask);
  s.conflicts_with(x.AW, x.aw_site, AccessKind::AtomicWrite, mask);
  s.conflicts_with(x.AR, x.ar_site, AccessKind::AtomicRead, mask);
  if (is_set(x.R))
    write_shared(s, x, mask);
  else
    write_exclusive(s, x, mask);
}

// Atomic accesses: checked against plain ones only. AW and AR keep what is concurrent, as R does.
void atomic_read(Step& s, History& x, u64 mask) {
  if (holds(x.AR, s.t.epoch)) return;
  s.count(Rule::atomic_read);
  s.conflicts_with(x.W, x.w_site, AccessKind::Write, mask);
  s.add_to(x.AR, x.ar_site);
}
void atomic_write(Step& s, History& x, u64 mask) {
  if (holds(x.AW, s.t.epoch)) return;
  s.count(Rule::atomic_write);
  s.conflicts_with(x.W, x.w_site, AccessKind::Write, mask);
  if (x.R != x.W) s.conflicts_with(x.R, x.r_site, AccessKind::Read, mask);
  s.add_to(x.AW, x.aw_site);
}

void apply(Step& s, History& x, u64 mask, AccessKind kind) {
  switch (kind) {
  case AccessKind::Read:
    return read(s, x, mask);
  case AccessKind::Write:
    return write(s, x, mask);
  case AccessKind::AtomicRead:
    return atomic_read(s, x, mask);
  case AccessKind::AtomicWrite:
    return atomic_write(s, x, mask);
  }
}

// Under the cell's lock: the bytes of the access are all in one group.
bool group_step(Step& s, Cell* cell, u64 w, u64 mask, AccessKind kind) {
  Group* group = group_with_bytes(w, mask);
  if (!group) return false;
  History after = group->history;
  apply(s, after, mask, kind);
  move_bytes(cell, s.address, w, group, mask, after, s.t.epoch);
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
    if (u64 untouched = groups.group[i].mask & ~mask) {
      groups.group[groups.count] = groups.group[i];
      groups.group[groups.count++].mask = untouched;
      groups.group[i].mask = touched;
    }
    apply(s, groups.group[i].history, touched, kind);
  }
  if (rest) {
    groups.group[groups.count].history = History();
    groups.group[groups.count].mask = rest;
    apply(s, groups.group[groups.count++].history, rest, kind);
  }
  put_together(cell, s.address, w, r, groups, s.t.epoch);
}

// Waits, politely, for a cell that another thread holds.
void pause_for(u32& spins) {
  if (++spins < 50)
    __builtin_ia32_pause();
  else
    yield_cpu();
}

// The same-epoch tests of all representations, without the lock.
FR_INLINE bool cell_seen(const ThreadState& t, const Cell* cell, u64 w, u64 r, u64 mask, bool write) {
  if (same_epoch(w, t.epoch, mask) || (!write && same_epoch(r, t.epoch, mask))) return true;
  if (has_groups(w)) return groups_same_epoch(cell, w, t.epoch, mask, write);
  return !write && is_set(epoch_bits(r)) && !(mask & ~u64(mask_of(r))) &&
         set_contains(epoch_bits(r), t.epoch) && still_holds(&cell->R, r);
}

void access_cell(ThreadState& t, uptr address, u64 mask, AccessKind kind, SiteId site, ConflictSink sink,
                 void* context, AccessResult& result) {
  Cell* cell = cell_of(address);
  const bool plain = !is_atomic(kind), write = may_write(kind);
  for (u32 spins = 0;;) {
    u64 w = __atomic_load_n(&cell->W, __ATOMIC_ACQUIRE), r = __atomic_load_n(&cell->R, __ATOMIC_ACQUIRE);
    if (plain && cell_seen(t, cell, w, r, mask, write)) return;
    if (is_locked(w)) {
      pause_for(spins);
      continue;
    }
    if (plain && may_step_simply(w, r)) {
      Simple outcome = write ? write_simple(t, cell, address, w, r, mask, site, [] {})
                             : read_simple(t, cell, address, w, r, mask, site, [] {});
      if (outcome == Simple::Retry) continue;
      if (outcome == Simple::Done) {
        result.changed = true;
        return;
      }
    }
    if (!swap_cell(cell, w, r, kLockedWord, r)) continue;
    Step step(t, address, site, sink, context);
    if (!has_groups(w) || !group_step(step, cell, w, mask, kind)) locked_step(step, cell, w, r, mask, kind);
    for (u32 i = 0; i < step.made_count; ++i) release_set(step.made[i]);
    result.changed = true;
    result.conflicts += step.conflicts;
    return;
  }
}

} // namespace

bool seen_in_this_epoch(const ThreadState& t, uptr address, u64 size, bool write) {
  while (size) {
    u64 offset = address & 7, n = min<u64>(8 - offset, size);
    const Cell* cell = cell_of(address);
    u64 w = __atomic_load_n(&cell->W, __ATOMIC_ACQUIRE), r = __atomic_load_n(&cell->R, __ATOMIC_ACQUIRE);
    if (!cell_seen(t, cell, w, r, ((1ull << n) - 1) << offset, write)) return false;
    address += n;
    size -= n;
  }
  return true;
}

AccessResult access(ThreadState& t, uptr address, u64 size, AccessKind kind, u32 site, ConflictSink sink,
                    void* context, bool stop_at_conflict) {
  AccessResult result;
  while (size && !(stop_at_conflict && result.conflicts)) {
    u64 offset = address & 7, n = min<u64>(8 - offset, size);
    u64 mask = ((1ull << n) - 1) << offset;
    access_cell(t, address - offset, mask, kind, site, sink, context, result);
    address += n;
    size -= n;
    result.done += n;
  }
  return result;
}

void forget(uptr address, u64 size) {
  if (!size) return;
  uptr end = address + size, first = round_up(address, 8), last = round_down(end, 8);
  auto forget_bytes = [](uptr cell_address, u64 mask) {
    Cell* cell = cell_of(cell_address);
    for (u32 spins = 0;;) {
      u64 w = __atomic_load_n(&cell->W, __ATOMIC_ACQUIRE), r = __atomic_load_n(&cell->R, __ATOMIC_ACQUIRE);
      if (!(w | r)) return;
      if (is_locked(w)) {
        pause_for(spins);
        continue;
      }
      if (!swap_cell(cell, w, r, kLockedWord, r)) continue;
      Groups groups;
      take_apart(cell, w, r, cell_address, groups);
      for (u32 i = 0; i < groups.count; ++i)
        if (!(groups.group[i].mask &= ~mask)) groups.group[i].history = History();
      put_together(cell, cell_address, w, r, groups, kNoEpoch);
      return;
    }
  };
  if (first > last) return forget_bytes(last, ((1ull << size) - 1) << (address & 7)); // inside one cell
  if (address < first) forget_bytes(first - 8, 0xffull << (address & 7) & 0xff);
  if (first < last) clear_cells(first, last - first);
  if (last < end) forget_bytes(last, (1ull << (end & 7)) - 1);
}

} // namespace footrace::fasttrack
