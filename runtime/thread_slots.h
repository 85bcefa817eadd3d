// Tids and what is known about each: the table behind runtime/threads.cpp. All functions need the registry's
// lock.
//
// A tid is a slot of epochs (clocks/epoch.h). A thread that uses its clock up goes on under another tid; its former ones are retired until a renumbering
// (runtime/renumbering.h) finds room for what is left of them elsewhere. Finished threads that may still be joined give their tids up at the next
// renumbering: they are kept in places behind those of tids, the *attic*.
#pragma once

#include "clocks/epoch_map.h"
#include "runtime/threads.h"

namespace footrace {

// A node of a circular list; unlinking does not need to know which list it is in. All zero means unlinked.
struct Link {
  Link* previous;
  Link* next;

  bool linked() const { return next; }
  void make_head() { previous = next = this; }
  bool empty_head() const { return !next || next == this; }
  void unlink() {
    if (!next) return;
    previous->next = next, next->previous = previous;
    previous = next = nullptr;
  }
  void append(Link& node) { // this is the head
    if (!next) make_head();
    node.previous = previous, node.next = this;
    previous->next = &node, previous = &node;
  }
  void take_all_from(Link& other) { // both are heads
    if (other.empty_head()) return;
    if (!next) make_head();
    other.next->previous = previous, previous->next = other.next;
    other.previous->next = this, previous = other.previous;
    other.make_head();
  }
};

enum class SlotState : u8 {
  Unused = 0,
  Live,
  Zombie,   // finished, but may still be joined
  Reusable, // nobody can ask for it any more, and whoever has seen all of it may have the tid
  Retired,  // as long as its epochs are in the shadow
};

// Slots come zeroed from the kernel and a zeroed slot is valid.
struct TidSlot {
  Link live;        // in the list of live threads
  Link reusable;    // in the list of reusable tids, oldest first
  Link joined;      // in the list of the tids that one thread has joined
  Link joined_here; // head of that list, for the thread with this tid: it has seen all of them
  SlotState state;
  bool in_table;
  bool asynchronous;  // wants asynchronous cancellation
  Tid predecessor;    // that the same thread had before; 0: none, or it has another thread now
  Tid successor;      // that the same thread went on under
  u32 number;         // of the thread
  u32 next_in_bucket; // place in the table + 1
  u32 pins;           // joins under way
  pthread_t handle;
  Thread* thread; // while Live
  ThreadRecord* newest;
  u64 final_clock;
  Clock final; // C_u when it ended, of a zombie
  ThreadStart start;
};

// The slot that a list node is part of.
inline TidSlot& slot_with(Link TidSlot::* member, Link* link) {
  auto offset = reinterpret_cast<uptr>(&(static_cast<TidSlot*>(nullptr)->*member));
  return *reinterpret_cast<TidSlot*>(reinterpret_cast<uptr>(link) - offset);
}

TidSlot& slot_of(Tid tid);
Tid tid_of_slot(const TidSlot& slot);
void reserve_tid_slots();
Tid tids_in_use(); // all tids are below; 0 is nobody's
// Places of zombies, with and without a tid, and of live threads.
void visit_slots(void (*fn)(void*, TidSlot&), void* argument);
template <class Fn> void for_each_slot(Fn fn) {
  visit_slots([](void* f, TidSlot& slot) { (*static_cast<Fn*>(f))(slot); }, &fn);
}

// A tid whose last thread is covered by `seen`, else a free one. `joiner` may have joined some itself: those are tried first. False: epochs must be renumbered.
bool take_tid(const Clock* seen, TidSlot* joiner, Tid& tid);
// The tid may be used again. `joiner` is null when nobody is known to have seen all of it.
void give_back_tid(TidSlot& slot, TidSlot* joiner);
// The thread of `from` goes on in `to`.
void hand_over(TidSlot& from, TidSlot& to);

// Records: the most recent ones of each tid.
ThreadRecord* add_record(TidSlot& slot, Tid tid);

// Handles.
void add_handle(TidSlot& slot, pthread_t handle);
void remove_handle(TidSlot& slot);
TidSlot* find_handle(pthread_t handle);
TidSlot* find_thread(pthread_t handle, u32 number);

// A renumbering: zombies go to the attic, and the map learns what is left; then the table does as the map says.
void describe_slots(EpochMap& map, const Thread* moving);
void slots_renumbered(const EpochMap& map);

} // namespace footrace
