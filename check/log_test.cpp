#include "check/fresh_memory.h"
#include "check/log.h"
#include "check/mapping.h"
#include "check/step.h"
#include "check/sync_rules.h"

#include <atomic>
#include <gtest/gtest.h>
#include <memory>
#include <optional>
#include <thread>
#include <vector>

using namespace footrace;

namespace {

constexpr u64 kBytes = 32 << 20;
alignas(1 << 20) char g_memory[kBytes];
uptr at(u64 offset) { return uptr(g_memory) + offset; }

constexpr u32 kHistory = 64; // entries of a segment
constexpr AccessKind kRead = AccessKind::Read, kWrite = AccessKind::Write;

// A thread and its frames. Its context is the number of its frames, and what the test says are its locks.
struct Actor {
  std::unique_ptr<ThreadState> t = std::make_unique<ThreadState>();
  Frame frames[16] = {};
  Frame* top = frames + 1;
  LockSetId locks = 0;

  explicit Actor(Tid tid) {
    fasttrack::initial(*t, tid, 1);
    actor_of(*t) = this;
    t->log.place_now = [](ThreadState& t, Frame*) {
      const Actor& a = *actor_of(t);
      return PlaceNow{ContextId(a.top - a.frames), a.locks};
    };
    t->log.forget_places = [](ThreadState& t) {
      for (Frame& f : actor_of(t)->frames) f.era = 0;
    };
    log_start(*t);
  }
  ~Actor() {
    if (t->log.number) log_finish(*t);
  }
  static Actor*& actor_of(ThreadState& t) {
    static Actor* actors[kSlots];
    return actors[t.tid()];
  }

  void log(uptr address, u64 size, AccessKind kind, Site site) {
    log_access(*t, top - 1, address, size, kind, site);
  }
  void access(uptr address, u64 size, AccessKind kind, Site site) {
    log(address, size, kind, site);
    fasttrack::access(*t, address, size, kind, [](void*, const fasttrack::Conflict&) {}, nullptr);
  }
  // Entries that the shadow does not name.
  void fill_segments(u32 count) {
    for (u32 i = 0; i < count * kHistory; ++i) log(at(kBytes - 8), 8, kWrite, 99);
  }
  // What was logged is kept, and of that only what the shadow still names.
  void sweep_log() {
    fill_segments(3);
    for (const u64 before = log_counts().swept; log_counts().swept == before;) fill_segments(1);
  }
  std::optional<LoggedAccess> find(uptr byte, AccessKind kind) { return find_of(t->epoch, byte, kind); }
  static std::optional<LoggedAccess> find_of(Epoch epoch, uptr byte, AccessKind kind) {
    LoggedAccess found;
    if (!log_find(epoch, byte, kind, &found)) return std::nullopt;
    return found;
  }
};

struct LogTest : testing::Test {
  LogTest() {
    EXPECT_EQ(reserve_shadow(), nullptr);
    limit_logs(kHistory, 0);
  }
  ~LogTest() override {
    fasttrack::forget(nullptr, at(0), kBytes);
    limit_logs(0, 0); // drops what is kept
  }
};

TEST_F(LogTest, Access_IsFoundByEpochAndAnyOfItsBytes) {
  Actor a(3);
  a.log(at(0x1000), 8, kWrite, 5);
  auto found = a.find(at(0x1007), kWrite);
  ASSERT_TRUE(found);
  EXPECT_EQ(found->address, at(0x1000));
  EXPECT_EQ(found->size, 8u);
  EXPECT_EQ(found->site, 5u);
  EXPECT_EQ(found->kind, kWrite);
  EXPECT_FALSE(a.find(at(0x1008), kWrite));
  EXPECT_FALSE(a.find(at(0xfff), kWrite));
  EXPECT_FALSE(Actor::find_of(make_epoch(3, 2), at(0x1000), kWrite));
  EXPECT_FALSE(Actor::find_of(make_epoch(4, 1), at(0x1000), kWrite));
  EXPECT_FALSE(Actor::find_of(kNoEpoch, at(0x1000), kWrite));
}

TEST_F(LogTest, Kind_IsTheOneThatIsWantedOrStandsForIt) {
  Actor a(3);
  a.log(at(0), 8, kRead, 1);
  a.log(at(0), 8, kWrite, 2);
  a.log(at(8), 8, kWrite, 3);
  EXPECT_EQ(a.find(at(0), kRead)->site, 1u);
  EXPECT_EQ(a.find(at(0), kWrite)->site, 2u);
  EXPECT_EQ(a.find(at(8), kRead)->site, 3u) << "a write stamps R as well";
  a.log(at(16), 8, kRead, 4);
  EXPECT_FALSE(a.find(at(16), kWrite));
  a.log(at(16), 8, AccessKind::AtomicWrite, 5);
  EXPECT_EQ(a.find(at(16), AccessKind::AtomicWrite)->site, 5u);
  EXPECT_FALSE(a.find(at(16), kWrite));
}

TEST_F(LogTest, SeveralOfOneEpoch_TheLatestIsFound) {
  Actor a(3);
  a.log(at(0), 8, kWrite, 1);
  a.log(at(0), 64, kWrite, 2);
  a.log(at(8), 8, kWrite, 3);
  EXPECT_EQ(a.find(at(0), kWrite)->site, 2u);
  EXPECT_EQ(a.find(at(8), kWrite)->site, 3u);
}

TEST_F(LogTest, StackAndLocks_AreThoseOfTheAccess) {
  Actor a(3);
  a.log(at(0), 8, kWrite, 1);
  a.locks = 7;
  log_begins_era(*a.t);
  ++a.top;
  a.log(at(8), 8, kWrite, 2);
  --a.top; // the caller has not found its place in this era yet
  a.log(at(16), 8, kWrite, 3);
  EXPECT_EQ(a.find(at(0), kWrite)->context, 1u);
  EXPECT_EQ(a.find(at(0), kWrite)->locks, 0u);
  EXPECT_EQ(a.find(at(8), kWrite)->context, 2u);
  EXPECT_EQ(a.find(at(8), kWrite)->locks, 7u);
  EXPECT_EQ(a.find(at(16), kWrite)->context, 1u);
  EXPECT_EQ(a.find(at(16), kWrite)->locks, 7u);
}

TEST_F(LogTest, CallerThatIsReturnedTo_HasItsPlaceStill) {
  Actor a(3);
  a.log(at(0), 8, kWrite, 1);
  ++a.top;
  a.log(at(8), 8, kWrite, 2);
  --a.top;
  const LogEntry* before = a.t->log.next;
  a.log(at(16), 8, kWrite, 3);
  EXPECT_EQ(a.t->log.next - before, 1) << "no place is written";
  EXPECT_EQ(a.find(at(16), kWrite)->context, 1u);
}

TEST_F(LogTest, SweptLog_KeepsWhatTheShadowStillNames) {
  Actor a(3);
  a.locks = 7;
  a.access(at(0x100), 8, kWrite, 1);
  a.access(at(0x200), 1, kRead, 2);
  a.access(at(0x300), 4, AccessKind::AtomicWrite, 3);
  a.access(at(0x400), 8, kWrite, 4);
  const Epoch then = a.t->epoch;
  fasttrack::tick(*a.t);
  a.access(at(0x400), 8, kWrite, 5);
  a.locks = 0;
  a.sweep_log();
  const auto written = Actor::find_of(then, at(0x107), kWrite);
  ASSERT_TRUE(written);
  EXPECT_EQ(written->site, 1u);
  EXPECT_EQ(written->address, at(0x100));
  EXPECT_EQ(written->size, 8u);
  EXPECT_EQ(written->context, 1u);
  EXPECT_EQ(written->locks, 7u);
  EXPECT_EQ(Actor::find_of(then, at(0x200), kRead)->site, 2u);
  EXPECT_EQ(Actor::find_of(then, at(0x301), AccessKind::AtomicWrite)->site, 3u);
  EXPECT_FALSE(Actor::find_of(then, at(0x400), kWrite)) << "another access is named there";
  EXPECT_EQ(a.find(at(0x400), kWrite)->site, 5u);
}

TEST_F(LogTest, AccessOfASet_IsKeptByEachOfItsThreads) {
  Actor a(3), b(4);
  a.access(at(0x100), 8, kRead, 1);
  b.access(at(0x100), 8, kRead, 2);
  b.fill_segments(3), a.sweep_log();
  EXPECT_EQ(a.find(at(0x100), kRead)->site, 1u);
  EXPECT_EQ(b.find(at(0x100), kRead)->site, 2u);
}

TEST_F(LogTest, BytesThatWait_AreKept) {
  Actor a(3), b(4);
  fasttrack::Found found(*a.t, [](void*, const fasttrack::Conflict&) {}, nullptr);
  a.access(at(0x104), 4, kWrite, 2); // a neighbour: the bytes wait from the first one on
  a.log(at(0x101), 1, kWrite, 1);
  fasttrack::wait_in_granule(*a.t, at(0x101) / 4, 1 << 1, true, found);
  a.fill_segments(3);
  ASSERT_FALSE(fasttrack::still_names(at(0x101), 1, a.t->epoch));
  b.sweep_log(); // somebody else's
  EXPECT_EQ(a.find(at(0x101), kWrite)->site, 1u);
  fasttrack::settle_bytes(*a.t, found);
  b.sweep_log();
  EXPECT_EQ(a.find(at(0x101), kWrite)->site, 1u);
}

TEST_F(LogTest, FreshMemory_IsNotKept) {
  Actor a(3);
  a.access(at(0x100), 8, kWrite, 1);
  fasttrack::forget(a.t.get(), at(0x100), 8);
  a.sweep_log();
  EXPECT_FALSE(a.find(at(0x100), kWrite));
}

TEST_F(LogTest, LoopOverMemory_IsKeptAsOneEntryPerSegment) {
  Actor a(3);
  constexpr u32 kWords = 10 * kHistory;
  for (u32 i = 0; i < kWords; ++i) {
    a.access(at(i * 4), 4, kWrite, 1);
    a.access(at(kBytes / 2 - i * 8), 8, kWrite, 2); // another array, downwards
  }
  a.sweep_log();
  const auto first = a.find(at(0), kWrite), last = a.find(at(kWords * 4 - 1), kWrite);
  ASSERT_TRUE(first && last);
  EXPECT_EQ(first->address, at(0));
  EXPECT_GT(first->size, 4u * 10);
  EXPECT_EQ(last->address + last->size, at(kWords * 4));
  EXPECT_EQ(a.find(at(kBytes / 2 - (kWords - 1) * 8), kWrite)->site, 2u);
  EXPECT_FALSE(a.find(at(kWords * 4), kWrite));
}

TEST_F(LogTest, NeighboursOfAnotherStackOrEpoch_StayApart) {
  Actor a(3);
  a.access(at(0), 8, kWrite, 1);
  ++a.top;
  a.access(at(8), 8, kWrite, 1);
  const Epoch first = a.t->epoch;
  fasttrack::tick(*a.t);
  a.access(at(16), 8, kWrite, 1);
  a.sweep_log();
  for (u64 i = 0; i < 3; ++i) {
    const auto found = Actor::find_of(i == 2 ? a.t->epoch : first, at(i * 8), kWrite);
    ASSERT_TRUE(found);
    EXPECT_EQ(found->address, at(i * 8));
    EXPECT_EQ(found->size, 8u);
    EXPECT_EQ(found->context, i ? 2u : 1u);
  }
}

TEST_F(LogTest, LongAccess_HasItsWholeSize) {
  for (u64 size : {kLongSize - 1, kLongSize, kLongSize + 1, u64(3) << 20, u64(20) << 20}) {
    Actor a(3);
    limit_logs(0, 0), limit_logs(kHistory, 0);
    a.access(at(0x123), size, kWrite, 1);
    a.access(at(0x100), 8, kRead, 2);
    for (bool is_kept : {false, true}) {
      if (is_kept) a.sweep_log();
      const auto found = a.find(at(0x123 + size - 1), kWrite);
      ASSERT_TRUE(found) << size;
      EXPECT_EQ(found->address, at(0x123));
      EXPECT_EQ(found->size, size);
      EXPECT_FALSE(a.find(at(0x123 + size), kWrite));
      EXPECT_TRUE(a.find(at(0x123), kWrite));
    }
    fasttrack::forget(nullptr, at(0), kBytes);
  }
}

TEST_F(LogTest, LongRangeOfWhichOneByteIsLeft_IsKept) {
  Actor a(3);
  const Epoch then = a.t->epoch;
  a.access(at(0), 2 << 20, kWrite, 1);
  fasttrack::tick(*a.t);
  a.access(at(0), 1 << 20, kWrite, 2);
  a.access(at((1 << 20) + 1), (1 << 20) - 1, kWrite, 3);
  a.sweep_log();
  EXPECT_EQ(Actor::find_of(then, at(1 << 20), kWrite)->site, 1u);
}

TEST_F(LogTest, FinishedThread_IsFoundWhileItIsNamed) {
  Actor a(3);
  a.access(at(0x1000), 8, kWrite, 1);
  a.log(at(0x2000), 8, kWrite, 2);
  log_finish(*a.t);
  EXPECT_EQ(a.find(at(0x1000), kWrite)->site, 1u);
  Actor(4).sweep_log();
  EXPECT_EQ(a.find(at(0x1000), kWrite)->site, 1u);
  EXPECT_FALSE(a.find(at(0x2000), kWrite));
  const Epoch then = a.t->epoch;
  // The slot goes to another thread, whose clocks start later.
  Actor b(3);
  fasttrack::tick(*b.t);
  b.access(at(0x2000), 8, kWrite, 3);
  EXPECT_EQ(Actor::find_of(then, at(0x1000), kWrite)->site, 1u);
  EXPECT_FALSE(b.find(at(0x1000), kWrite));
  EXPECT_EQ(b.find(at(0x2000), kWrite)->site, 3u);
}

TEST_F(LogTest, NewSlot_KeepsWhatWasDoneUnderTheOldOne) {
  Actor a(3);
  a.access(at(0x1000), 8, kWrite, 1);
  log_new_tid(*a.t);
  fasttrack::initial(*a.t, 5, 1);
  Actor::actor_of(*a.t) = &a;
  EXPECT_EQ(Actor::find_of(make_epoch(3, 1), at(0x1000), kWrite)->site, 1u);
  EXPECT_FALSE(a.find(at(0x1000), kWrite));
  a.access(at(0x3000), 8, kWrite, 2);
  EXPECT_EQ(a.find(at(0x3000), kWrite)->site, 2u);
}

TEST_F(LogTest, WithoutHistory_NothingIsFound) {
  limit_logs(0, 0);
  Actor a(3);
  a.access(at(0x1000), 8, kWrite, 1);
  EXPECT_FALSE(a.find(at(0x1000), kWrite));
  for (u32 i = 0; i < 1000; ++i) a.access(at(i * 16), 8, kWrite, 1);
  log_finish(*a.t);
  EXPECT_FALSE(a.find(at(0x1000), kWrite));
  EXPECT_EQ(log_counts().kept_now, 0u);
}

TEST_F(LogTest, FullTable_LosesStaleEntriesFirstAndThenThoseOfMiddleAge) {
  constexpr u64 kMost = kHistory * kKeptPerEntry;
  Actor a(3);
  a.access(at(0), 8, kWrite, 1);
  a.fill_segments(3);
  const Epoch first = a.t->epoch;
  const auto access_all = [&] { // apart from each other, so that they are entries of their own
    for (u64 i = 1; i <= kMost / 2; ++i) a.access(at(i * 16), 8, kWrite, 2);
    fasttrack::tick(*a.t);
  };
  for (u32 round = 0; round < 4; ++round) access_all();
  EXPECT_LE(log_counts().kept_now, kMost);
  EXPECT_TRUE(Actor::find_of(first, at(0), kWrite)) << "rounds before the last are stale";
  const u64 dropped = log_counts().dropped;
  for (u64 i = kMost; i < 4 * kMost; ++i) a.access(at(i * 16), 8, kWrite, 3);
  EXPECT_LE(log_counts().kept_now, kMost);
  EXPECT_GT(log_counts().dropped, dropped);
  EXPECT_TRUE(Actor::find_of(first, at(0), kWrite)) << "the oldest";
  EXPECT_FALSE(a.find(at(2 * kMost * 16), kWrite));
  for (u64 i = 4 * kMost - kHistory; i < 4 * kMost; ++i) ASSERT_TRUE(a.find(at(i * 16), kWrite));
}

TEST_F(LogTest, DataThatIsGoneOverAgainAndAgain_IsKeptLessOften) {
  limit_logs(kHistory, 0);
  constexpr u64 kWords = 4 * kHistory, kRounds = 20'000;
  Actor a(3);
  a.access(at(0), 8, kWrite, 1);
  const Epoch first = a.t->epoch;
  const u64 before = log_counts().kept;
  for (u64 round = 0; round < kRounds; ++round) {
    for (u64 i = 1; i <= kWords; ++i) a.access(at(i * 16), 8, kWrite, 2);
    fasttrack::tick(*a.t);
  }
  EXPECT_LT(log_counts().kept - before, kRounds * kWords / 8);
  EXPECT_TRUE(Actor::find_of(first, at(0), kWrite)) << "written at the start, and never again";
}

TEST_F(LogTest, DataThatIsPartlyNew_IsKeptEveryTime) {
  constexpr u64 kWords = kHistory * kKeptPerEntry / 2;
  Actor a(3);
  std::vector<Epoch> epochs(kWords);
  const u64 before = log_counts().swept;
  for (u64 i = 1; i < kWords; ++i) {
    a.access(at(i * 16), 8, kWrite, 1);
    for (u32 again = 0; again < 2; ++again) a.access(at(0), 8, kWrite, 2);
    epochs[i] = a.t->epoch;
    if (i % 16 == 0) fasttrack::tick(*a.t);
  }
  EXPECT_GT(log_counts().swept, before);
  for (u64 i = 1; i < kWords; ++i) ASSERT_TRUE(Actor::find_of(epochs[i], at(i * 16), kWrite)) << i;
}

TEST_F(LogTest, AboveTheMemoryLimit_TheLatestEntriesAreStillFound) {
  limit_logs(8192, 1);
  Actor a(3);
  a.access(at(0), 8, kWrite, 1);
  for (u64 i = 1; i < 100'000; ++i) a.access(at(i * 16), 8, kWrite, 2);
  EXPECT_LE(log_counts().kept_now, 16u << 10);
  EXPECT_EQ(a.t->log.size, 256u);
  EXPECT_TRUE(a.find(at(0), kWrite)) << "the oldest";
  EXPECT_TRUE(a.find(at(99'999 * 16), kWrite));
  EXPECT_TRUE(a.find(at(99'700 * 16), kWrite));
}

TEST_F(LogTest, ErasThatWrap_LeaveNoFrameWithAnOldPlace) {
  Actor a(3);
  a.log(at(0), 8, kWrite, 1);
  const u32 old_era = a.frames[0].era;
  EXPECT_EQ(old_era, a.t->log.era);
  a.t->log.era = ~0u;
  fasttrack::tick(*a.t);
  EXPECT_EQ(a.t->log.era, 1u);
  for (const Frame& f : a.frames) EXPECT_EQ(f.era, 0u);
  a.log(at(8), 8, kWrite, 2);
  EXPECT_EQ(a.find(at(8), kWrite)->site, 2u);
}

TEST_F(LogTest, RenumberedEpochs_AreFoundUnderTheirNewNumbers) {
  Actor a(3);
  for (u32 i = 0; i < 9; ++i) fasttrack::tick(*a.t);
  a.access(at(0), 8, kWrite, 1);
  log_finish(*a.t);
  Actor b(4);
  for (u32 i = 0; i < 9; ++i) fasttrack::tick(*b.t);
  b.access(at(8), 8, kWrite, 2);
  for_each_logged_epoch([](Epoch& e) { e = make_epoch(tid_of(e), clock_of(e) - 5); });
  EXPECT_EQ(Actor::find_of(make_epoch(3, 5), at(0), kWrite)->site, 1u);
  EXPECT_EQ(Actor::find_of(make_epoch(4, 5), at(8), kWrite)->site, 2u);
  EXPECT_FALSE(Actor::find_of(make_epoch(4, 10), at(8), kWrite));
}

TEST_F(LogTest, RenamedSites_AreFoundUnderTheirNewNames) {
  Actor a(3);
  a.access(at(0), 8, kWrite, 1);
  a.sweep_log();
  a.access(at(8), 8, kWrite, 2);
  for_each_logged_site([](Site& site) { site = kPcSite | site; });
  EXPECT_EQ(a.find(at(0), kWrite)->site, kPcSite | 1);
  EXPECT_EQ(a.find(at(8), kWrite)->site, kPcSite | 2);
  EXPECT_EQ(a.find(at(0), kWrite)->context, 1u);
}

// Whatever a reader finds while the owner writes belongs together.
TEST_F(LogTest, ReaderOfALiveLog_NeverSeesHalfAnEntry) {
  Actor a(3);
  std::atomic<bool> stop = false;
  std::atomic<u64> newest = 0;
  std::thread writer([&] {
    for (u64 clock = 1; !stop; clock = a.t->C.own) {
      a.locks = LockSetId(clock);
      for (u64 i = 1; i < 4; ++i) a.access(at(i * 0x10000), 8, kWrite, clock % 1000 + 1);
      a.access(at(0x1000), clock % 1000 + 1, kWrite, clock % 1000 + 1);
      newest = clock;
      if (clock + 1 < kMaxClock) fasttrack::tick(*a.t);
    }
  });
  u32 found = 0;
  for (int i = 0; i < 20'000 || !found; ++i) {
    const u64 clock = newest;
    const auto entry = Actor::find_of(make_epoch(3, clock), at(0x1000), kWrite);
    if (!entry) continue;
    ++found;
    ASSERT_EQ(entry->address, at(0x1000));
    ASSERT_EQ(entry->size, clock % 1000 + 1);
    ASSERT_EQ(entry->site, clock % 1000 + 1);
    ASSERT_EQ(entry->locks, clock);
  }
  stop = true;
  writer.join();
}

// Threads that start, turn and end, and one that asks for what they have done.
TEST_F(LogTest, ManyShortThreads_AreFoundAfterTheirEnd) {
  constexpr u32 kThreads = 24;
  std::thread asks([] {
    for (u32 i = 0; i < 20'000; ++i)
      Actor::find_of(make_epoch(10 + i % kThreads, 1), at(i % kThreads * 0x10000), kWrite);
  });
  std::thread twins[2];
  for (u32 twin = 0; twin < 2; ++twin)
    twins[twin] = std::thread([twin] {
      for (u32 n = twin; n < kThreads; n += 2) {
        Actor a(10 + n);
        for (u32 i = 0; i < 5 * kHistory; ++i) a.access(at(n * 0x10000 + i * 16), 8, kWrite, n + 1);
      }
    });
  for (std::thread& twin : twins) twin.join();
  asks.join();
  for (u32 n = 0; n < kThreads; ++n)
    for (u32 i = 0; i < 5 * kHistory; ++i) {
      const auto found = Actor::find_of(make_epoch(10 + n, 1), at(n * 0x10000 + i * 16), kWrite);
      ASSERT_TRUE(found);
      ASSERT_EQ(found->site, n + 1);
    }
}

TEST_F(LogTest, BytesOfOneConflict_AreFoundTogether) {
  Actor a(3);
  a.log(at(0), 8, kWrite, 1);
  a.log(at(0), 4, kWrite, 2);
  a.log(at(6), 1, kRead, 3);
  a.log(at(16), 4, kWrite, 4);
  LoggedAccesses found;
  log_find(a.t->epoch, at(0), 8, kWrite, found);
  EXPECT_EQ(found.at(0)->site, 2u);
  EXPECT_EQ(found.at(3)->site, 2u);
  EXPECT_EQ(found.at(4)->site, 1u);
  EXPECT_EQ(found.at(6)->site, 1u);
  found = {};
  log_find(a.t->epoch, at(4), 4, kRead, found);
  EXPECT_EQ(found.at(2)->site, 3u);
  EXPECT_EQ(found.at(3)->site, 1u);
  found = {};
  log_find(a.t->epoch, at(14), 4, kWrite, found);
  EXPECT_EQ(found.at(1), nullptr);
  EXPECT_EQ(found.at(2)->site, 4u);
}

TEST_F(LogTest, AccessThatSomebodyLooksFor_IsKept) {
  for (bool is_sought : {false, true}) {
    Actor a(3), b(4);
    limit_logs(0, 0), limit_logs(kHistory, 0);
    a.access(at(0), 8, kWrite, 1);
    b.access(at(0), 8, kWrite, 2);
    const u32 ticket = is_sought ? log_seek(a.t->epoch, at(4), 4) : 0;
    a.sweep_log();
    EXPECT_EQ(bool(a.find(at(4), kWrite)), is_sought);
    log_seek_ends(ticket);
  }
  std::vector<u32> tickets;
  while (u32 ticket = log_seek(make_epoch(3, 1), at(0), 8)) tickets.push_back(ticket);
  EXPECT_EQ(tickets.size(), 64u);
  for (u32 ticket : tickets) log_seek_ends(ticket);
}

// More than are kept apart from the rest, and several sweeps.
TEST_F(LogTest, AccessesFarApart_AreAllFoundAgain) {
  limit_logs(8192, 0);
  Actor a(3);
  constexpr u64 kWords = 40'000;
  for (u64 i = 0; i < kWords; ++i) a.access(at(i * 7919 % kWords * 8), 8, kWrite, 1);
  for (u64 i = 0; i < kWords; i += 5000) ASSERT_TRUE(a.find(at(i * 7919 % kWords * 8), kWrite)) << i;
}

} // namespace
