#include "runtime/thread_slots.h"

#include "runtime/environment.h"

namespace footrace {

namespace {

constexpr u32 kRecordsPerTid = 8;
constexpr u32 kCandidates = 8; // reusable tids looked at per creation
constexpr u32 kBuckets = 1u << 15;

TidSlot* g_slots;
Tid g_next_tid;
Link g_reusable;         // oldest first
Link* g_cursor;          // where the next creation goes on looking; null: at the oldest
u32 g_buckets[kBuckets]; // tid + 1; the most recent thread first
ThreadRecord* g_records;
u64 g_next_record;
bool g_warned;

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

} // namespace

TidSlot& slot_of(Tid tid) { return g_slots[tid]; }
Tid tid_of_slot(const TidSlot& slot) { return Tid(&slot - g_slots); }
Tid tids_in_use() { return g_next_tid; }

void reserve_tid_slots() {
  g_slots = reinterpret_cast<TidSlot*>(map_memory((u64(kMaxTid) + 1) * sizeof(TidSlot)));
  g_records =
      reinterpret_cast<ThreadRecord*>(map_memory((u64(kMaxTid) + 1) * kRecordsPerTid * sizeof(ThreadRecord)));
  FR_CHECK(g_slots && g_records && "no address space for the table of threads");
  g_reusable.make_head();
}

bool take_tid(const Clock* seen, TidSlot* joiner, Tid& tid) {
  if (TidSlot* covered = find_covered(seen, joiner)) {
    remove_from_lists(*covered);
    covered->final.clear();
    tid = tid_of_slot(*covered);
    return true;
  }
  if (g_next_tid <= kMaxTid) {
    tid = g_next_tid++;
    return true;
  }
  if (g_reusable.empty_head()) return false;
  // The new thread counts as coming after the finished one, so a race between just those two, or between the
  // finished one and somebody who only knows the new one, is lost. It must then really know all that the
  // finished one knew: Clock::join skips the tree of a clock whose owner it has seen later on, and here that may
  // be the newcomer. So the final clock stays, and the caller acquires it; its freshness says nothing, because
  // the newcomer's own entry is later.
  TidSlot& oldest = slot_with(&TidSlot::reusable, g_reusable.next);
  remove_from_lists(oldest);
  oldest.final.exact = false;
  tid = tid_of_slot(oldest);
  if (!g_warned) {
    g_warned = true;
    say("warning: more than a million threads have ended unordered; races with the first of them may be "
        "missed from here on");
  }
  return true;
}

void give_back_tid(TidSlot& slot, TidSlot* joiner) {
  if (slot.final_clock + 1 >= kMaxClock) {
    slot.final.clear();
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

ThreadRecord* add_record(TidSlot& slot, Tid tid) {
  ThreadRecord* record = nullptr;
  u32 count = 0;
  for (ThreadRecord** at = &slot.newest; *at; at = &(*at)->older)
    if (++count == kRecordsPerTid) {
      record = *at;
      *at = nullptr;
      break;
    }
  if (!record) record = &g_records[g_next_record++];
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
  u32* at = &bucket_of(slot.handle);
  while (*at != tid_of_slot(slot) + 1) at = &g_slots[*at - 1].next_in_bucket;
  *at = slot.next_in_bucket;
}

TidSlot* find_handle(pthread_t handle) {
  for (u32 at = bucket_of(handle); at; at = g_slots[at - 1].next_in_bucket)
    if (g_slots[at - 1].handle == handle) return &g_slots[at - 1];
  return nullptr;
}

} // namespace footrace
