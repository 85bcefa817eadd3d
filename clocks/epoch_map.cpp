#include "clocks/epoch_map.h"

#include "base/platform.h"

namespace footrace {

namespace {
constexpr u32 kWordBits = 64, kGroupWords = 8;
constexpr u32 kWords = (1u << kTidShift) / kWordBits, kGroups = kWords / kGroupWords; // of a slot
constexpr u32 kNobody = ~0u;

u64 mix(u64 x) {
  x = (x ^ x >> 30) * 0xbf58476d1ce4e5b9;
  x = (x ^ x >> 27) * 0x94d049bb133111eb;
  return x ^ x >> 31;
}
} // namespace

struct EpochMap::Slot {
  enum class Use : u8 { Free, Live, Ended } use;
  bool moves;
  u32 now;   // of a live thread
  u32 top;   // all that is named or held is at most this
  u32 known; // every live thread holds at least this
  u32 classes;
  u32 age;
  Tid predecessor, successor; // of the same thread
  // A chain of slots that become one. A *unit* is a chain, or a slot on its own.
  Tid earlier, later;
  u32 unit_classes; // of the last one of a chain: of all of it
  // Of one that has ended, as the first round has found it: who covers all of it, and how many clocks cover any of it.
  u64 live_coverers;
  u32 coverers;
  // As assigned.
  Tid target;
  u32 offset, last;
};

struct EpochMap::Pair {
  Tid earlier, later;
};

// Only what is used becomes resident.
struct EpochMap::Tables {
  Slot slot[kSlots];
  Pair pair[kSlots];
  u32 rank_now[kSlots]; // of the clock that is checked
  Tid unit[kSlots], scratch[kSlots];
  u32 before_group[kSlots][kGroups]; // classes
  u64 named[kSlots][kWords];         // a bit per epoch; later: where a class begins
  u64 held[kSlots][kWords];
};

EpochMap::EpochMap() : t_(*reinterpret_cast<Tables*>(map_memory(sizeof(Tables)))) {
  FR_CHECK(reinterpret_cast<uptr>(&t_) && "no address space for the renumbering of epochs");
}
EpochMap::~EpochMap() { unmap_memory(reinterpret_cast<uptr>(&t_), sizeof(Tables)); }

// -- What there is

void EpochMap::add_live(Tid slot, u64 now, bool moves) {
  Slot& s = t_.slot[slot];
  s.use = Slot::Use::Live, s.moves = moves, s.now = u32(now), s.known = u32(now - 1);
  end_ = max(end_, slot + 1);
  name(make_epoch(slot, now));
  hold(slot, now - 1); // so that the class of now begins with it
}

void EpochMap::add_ended(Tid slot, u32 age) {
  Slot& s = t_.slot[slot];
  s.use = Slot::Use::Ended, s.age = age, s.known = kNobody;
  end_ = max(end_, slot + 1);
}

void EpochMap::set_predecessor(Tid slot, Tid predecessor) {
  t_.slot[slot].predecessor = predecessor;
  t_.slot[predecessor].successor = slot;
}

void EpochMap::keep_apart(Tid slot, u64 first) { hold(slot, first - 1); }

void EpochMap::name(Epoch e) {
  const Tid slot = tid_of(e);
  const u32 clock = u32(clock_of(e));
  t_.named[slot][clock / kWordBits] |= 1ull << (clock % kWordBits);
  t_.slot[slot].top = max(t_.slot[slot].top, clock);
}

void EpochMap::hold(Tid slot, u64 clock) {
  t_.held[slot][clock / kWordBits] |= 1ull << (clock % kWordBits);
  t_.slot[slot].top = max(t_.slot[slot].top, u32(clock));
}

void EpochMap::hold(const Clock& clock) {
  clock.tree.for_each([this](Tid slot, u64 value) { hold(slot, value); });
  if (clock.own) hold(clock.owner, clock.own);
}

void EpochMap::hold_of_live_thread(const u32* covered, u32 end) {
  for (Tid slot = 1; slot < end_; ++slot) {
    const u32 clock = slot < end ? u32(clock_of({covered[slot]})) : 0;
    t_.slot[slot].known = min(t_.slot[slot].known, clock);
    if (clock) hold(slot, clock);
  }
}

// -- Classes

void EpochMap::make_classes() {
  for (Tid slot = 1; slot < end_; ++slot) {
    Slot& s = t_.slot[slot];
    u64 *named = t_.named[slot], *held = t_.held[slot];
    u32* before_group = t_.before_group[slot];
    bool is_cut = true; // a value is held since the last one that is named
    for (u32 word = 0; word <= s.top / kWordBits; ++word) {
      if (word % kGroupWords == 0) before_group[word / kGroupWords] = s.classes;
      u64 begins = 0;
      for (u64 left = named[word] | held[word]; left; left &= left - 1) {
        const u64 bit = left & -left;
        const u32 clock = word * kWordBits + u32(__builtin_ctzll(bit));
        if ((named[word] & bit) && clock > s.known) {
          if (is_cut) begins |= bit;
          is_cut = false;
        }
        if (held[word] & bit) is_cut = true;
      }
      named[word] = begins;
      s.classes += u32(__builtin_popcountll(begins));
    }
    s.unit_classes = s.classes;
  }
}

u32 EpochMap::rank(Tid slot, u64 clock) const {
  const Slot& s = t_.slot[slot];
  if (clock >= s.top) return s.classes;
  const u32 last = u32(clock) / kWordBits;
  u32 word = round_down(last, kGroupWords), classes = t_.before_group[slot][word / kGroupWords];
  for (; word < last; ++word) classes += u32(__builtin_popcountll(t_.named[slot][word]));
  const u64 up_to = ~0ull >> (kWordBits - 1 - clock % kWordBits);
  return classes + u32(__builtin_popcountll(t_.named[slot][last] & up_to));
}

// -- Which slots become one

u32 EpochMap::free_slots() const {
  u32 used = 0;
  for (Tid slot = 1; slot < end_; ++slot) {
    const Slot& s = t_.slot[slot];
    used += s.use == Slot::Use::Live || (s.use == Slot::Use::Ended && s.classes && !s.later);
  }
  return kMaxTid - used;
}

void EpochMap::link(Tid earlier, Tid later) {
  t_.slot[earlier].later = later;
  t_.slot[later].earlier = earlier;
}
void EpochMap::propose(Tid earlier, Tid later) {
  link(earlier, later);
  t_.pair[pairs_++] = {earlier, later};
}

// A thread that has gone on in another slot: the earlier slots go into the one that it has now, as far as there is room below its epoch of now.
void EpochMap::propose_chains() {
  for (Tid slot = 1; slot < end_; ++slot) {
    const Slot& last = t_.slot[slot];
    if (last.use == Slot::Use::Free || last.successor || !last.predecessor) continue;
    const bool is_live = last.use == Slot::Use::Live;
    u32 room = !is_live ? u32(kMaxClock) : last.moves ? u32(kMaxClock / 2) : last.now - 1;
    u32 taken = last.classes - is_live;
    Tid later = is_live || last.classes ? slot : 0;
    for (Tid at = last.predecessor; at; at = t_.slot[at].predecessor) {
      const u32 classes = t_.slot[at].classes;
      if (!classes) continue;
      if (later && taken + classes <= room)
        propose(at, later);
      else
        room = kMaxClock, taken = 0;
      taken += classes;
      later = at;
    }
  }
}

// Slots of ended threads that are one unit each, by the one that ends it.
u32 EpochMap::list_ended_units() {
  u32 count = 0;
  for (Tid slot = 1; slot < end_; ++slot) {
    const Slot& s = t_.slot[slot];
    if (s.use == Slot::Use::Ended && s.classes && !s.later) t_.unit[count++] = slot;
  }
  return count;
}

namespace {
// Stable. `before(a, b)`: a must come first.
template <class Before> void sort(Tid* list, Tid* scratch, u32 count, Before before) {
  if (count < 2) return;
  const u32 half = count / 2;
  sort(list, scratch, half, before);
  sort(list + half, scratch, count - half, before);
  for (u32 i = 0; i < half; ++i) scratch[i] = list[i];
  for (u32 i = 0, j = half, to = 0; i < half; ++to)
    list[to] = j < count && before(list[j], scratch[i]) ? list[j++] : scratch[i++];
}
} // namespace

// Those known to the same live threads, the best known first: what knows of the later one mostly knows of the earlier one.
void EpochMap::propose_ended(u32 distance) {
  const u32 count = list_ended_units();
  sort(t_.unit, t_.scratch, count, [this](Tid a, Tid b) {
    const Slot &x = t_.slot[a], &y = t_.slot[b];
    if (x.live_coverers != y.live_coverers) return x.live_coverers < y.live_coverers;
    if (x.coverers != y.coverers) return x.coverers > y.coverers;
    return x.age < y.age;
  });
  for (u32 i = 0; i + distance < count; ++i) {
    const Tid earlier = t_.unit[i];
    Tid later = t_.unit[i + distance]; // which ends a unit
    const u32 together = t_.slot[earlier].unit_classes + t_.slot[later].unit_classes;
    if (together > kMaxClock) continue;
    t_.slot[later].unit_classes = together;
    while (t_.slot[later].earlier) later = t_.slot[later].earlier;
    propose(earlier, later);
  }
}

bool EpochMap::open_round(u32 wanted) {
  constexpr u32 kRounds = 4;
  pairs_ = clocks_checked_ = 0;
  if (free_slots() >= wanted || rounds_ == kRounds) return false;
  if (!rounds_++)
    propose_chains();
  else
    propose_ended(1u << (rounds_ - 2));
  return pairs_ || rounds_ == 1; // the first one looks at all that have ended
}

void EpochMap::check(const Clock& clock, bool is_of_live_thread) {
  u32* rank_now = t_.rank_now;
  for (Tid slot = 1; slot < end_; ++slot) rank_now[slot] = 0;
  const auto note = [&](Tid slot, u64 value) { rank_now[slot] = max(rank_now[slot], rank(slot, value)); };
  clock.tree.for_each(note);
  if (clock.own) note(clock.owner, clock.own);
  for (u32 i = 0; i < pairs_;) {
    const Pair p = t_.pair[i];
    if (!rank_now[p.later] || rank_now[p.earlier] == t_.slot[p.earlier].classes) {
      ++i;
      continue;
    }
    t_.slot[p.earlier].later = t_.slot[p.later].earlier = 0;
    t_.pair[i] = t_.pair[--pairs_];
  }
  if (rounds_ > 1) return;
  const u64 number = mix(++clocks_checked_);
  for (Tid slot = 1; slot < end_; ++slot) {
    Slot& s = t_.slot[slot];
    if (!rank_now[slot]) continue;
    ++s.coverers;
    if (is_of_live_thread) s.live_coverers += number;
  }
}

// How large the units have become.
void EpochMap::close_round() {
  for (Tid slot = 1; slot < end_; ++slot) {
    Slot& s = t_.slot[slot];
    if (s.later) continue;
    s.unit_classes = s.classes;
    for (Tid at = s.earlier; at; at = t_.slot[at].earlier) s.unit_classes += t_.slot[at].classes;
  }
}

void EpochMap::assign(u32 least) {
  u32 free = free_slots();
  if (free < least) { // the oldest, two by two
    const u32 count = list_ended_units();
    sort(t_.unit, t_.scratch, count, [this](Tid a, Tid b) { return t_.slot[a].age < t_.slot[b].age; });
    for (u32 i = 0; i + 1 < count && free < least; i += 2) {
      Tid later = t_.unit[i + 1];
      if (t_.slot[t_.unit[i]].unit_classes + t_.slot[later].unit_classes > kMaxClock) continue;
      while (t_.slot[later].earlier) later = t_.slot[later].earlier;
      link(t_.unit[i], later);
      is_lossy_ = true;
      ++free;
    }
  }
  for (Tid slot = 1; slot < end_; ++slot) {
    Slot& last = t_.slot[slot];
    const bool is_live = last.use == Slot::Use::Live;
    if (last.use == Slot::Use::Free || last.later || (!last.classes && !is_live)) continue;
    Tid at = slot;
    while (t_.slot[at].earlier) at = t_.slot[at].earlier;
    u32 offset = 0;
    for (; at; at = t_.slot[at].later) {
      t_.slot[at].target = slot, t_.slot[at].offset = offset;
      offset += t_.slot[at].classes;
    }
    FR_CHECK(is_live && !last.moves ? offset <= last.now : offset <= kMaxClock);
    last.last = is_live && !last.moves ? last.now : offset;
  }
}

// -- The result

// A live thread's last class is its epoch of now.
u32 EpochMap::number_of(const Slot& s, u32 rank) const {
  return s.use == Slot::Use::Live && !s.moves && rank == s.classes ? s.now : s.offset + rank;
}

Epoch EpochMap::entry(Tid slot, u64 clock) const {
  const Slot& s = t_.slot[slot];
  const u32 r = rank(slot, clock);
  return r ? make_epoch(s.target, number_of(s, r)) : kNoEpoch;
}

Epoch EpochMap::logged_epoch(Epoch e) const { return entry(tid_of(e), clock_of(e)); }

Epoch EpochMap::epoch(Epoch e) const {
  if (!e) return e;
  const Epoch now = logged_epoch(e);
  return now ? now : kAncientEpoch;
}

Tid EpochMap::slot_of(Tid slot) const { return t_.slot[slot].target; }
u64 EpochMap::last(Tid slot) const { return t_.slot[slot].last; }
u64 EpochMap::first(Tid slot, u64 first) const { return number_of(t_.slot[slot], rank(slot, first - 1) + 1); }

} // namespace footrace
