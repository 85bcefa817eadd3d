#include "check/readers.h"

#include "check/cell.h"
#include "check/sweep.h"

namespace footrace {

namespace {

constexpr u32 lines_for(u32 entries) {
  u32 lines = 1;
  while (lines * 8 - 1 < entries) lines *= 2;
  return lines;
}

// Zeroed lines, one behind the other.
u32 allocate_lines(ThreadState& t, u32 lines) {
  if (FR_UNLIKELY(t.sets.end - t.sets.next < lines)) {
    t.sets = take_set_lines(lines);
    // Sets that threads make at the same time, of neighbouring arrays, should not have one slot in line.
    const u32 apart = t.tid() * 3 % kReadersSlots;
    if (t.sets.end - t.sets.next >= lines + apart) t.sets.next += apart;
  }
  const u32 first = t.sets.next;
  t.sets.next += lines;
  return first;
}

ReaderSet& new_set(ThreadState& t, u32 entries, u32& index) {
  const u32 lines = lines_for(entries);
  index = allocate_lines(t, lines);
  ReaderSet& set = reinterpret_cast<ReaderSet*>(kSetBase)[index];
  for (u32 i = 0; i < lines * 8 - 1; ++i) set.entry[i] = 0;
  set.capacity = lines * 8 - 1;
  set.users = 0;
  t.count(Transition::set_made);
  return set;
}

// Data that several threads read goes from one common set to the next by the reads of each of them, in whatever order they come. So that what has been read by the
// same threads in the same epochs names one set, which code in line knows, common sets are looked for by their entries before one more is made.
// Concurrency: an entry of the table is one word, a hash and an index, stored when the set is complete. What is found is compared.
constexpr u32 kCommonSets = 4096;
u64 g_common_sets[kCommonSets];

void sort_entries(ReaderSet& set, u32 count) {
  for (u32 i = 1; i < count; ++i)
    for (u32 k = i; k && set.entry[k - 1] > set.entry[k]; --k) {
      const u64 later = set.entry[k - 1];
      set.entry[k - 1] = set.entry[k], set.entry[k] = later;
    }
}
u64 hash_of(const ReaderSet& set, u32 count) {
  u64 hash = count;
  for (u32 i = 0; i < count; ++i) hash = (hash ^ set.entry[i]) * 0x9e37'79b9'7f4a'7c15, hash ^= hash >> 29;
  return hash;
}
bool are_equal(const ReaderSet& a, const ReaderSet& b, u32 count) {
  if (a.capacity != b.capacity) return false;
  for (u32 i = 0; i < count; ++i)
    if (a.entry[i] != b.entry[i]) return false;
  return count == a.capacity || !a.entry[count];
}

// The one with these entries that is there already, or `made`, which is the latest that the thread has made.
Word common_set(ThreadState& t, Word made, u32 count) {
  constexpr u32 kMostSorted = 31;
  ReaderSet& set = set_of(made);
  if (count > kMostSorted) return made;
  sort_entries(set, count);
  const u64 hash = hash_of(set, count);
  u64* place = &g_common_sets[hash % kCommonSets];
  const u64 there = __atomic_load_n(place, __ATOMIC_ACQUIRE);
  const Word other(Reference::CommonSet, u32(there));
  if (there && there >> 32 == hash >> 32 && are_equal(set_of(other), set, count)) {
    if (t.sets.next == made.index() + lines_of(set)) t.sets.next = made.index();
    return other;
  }
  __atomic_store_n(place, hash >> 32 << 32 | made.index(), __ATOMIC_RELEASE);
  return made;
}

// An access that nobody has to remember beside `mine`: whoever conflicts with it and is not ordered after it conflicts with `mine`.
bool is_superseded(const ThreadState& t, SetEntry e, SetEntry mine) {
  return covers(t, e.epoch()) && stands_for(mine.kind(), e.kind());
}

} // namespace

bool set_has_mine(const ThreadState& t, Word set, AccessKind kind) {
  const ReaderSet& s = set_of(set);
  for (u32 i = 0; i < s.capacity; ++i) {
    const SetEntry e = load_entry(s, i);
    if (!e) return false;
    if (e.epoch() == t.epoch && stands_for(e.kind(), kind)) return true;
  }
  return false;
}

bool read_stands_for_set(const ThreadState& t, Word set) {
  bool all = true;
  for_each_entry(set_of(set),
                 [&](SetEntry e) { all &= is_superseded(t, e, SetEntry(t.epoch, AccessKind::Read)); });
  return all;
}

Word make_set(ThreadState& t, Reference kind, Word r, SetEntry more) {
  const auto keeps = [&](SetEntry e) { return !is_superseded(t, e, more); };
  const auto for_each_kept = [&](auto fn) {
    const auto keep = [&](SetEntry e) {
      if (keeps(e)) fn(e);
    };
    if (r.is_set())
      for_each_entry(set_of(r), keep);
    else if (!r.is_none())
      keep(SetEntry(r.epoch(), AccessKind::Read));
  };
  // Others may still move on in a set that R does not name any more; they will look again. Only, what was there before must not be lost by that.
  for (;;) {
    u32 kept = 0, n = 0, index;
    for_each_kept([&](SetEntry) { ++kept; });
    ReaderSet& set = new_set(t, kept + 1, index);
    for_each_kept([&](SetEntry e) {
      if (n + 1 < set.capacity) set.entry[n] = e.raw;
      ++n;
    });
    if (n >= set.capacity) continue;
    set.entry[n] = more.raw;
    const Word made(kind, index);
    return kind == Reference::CommonSet ? common_set(t, made, n + 1) : made;
  }
}

bool has_only_reads(Word r) {
  if (!r.is_set()) return true;
  bool all = true;
  for_each_entry(set_of(r), [&](SetEntry e) { all &= e.kind() == AccessKind::Read; });
  return all;
}

Word make_reader_set(ThreadState& t, Reference own_kind, Word r) {
  const SetEntry mine(t.epoch, AccessKind::Read);
  // A set that was a granule's own may still change in place, by a thread that has met it there: nothing that follows from it is remembered.
  if (r.is_set() && r.kind() != Reference::CommonSet) return make_set(t, own_kind, r, mine);
  ReadMemo& memo = read_memo_of(t, r);
  if (memo.before == r && memo.epoch == t.epoch && memo.after != Word(t.epoch)) {
    if (memo.after.is_none()) memo.after = make_set(t, Reference::CommonSet, r, mine);
    add_user(memo.after);
    memo.is_quick = has_many_users(memo.after) && has_only_reads(r);
    t.count(Transition::set_shared);
    return memo.after;
  }
  const bool is_common = own_kind == Reference::CommonSet || has_many_users(r);
  const Word made = make_set(t, is_common ? Reference::CommonSet : own_kind, r, mine);
  if (is_common) add_user(made);
  memo = {r, is_common ? made : Word(), t.epoch, false};
  return made;
}

Moved move_on_in_place(ThreadState& t, Word ref, AccessKind kind) {
  ReaderSet& set = set_of(ref);
  const SetEntry mine(t.epoch, kind);
  for (;;) {
    u32 place = set.capacity;
    SetEntry there;
    // A read that moves on in a set where it has met only reads does not look at the others again (check/quick.h): the first atomic write takes another set.
    bool may_join = kind != AccessKind::AtomicWrite;
    for (u32 i = 0; i < set.capacity; ++i) {
      const SetEntry e = load_entry(set, i);
      const bool is_own = e && tid_of(e.epoch()) == t.tid() && e.kind() == kind;
      if (is_own || (place == set.capacity && (!e || is_superseded(t, e, mine)))) place = i, there = e;
      may_join |= e.kind() == AccessKind::AtomicWrite;
      if (!e || is_own) break;
    }
    if (place == set.capacity || !may_join) {
      t.count(Transition::set_grown);
      return Moved::Full;
    }
    if (!swap_word(&set.entry[place], there.raw, mine.raw)) continue;
    t.count(Transition::set_moved);
    return Moved::Done;
  }
}

void forget_common_sets() {
  for (u64& place : g_common_sets) place = 0;
}

void forget_readers(ThreadState& t) {
  t.known = 0;
  in_line(t).readers = ReadersInLine();
}

} // namespace footrace
