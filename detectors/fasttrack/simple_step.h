// The rules of Figure 2 (PLDI'09) that race with nothing, on a whole cell without groups and in one compare-and-swap:
// [READ EXCLUSIVE], [WRITE EXCLUSIVE], and for parts of a cell the split forms of shadow/split.h. In a header because this
// is most of the slow path: the runtime calls it in line before anything more general.
#pragma once

#include "detectors/fasttrack/sync_rules.h"
#include "shadow/open_set.h"
#include "shadow/split.h"

namespace footrace::fasttrack {

// What a step makes of the words of a cell, and of their sites: the bytes `kept` keep theirs, `added` get the site of the access.
struct SiteChange {
  u64 kept = 0, added = 0; // nothing added: the site stays as it is
};
struct Change {
  u64 w, r;
  SiteChange w_site, r_site;
};

// The thread has written (or read) all of these bytes in this epoch.
FR_INLINE bool has_written(u64 w, u64 r, Epoch epoch, u64 mask) {
  if (FR_LIKELY(!form_of(w))) return same_epoch(w, epoch, mask);
  return (w & kWriteOver) && same_epoch(r & ~(form_of(w) == kWriteOver ? mask_of(w) : 0), epoch, mask);
}
FR_INLINE bool has_accessed(u64 w, u64 r, Epoch epoch, u64 mask) {
  return same_epoch(r, epoch, mask) || same_epoch(w, epoch, mask);
}

// The cell's readers are a set that is known to hold the thread's epoch.
FR_INLINE bool knows_readers(const ThreadState& t, u64 r, u64 mask) {
  return ((r ^ t.readers.words.word[slot_of_readers(r)]) & (~kMaskBits | mask)) == 0;
}
// The set was looked up and holds it: whether it is worth keeping.
FR_INLINE bool is_worth_keeping(ThreadState& t, u64 r) {
  u64& met = t.readers.met[slot_of_readers(r)];
  if (met == r) return t.readers.used < KnownReaders::kMostUsed && !looks_own(epoch_bits(r));
  met = r;
  return false;
}

// Reading `mask` in a plain cell whose R is not a set. False: it races, or the result has no such form.
FR_INLINE bool read_plain(ThreadState& t, u64 w, u64 r, u64 mask, Change& c) {
  Epoch we = epoch_bits(w), re = epoch_bits(r);
  u64 wm = mask_of(w), rm = mask_of(r);
  if ((wm & mask) && !covers(t, we)) return false;
  bool mirror = re == we && !(rm & ~wm);
  c.w = w;
  if (re == t.epoch) {
    c.r = r | mask;
    c.r_site = {rm, mask & ~rm};
    return true;
  }
  if (!rm || mirror || (!(rm & ~mask) && covers(t, re))) {
    c.r = t.epoch | mask;
    c.r_site = {0, mask};
    return true;
  }
  u64 distance = distance_of(t.epoch, re);
  if (!distance || (rm | mask) != kAllBytes || (wm != kAllBytes && wm)) return false;
  c.w = we | kReadOver | distance;
  c.r = t.epoch | mask;
  c.r_site = {kAllBytes & ~mask, mask};
  return true;
}

FR_INLINE bool write_plain(ThreadState& t, u64 w, u64 r, u64 mask, Change& c) {
  Epoch we = epoch_bits(w), re = epoch_bits(r);
  u64 wm = mask_of(w), rm = mask_of(r), other_writes = wm & ~mask, other_reads = rm & ~mask;
  if ((wm & mask) && !covers(t, we)) return false;
  if ((rm & mask) && !covers(t, re)) return false;
  bool mirror = re == we && !(rm & ~wm);
  if (we == t.epoch || !other_writes) {
    c.w = t.epoch | mask | (we == t.epoch ? wm : 0);
    c.w_site = {we == t.epoch ? wm : 0, we == t.epoch ? mask & ~wm : mask};
    if (!other_reads) {
      c.r = t.epoch | mask;
      c.r_site = {0, mask};
    } else if (re == t.epoch) {
      c.r = r | mask;
      c.r_site = {other_reads, mask};
    } else {
      c.r = re | other_reads;
    }
    return true;
  }
  c.w_site = {other_writes, mask};
  if (!other_reads || mirror) {
    c.w = we | kWriteOver | other_writes;
    c.r = t.epoch | mask;
    c.r_site = {0, mask};
    return true;
  }
  if (re == t.epoch && !(other_reads & ~wm)) {
    c.w = we | kWriteOver | other_writes;
    c.r = r | mask;
    c.r_site = {other_reads, mask};
    return true;
  }
  u64 distance = distance_of(t.epoch, re);
  if (!distance || (rm | mask) != kAllBytes || (wm | mask) != kAllBytes) return false;
  c.w = we | kWriteOverReads | distance;
  c.r = t.epoch | mask;
  c.r_site = {kAllBytes & ~mask, mask};
  return true;
}

// All bytes of a split cell at once, after everything that is in it.
FR_INLINE bool covers_split(ThreadState& t, u64 w, u64 r) {
  return covers(t, split_write_epoch(w)) && covers(t, epoch_bits(r)); // older reads are of the thread of R
}

// The bytes of a split cell that an access in a new epoch leaves alone, if they have one past: they all belong to R's epoch, or none does. Of
// the second kind, how long ago they were read; 0: too long, or by another thread.
FR_INLINE bool are_new(u64 others, u64 rm) { return others && !(others & ~rm); }
FR_INLINE u64 distance_of_others(const ThreadState& t, u64 w, u64 r, u64 others) {
  const u64 rm = mask_of(r);
  if (are_new(others, rm)) return distance_of(t.epoch, epoch_bits(r));
  return others & rm ? 0 : distance_of(t.epoch, older_by(epoch_bits(r), mask_of(w)));
}

// The thread reads a part of a cell in a new epoch that it has read in two others, mostly halves in turn.
FR_INLINE bool read_over_reads(ThreadState& t, u64 w, u64 r, u64 mask, Change& c) {
  const Epoch we = split_write_epoch(w);
  const u64 distance = distance_of_others(t, w, r, kAllBytes & ~mask);
  if (form_of(w) != kReadOver || !distance || !covers(t, we)) return false;
  c.w = we | kReadOver | distance;
  c.r = t.epoch | mask;
  c.r_site = {kAllBytes & ~mask, mask};
  return true;
}

FR_INLINE bool read_split(ThreadState& t, u64 w, u64 r, u64 mask, Change& c) {
  Epoch we = split_write_epoch(w);
  u64 rm = mask_of(r), news = mask & ~rm;
  if (epoch_bits(r) != t.epoch) {
    if (form_of(w) != kReadOver || mask != kAllBytes || !covers_split(t, w, r))
      return read_over_reads(t, w, r, mask, c);
    c.w = we ? we | kAllBytes : 0;
    c.r = t.epoch | kAllBytes;
    c.r_site = {0, kAllBytes};
    return true;
  }
  if (!covers(t, we)) return false;
  c.w = w;
  c.r = r | mask;
  if (form_of(w) == kReadOver) {
    if ((rm | mask) == kAllBytes) c.w = we ? we | kAllBytes : 0;
    c.r_site = {kAllBytes & ~news, news};
    return true;
  }
  // A byte that is touched and not kept counts as written.
  if (form_of(w) != kWriteOver || (news & ~u64(mask_of(w)))) return false;
  c.r_site = {rm, news};
  return true;
}

// The same for writes. What was written in R's epoch becomes the older half, or the older half stays.
FR_INLINE bool write_over_writes(ThreadState& t, u64 w, u64 r, u64 mask, Change& c) {
  const u64 form = form_of(w), low = mask_of(w), rm = mask_of(r);
  if (!(form & kWriteOver) || !covers_split(t, w, r)) return false;
  const u64 held = form == kWriteOver ? low | rm : kAllBytes, others = held & ~mask;
  const u64 written_new = form == kWriteOver ? rm & ~low : rm;
  if (!(others & ~written_new)) {
    c.w = epoch_bits(r) | kWriteOver | others;
  } else if (others & rm) {
    return false;
  } else if (form == kWriteOver) {
    c.w = split_write_epoch(w) | kWriteOver | others;
  } else {
    const u64 distance = distance_of_others(t, w, r, others);
    if (!distance) return false;
    c.w = split_write_epoch(w) | kWriteOverReads | distance;
  }
  c.r = t.epoch | mask;
  c.w_site = {others, mask};
  c.r_site = {form_of(c.w) == kWriteOverReads ? others : 0, mask};
  return true;
}

FR_INLINE bool write_split(ThreadState& t, u64 w, u64 r, u64 mask, Change& c) {
  Epoch we = split_write_epoch(w);
  u64 form = form_of(w), low = mask_of(w), rm = mask_of(r), held = form == kWriteOver ? low | rm : kAllBytes;
  if (!(held & ~mask) && covers_split(t, w, r)) {
    c.w = c.r = t.epoch | mask;
    c.w_site = c.r_site = {0, mask};
    return true;
  }
  if (epoch_bits(r) != t.epoch) return write_over_writes(t, w, r, mask, c);
  if (!covers(t, we)) return false;
  u64 touched = rm | mask;
  c.w_site = {held & ~mask, mask};
  c.r = t.epoch | touched;
  switch (form) {
  case kReadOver: // the bytes just read are written: the others keep their reads
    if (!we || (rm & ~mask)) return false;
    c.w = w | kWriteOverReads;
    c.r_site = {kAllBytes & ~mask, mask};
    return true;
  case kWriteOver:
    c.w = (low & ~mask) ? w & ~mask : t.epoch | touched;
    c.r_site = {rm & ~mask, mask};
    return true;
  default:
    c.w = touched == kAllBytes ? t.epoch | kAllBytes : w;
    c.r_site = {kAllBytes & ~mask, mask};
    return true;
  }
}

enum class Simple { Done, Retry, Lock };

// The site that goes with a word after the change; false: not expressible, or another thread has not noted its own yet.
FR_INLINE bool changed_site(uptr address, bool write, Epoch tagged, SiteChange change, SiteId site,
                            SiteId& out) {
  out = site;
  if (FR_LIKELY(!change.kept)) return true;
  SiteId old = peek_site(address, write, tagged);
  if (FR_UNLIKELY(old == kNoSite)) return false;
  if (FR_LIKELY(old == site && (site & kSiteTable) != kComboSite)) return true;
  return (out = join_sites(old, change.kept, site, change.added)) != kNoSite;
}

// Puts the change into the cell that held w and r. before() is called when the step is decided and the shadow still unchanged.
template <class Before>
FR_INLINE Simple commit(ThreadState& t, Cell* cell, uptr address, u64 w, u64 r, const Change& c, SiteId site,
                        Before before) {
  SiteId w_site = site, r_site = site;
  Epoch w_tagged = (w & kWriteOver) ? epoch_bits(r) : split_write_epoch(w); // of the newest write in the cell
  if (!changed_site(address, true, w_tagged, c.w_site, site, w_site)) return Simple::Lock;
  if (!changed_site(address, false, epoch_bits(r), c.r_site, site, r_site)) return Simple::Lock;
  before();
  if (FR_UNLIKELY(!swap_cell(cell, w, r, c.w, c.r))) return Simple::Retry;
  if (c.w_site.added) store_site(address, true, t.epoch, w_site);
  if (c.r_site.added) store_site(address, false, t.epoch, r_site);
  return Simple::Done;
}

// What most steps come to, decided with few instructions: the bytes of the access are all that the cell has known, if any, and everything before
// is known to be ordered. simple_step would decide the same.
FR_INLINE bool is_exclusive_step(const ThreadState& t, u64 w, u64 r, u64 mask) {
  if (!w) return r == kEmptyWord || (mask_of(r) == mask && covers_as_known(t, epoch_bits(r)));
  return (w & (kFormBits | kAllBytes)) == mask && mask_of(r) == mask && covers_as_known(t, epoch_bits(w)) &&
         covers_as_known(t, epoch_bits(r));
}
// Makes that step; false: the cell has changed meanwhile.
template <bool write>
FR_INLINE bool exclusive_step(ThreadState& t, Cell* cell, uptr address, u64 w, u64 r, u64 mask, SiteId site) {
  const u64 mine = t.epoch | mask;
  if (FR_UNLIKELY(!swap_cell(cell, w, r, write ? mine : w, mine))) return false;
  if (write) store_site(address, true, t.epoch, site);
  store_site(address, false, t.epoch, site);
  ++t.rule_count[u32(write ? Rule::write_exclusive : Rule::read_exclusive)];
  return true;
}

// A step of a cell that held w and r when they were read.
template <bool write, class Before>
FR_INLINE Simple simple_step(ThreadState& t, Cell* cell, uptr address, u64 w, u64 r, u64 mask, SiteId site,
                             Before before) {
  Change c;
  bool split = form_of(w);
  bool decided;
  if (write)
    decided = FR_LIKELY(!split) ? write_plain(t, w, r, mask, c) : write_split(t, w, r, mask, c);
  else
    decided = FR_LIKELY(!split) ? read_plain(t, w, r, mask, c) : read_split(t, w, r, mask, c);
  if (FR_UNLIKELY(!decided))
    return write ? Simple::Lock : read_shared_again(t, cell, address, w, r, mask, site, before);
  Simple outcome = commit(t, cell, address, w, r, c, site, before);
  if (FR_LIKELY(outcome == Simple::Done))
    ++t.rule_count[u32(write ? Rule::write_exclusive : Rule::read_exclusive)];
  return outcome;
}

// [READ SHARE] and [READ SHARED] where the thread has just made the same step in another cell: the set is there. The read is of all bytes
// that have readers.
template <class Before>
FR_INLINE Simple read_shared_again(ThreadState& t, Cell* cell, uptr address, u64 w, u64 r, u64 mask,
                                   SiteId site, Before before) {
  Epoch readers = epoch_bits(r);
  if (form_of(w) || mask != mask_of(r) || ((w & mask) && !covers(t, epoch_bits(w)))) return Simple::Lock;
  const SiteId from_site = is_set(readers) ? kNoSite : peek_site(address, false, readers);
  SetStep& step = set_step_for(readers, from_site, site);
  if (step.from != readers || step.epoch != t.epoch || step.from_site != from_site || step.site != site)
    return Simple::Lock;
  if (FR_UNLIKELY(!step.stock || step.owed >= kSetStock)) settle_set_step(step);
  before();
  if (FR_UNLIKELY(!swap_cell(cell, w, r, w, step.to | mask))) return Simple::Retry;
  --step.stock, ++step.owed;
  sharing_has_paid();
  ++t.rule_count[u32(is_set(readers) ? Rule::read_shared : Rule::read_share)];
  return Simple::Done;
}

// [READ SHARED] by a thread that has read all of these bytes before, in a set that no other cell has: its entry moves on. Without a lock if the set
// is open, else under the cell's lock; who comes again opens it.
template <class Before>
FR_INLINE Simple read_shared_in_place(ThreadState& t, Cell* cell, u64 w, u64 r, u64 mask, SiteId site,
                                      Before before) {
  const SetRef readers = epoch_bits(r);
  if (form_of(w) || mask != mask_of(r) || ((w & mask) && !covers(t, epoch_bits(w)))) return Simple::Lock;
  if (!looks_own(readers)) return Simple::Lock;
  before();
  if (looks_open(readers)) {
    const OpenStep step = advance_open_reader(cell, r, t.epoch, site);
    if (FR_UNLIKELY(step != OpenStep::Done)) return step == OpenStep::NoEntry ? Simple::Lock : Simple::Retry;
    ++t.rule_count[u32(Rule::read_shared)];
    t.count(Transition::open_reader_moved);
    return Simple::Done;
  }
  if (FR_UNLIKELY(!lock_words(cell, w, r))) return Simple::Retry;
  const SetRef after = advance_in_own_set(readers, {t.epoch, site, 0});
  if (FR_LIKELY(after)) {
    if (open_set(after)) t.count(Transition::readers_opened);
    __atomic_store_n(&cell->R, after | mask, __ATOMIC_RELEASE);
  }
  __atomic_store_n(&cell->W, w, __ATOMIC_RELEASE);
  if (FR_UNLIKELY(!after)) return Simple::Lock;
  ++t.rule_count[u32(Rule::read_shared)];
  return Simple::Done;
}

} // namespace footrace::fasttrack
