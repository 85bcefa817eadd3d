// The cells' protocol under real threads: no update is lost, nothing is invented, nobody waits for ever.
// What is ordered is ordered by construction of the thread states; the OS threads themselves run as they
// like.
#include "detectors/fasttrack/access.h"
#include "shadow/mapping.h"
#include "shadow/open_set.h"
#include "tests/property/random.h"

#include <gtest/gtest.h>

#include <atomic>
#include <latch>
#include <mutex>
#include <thread>
#include <vector>

namespace footrace::property {
namespace {

using fasttrack::AccessKind;
using fasttrack::Conflict;
using fasttrack::ThreadState;

constexpr u32 kThreads = 4, kCells = 4;
constexpr u64 kBytes = kCells * 8;
constexpr AccessKind kAllKinds[] = {AccessKind::Read, AccessKind::Write, AccessKind::AtomicRead,
                                    AccessKind::AtomicWrite};

alignas(64) char g_memory[256 * 8]; // most tests crowd into the first cells
uptr base() { return reinterpret_cast<uptr>(g_memory); }

// Conflicts seen by all threads, per byte.
struct Seen {
  std::atomic<u32> bytes[sizeof g_memory] = {};

  static void collect(void* self, const Conflict& c) {
    for (u32 i = 0; i < 8; ++i)
      if (c.bytes >> i & 1) ++static_cast<Seen*>(self)->bytes[c.cell_address - base() + i];
  }
  u32 total() const {
    u32 sum = 0;
    for (auto& b : bytes) sum += b;
    return sum;
  }
};

// Runs body(thread number) in OS threads that start together.
template <class Body> void in_threads(u32 count, Body body) {
  std::vector<std::thread> threads;
  std::latch start(count);
  for (u32 i = 0; i < count; ++i)
    threads.emplace_back([&, i] {
      start.arrive_and_wait();
      body(i);
      release_cell_caches();
    });
  for (auto& t : threads) t.join();
}

// A barrier that spins first: threads that sleep wake too far apart to meet in a cell.
class Meeting {
public:
  explicit Meeting(u32 parties) : parties_(parties) {}
  // The last to arrive runs `alone` before anybody goes on.
  template <class Fn> void wait(Fn alone) {
    const u32 round = round_;
    if (++arrived_ == parties_) {
      alone();
      arrived_ = 0;
      ++round_;
      return;
    }
    for (u32 spins = 0; round_ == round;)
      if (++spins > 5000)
        std::this_thread::yield();
      else
        __builtin_ia32_pause();
  }

private:
  const u32 parties_;
  std::atomic<u32> arrived_ = 0, round_ = 0;
};

class Cells : public testing::Test {
protected:
  void SetUp() override {
    const char* failure = reserve_shadow();
    ASSERT_EQ(failure, nullptr) << failure;
    for (u32 i = 0; i < kThreads; ++i) fasttrack::initial(state_[i], i + 1, 1);
  }
  void TearDown() override { fasttrack::forget(base(), sizeof g_memory); }

  void access(ThreadState& t, u64 offset, u64 size, AccessKind kind, u32 site) {
    fasttrack::access(t, base() + offset, size, kind, site, Seen::collect, &seen_);
  }
  template <class Body> void in_threads(Body body) { property::in_threads(kThreads, body); }

  ThreadState state_[kThreads];
  Seen seen_;
};

constexpr int kSteps = 200000;

TEST_F(Cells, ThreadsOnTheirOwnBytes_NeverConflict) {
  in_threads([&](u32 i) {
    Random random(i);
    for (int step = 0; step < kSteps; ++step) {
      // Two bytes of every cell belong to each thread.
      u64 first = random.below(2), size = random.between(1, 2 - first);
      access(state_[i], random.below(kCells) * 8 + i * 2 + first, size, random.pick(kAllKinds),
             u32(random.between(1, 3)));
      if (random.chance(0.1)) fasttrack::tick(state_[i]);
    }
  });
  EXPECT_EQ(seen_.total(), 0u);
}

TEST_F(Cells, NeighboursOfBytesThatThreadsOwn_AreNotLost) {
  in_threads([&](u32 i) {
    Random random(i + 100);
    for (u32 cell = 0; cell < kCells; ++cell) access(state_[i], cell * 8 + i * 2, 2, AccessKind::Write, 1);
    for (int step = 0; step < kSteps; ++step) {
      access(state_[i], random.below(kCells) * 8 + i * 2, 2, random.pick(kAllKinds), 2);
      if (random.chance(0.3)) fasttrack::tick(state_[i]);
    }
  });
  ASSERT_EQ(seen_.total(), 0u);
  // Whatever the cells have become, every byte still remembers its owner.
  ThreadState stranger;
  fasttrack::initial(stranger, 99, 1);
  access(stranger, 0, kBytes, AccessKind::Write, 3);
  for (u64 byte = 0; byte < kBytes; ++byte) EXPECT_GE(seen_.bytes[byte], 1u) << byte;
}

TEST_F(Cells, ReadSharedData_NeverConflicts) {
  ThreadState creator;
  fasttrack::initial(creator, 50, 1);
  access(creator, 0, kBytes, AccessKind::Write, 1);
  for (ThreadState& t : state_) fasttrack::fork(creator, t);
  in_threads([&](u32 i) {
    Random random(i + 200);
    for (int step = 0; step < kSteps; ++step) {
      u64 offset = random.below(kBytes), size = random.between(1, min<u64>(16, kBytes - offset));
      access(state_[i], offset, size, random.chance(0.8) ? AccessKind::Read : AccessKind::AtomicRead,
             u32(random.between(1, 4)));
      if (random.chance(0.2)) fasttrack::tick(state_[i]);
    }
    // Its last epoch has read everything, so that the writer below must meet it.
    access(state_[i], 0, kBytes, AccessKind::Read, 5);
  });
  EXPECT_EQ(seen_.total(), 0u);
  ThreadState writer;
  fasttrack::initial(writer, 51, 1);
  for (u32 i = 0; i + 1 < kThreads; ++i) fasttrack::join(writer, state_[i].C);
  access(writer, 0, kBytes, AccessKind::Write, 6); // one reader was not joined
  for (u64 byte = 0; byte < kBytes; ++byte) EXPECT_GE(seen_.bytes[byte], 1u) << byte;
}

TEST_F(Cells, AtomicAccesses_NeverConflictWithEachOther) {
  in_threads([&](u32 i) {
    Random random(i + 300);
    for (int step = 0; step < kSteps; ++step) {
      u64 size = random.one_of<u64>({1, 2, 4, 8, 16}), offset = round_down(random.below(kBytes - 15), size);
      access(state_[i], offset, size, random.chance(0.5) ? AccessKind::AtomicRead : AccessKind::AtomicWrite,
             1);
      if (random.chance(0.2)) fasttrack::tick(state_[i]);
    }
  });
  EXPECT_EQ(seen_.total(), 0u);
}

TEST_F(Cells, LockProtectedParts_NeverConflict) {
  // Each cell is cut into three parts, each with a lock of its own: every thread comes to every part.
  constexpr u64 kFirst[] = {0, 3, 4}, kSize[] = {3, 1, 4};
  struct Part {
    std::mutex mutex;
    Clock L;
  } parts[3];
  in_threads([&](u32 i) {
    Random random(i + 400);
    for (int step = 0; step < kSteps / 3; ++step) {
      u32 part = u32(random.below(3));
      std::lock_guard guard(parts[part].mutex);
      fasttrack::acquire(state_[i], parts[part].L);
      for (u64 n = random.between(1, 4); n--;)
        access(state_[i], random.below(kCells) * 8 + kFirst[part], kSize[part], random.pick(kAllKinds),
               u32(random.between(1, 3)));
      fasttrack::release(state_[i], parts[part].L);
    }
  });
  EXPECT_EQ(seen_.total(), 0u);
}

TEST_F(Cells, ForgettingBytes_LeavesConcurrentNeighboursAlone) {
  in_threads([&](u32 i) {
    Random random(i + 500);
    for (int step = 0; step < kSteps; ++step) {
      u64 offset = random.below(kCells) * 8 + i * 2;
      if (i == 0) fasttrack::forget(base() + offset, 2);
      access(state_[i], offset, 2, random.pick(kAllKinds), u32(random.between(1, 3)));
      if (random.chance(0.2)) fasttrack::tick(state_[i]);
    }
    for (u32 cell = 0; cell < kCells; ++cell) access(state_[i], cell * 8 + i * 2, 2, AccessKind::Write, 4);
  });
  EXPECT_EQ(seen_.total(), 0u);
  ThreadState stranger;
  fasttrack::initial(stranger, 99, 1);
  access(stranger, 0, kBytes, AccessKind::Read, 5);
  for (u64 byte = 0; byte < kBytes; ++byte) EXPECT_GE(seen_.bytes[byte], 1u) << byte;
}

// A block is freed and handed out again while others still use it: the verdicts are then anybody's guess, but
// cells stay sound, nobody hangs, and no set or block is lost or given back twice.
TEST_F(Cells, ForgettingCellsUnderAccess_LosesNoMemory) {
  const u64 sets = sets_in_use(), blocks = record_blocks_in_use();
  std::atomic<u32> working = kThreads - 1;
  in_threads([&](u32 i) {
    Random random(i + 700);
    // One cell, which is now empty, now simple, now a set or records.
    while (i == 0 && working) fasttrack::forget(base(), 8);
    for (int step = 0; i && step < kSteps; ++step) {
      access(state_[i], random.below(2) * 4, 4, random.pick(kAllKinds), u32(random.between(1, 3)));
      if (random.chance(0.3)) fasttrack::tick(state_[i]);
    }
    if (i) --working;
  });
  fasttrack::forget(base(), kBytes);
  EXPECT_EQ(sets_in_use(), sets);
  EXPECT_EQ(record_blocks_in_use(), blocks);
}

// Parts of a cell that all read, so that their readers are sets, and that are forgotten now and then: who looks at the records without the lock
// finds something else in their places a moment later.
TEST_F(Cells, PartsThatAllRead_LoseNoMemory) {
  const u64 sets = sets_in_use(), blocks = record_blocks_in_use();
  for (u32 i = 0; i < kThreads; ++i)
    fasttrack::initial(state_[i], i + 1, 1u << 30); // no epoch looks like a set that exists
  in_threads([&](u32 i) {
    t_share_credit = 0; // every part has a set of its own
    Random random(i + 900);
    for (int step = 0; step < kSteps; ++step) {
      const u64 part = random.below(4) * 2;
      if (random.chance(0.05))
        fasttrack::forget(base() + part, 2);
      else
        access(state_[i], part, 2, AccessKind::Read, u32(random.between(1, 3)));
      if (random.chance(0.5)) fasttrack::tick(state_[i]);
    }
  });
  fasttrack::forget(base(), kBytes);
  EXPECT_EQ(seen_.total(), 0u);
  EXPECT_EQ(sets_in_use(), sets);
  EXPECT_EQ(record_blocks_in_use(), blocks);
}

// Two threads walk over many cells and touch the same byte of each, unordered; whoever comes second must see
// the first, every time. They meet wherever one overtakes the other. The last two threads, when they take
// part, keep the neighbouring bytes busy.
void race_over_cells(Seen& seen, ThreadState (&state)[kThreads], u32 threads, int rounds) {
  struct Pair {
    AccessKind first, second;
  };
  constexpr Pair kPairs[] = {
      {AccessKind::Write, AccessKind::Write},      {AccessKind::Write, AccessKind::Read},
      {AccessKind::Read, AccessKind::Write},       {AccessKind::Write, AccessKind::AtomicRead},
      {AccessKind::AtomicWrite, AccessKind::Read}, {AccessKind::AtomicWrite, AccessKind::Write},
      {AccessKind::AtomicRead, AccessKind::Write}};
  constexpr u64 kRaced = 3; // of each cell
  u32 missed = 0, invented = 0;
  Meeting begin(threads), end(threads);
  auto judge = [&] {
    for (u64 byte = 0; byte < sizeof g_memory; ++byte) {
      missed += byte % 8 == kRaced && !seen.bytes[byte];
      invented += byte % 8 != kRaced && seen.bytes[byte];
      seen.bytes[byte] = 0;
    }
    fasttrack::forget(base(), sizeof g_memory);
  };
  in_threads(threads, [&](u32 i) {
    Random random(i + 600);
    auto check = [&](u64 offset, AccessKind kind) {
      fasttrack::access(state[i], base() + offset, 1, kind, 1 + i, Seen::collect, &seen);
    };
    for (int round = 0; round < rounds; ++round) {
      const Pair& pair = kPairs[round % std::size(kPairs)];
      begin.wait([] {});
      for (u64 cell = 0; cell < sizeof g_memory / 8; ++cell) {
        if (i == 0) check(cell * 8 + kRaced, pair.first);
        if (i == 1) check(cell * 8 + kRaced, pair.second);
        if (i == 2) check(cell * 8 + random.below(kRaced), random.pick(kAllKinds));
        if (i == 3) check(cell * 8 + random.between(kRaced + 1, 7), random.pick(kAllKinds));
        if (random.chance(0.05)) fasttrack::tick(state[i]);
      }
      end.wait(judge);
    }
  });
  EXPECT_EQ(missed, 0u);
  EXPECT_EQ(invented, 0u);
}

// Readers whose sets are open come again while a third thread writes: the writer meets each of them, or they meet the write.
TEST_F(Cells, WriterAmongOpenReaders_MissesNone) {
  constexpr u64 kManyCells = sizeof g_memory / 8;
  constexpr u32 kReaders = 2, kWriter = kReaders;
  struct Teller {
    std::atomic<u32>* met; // per cell: the readers of pairs that were told
    u32 reader;            // kWriter: not one of them
  };
  auto tell = [](void* self, const Conflict& c) {
    const Teller& by = *static_cast<Teller*>(self);
    const u32 reader = by.reader == kWriter ? tid_of(c.previous) - 1 : by.reader;
    by.met[(c.cell_address - base()) / 8] |= 1u << reader;
  };
  std::atomic<u32> met[kManyCells] = {};
  u32 missed = 0, opened = 0;
  // Alone: both have read every cell in two epochs that the writer knows of.
  auto prepare = [&] {
    fasttrack::forget(base(), sizeof g_memory);
    t_share_credit = 0;
    for (u32 k = 0; k < 2 * kReaders; ++k) {
      ThreadState& reader = state_[k % kReaders];
      for (u64 cell = 0; cell < kManyCells; ++cell)
        access(reader, cell * 8, 8, AccessKind::Read,
               u32(1 + cell)); // sites of its own: no two cells share a set
      fasttrack::join(state_[kWriter], reader.C);
      fasttrack::tick(reader);
    }
    for (u64 cell = 0; cell < kManyCells; ++cell) {
      const u64 r = cell_of(base() + cell * 8)->R;
      opened += is_set(epoch_bits(r)) && looks_open(epoch_bits(r));
    }
  };
  auto judge = [&] {
    for (auto& readers : met) missed += readers.exchange(0) != (1u << kReaders) - 1;
  };
  Meeting begin(kReaders + 1), end(kReaders + 1);
  constexpr int kRounds = 500;
  property::in_threads(kReaders + 1, [&](u32 i) {
    Teller teller = {met, i};
    for (int round = 0; round < kRounds; ++round) {
      begin.wait(prepare);
      for (u64 cell = 0; cell < kManyCells; ++cell)
        fasttrack::access(state_[i], base() + cell * 8, 8,
                          i == kWriter ? AccessKind::Write : AccessKind::Read, 9 + i, tell, &teller);
      end.wait(judge);
    }
  });
  EXPECT_EQ(seen_.total(), 0u);
  EXPECT_EQ(missed, 0u);
  EXPECT_GT(opened, kManyCells * kRounds / 2);
}

TEST_F(Cells, RacingPair_IsAlwaysFoundByOneOfThem) { race_over_cells(seen_, state_, 2, 3000); }
TEST_F(Cells, RacingPairBetweenBusyNeighbours_IsAlwaysFoundByOneOfThem) {
  race_over_cells(seen_, state_, 4, 700);
}

} // namespace
} // namespace footrace::property
