#include "check/sync_rules.h"
#include "runtime/thread_slots.h"
#include "runtime/threads.h"

#include <atomic>
#include <chrono>
#include <gtest/gtest.h>
#include <thread>

namespace footrace {
namespace {

// Threads here exist only in the registry; one real thread plays them all.
class Threads : public testing::Test {
protected:
  void SetUp() override {
    static Thread* first = start_main_thread();
    main_ = first;
  }
  Thread* create(Thread* parent, bool detached = false) {
    Thread* t = create_child(parent, 0);
    register_handle(t, ++handle_, detached);
    return t;
  }
  void join(Thread* parent, pthread_t handle) {
    JoinTicket ticket = begin_join(handle);
    ASSERT_TRUE(ticket.found);
    end_join(parent, ticket);
  }

  Thread* main_;
  static inline pthread_t handle_ = 0x1000;
};

TEST_F(Threads, Child_HasSeenItsCreator) {
  u64 before = main_->C.own;
  Thread* child = create(main_);
  EXPECT_EQ(child->C.get(main_->tid()), before);
  EXPECT_EQ(main_->C.own, before + 1);
  finish(child);
  join(main_, handle_);
}

TEST_F(Threads, JoinedTid_IsReusedFromTheNextClock) {
  Thread* child = create(main_);
  Tid tid = child->tid();
  u64 last = child->C.own;
  finish(child);
  join(main_, handle_);
  EXPECT_EQ(main_->C.get(tid), last);
  Thread* next = create(main_);
  EXPECT_EQ(next->tid(), tid);
  EXPECT_EQ(next->C.own, last + 1);
  EXPECT_FALSE(main_->C.covers(next->epoch));
  finish(next);
  join(main_, handle_);
}

TEST_F(Threads, TidOfUnorderedThread_IsNotReused) {
  Thread* child = create(main_, true);
  Tid tid = child->tid();
  finish(child);
  Thread* next = create(main_);
  EXPECT_NE(next->tid(), tid);
  finish(next);
  join(main_, handle_);
}

TEST_F(Threads, TidOfDetachedThread_IsReusedByWhoeverHasSeenItsEnd) {
  Thread* child = create(main_, true);
  Epoch last = child->epoch;
  Clock seen = child->C;
  finish(child);
  Thread* creator = create(main_);
  pthread_t creator_handle = handle_;
  fasttrack::acquire(*creator, seen);
  bool reused = false;
  for (u32 i = 0; i < tids_in_use() && !reused; ++i) { // each creation looks at a few candidates only
    Thread* next = create(creator, true);
    reused = next->tid() == tid_of(last);
    if (reused) EXPECT_EQ(next->C.own, clock_of(last) + 1);
    finish(next);
  }
  EXPECT_TRUE(reused);
  finish(creator);
  join(main_, creator_handle);
}

TEST_F(Threads, TidsJoinedByAJoinedThread_BelongToItsJoiner) {
  Thread* child = create(main_);
  pthread_t child_handle = handle_;
  Thread* grandchild = create(child);
  finish(grandchild);
  join(child, handle_);
  finish(child);
  join(main_, child_handle);
  Tid before = tids_in_use();
  Thread *a = create(main_), *b = create(main_);
  EXPECT_EQ(tids_in_use(), before);
  finish(a);
  finish(b);
  join(main_, handle_);
  join(main_, handle_ - 1);
}

TEST_F(Threads, AbandonedChild_LeavesItsTid) {
  Thread* child = create_child(main_, 0);
  Epoch start = child->epoch;
  abandon_child(child);
  TidSlot& slot = slot_of(tid_of(start));
  EXPECT_EQ(slot.state, SlotState::Reusable);
  EXPECT_GE(slot.final_clock,
            clock_of(start));          // a foreign thread may have counted it, so nobody gets it again
  EXPECT_TRUE(main_->C.covers(start)); // its creator may use the tid at once
}

TEST_F(Threads, UsedUpClock_GoesOnUnderAnotherTid) {
  Thread* child = create(main_);
  u32 number = child->record->number;
  Epoch first = child->epoch;
  child->C.own = child->C.since = kMaxClock;
  child->epoch = make_epoch(child->tid(), kMaxClock);
  Epoch last = child->epoch;
  JoinTicket early = begin_join(handle_); // somebody already waits for it
  renew_tid_if_needed(child);
  EXPECT_NE(child->tid(), tid_of(last));
  EXPECT_EQ(child->epoch, make_epoch(child->tid(), child->C.own));
  EXPECT_TRUE(child->C.covers(last));
  EXPECT_TRUE(child->C.covers(make_epoch(main_->tid(), main_->C.own - 1)));
  EXPECT_EQ(thread_record(first)->number, number);
  EXPECT_EQ(thread_record(child->epoch)->number, number);
  EXPECT_FALSE(thread_record(first)->finished);
  Tid renewed = child->tid();
  finish(child);
  EXPECT_TRUE(thread_record(first)->finished);
  end_join(main_, early);
  EXPECT_TRUE(main_->C.covers(last));
  EXPECT_GT(main_->C.get(renewed), 0u);
  Thread* next = create(main_); // the used-up tid is never given again
  EXPECT_NE(next->tid(), tid_of(last));
  finish(next);
  join(main_, handle_);
}

TEST_F(Threads, Joiner_IsKnownWhileItWaitsAndAfterwards) {
  Thread* child = create(main_);
  const ThreadRecord* record = child->record;
  const Epoch epoch = child->epoch;
  EXPECT_EQ(record->joiner_number, ~0u);
  give_up_join(begin_join(handle_));
  EXPECT_EQ(record->joiner_number, ~0u);
  JoinTicket ticket = begin_join(handle_);
  EXPECT_EQ(record->joiner_number, main_->record->number);
  EXPECT_FALSE(record->joined);
  finish(child);
  end_join(main_, ticket);
  EXPECT_TRUE(thread_record(epoch)->joined);
}

TEST_F(Threads, Record_IsFoundByClockWhileItIsRecent) {
  Epoch epochs[12];
  u32 numbers[12];
  for (u32 i = 0; i < 12; ++i) {
    Thread* t = create(main_);
    epochs[i] = t->epoch;
    numbers[i] = t->record->number;
    finish(t);
    join(main_, handle_);
    ASSERT_EQ(tid_of(epochs[i]), tid_of(epochs[0]));
  }
  for (u32 i = 4; i < 12; ++i) EXPECT_EQ(thread_record(epochs[i])->number, numbers[i]);
  EXPECT_EQ(thread_record(epochs[0]), nullptr);
}

TEST_F(Threads, HandleUsedAgain_NamesTheNewThread) {
  Thread* reaped_unseen = create(main_);
  Tid old_tid = reaped_unseen->tid();
  pthread_t handle = handle_;
  finish(reaped_unseen);
  Thread* next = create_child(main_, 0);
  register_handle(next, handle, false);
  JoinTicket ticket = begin_join(handle);
  EXPECT_EQ(ticket.number, next->record->number);
  EXPECT_EQ(slot_of(old_tid).state, SlotState::Reusable);
  finish(next);
  end_join(main_, ticket);
  EXPECT_FALSE(begin_join(handle).found);
}

TEST_F(Threads, HandleUsedAgainDuringAJoin_KeepsWhatTheJoinerWaitsFor) {
  Thread* joined = create(main_);
  Epoch last = joined->epoch;
  pthread_t handle = handle_;
  JoinTicket ticket = begin_join(handle);
  finish(joined);
  Thread* next = create_child(main_, 0); // the system has already given the handle away
  register_handle(next, handle, false);
  end_join(main_, ticket);
  EXPECT_TRUE(main_->C.covers(last));
  finish(next);
  join(main_, handle);
}

TEST_F(Threads, ManyCreatedAndJoined_NeedFewTids) {
  Tid before = tids_in_use();
  u64 live = registry_counts().live;
  for (u32 i = 0; i < 100'000; ++i) {
    finish(create(main_));
    join(main_, handle_);
  }
  EXPECT_LE(tids_in_use(), before + 1);
  EXPECT_EQ(registry_counts().live, live);
}

TEST_F(Threads, StopWorld_DoesNotWaitForEverForAThreadInside) {
  Thread* stuck = create(main_);
  stuck->critical = 1;
  testing::internal::CaptureStderr();
  EXPECT_FALSE(stop_world(main_, 50));
  resume_world();
  EXPECT_NE(testing::internal::GetCapturedStderr().find("has not left the runtime"), std::string::npos);
  stuck->critical = 0;
  EXPECT_TRUE(stop_world(main_, 50));
  resume_world();
  finish(stuck);
  join(main_, handle_);
}

TEST_F(Threads, StopWorld_WaitsForWhoeverHasNoThread) {
  std::atomic<int> step = 0;
  std::thread unknown([&] {
    Critical outer(nullptr);
    step = 1;
    while (step != 2) std::this_thread::yield();
    Critical inner(nullptr); // does not wait for the world that waits for us
    step = 3;
  });
  while (step != 1) std::this_thread::yield();
  testing::internal::CaptureStderr();
  EXPECT_FALSE(stop_world(main_, 50));
  EXPECT_NE(testing::internal::GetCapturedStderr().find("has not left the runtime"), std::string::npos);
  step = 2;
  while (step != 3) std::this_thread::yield();
  resume_world();
  unknown.join();

  EXPECT_TRUE(stop_world(main_, 50));
  std::atomic<bool> inside = false;
  std::thread late([&] {
    Critical critical(nullptr);
    inside = true;
  });
  std::this_thread::sleep_for(std::chrono::milliseconds(20));
  EXPECT_FALSE(inside);
  resume_world();
  late.join();
  EXPECT_TRUE(inside);
}

} // namespace
} // namespace footrace
