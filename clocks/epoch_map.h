// Renumbering of epochs: from those in use now to fewer ones that compare alike.
//
// Problem: an epoch has room for 2^13 slots and 2^18 clocks, and a program may start a million threads and release a billion times. But of all epochs
// that there ever were, only those matter that some word still *names*; and of these, only those can be told apart that some clock tells apart.
//
// In one slot, whose epochs are all ordered: let V be the values that any clock *holds* for the slot. Two named epochs with no value of V from the first
// up to the second are covered by the same clocks, now and for ever, since every clock to come is a join of clocks that are there and of
// epochs that are not over yet. They are one *class*. The classes get the numbers 1, 2, ... in order, and a value of V becomes the number of the last class that
// it covers. What every live thread covers needs no number: it becomes kAncientEpoch, which all threads cover, also those to come.
//   named     e1   e2     e3  e4  e5         classes {e1 e2} {e3 e4} {e5}: 1, 2, 3; v1 becomes 1, v2 becomes 2
//   held             v1         v2           if every live thread holds v1: {e1 e2} is ancient, {e3 e4} is 1, {e5} is 2; v1 becomes nothing, v2 becomes 1
// Two slots A and B become one, the classes of A ahead of those of B, if every clock that covers any of B covers all of A; so clocks compare as before.
// That holds of a thread that has gone on in another slot, and of threads that have ended and whose ends are known to the same clocks. When even
// that does not free enough, slots of ended threads become one in the order in which their threads were made (is_lossy): then whoever has joined the
// later one seems to have joined the earlier one as well.
//
// A live thread stays in its slot, and its epoch of now keeps its number: code in line may have read it from the shadow or from its thread, and not yet
// compared the two. Its older epochs get smaller numbers. Only who asks for the renumbering goes back itself (`moves`).
// Concurrency: the world stands still.
#pragma once

#include "clocks/vector_clock.h"

namespace footrace {

class EpochMap {
public:
  EpochMap();
  ~EpochMap();
  EpochMap(const EpochMap&) = delete;

  // What there is. Slots of which nothing is said are free.
  void add_live(Tid slot, u64 now, bool moves);
  void add_ended(Tid slot, u32 age); // of the last thread that was in it; the larger, the later it was made
  // The last thread of `slot` was in `predecessor` just before, where nobody has been since.
  void set_predecessor(Tid slot, Tid predecessor);
  // Epochs from `first` on are another thread's: they stay apart from those before, for reports.
  void keep_apart(Tid slot, u64 first);

  // What is named and held; add_live and add_ended come first.
  void name(Epoch e);
  void hold(const Clock& clock);
  void hold_of_live_thread(const u32* covered, u32 end); // ThreadState::covered

  // Then: the classes, and which slots may become one. Pairs are proposed in rounds, and whoever has a round open shows it every clock.
  void make_classes();
  bool open_round(u32 wanted); // false: so many slots will be free, or nothing is left to propose
  void check(const Clock& clock, bool is_of_live_thread);
  void close_round();
  void assign(u32 least); // free slots, if need be with loss

  // The result.
  Epoch epoch(Epoch e) const;
  Epoch logged_epoch(Epoch e) const;      // of what is ancient nothing is left
  Epoch entry(Tid slot, u64 clock) const; // of a clock; none: nothing
  Tid slot_of(Tid slot) const;            // where its classes went; 0: there are none, it is free
  u64 last(Tid slot) const;               // number given in a slot
  // Of a thread that had the clocks from `first` to `end`, exclusively: anything left of it? Where it begins now, in slot_of(slot).
  bool is_left(Tid slot, u64 first, u64 end) const { return rank(slot, end - 1) > rank(slot, first - 1); }
  u64 first(Tid slot, u64 first) const;
  bool is_lossy() const { return is_lossy_; }
  u32 free_slots() const;

private:
  struct Slot;
  struct Tables;
  struct Pair;

  u32 rank(Tid slot, u64 clock) const; // classes that begin up to there
  u32 number_of(const Slot& s, u32 rank) const;
  void hold(Tid slot, u64 clock);
  void propose(Tid earlier, Tid later);
  void propose_chains();
  void propose_ended(u32 distance);
  u32 list_ended_units();
  void link(Tid earlier, Tid later);

  Tables& t_;
  u32 end_ = 1; // of slots in use
  u32 pairs_ = 0, rounds_ = 0, clocks_checked_ = 0;
  bool is_lossy_ = false;
};

} // namespace footrace
