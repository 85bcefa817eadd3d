// The cells' protocol under real threads: no update is lost, nothing is invented, nobody waits for ever.
// What is ordered is ordered by construction of the thread states; the OS threads themselves run as they
// like.
#include "check/bytes.h"
#include "check/fresh_memory.h"
#include "check/quick.h"
#include "check/sync_rules.h"
#include "tests/property/random.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <latch>
#include <memory>
#include <mutex>
#include <thread>
#include <vector>

namespace footrace::property {
namespace {

using fasttrack::Conflict;

constexpr u32 kThreads = 4, kCells = 4;
constexpr u64 kBytes = kCells * 8;
constexpr AccessKind kAllKinds[] = {AccessKind::Read, AccessKind::Write, AccessKind::AtomicRead,
                                    AccessKind::AtomicWrite};

alignas(64) char g_memory[256 * 8]; // most tests crowd into the first cells
constexpr u64 kManyCells = sizeof g_memory / 8;
uptr base() { return reinterpret_cast<uptr>(g_memory); }

// Conflicts seen by all threads, per byte.
struct Seen {
  using Count = std::atomic<u32>;
  Count bytes[sizeof g_memory] = {};

  static void collect(void* self, const Conflict& c) {
    for (u32 i = 0; i < c.size; ++i) ++static_cast<Seen*>(self)->bytes[c.address - base() + i];
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

// Three accesses of four as the entry points make them: by the steps that need no call, and by the general one if those leave something.
void make_access(ThreadState& t, uptr address, u64 size, AccessKind kind, fasttrack::ConflictSink sink,
                 void* context) {
  static thread_local u32 accesses;
  Frame frame = {};
  frame.node = 1; // its callers are known
  static thread_local fasttrack::ConflictSink own_sink;
  static thread_local void* own_context;
  own_sink = sink, own_context = context;
  t.tell_late_write = [](ThreadState& state, uptr at, u32 bytes, Word before) {
    fasttrack::Found found(state, own_sink, own_context);
    fasttrack::tell_write(state, at, bytes, before, found);
  };
  if (++accesses % 4 && !is_atomic(kind) && size <= 8) {
    const bool is_done = kind == AccessKind::Write
                             ? fasttrack::quick_access<true>(t, &frame, address, size, 0)
                             : fasttrack::quick_access<false>(t, &frame, address, size, 0);
    if (t.waiting.used) {
      fasttrack::Found found(t, sink, context);
      fasttrack::settle_bytes(t, found);
    }
    if (is_done) return;
  }
  if (accesses % 2 && kind == AccessKind::AtomicRead &&
      fasttrack::quick_atomic_read(t, &frame, address, size, 0))
    return;
  if (accesses % 2 && kind == AccessKind::AtomicWrite) {
    fasttrack::Found found(t, sink, context);
    if (fasttrack::quick_atomic_write(t, &frame, address, size, 0, found)) return;
  }
  log_access(t, &frame, address, size, kind, 0);
  fasttrack::access(t, address, size, kind, sink, context);
}

void forget_all() { fasttrack::forget(nullptr, base(), sizeof g_memory); }

class Cells : public testing::Test {
protected:
  void SetUp() override {
    const char* failure = reserve_shadow();
    ASSERT_EQ(failure, nullptr) << failure;
    limit_logs(0, 0); // that something was logged is all that the rules ask
    for (u32 i = 0; i < kThreads; ++i) {
      fasttrack::initial(state_[i], i + 1, 1);
      state_[i].log.place_now = [](ThreadState&, Frame*) { return PlaceNow(); };
    }
  }
  void TearDown() override { forget_all(); }

  void access(ThreadState& t, u64 offset, u64 size, AccessKind kind) {
    make_access(t, base() + offset, size, kind, Seen::collect, &seen_);
  }
  template <class Body> void in_threads(Body body) { property::in_threads(kThreads, body); }

  ThreadState (&state_)[kThreads] = *states();
  Seen seen_;

private:
  // Zero memory, and too much of it for the stack.
  static ThreadState (*states()) [kThreads] {
    static ThreadState all[kThreads];
    return &all;
  }
};

// A thread that comes when the others are done.
std::unique_ptr<ThreadState> stranger(Tid tid = 99) {
  auto state = std::make_unique<ThreadState>();
  state->log.place_now = [](ThreadState&, Frame*) { return PlaceNow(); };
  fasttrack::initial(*state, tid, 1);
  return state;
}

constexpr int kSteps = 200000;

TEST_F(Cells, ThreadsOnTheirOwnBytes_NeverConflict) {
  in_threads([&](u32 i) {
    Random random(i);
    for (int step = 0; step < kSteps; ++step) {
      // Two bytes of every cell belong to each thread.
      u64 first = random.below(2), size = random.between(1, 2 - first);
      access(state_[i], random.below(kCells) * 8 + i * 2 + first, size, random.pick(kAllKinds));
      if (random.chance(0.1)) fasttrack::tick(state_[i]);
    }
  });
  EXPECT_EQ(seen_.total(), 0u);
}

TEST_F(Cells, NeighboursOfBytesThatThreadsOwn_AreNotLost) {
  in_threads([&](u32 i) {
    Random random(i + 100);
    for (u32 cell = 0; cell < kCells; ++cell) access(state_[i], cell * 8 + i * 2, 2, AccessKind::Write);
    for (int step = 0; step < kSteps; ++step) {
      access(state_[i], random.below(kCells) * 8 + i * 2, 2, random.pick(kAllKinds));
      if (random.chance(0.3)) fasttrack::tick(state_[i]);
    }
  });
  ASSERT_EQ(seen_.total(), 0u);
  // Whatever the cells have become, every byte still remembers its owner.
  access(*stranger(), 0, kBytes, AccessKind::Write);
  for (u64 byte = 0; byte < kBytes; ++byte) EXPECT_GE(seen_.bytes[byte], 1u) << byte;
}

TEST_F(Cells, ReadSharedData_NeverConflicts) {
  auto creator = stranger(50);
  access(*creator, 0, kBytes, AccessKind::Write);
  for (ThreadState& t : state_) fasttrack::fork(*creator, t);
  in_threads([&](u32 i) {
    Random random(i + 200);
    for (int step = 0; step < kSteps; ++step) {
      u64 offset = random.below(kBytes), size = random.between(1, min<u64>(16, kBytes - offset));
      access(state_[i], offset, size, random.chance(0.8) ? AccessKind::Read : AccessKind::AtomicRead);
      if (random.chance(0.2)) fasttrack::tick(state_[i]);
    }
    // Its last epoch has read everything, so that the writer below must meet it.
    access(state_[i], 0, kBytes, AccessKind::Read);
  });
  EXPECT_EQ(seen_.total(), 0u);
  auto writer = stranger(51);
  for (u32 i = 0; i + 1 < kThreads; ++i) fasttrack::join(*writer, state_[i].C);
  access(*writer, 0, kBytes, AccessKind::Write); // one reader was not joined
  for (u64 byte = 0; byte < kBytes; ++byte) EXPECT_GE(seen_.bytes[byte], 1u) << byte;
}

TEST_F(Cells, AtomicAccesses_NeverConflictWithEachOther) {
  in_threads([&](u32 i) {
    Random random(i + 300);
    for (int step = 0; step < kSteps; ++step) {
      u64 size = random.one_of<u64>({1, 2, 4, 8, 16}), offset = round_down(random.below(kBytes - 15), size);
      access(state_[i], offset, size, random.chance(0.5) ? AccessKind::AtomicRead : AccessKind::AtomicWrite);
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
        access(state_[i], random.below(kCells) * 8 + kFirst[part], kSize[part], random.pick(kAllKinds));
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
      if (i == 0) fasttrack::forget(&state_[0], base() + offset, 2);
      access(state_[i], offset, 2, random.pick(kAllKinds));
      if (random.chance(0.2)) fasttrack::tick(state_[i]);
    }
    for (u32 cell = 0; cell < kCells; ++cell) access(state_[i], cell * 8 + i * 2, 2, AccessKind::Write);
  });
  EXPECT_EQ(seen_.total(), 0u);
  access(*stranger(), 0, kBytes, AccessKind::Read);
  for (u64 byte = 0; byte < kBytes; ++byte) EXPECT_GE(seen_.bytes[byte], 1u) << byte;
}

// A block is freed and handed out again while others still use it: the verdicts are then anybody's guess, but nobody hangs, and what was accessed
// last is known.
TEST_F(Cells, ForgettingCellsUnderAccess_LeavesThemSound) {
  std::atomic<u32> working = kThreads - 1;
  in_threads([&](u32 i) {
    Random random(i + 700);
    // One cell, which is now empty, now an epoch, now a set or bytes.
    while (i == 0 && working) fasttrack::forget(&state_[0], base(), 8);
    for (int step = 0; i && step < kSteps; ++step) {
      const u64 size = random.one_of<u64>({2, 4, 8});
      access(state_[i], round_down(random.below(8), size), size, random.pick(kAllKinds));
      if (random.chance(0.3)) fasttrack::tick(state_[i]);
    }
    if (i) --working;
  });
  forget_all();
  for (Seen::Count& byte : seen_.bytes) byte = 0;
  access(state_[1], 0, 8, AccessKind::Write);
  EXPECT_EQ(seen_.total(), 0u);
  access(state_[2], 0, 8, AccessKind::Read);
  for (u64 byte = 0; byte < 8; ++byte) EXPECT_EQ(seen_.bytes[byte], 1u);
}

// Bytes come apart and go together all the time, and each thread finds the words that others make at the same time.
TEST_F(Cells, WordsOfBytes_AreCompleteWhenTheyAreFound) {
  constexpr int kRounds = 300;
  const auto made = [&] {
    u64 sum = 0;
    for (const ThreadState& t : state_) sum += t.transition_count[u32(Transition::bytes_made)];
    return sum;
  };
  const u64 before = made();
  u32 wrong = 0;
  Meeting begin(kThreads), end(kThreads);
  in_threads([&](u32 i) {
    Random random(i + 900);
    for (int round = 0; round < kRounds; ++round) {
      begin.wait(forget_all);
      // Each thread has a byte of each granule: the words of two are made by whoever comes second.
      for (u64 n = 0, first = random.below(sizeof g_memory / 4); n < sizeof g_memory / 4; ++n)
        access(state_[i], (first + n) % (sizeof g_memory / 4) * 4 + i, 1, AccessKind::Write);
      end.wait([&] {
        for (u64 at = 0; at < sizeof g_memory; ++at)
          wrong += fasttrack::word_of_byte(Word(*granule_unit(base() + at).R), at % 4) !=
                       Word(state_[at % 4].epoch) ||
                   fasttrack::word_of_byte(Word(*granule_unit(base() + at).W), at % 4) !=
                       Word(state_[at % 4].epoch);
      });
      fasttrack::tick(state_[i]);
    }
  });
  EXPECT_EQ(seen_.total(), 0u);
  EXPECT_EQ(wrong, 0u);
  // As many as there are sets of threads that have come, and not one for each granule; some are made by several threads at the same time.
  EXPECT_LE(made() - before, u64(kRounds) * 64);
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
    forget_all();
  };
  in_threads(threads, [&](u32 i) {
    Random random(i + 600);
    auto check = [&](u64 offset, AccessKind kind) {
      make_access(state[i], base() + offset, 1, kind, Seen::collect, &seen);
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

// Readers come again to sets that are their cell's own, and move on in place, while a third thread writes, plainly or atomically: the writer meets each of them, or they
// meet the write.
TEST_F(Cells, WriterAmongReadersThatMoveOn_MissesNone) {
  constexpr u32 kReaders = 2, kWriter = kReaders;
  struct Teller {
    std::atomic<u32>* met; // per cell: the readers of pairs that were told
    u32 reader;            // kWriter: not one of them
  };
  auto tell = [](void* self, const Conflict& c) {
    const Teller& by = *static_cast<Teller*>(self);
    const u32 reader = by.reader == kWriter ? tid_of(c.previous) - 1 : by.reader;
    by.met[(c.address - base()) / 8] |= 1u << reader;
  };
  std::atomic<u32> met[kManyCells] = {};
  u32 missed = 0, own = 0;
  // Alone: both have read every cell in two epochs that the writer knows of.
  auto prepare = [&] {
    forget_all();
    for (u32 i = 0; i <= kReaders; ++i) fasttrack::initial(state_[i], i + 1, 1);
    for (u32 k = 0; k < 2 * kReaders; ++k) {
      ThreadState& reader = state_[k % kReaders];
      for (u64 cell = 0; cell < kManyCells; ++cell) {
        access(reader, cell * 8, 8, AccessKind::Read);
        fasttrack::tick(reader); // no two cells share a set
      }
      fasttrack::join(state_[kWriter], reader.C);
      fasttrack::tick(reader);
    }
    for (u64 cell = 0; cell < kManyCells; ++cell) {
      const Word r = low_word(*cell_unit(base() + cell * 8).R);
      own += r.is_set() && r.kind() == Reference::CellSet;
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
        make_access(state_[i], base() + cell * 8, 8,
                    i != kWriter ? AccessKind::Read
                    : round % 2  ? AccessKind::AtomicWrite
                                 : AccessKind::Write,
                    tell, &teller);
      end.wait(judge);
    }
  });
  EXPECT_EQ(seen_.total(), 0u);
  EXPECT_EQ(missed, 0u);
  EXPECT_EQ(own, kManyCells * kRounds);
}

// A thread that has read in this epoch writes: R stays as it is. A reader that comes at the same time meets the write, or is met.
TEST_F(Cells, WriteBehindAReadOfItsEpoch_IsNotMissed) {
  std::atomic<u32> told[sizeof g_memory] = {};
  u32 missed = 0;
  auto tell = [](void* self, const Conflict& c) {
    for (u32 i = 0; i < c.size; ++i) ++static_cast<std::atomic<u32>*>(self)[c.address - base() + i];
  };
  Meeting begin(2), end(2);
  constexpr u64 kSizes[] = {1, 4, 8};
  u64 sizes[2] = {};
  int round_of_all = 0;
  auto prepare = [&] {
    forget_all();
    for (u32 i = 0; i < 2; ++i) fasttrack::initial(state_[i], i + 1, 1);
    sizes[0] = kSizes[round_of_all % 3], sizes[1] = kSizes[round_of_all / 3 % 3];
    ++round_of_all;
    access(state_[0], 0, sizeof g_memory, AccessKind::Read);
  };
  auto judge = [&] {
    const u64 both = std::min(sizes[0], sizes[1]);
    for (u64 byte = 0; byte < sizeof g_memory; ++byte) missed += !told[byte].exchange(0) && byte % 8 < both;
  };
  property::in_threads(2, [&](u32 i) {
    for (int round = 0; round < 3000; ++round) {
      begin.wait(prepare);
      for (u64 cell = 0; cell < kManyCells; ++cell)
        make_access(state_[i], base() + cell * 8, sizes[i], i ? AccessKind::Read : AccessKind::Write, tell,
                    told);
      end.wait(judge);
    }
  });
  EXPECT_EQ(missed, 0u);
}

// Threads read the same cells by bytes, granules and cells, some for the first time, some again and again, so that sets are made, move on in place, grow,
// go apart with the halves of their cell, and are replaced by a reader that is ordered after all of them. Afterwards every byte must name the last
// read of each. One of the readers is not ordered after the first write: it must have met that at every byte it has read.
class ReadersOfEverySize {
public:
  static constexpr u32 kReaders = 3, kOldReaders = 9, kRounds = 400;

  ReadersOfEverySize() {
    for (u32 i = 0; i < kReaders + kOldReaders + 1; ++i) state_.push_back(stranger(i + 1));
  }
  void run() {
    Meeting begin(kReaders), end(kReaders);
    in_threads(kReaders, [&](u32 i) {
      Random random(i + 1000);
      for (u32 round = 0; round < kRounds; ++round) {
        begin.wait([&] { prepare(round); });
        read_all(i, random);
        end.wait([&] { judge(); });
      }
    });
    EXPECT_EQ(lost_reads_, 0u);
    EXPECT_EQ(missed_writes_, 0u);
    EXPECT_EQ(invented_, 0u);
  }

private:
  static constexpr u32 kOutsider = 0; // not ordered after the write
  ThreadState& reader(u32 i) { return *state_[i]; }
  ThreadState& old_reader(u32 i) { return *state_[kReaders + i]; }
  ThreadState& writer() { return *state_.back(); }

  static void ignore(void*, const Conflict&) {}
  void prepare(u32 round) {
    Random random(round);
    forget_all();
    for (u32 i = 0; i < state_.size(); ++i) fasttrack::initial(*state_[i], i + 1, 1);
    make_access(writer(), base(), sizeof g_memory, AccessKind::Write, ignore, nullptr);
    for (auto& t : state_)
      if (t != state_.back() && t != state_[kOutsider]) fasttrack::join(*t, writer().C);
    fasttrack::tick(writer());
    const u64 old_readers = random.below(kOldReaders + 1);
    const bool own_sets = random.chance(0.7);
    for (u32 i = 0; i < kReaders + old_readers; ++i) {
      if (i == kOutsider || (i < kReaders && random.chance(0.3))) continue;
      const u64 size = random.one_of<u64>({4, 8, 8, 8});
      for (u64 at = 0; at < sizeof g_memory; at += 8) {
        make_access(*state_[i], base() + at, size, AccessKind::Read, ignore, nullptr);
        if (own_sets) fasttrack::tick(*state_[i]);
      }
    }
    for (u32 i = 0; i < state_.size() - 1; ++i) fasttrack::tick(*state_[i]);
    for (u32 i = 1; i < kReaders; ++i) // its reads stand for all that came before
      if (random.chance(0.3))
        for (u32 k = 1; k < state_.size() - 1; ++k)
          if (k != i) fasttrack::join(reader(i), state_[k]->C), fasttrack::tick(*state_[k]);
  }

  void read_all(u32 i, Random& random) {
    ThreadState& t = reader(i);
    const u64 usual = random.one_of<u64>({1, 2, 4, 8, 8, 8});
    const double strays = random.one_of({0.0, 0.2});
    auto& last = last_[i];
    std::fill(last.begin(), last.end(), kNoEpoch);
    std::fill(met_write_[i].begin(), met_write_[i].end(), false);
    for (u64 cell = 0; cell < kManyCells; ++cell)
      for (u32 times = 1 + u32(random.chance(0.2)); times--;) {
        const u64 size = random.chance(strays) ? random.one_of<u64>({1, 2, 4, 8}) : usual;
        const u64 at = cell * 8 + round_down(random.below(8), size);
        auto meet = [](void* self, const Conflict& c) {
          for (u32 k = 0; k < c.size; ++k) static_cast<char*>(self)[c.address - base() + k] = true;
        };
        make_access(t, base() + at, size, AccessKind::Read, meet, met_write_[i].data());
        for (u64 k = 0; k < size; ++k) last[at + k] = t.epoch;
        if (random.chance(0.1)) fasttrack::tick(t);
      }
  }

  void judge() {
    struct Last {
      ReadersOfEverySize* self;
      std::vector<std::vector<Epoch>> of; // by byte
    } told = {this, std::vector<std::vector<Epoch>>(sizeof g_memory)};
    auto collect = [](void* self, const Conflict& c) {
      for (u32 k = 0; k < c.size; ++k)
        static_cast<Last*>(self)->of[c.address - base() + k].push_back(c.previous);
    };
    auto last_writer = stranger(99);
    for (u64 at = 0; at < sizeof g_memory; at += 8)
      make_access(*last_writer, base() + at, 8, AccessKind::Write, collect, &told);
    for (u64 byte = 0; byte < sizeof g_memory; ++byte) {
      for (u32 i = 0; i < kReaders; ++i) {
        const Epoch last = last_[i][byte];
        if (!last) continue;
        const auto& of = told.of[byte];
        lost_reads_ += std::find(of.begin(), of.end(), last) == of.end() && !is_superseded(i, byte);
        missed_writes_ += i == kOutsider && !met_write_[i][byte];
      }
      for (u32 i = 0; i < kReaders; ++i) invented_ += i != kOutsider && met_write_[i][byte];
    }
  }
  // Its last read of the byte is ordered before another's.
  bool is_superseded(u32 i, u64 byte) {
    for (u32 k = 0; k < kReaders; ++k)
      if (k != i && last_[k][byte] && covers(reader(k), last_[i][byte])) return true;
    return false;
  }

  std::vector<std::unique_ptr<ThreadState>> state_;
  std::array<Epoch, sizeof g_memory> last_[kReaders] = {}; // by byte
  std::array<char, sizeof g_memory> met_write_[kReaders] = {};
  u64 lost_reads_ = 0, missed_writes_ = 0, invented_ = 0;
};

TEST_F(Cells, ReadersOfEverySize_AreAllRemembered) { ReadersOfEverySize().run(); }

TEST_F(Cells, RacingPair_IsAlwaysFoundByOneOfThem) { race_over_cells(seen_, state_, 2, 3000); }
TEST_F(Cells, RacingPairBetweenBusyNeighbours_IsAlwaysFoundByOneOfThem) {
  race_over_cells(seen_, state_, 4, 700);
}

} // namespace
} // namespace footrace::property
