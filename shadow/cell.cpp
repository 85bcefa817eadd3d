#include "shadow/cell.h"

#include "shadow/cell_groups.h"
#include "shadow/split.h"

namespace footrace {

void drop_words(u64 w, u64 r) {
  if (has_groups(w))
    release_group_block(group_block_of(w));
  else if (is_set(epoch_bits(r)))
    release_set(epoch_bits(r));
}

namespace {

// Notes the bytes that the thread has read or written in this epoch.
void note_seen(GroupBlock* b, Epoch now) {
  u64 seen = 0, written = 0;
  for (u32 i = 0; now && i < b->count; ++i) {
    const Group& g = b->group[i];
    if (g.history.W == now)
      written |= g.mask;
    else if (g.history.R == now || (is_set(g.history.R) && set_contains(g.history.R, now)))
      seen |= g.mask;
  }
  __atomic_store_n(&b->written, now | written, __ATOMIC_RELAXED);
  for (u64& other : b->seen) __atomic_store_n(&other, now ? other & ~written : 0, __ATOMIC_RELAXED);
  if (now)
    __atomic_store_n(&b->seen[tid_of(now) % GroupBlock::kSeen], now | seen | written, __ATOMIC_RELAXED);
}
// The R word of a cell with this block, which the thread has just changed.
u64 seen_by(const GroupBlock* b, Epoch now) { return now ? b->seen[tid_of(now) % GroupBlock::kSeen] : 0; }

// What is known of the readers of a cell that gets a block.
void begin_seen(GroupBlock* b, u64 old_w, u64 old_r) {
  for (u32 i = 0; i < GroupBlock::kSeen; ++i)
    b->seen[i] = has_groups(old_w) ? group_block_of(old_w)->seen[i] : 0;
  if (has_groups(old_w) || !is_set(epoch_bits(old_r))) return;
  const SetEntry* e = set_entries(epoch_bits(old_r));
  for (u32 i = 0, n = min(set_size(epoch_bits(old_r)), GroupBlock::kSeen); i < n; ++i)
    b->seen[tid_of(e[i].epoch) % GroupBlock::kSeen] = e[i].epoch | mask_of(old_r);
}

void merge_equal(Groups& g) {
  for (u32 i = 0; i < g.count; ++i) {
    if (g.group[i].history.empty()) {
      g.group[i--] = g.group[--g.count];
      continue;
    }
    for (u32 j = i + 1; j < g.count; ++j)
      if (g.group[j].history == g.group[i].history) {
        g.group[i].mask |= g.group[j].mask;
        g.group[j--] = g.group[--g.count];
      }
  }
}

struct SimpleForm {
  u64 w = 0, r = 0;
  SiteId w_site = 0, r_site = 0;
};

// One side of a simple cell gathers the groups; false when two epochs or inexpressible sites meet.
bool gather(u64& word, SiteId& site, u64 value, SiteId value_site, u64 mask) {
  if (!value) return true;
  if (word && epoch_bits(word) != value) return false;
  if (!is_set(value)) {
    SiteId joined = word ? join_sites(site, mask_of(word), value_site, mask) : value_site;
    if (word && joined == kNoSite && (site || value_site)) return false;
    site = joined;
  }
  word = value | mask_of(word) | mask;
  return true;
}

bool to_simple(const Groups& g, SimpleForm& out, bool keep_mirrors) {
  out = SimpleForm();
  for (u32 i = 0; i < g.count; ++i) {
    const History& h = g.group[i].history;
    if (h.AW | h.AR) return false;
    if (!gather(out.w, out.w_site, h.W, h.w_site, g.group[i].mask)) return false;
    if (h.R == h.W && !keep_mirrors) continue;
    if (!gather(out.r, out.r_site, h.R, h.r_site, g.group[i].mask)) return false;
  }
  return true;
}

History history_of_byte(const SplitBytes& s, SiteId w_site, SiteId r_site, u32 byte) {
  History h;
  u64 bit = 1ull << byte;
  h.W = (s.w_new & bit) ? s.W_new : (s.w_old & bit) ? s.W_old : kNoEpoch;
  h.R = (s.r_new & bit) ? s.R_new : (s.r_old & bit) ? s.R_old : kNoEpoch;
  if (h.W) h.w_site = site_of_byte(w_site, byte);
  if (h.R) h.r_site = h.R == h.W ? h.w_site : site_of_byte(r_site, byte);
  return h;
}

void take_split_apart(u64 w, u64 r, uptr address, Groups& out) {
  SplitBytes s = bytes_of_split(w, r);
  SiteId w_site = s.w_new | s.w_old ? load_site(address, true, s.w_new ? s.W_new : s.W_old) : kNoSite;
  SiteId r_site = load_site(address, false, s.R_new);
  for (u32 byte = 0; byte < 8; ++byte) {
    History h = history_of_byte(s, w_site, r_site, byte);
    if (h.empty()) continue;
    u32 i = 0;
    while (i < out.count && !(out.group[i].history == h)) ++i;
    if (i == out.count) {
      out.group[out.count].history = h;
      out.group[out.count++].mask = 0;
    }
    out.group[i].mask |= 1ull << byte;
  }
}

} // namespace

void take_apart(const Cell* cell, u64 w, u64 r, uptr address, Groups& out) {
  out.count = 0;
  if (has_groups(w)) {
    const GroupBlock* b = group_block_of(w);
    for (u32 i = 0; i < b->count; ++i) out.group[out.count++] = b->group[i];
    return;
  }
  if (form_of(w)) return take_split_apart(w, r, address, out);
  u64 wm = mask_of(w), rm = mask_of(r);
  SiteId w_site = wm ? load_site(address, true, epoch_bits(w)) : kNoSite;
  SiteId r_site = rm && !is_set(epoch_bits(r)) ? load_site(address, false, epoch_bits(r)) : kNoSite;
  const u64 parts[3] = {wm & rm, wm & ~rm, rm & ~wm};
  for (u64 part : parts) {
    // Bytes of a combination have different sites, so they are different groups.
    while (part) {
      u32 byte = u32(__builtin_ctzll(part));
      History h;
      if (wm >> byte & 1) h.W = epoch_bits(w), h.w_site = site_of_byte(w_site, byte);
      if (rm >> byte & 1) h.R = epoch_bits(r), h.r_site = site_of_byte(r_site, byte);
      u64 mask = 0;
      for (u32 b = byte; b < 8; ++b)
        if ((part >> b & 1) && (!h.W || site_of_byte(w_site, b) == h.w_site) &&
            (!h.R || site_of_byte(r_site, b) == h.r_site))
          mask |= 1ull << b;
      part &= ~mask;
      out.group[out.count].history = h;
      out.group[out.count++].mask = mask;
    }
  }
}

namespace {
void publish(Cell* cell, u64 w, u64 r) {
  if (!(w | r)) r = kEmptyWord;
  __atomic_store_n(&cell->R, r, __ATOMIC_RELEASE);
  __atomic_store_n(&cell->W, w, __ATOMIC_RELEASE);
}
} // namespace

namespace {

// Puts the groups into a new block, or into one like it that the thread has made before.
GroupBlock* block_for(const Groups& groups, u64 old_w, u64 old_r, Epoch now) {
  const u64 hash = hash_of_groups(groups, now);
  CommonBlock& common = common_block_for(hash);
  if (GroupBlock* known = take_common_block(common, hash, groups, now)) return known;
  for (u32 i = 0; i < groups.count; ++i) for_each_set(groups.group[i].history, retain_set);
  GroupBlock* b = new_group_block(groups.count);
  if (common.is_for(hash)) // other cells will have it: nothing that only this one knows
    begin_seen(b, 0, 0);
  else
    begin_seen(b, old_w, old_r);
  b->count = groups.count;
  for (u32 i = 0; i < groups.count; ++i) b->group[i] = groups.group[i];
  note_seen(b, now);
  remember_common_block(common, hash, b);
  return b;
}

// A new generation keeps unlocked readers honest.
void rewrite(GroupBlock* b, const Groups& groups, Epoch now) {
  for (u32 i = 0; i < groups.count; ++i) for_each_set(groups.group[i].history, retain_set);
  for (u32 i = 0; i < b->count; ++i) for_each_set(b->group[i].history, release_set);
  ++b->generation;
  b->count = groups.count;
  for (u32 i = 0; i < groups.count; ++i) b->group[i] = groups.group[i];
  note_seen(b, now);
}

} // namespace

void put_together(Cell* cell, uptr address, u64 old_w, u64 old_r, Groups& groups, Epoch now) {
  merge_equal(groups);
  SimpleForm simple;
  u64 w, r;
  if (to_simple(groups, simple, true) || to_simple(groups, simple, false)) {
    w = simple.w, r = simple.r;
    if (is_set(epoch_bits(r))) retain_set(epoch_bits(r));
    if (w) store_site(address, true, epoch_bits(w), simple.w_site);
    if (r && !is_set(epoch_bits(r))) store_site(address, false, epoch_bits(r), simple.r_site);
  } else {
    GroupBlock* b = has_own_groups(old_w) ? group_block_of(old_w) : nullptr;
    if (b && group_capacity(b->size_class) >= groups.count) {
      rewrite(b, groups, now);
      old_w = old_r = 0; // nothing is left of them
    } else {
      b = block_for(groups, old_w, old_r, now);
    }
    w = word_of(b), r = seen_by(b, now);
  }
  publish(cell, w, r);
  drop_words(old_w, old_r); // last: R has shown the old set until now, to who looks without the lock
}

bool has_own_groups(u64 w) { return has_groups(w) && !is_common(group_block_of(w)); }

Group* own_group_of(u64 w, u64 mask) {
  GroupBlock* b = group_block_of(w);
  if (is_common(b)) return nullptr;
  // Without the lock the memory may be in other use by now: stay within its capacity, whatever the count says.
  const u32 count = min(__atomic_load_n(&b->count, __ATOMIC_RELAXED), group_capacity(b->size_class));
  for (u32 i = 0; i < count; ++i)
    if (__atomic_load_n(&b->group[i].mask, __ATOMIC_RELAXED) == mask) return &b->group[i];
  return nullptr;
}

Group* group_with_bytes(u64 w, u64 mask) {
  GroupBlock* b = group_block_of(w);
  for (u32 i = 0; i < b->count; ++i)
    if ((b->group[i].mask & mask) == mask) return &b->group[i];
  return nullptr;
}

namespace {

// All groups could be one simple cell: only sites tell them apart.
bool may_be_simple(const GroupBlock* b) {
  const History& first = b->group[0].history;
  for (u32 i = 0; i < b->count; ++i) {
    const History& h = b->group[i].history;
    if (h.W != first.W || h.R != first.R || (h.AW | h.AR)) return false;
  }
  return true;
}

// The same as move_bytes, with a block that is not this one.
void rebuild(Cell* cell, uptr address, u64 w, const Group* from, u64 mask, const History& after, Epoch now) {
  Groups groups;
  take_apart(cell, w, 0, address, groups);
  Group& old = groups.group[from - group_block_of(w)->group];
  old.mask &= ~mask;
  Group& moved = old.mask ? groups.group[groups.count++] : old;
  moved.history = after;
  moved.mask = mask;
  put_together(cell, address, w, 0, groups, now);
}

} // namespace

void move_bytes(Cell* cell, uptr address, u64 w, Group* from, u64 mask, const History& after, Epoch now) {
  GroupBlock* b = group_block_of(w);
  if (is_common(b)) return rebuild(cell, address, w, from, mask, after, now);
  Group* to = nullptr;
  for (u32 i = 0; i < b->count && !to; ++i)
    if (b->group[i].history == after) to = &b->group[i];
  if (to && to == from) { // nothing changed
  } else if (!to && from->mask == mask) {
    for_each_set(after, retain_set);
    for_each_set(from->history, release_set);
    from->history = after;
  } else if (to || b->count < group_capacity(b->size_class)) {
    from->mask &= ~mask;
    if (to) {
      to->mask |= mask;
    } else {
      to = &b->group[b->count++];
      for_each_set(after, retain_set);
      to->history = after;
      to->mask = mask;
    }
    if (!from->mask) {
      for_each_set(from->history, release_set);
      *from = b->group[--b->count];
    }
  } else {
    return rebuild(cell, address, w, from, mask, after, now); // needs a larger block
  }
  ++b->generation;
  if (may_be_simple(b)) {
    Groups groups;
    take_apart(cell, word_of(b), 0, address, groups);
    return put_together(cell, address, word_of(b), 0, groups, now);
  }
  note_seen(b, now);
  publish(cell, word_of(b), seen_by(b, now));
}

namespace {
// As note_seen, after one access to these bytes.
void add_seen(GroupBlock* b, u64 mask, Epoch now, bool write) {
  auto with = [&](u64 word) { return (epoch_bits(word) == now ? word : now) | mask; };
  if (write) {
    for (u64& other : b->seen) __atomic_store_n(&other, other & ~mask, __ATOMIC_RELAXED);
    __atomic_store_n(&b->written, with(b->written), __ATOMIC_RELAXED);
  }
  u64& mine = b->seen[tid_of(now) % GroupBlock::kSeen];
  __atomic_store_n(&mine, with(mine), __ATOMIC_RELAXED);
}
u64 bytes_of_groups(const GroupBlock* b) {
  u64 bytes = 0;
  for (u32 i = 0; i < b->count; ++i) bytes |= b->group[i].mask;
  return bytes;
}
} // namespace

void group_changed_in_place(Cell* cell, uptr address, u64 w, u64 mask, Epoch now, bool write) {
  GroupBlock* b = group_block_of(w);
  add_seen(b, mask, now, write);
  ++b->generation;
  if (const u64 seen = seen_by(b, now); FR_LIKELY(bytes_of_groups(b) & ~seen) || !may_be_simple(b))
    return publish(cell, word_of(b), seen);
  Groups groups;
  take_apart(cell, word_of(b), 0, address, groups);
  put_together(cell, address, word_of(b), 0, groups, now);
}

bool groups_seen_last(const Cell* cell, u64 w, Epoch epoch, u64 mask, bool write) {
  const GroupBlock* b = group_block_of(w);
  const u64& quick = write ? b->written : b->seen[tid_of(epoch) % GroupBlock::kSeen];
  return same_epoch(__atomic_load_n(&quick, __ATOMIC_RELAXED), epoch, mask) && still_holds(&cell->W, w);
}

bool groups_same_epoch(const Cell* cell, u64 w, Epoch epoch, u64 mask, bool write) {
  const GroupBlock* b = group_block_of(w);
  if (groups_seen_last(cell, w, epoch, mask, write)) return true;
  u32 count = min(__atomic_load_n(&b->count, __ATOMIC_RELAXED), group_capacity(b->size_class));
  u64 found = 0;
  for (u32 i = 0; i < count; ++i) {
    const Group& g = b->group[i];
    u64 w_word = __atomic_load_n(&g.history.W, __ATOMIC_RELAXED),
        r_word = __atomic_load_n(&g.history.R, __ATOMIC_RELAXED);
    if (w_word == epoch || (!write && (r_word == epoch || (is_set(r_word) && set_contains(r_word, epoch)))))
      found |= __atomic_load_n(&g.mask, __ATOMIC_RELAXED);
  }
  return !(mask & ~found) && still_holds(&cell->W, w);
}

// The thread has one store left to do, but it may have lost its processor: the wait ends by the clock, so that a thread that was killed in
// between costs a site and not the program.
SiteId wait_for_site(const u32* word, Epoch epoch) {
  constexpr i64 most_ms = 1000;
  i64 end = 0;
  for (u32 spins = 0;; pause_for(spins)) {
    u32 value = __atomic_load_n(word, __ATOMIC_ACQUIRE);
    if (u8(value) == site_tag(epoch)) return value >> 8;
    if (spins < 100) continue;
    if (!end) end = now_ms() + most_ms;
    if (now_ms() > end) return kNoSite;
  }
}

namespace {

// A loop joins the same few sites again and again; the four arguments fit one word. Tables of small numbers that are written at random have tens of
// thousands of joins, each a few misses of the cache when it is made anew: who makes many remembers more.
struct Joined {
  u64 key;
  SiteId result;
};
constexpr u32 kFewJoinedBits = 9, kMostJoinedBits = 15, kMissesUntilMore = 16;
struct JoinedSites {
  Joined few[1u << kFewJoinedBits];
  Joined* more; // mapped
  u32 more_bits, misses;

  Joined& place_of(u64 key) {
    const u64 hash = key * 0x9e3779b97f4a7c15;
    return FR_UNLIKELY(more != nullptr) ? more[hash >> (64 - more_bits)] : few[hash >> (64 - kFewJoinedBits)];
  }
  void give_back() {
    if (more) unmap_memory(reinterpret_cast<uptr>(more), sizeof(Joined) << more_bits);
    more = nullptr, more_bits = 0;
  }
  void missed() {
    const u32 bits = more ? more_bits : kFewJoinedBits;
    if (FR_LIKELY(++misses < kMissesUntilMore << bits) || bits == kMostJoinedBits) return;
    misses = 0;
    give_back();
    const u32 larger = min(bits + 3, kMostJoinedBits);
    more = reinterpret_cast<Joined*>(map_memory(sizeof(Joined) << larger));
    more_bits = larger;
  }
};
__thread JoinedSites t_joined;

} // namespace

void release_joined_sites() {
  t_joined.give_back();
  t_joined.misses = 0;
}

SiteId join_sites(SiteId a, u64 a_mask, SiteId b, u64 b_mask) {
  if (a == b && (a & kSiteTable) != kComboSite) return a;
  const u64 key = u64(a) | u64(b) << kSiteBits | a_mask << 48 | b_mask << 56;
  if (const Joined& joined = t_joined.place_of(key); joined.key == key) return joined.result;
  SiteId per_byte[8];
  for (u32 i = 0; i < 8; ++i)
    per_byte[i] = (b_mask >> i & 1) ? site_of_byte(b, i) : (a_mask >> i & 1) ? site_of_byte(a, i) : kNoSite;
  const SiteId result = combine_sites(per_byte);
  t_joined.missed();
  if (result != kNoSite) t_joined.place_of(key) = {key, result};
  return result;
}

} // namespace footrace
