#include "runtime/thread_slots.h"

#include "runtime/environment.h"

namespace footrace {

namespace {

constexpr u32 kRecordsPerTid = 8, kMostRecords = 1u << 20, kAttic = 1u << 20;
constexpr u32 kCandidates = 8; // reusable tids looked at per creation
constexpr u32 kBuckets = 1u << 15;

TidSlot* g_slots; // kSlots of tids, then the attic
Tid g_next_tid = 1;
Tid g_free_tids[kSlots]; // below g_next_tid
u32 g_free_tid_count;
u32 g_attic_used;
u32 g_free_attic;        // place + 1; through next_in_bucket
Link g_reusable;         // oldest first
Link* g_cursor;          // where the next creation goes on looking; null: at the oldest
u32 g_buckets[kBuckets]; // place in the table + 1; the most recent thread first
ThreadRecord* g_records;
u64 g_next_record;
ThreadRecord* g_free_records; // through `older`

u32& bucket_of(pthread_t handle) {
  u64 h = u64(handle) * 0x9e37'79b9'7f4a'7c15ull;
  return g_buckets[h >> 49];
}
static_assert(kBuckets == 1u << (64 - 49));

void remove_from_lists(TidSlot& slot) {
  if (g_cursor == &slot.reusable) g_cursor = slot.reusable.next == &g_reusable ? nullptr : slot.reusable.next;
  slot.reusable.unlink();
  slot.joined.unlink();
}

bool has_seen_all(const Clock* seen, const TidSlot& slot) {
  return seen->get(tid_of_slot(slot)) >= slot.final_clock;
}

// A bounded look at what has finished; successive calls go through the whole list.
TidSlot* find_covered(const Clock* seen, TidSlot* joiner) {
  if (joiner && !joiner->joined_here.empty_head()) {
    TidSlot& slot = slot_with(&TidSlot::joined, joiner->joined_here.next);
    if (has_seen_all(seen, slot)) return &slot;
  }
  if (g_reusable.empty_head()) return nullptr;
  Link* link = g_cursor ? g_cursor : g_reusable.next;
  for (u32 i = 0; i < kCandidates; ++i) {
    TidSlot& slot = slot_with(&TidSlot::reusable, link);
    if (has_seen_all(seen, slot)) return &slot;
    link = link->next;
    if (link == &g_reusable) {
      g_cursor = nullptr;
      return nullptr;
    }
    g_cursor = link;
  }
  return nullptr;
}

u32& place_in_bucket(const TidSlot& slot) {
  u32* at = &bucket_of(slot.handle);
  while (*at != tid_of_slot(slot) + 1) at = &g_slots[*at - 1].next_in_bucket;
  return *at;
}
void hand_over_handle(TidSlot& from, TidSlot& to) {
  place_in_bucket(from) = tid_of_slot(to) + 1;
  to.next_in_bucket = from.next_in_bucket;
  to.handle = from.handle;
  to.in_table = true, from.in_table = false;
}

// Nobody's tid comes before or after this one any more.
void break_chain(TidSlot& slot) {
  if (slot.successor) g_slots[slot.successor].predecessor = 0;
  if (slot.predecessor) g_slots[slot.predecessor].successor = 0;
  slot.predecessor = slot.successor = 0;
}

bool is_in_attic(const TidSlot& slot) { return tid_of_slot(slot) >= kSlots; }

TidSlot& take_attic() {
  if (g_free_attic) {
    TidSlot& slot = g_slots[g_free_attic - 1];
    g_free_attic = slot.next_in_bucket;
    return slot;
  }
  FR_CHECK(g_attic_used < kAttic && "too many threads that nobody has joined");
  return g_slots[kSlots + g_attic_used++];
}
void free_attic(TidSlot& slot) {
  slot.state = SlotState::Unused;
  slot.newest = nullptr;
  slot.next_in_bucket = g_free_attic;
  g_free_attic = tid_of_slot(slot) + 1;
}

} // namespace

TidSlot& slot_of(Tid tid) { return g_slots[tid]; }
Tid tid_of_slot(const TidSlot& slot) { return Tid(&slot - g_slots); }
Tid tids_in_use() { return g_next_tid; }

void reserve_tid_slots() {
  g_slots = reinterpret_cast<TidSlot*>(map_memory((u64(kSlots) + kAttic) * sizeof(TidSlot)));
  g_records = reinterpret_cast<ThreadRecord*>(map_memory(u64(kMostRecords) * sizeof(ThreadRecord)));
  FR_CHECK(g_slots && g_records && "no address space for the table of threads");
  g_reusable.make_head();
}

void visit_slots(void (*fn)(void*, TidSlot&), void* argument) {
  for (Tid tid = 1; tid < g_next_tid; ++tid) fn(argument, g_slots[tid]);
  for (u32 i = 0; i < g_attic_used; ++i) fn(argument, g_slots[kSlots + i]);
}

bool take_tid(const Clock* seen, TidSlot* joiner, Tid& tid) {
  if (TidSlot* covered = find_covered(seen, joiner)) {
    remove_from_lists(*covered);
    break_chain(*covered);
    tid = tid_of_slot(*covered);
  } else if (g_free_tid_count) {
    tid = g_free_tids[--g_free_tid_count];
  } else if (g_next_tid <= kMaxTid) {
    tid = g_next_tid++;
  } else {
    return false;
  }
  return true;
}

void give_back_tid(TidSlot& slot, TidSlot* joiner) {
  slot.final.clear();
  if (is_in_attic(slot)) return free_attic(slot);
  if (slot.final_clock + 1 >= kMaxClock) {
    slot.state = SlotState::Retired;
    return;
  }
  slot.state = SlotState::Reusable;
  g_reusable.append(slot.reusable);
  if (!joiner) return;
  joiner->joined_here.append(slot.joined);
  joiner->joined_here.take_all_from(
      slot.joined_here); // whoever has seen all of it has also seen what it has seen
}

void hand_over(TidSlot& from, TidSlot& to) {
  from.live.unlink();
  to.thread = from.thread, from.thread = nullptr;
  to.state = SlotState::Live, from.state = SlotState::Retired;
  to.number = from.number;
  to.predecessor = tid_of_slot(from), from.successor = tid_of_slot(to);
  to.pins = from.pins;
  to.asynchronous = from.asynchronous;
  to.start = from.start;
  to.joined_here.take_all_from(from.joined_here);
  if (from.in_table) hand_over_handle(from, to);
}

namespace {
ThreadRecord* new_record() {
  if (ThreadRecord* record = g_free_records) {
    g_free_records = record->older;
    return record;
  }
  return g_next_record < kMostRecords ? &g_records[g_next_record++] : nullptr;
}
} // namespace

ThreadRecord* add_record(TidSlot& slot, Tid tid) {
  ThreadRecord **at = &slot.newest, *record = nullptr;
  for (u32 count = 1; *at && count < kRecordsPerTid; ++count) at = &(*at)->older;
  if (*at || !(record = new_record())) {
    FR_CHECK(*at && "too many threads to remember");
    record = *at; // what is even older is forgotten as well
    *at = nullptr;
  }
  *record = ThreadRecord();
  record->tid = tid;
  record->older = slot.newest;
  slot.newest = record;
  return record;
}

void add_handle(TidSlot& slot, pthread_t handle) {
  slot.handle = handle;
  u32& head = bucket_of(handle);
  // The same handle again: the system has reaped the old thread without telling us (a join we could not see).
  for (u32 at = head; at;) {
    TidSlot& other = g_slots[at - 1];
    at = other.next_in_bucket;
    if (other.handle != handle || other.state != SlotState::Zombie || other.pins) continue;
    remove_handle(other);
    give_back_tid(other, nullptr);
  }
  slot.next_in_bucket = head;
  head = tid_of_slot(slot) + 1;
  slot.in_table = true;
}

void remove_handle(TidSlot& slot) {
  if (!slot.in_table) return;
  slot.in_table = false;
  place_in_bucket(slot) = slot.next_in_bucket;
}

TidSlot* find_handle(pthread_t handle) {
  for (u32 at = bucket_of(handle); at; at = g_slots[at - 1].next_in_bucket)
    if (g_slots[at - 1].handle == handle) return &g_slots[at - 1];
  return nullptr;
}
TidSlot* find_thread(pthread_t handle, u32 number) {
  for (u32 at = bucket_of(handle); at; at = g_slots[at - 1].next_in_bucket)
    if (g_slots[at - 1].handle == handle && g_slots[at - 1].number == number) return &g_slots[at - 1];
  return nullptr;
}

// -- Renumbering

namespace {

bool has_ended(const TidSlot& slot) {
  return slot.state == SlotState::Reusable || slot.state == SlotState::Retired;
}

// The thread is known without a tid: its final clock says all.
void move_to_attic(TidSlot& slot) {
  TidSlot& place = take_attic();
  place.state = SlotState::Zombie, slot.state = SlotState::Retired;
  place.number = slot.number;
  place.newest = slot.newest;
  place.pins = slot.pins;
  place.final = slot.final;
  slot.final.clear();
  if (slot.in_table) hand_over_handle(slot, place);
}

// By tid, as they become; the newest first.
ThreadRecord* g_records_of[kSlots];
void insert(ThreadRecord* record) {
  ThreadRecord** at = &g_records_of[record->tid];
  while (*at && (*at)->first_clock > record->first_clock) at = &(*at)->older;
  record->older = *at;
  *at = record;
  record->is_used = true;
}

// Threads of which nothing is left in the shadow are forgotten, unless somebody may still ask for them.
void renumber_records(const EpochMap& map) {
  for (u64 i = 0; i < g_next_record; ++i) g_records[i].is_used = false;
  for (Tid tid = 1; tid < g_next_tid; ++tid) g_records_of[tid] = nullptr;
  for (Tid tid = 1; tid < g_next_tid; ++tid) {
    u64 end = kMaxClock + 2;
    for (ThreadRecord *r = g_slots[tid].newest, *older; r; r = older) {
      older = r->older;
      const u64 first = r->first_clock;
      if (map.is_left(tid, first, end)) {
        r->tid = map.slot_of(tid);
        r->first_clock = map.first(tid, first);
        insert(r);
      }
      end = first;
    }
  }
  for_each_slot([](TidSlot& slot) {
    if (slot.state == SlotState::Live) slot.thread->record->is_used = true;
    if (slot.state == SlotState::Zombie) slot.newest->is_used = true;
  });
  g_free_records = nullptr;
  for (u64 i = 0; i < g_next_record; ++i) {
    if (g_records[i].is_used) continue;
    g_records[i].older = g_free_records;
    g_free_records = &g_records[i];
  }
}

// The nearest of the tids that the thread had before which is still one of its own.
Tid predecessor_after(const EpochMap& map, Tid tid) {
  Tid at = g_slots[tid].predecessor;
  while (at && map.slot_of(at) != at) {
    const Tid went_to = map.slot_of(at);
    at = !went_to || went_to == tid ? g_slots[at].predecessor : 0;
  }
  return at;
}

bool has_many_records(const TidSlot& slot) {
  u32 count = 0;
  for (ThreadRecord* r = slot.newest; r && count <= kRecordsPerTid; r = r->older) ++count;
  return count > kRecordsPerTid; // whoever took the tid would have some of them forgotten
}

void free_tid(TidSlot& slot) {
  slot.state = SlotState::Unused;
  slot.final_clock = 0;
  g_free_tids[g_free_tid_count++] = tid_of_slot(slot);
}

} // namespace

void describe_slots(EpochMap& map, const Thread* moving) {
  for (Tid tid = 1; tid < g_next_tid; ++tid) {
    TidSlot& slot = g_slots[tid];
    if (slot.state == SlotState::Zombie) move_to_attic(slot);
    if (slot.state == SlotState::Live) map.add_live(tid, slot.thread->C.own, slot.thread == moving);
    if (has_ended(slot)) map.add_ended(tid, slot.newest->number);
  }
  for (Tid tid = 1; tid < g_next_tid; ++tid) {
    const TidSlot& slot = g_slots[tid];
    if (slot.state == SlotState::Unused) continue;
    if (slot.predecessor) map.set_predecessor(tid, slot.predecessor);
    for (const ThreadRecord* r = slot.newest; r; r = r->older) map.keep_apart(tid, r->first_clock);
  }
}

void slots_renumbered(const EpochMap& map) {
  renumber_records(map);
  for_each_slot([](TidSlot& slot) {
    slot.reusable.unlink();
    slot.joined.unlink();
  });
  g_cursor = nullptr;
  for (Tid tid = 1; tid < g_next_tid; ++tid) g_slots[tid].successor = predecessor_after(map, tid); // for now
  for (Tid tid = 1; tid < g_next_tid; ++tid) {
    TidSlot& slot = g_slots[tid];
    slot.newest = g_records_of[tid];
    slot.predecessor = map.slot_of(tid) == tid ? slot.successor : 0;
    slot.successor = 0;
    if (!has_ended(slot)) continue;
    if (map.slot_of(tid) != tid) {
      free_tid(slot);
      continue;
    }
    slot.final_clock = map.last(tid);
    slot.state = SlotState::Retired;
    if (slot.final_clock + 1 >= kMaxClock || has_many_records(slot)) continue;
    slot.state = SlotState::Reusable;
    g_reusable.append(slot.reusable);
  }
  for (Tid tid = 1; tid < g_next_tid; ++tid)
    if (const Tid before = g_slots[tid].predecessor) g_slots[before].successor = tid;
}

} // namespace footrace
