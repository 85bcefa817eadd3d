#include "check/rules.h"

namespace footrace::fasttrack {

namespace {

// Nothing that the past knows is unordered with the thread.
bool is_all_ordered(const ThreadState& t, const Past& past) {
  return covers(t, past.R); // never true of a set
}

// R stands for the write only, and not for a read of its own.
bool mirrors_write(const Past& past) { return past.R == Word(past.W); }

void tell(ThreadState& t, Epoch previous, AccessKind previous_kind, AccessKind kind, Stretch bytes,
          Found& found) {
  if (!may_conflict(kind, previous_kind) || covers(t, previous)) return;
  found.sink(found.context, {bytes.address, bytes.size, previous, previous_kind, kind});
  ++found.count;
}

// Nothing changes: the access is known.
bool read_same_epoch(const ThreadState& t, const Past& past) {
  if (past.W == t.epoch) return true;
  return past.R.is_set() ? set_has_mine(t, past.R, AccessKind::Read) : past.R == Word(t.epoch);
}
bool write_same_epoch(const ThreadState& t, const Past& past) {
  return past.W == t.epoch && past.R == Word(t.epoch); // else somebody else has been here since
}

// All earlier accesses are ordered before this one.
Word read_exclusive(ThreadState& t) {
  t.count(Rule::read_exclusive);
  return t.epoch;
}
// A second reader that is not ordered with the first. (Or one that races with the write, which stays in W: then R is a set of one.)
Word read_share(ThreadState& t, const Past& past, Reference own) {
  t.count(Rule::read_share);
  if (mirrors_write(past)) return make_set(t, own, Word(), {t.epoch, AccessKind::Read});
  return make_reader_set(t, own, past.R);
}
// R is a set: the thread's entry moves on.
Word read_shared(ThreadState& t, const Past& past, Reference own) {
  t.count(Rule::read_shared);
  return make_reader_set(t, own, past.R);
}
Word atomic_access(ThreadState& t, const Past& past, AccessKind kind, Reference own) {
  t.count(kind == AccessKind::AtomicRead ? Rule::atomic_read : Rule::atomic_write);
  return make_set(t, own, mirrors_write(past) ? Word() : past.R, {t.epoch, kind});
}

Word write_exclusive(ThreadState& t) {
  t.count(Rule::write_exclusive);
  return t.epoch;
}
// All of the set was compared; it is forgotten.
Word write_shared(ThreadState& t) {
  t.count(Rule::write_shared);
  return t.epoch;
}

} // namespace

bool is_same_epoch(const ThreadState& t, const Past& past, AccessKind kind) {
  switch (kind) {
  case AccessKind::Read:
    return read_same_epoch(t, past);
  case AccessKind::Write:
    return write_same_epoch(t, past);
  default:
    return past.R.is_set() && set_has_mine(t, past.R, kind);
  }
}

bool tell_conflicts(ThreadState& t, const Past& past, AccessKind kind, Stretch bytes, Found& found) {
  if (is_all_ordered(t, past)) return false;
  const u32 before = found.count;
  if (past.W) tell(t, past.W, AccessKind::Write, kind, bytes, found);
  if (past.R.is_set())
    for_each_entry(set_of(past.R), [&](SetEntry e) { tell(t, e.epoch(), e.kind(), kind, bytes, found); });
  else if (!mirrors_write(past))
    tell(t, past.R.epoch(), AccessKind::Read, kind, bytes, found);
  return found.count != before;
}

Word exclusive_after(ThreadState& t, const Past& past, AccessKind kind) {
  if (kind == AccessKind::Write) return past.R.is_set() ? write_shared(t) : write_exclusive(t);
  if (kind == AccessKind::Read && is_all_ordered(t, past)) return read_exclusive(t);
  return Word();
}

Word shared_after(ThreadState& t, const Past& past, AccessKind kind, Reference own) {
  if (kind != AccessKind::Read) return atomic_access(t, past, kind, own);
  return past.R.is_set() ? read_shared(t, past, own) : read_share(t, past, own);
}

} // namespace footrace::fasttrack
