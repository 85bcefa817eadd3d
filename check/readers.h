// Sets of accesses to the same bytes that are not ordered with one another: readers, and atomic accesses (FastTrack's SHARED, extended). R names one.
//
// An entry is an epoch and a kind. A *common* set never changes; any number of granules may name it. An *own* set belongs to one granule (Reference::OwnSet), or
// to both of one cell (CellSet), and a thread that comes again moves its entry on in place: it swaps the entry, then looks whether R still names the
// set. A writer who replaces R looks at the entries afterwards; who makes another set, or a read that stands for all of it, first locks R. So one of the two
// meets the other (docs/shadow.md). Sets are not freed one by one: a set that no
// word names any more is found by the next sweep (check/sweep.h), when no thread is inside a step; so a late swap harms nobody.
#pragma once

#include "check/cell.h"
#include "check/thread_state.h"

namespace footrace {

struct SetEntry {
  u64 raw = 0;
  constexpr SetEntry() = default;
  constexpr explicit SetEntry(u64 bits) : raw(bits) {}
  constexpr SetEntry(Epoch e, AccessKind kind) : raw(u64(kind) << 32 | e.raw) {}
  constexpr Epoch epoch() const { return {u32(raw)}; }
  constexpr AccessKind kind() const { return AccessKind(raw >> 32); }
  constexpr explicit operator bool() const { return raw != 0; }
};

struct alignas(64) ReaderSet {
  u32 capacity; // entries: 7, 15, 31, ...: the set is one line of the cache, two, four, ...
  u32 users; // of a common set, a hint that threads write without care: so many units have it; two or more are two
  u64 entry[7]; // and more, behind
};
static_assert(sizeof(ReaderSet) == 64);
constexpr u32 kFirstEntries = 7, kLongestSet = 3 * kSlots;

FR_INLINE ReaderSet& set_of(Word ref) { return reinterpret_cast<ReaderSet*>(kSetBase)[ref.index()]; }
FR_INLINE u32 lines_of(const ReaderSet& s) { return (s.capacity + 1) / 8; }
FR_INLINE SetEntry load_entry(const ReaderSet& s, u32 i) { return SetEntry(load_word(&s.entry[i])); }
template <class Fn> FR_INLINE void for_each_entry(const ReaderSet& s, Fn fn) {
  for (u32 i = 0; i < s.capacity; ++i) {
    const SetEntry e = load_entry(s, i);
    if (!e) return; // entries are taken in order
    fn(e);
  }
}

// The thread has made an access in its epoch that stands for one of this kind.
bool set_has_mine(const ThreadState& t, Word set, AccessKind kind);

// All that the set knows is ordered before the thread, and its read stands for all of it.
bool read_stands_for_set(const ThreadState& t, Word set);

// A set of `more` and of what is not ordered before it: of the entries of R, if it is a set, or of `r` as a reader.
Word make_set(ThreadState& t, Reference kind, Word r, SetEntry more);

// Of R that is an epoch, or a set.
bool has_only_reads(Word r);

// The same for R of a granule or cell, plain reads of data that nobody writes: the first in an epoch gets a set of its own, all that follow with the
// same R share one, and so do all whose R is of many already. CommonSet: of bytes that are read together; all share one.
Word make_reader_set(ThreadState& t, Reference own_kind, Word r);

FR_INLINE void add_user(Word set) {
  if (u32& users = set_of(set).users; users < 2) ++users;
}
FR_INLINE bool has_many_users(Word set) {
  return set.is_set() && set.kind() == Reference::CommonSet && set_of(set).users > 1;
}

// Sets are handed out anew, or are cleared: none is found by what is in it.
void forget_common_sets();

// The rule by which an entry of this kind moves on.
constexpr Rule rule_in_place(AccessKind kind) {
  return kind == AccessKind::Read         ? Rule::read_shared
         : kind == AccessKind::AtomicRead ? Rule::atomic_read
                                          : Rule::atomic_write;
}
// Adds the access to an own set in place. Full: there is no room (close it, and make_set a larger one). R must be looked at afterwards.
enum class Moved : u8 { Done, Full };
Moved move_on_in_place(ThreadState& t, Word set, AccessKind kind);

// That the thread is in the set is known from now on, until its next epoch: here, and by code in line until another set takes its place there.
FR_INLINE u64 knowledge_of(const ThreadState& t, Word set) { return u64(set.raw) << 32 | t.epoch.raw; }
FR_INLINE void know_readers_in_line(ThreadState& t, Word set) {
  in_line(t).readers.word[slot_of_readers(set.raw)] = u64(set.raw) << 32 | set.raw;
  t.known = 1;
}
FR_INLINE void know_readers(ThreadState& t, Word set) {
  know_readers_in_line(t, set);
  t.known_set[set.index() % ThreadState::kKnownSets] = knowledge_of(t, set);
}
FR_INLINE bool knows_readers(const ThreadState& t, Word set) {
  return t.known_set[set.index() % ThreadState::kKnownSets] == knowledge_of(t, set);
}
void forget_readers(ThreadState& t); // by code in line, at its next epoch

// What an epoch or a common set becomes by the thread's read is mostly known in its epoch.
FR_INLINE ReadMemo& read_memo_of(ThreadState& t, Word r) {
  return t.memo[(r.raw ^ r.raw >> 7) % ThreadState::kMemos];
}

// Lines of sets ever handed out, less those that a sweep has found free.
u64 set_lines_in_use();

} // namespace footrace
