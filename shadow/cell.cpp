#include "shadow/cell.h"

#include "shadow/cell_records.h"
#include "shadow/split.h"

namespace footrace {

void drop_words(u64 w, u64 r) {
  if (has_records(w))
    release_record_block(record_block_of(w));
  else if (is_set(epoch_bits(r)))
    release_set(epoch_bits(r));
}

namespace {

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
  if (has_records(w)) return groups_of_records(record_block_of(w), out);
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

// The bytes that were read or written in the epoch `now`.
u64 bytes_seen(const Groups& groups, Epoch now) {
  u64 seen = 0;
  for (u32 i = 0; now && i < groups.count; ++i) {
    const History& h = groups.group[i].history;
    if (h.W == now || h.R == now || (is_set(h.R) && set_contains(h.R, now))) seen |= groups.group[i].mask;
  }
  return seen;
}

// A new generation keeps unlocked readers honest.
void rewrite(RecordBlock* b, const Records& records) {
  u64 sets[kMostRecords];
  u32 count = 0;
  for (u32 i = 0; i < b->count; ++i)
    if (is_set(b->word[i])) sets[count++] = epoch_bits(b->word[i]);
  ++b->generation;
  fill(b, records);
  for (u32 i = 0; i < count; ++i) release_set(sets[i]); // last: the new records may have them too
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
    Records records;
    records_of_groups(groups, records);
    RecordBlock* b = has_own_records(old_w) ? record_block_of(old_w) : nullptr;
    if (b && record_capacity(b->size_class) >= records.count) {
      rewrite(b, records);
      old_w = old_r = 0; // nothing is left of them
    } else {
      b = block_with(records);
    }
    w = word_of(b), r = now | bytes_seen(groups, now);
  }
  publish(cell, w, r);
  drop_words(old_w, old_r); // last: R has shown the old set until now, to who looks without the lock
}

bool has_own_records(u64 w) { return has_records(w) && !is_common(record_block_of(w)); }

bool is_field_of(u64 w, u64 mask) {
  const RecordBlock* b = record_block_of(w);
  if (is_common(b)) return false;
  u64 alike = kMaskBits; // bytes in the same records as those of the mask
  bool is_known = false;
  const RecordView records(b);
  for (u32 i = 0; i < records.count; ++i) {
    const u64 bytes = mask_of(records.word(i));
    is_known |= (bytes & mask) != 0;
    alike &= bytes & mask ? bytes : ~bytes;
  }
  return is_known && alike == mask;
}

bool records_same_epoch(const Cell* cell, u64 w, Epoch epoch, u64 mask, bool write) {
  const RecordView records(record_block_of(w));
  u64 found = 0;
  for (u32 i = 0; i < records.count; ++i) {
    const u64 word = records.word(i), value = epoch_bits(word);
    const RecordKind kind = records.kind(i);
    const bool counts = kind == RecordKind::Write || (!write && kind == RecordKind::Read);
    if (counts && (word & mask) && (value == epoch || (is_set(value) && set_contains(value, epoch))))
      found |= word;
  }
  return !(mask & ~found) && still_holds(&cell->W, w);
}

namespace {

// At most one write and one epoch of reads, of one site each: a simple cell can say it.
bool is_simple_now(const RecordBlock* b, SimpleForm& out) {
  if (b->count > 2) return false;
  const RecordView records(b);
  for (u32 i = 0; i < records.count; ++i) {
    const bool write = records.kind(i) == RecordKind::Write;
    u64& word = write ? out.w : out.r;
    if (word || records.kind(i) > RecordKind::Read || is_set(records.word(i))) return false;
    word = records.word(i);
    (write ? out.w_site : out.r_site) = site_of_tagged(records.tagged(i));
  }
  if (!out.r) out.r = out.w, out.r_site = out.w_site;
  return true;
}

} // namespace

void records_changed_in_place(Cell* cell, uptr address, u64 w, u64 r, u64 mask, Epoch now) {
  RecordBlock* b = record_block_of(w);
  SimpleForm simple;
  if (FR_LIKELY(!is_simple_now(b, simple))) {
    ++b->generation;
    return publish(cell, word_of(b), (epoch_bits(r) == now ? r : now) | mask);
  }
  if (simple.w) store_site(address, true, epoch_bits(simple.w), simple.w_site);
  store_site(address, false, epoch_bits(simple.r), simple.r_site);
  publish(cell, simple.w, simple.r);
  release_record_block(b);
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
