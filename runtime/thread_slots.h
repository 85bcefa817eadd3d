// Tids and what is known about each: the table behind runtime/threads.cpp. All functions need the registry's
// lock.
#pragma once

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
  Reusable, // nobody can ask for it any more
  Retired,  // its clock is used up
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
  u32 predecessor;    // tid + 1 that the same thread had before
  u32 successor;      // tid + 1 that the same thread went on under
  u32 next_in_bucket; // tid + 1
  u32 pins;           // joins under way
  pthread_t handle;
  Thread* thread; // while Live
  ThreadRecord* newest;
  u64 final_clock;
  Clock final; // C_u when it ended; until somebody who has seen all of it takes the tid
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
Tid tids_in_use(); // all tids are below

// A tid whose last thread is covered by `seen`, else a fresh one, else (a million live or unordered ones) the
// one that finished longest ago: its `final` is then left for the caller to acquire. `joiner` may have joined some itself: those are tried first. False when
// every tid is alive.
bool take_tid(const Clock* seen, TidSlot* joiner, Tid& tid);
// The tid may be used again. `joiner` is null when nobody is known to have seen all of it.
void give_back_tid(TidSlot& slot, TidSlot* joiner);

// Records: the most recent ones of each tid.
ThreadRecord* add_record(TidSlot& slot, Tid tid);

// Handles.
void add_handle(TidSlot& slot, pthread_t handle);
void remove_handle(TidSlot& slot);
TidSlot* find_handle(pthread_t handle);

} // namespace footrace
