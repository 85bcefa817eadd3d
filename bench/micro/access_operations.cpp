// The access rules (check/rules.h), called as the runtime's slow path calls them.
#include "bench/micro/operation.h"
#include "check/fresh_memory.h"
#include "check/ranges.h"
#include "check/sync_rules.h"

#include <cstdio>
#include <cstdlib>

namespace footrace::micro {
namespace {

constexpr u64 kBytes = 1 << 20;
alignas(4096) char g_memory[kBytes];
uptr base() { return reinterpret_cast<uptr>(g_memory); }

void unexpected(void*, const fasttrack::Conflict&) {
  std::fprintf(stderr, "footrace_micro: a race was found, and none of the operations has one\n");
  std::abort();
}

// Same-epoch test first, rules next: as checked_access() does it (runtime/access.cpp).
FR_INLINE void check(ThreadState& t, AccessKind kind, u64 size) {
  if (fasttrack::seen_in_this_epoch(t, base(), size, may_write(kind))) return;
  fasttrack::access(t, base(), size, kind, unexpected, nullptr);
}

// Two threads that know nothing of each other, and memory without a past.
struct Scene {
  NewThread t, u;
  Scene() {
    fasttrack::forget(nullptr, base(), kBytes);
    fasttrack::initial(t, 1, 1);
    fasttrack::initial(u, 2, 1);
  }
  u64 count(Rule rule) const { return t.rule_count[u32(rule)] + u.rule_count[u32(rule)]; }
  u64 all_rules() const {
    u64 sum = 0;
    for (u32 rule = 0; rule < kAccessRules; ++rule) sum += count(Rule(rule));
    return sum;
  }
};

// One access by a thread that has made the same one before in this epoch: no rule is applied but the first.
template <AccessKind kind, u64 size> struct SameEpoch : Scene {
  void once() { check(t, kind, size); }
  bool held(u64) const { return all_rules() == size / 8; }
};

// One access in a new epoch of the only thread.
template <AccessKind kind, u64 size> struct Exclusive : Scene {
  void once() {
    fasttrack::tick(t);
    check(t, kind, size);
  }
  bool held(u64 n) const {
    return count(may_write(kind) ? Rule::write_exclusive : Rule::read_exclusive) == n * (size / 8);
  }
};

// A second reader of a location that keeps a set of readers, in the epoch in which it is in the set.
struct ReadSharedSameEpoch : Scene {
  ReadSharedSameEpoch() { check(u, AccessKind::Read, 8); }
  void once() { check(t, AccessKind::Read, 8); }
  bool held(u64) const { return count(Rule::read_share) == 1 && all_rules() == 2; }
};

// A reader in a new epoch replaces its entry in the set.
struct ReadShared : Scene {
  ReadShared() {
    check(u, AccessKind::Read, 8);
    check(t, AccessKind::Read, 8);
  }
  void once() {
    fasttrack::tick(t);
    check(t, AccessKind::Read, 8);
  }
  bool held(u64 n) const { return count(Rule::read_shared) == n; }
};

// The life of a set: two concurrent reads make it, a write after both of them ends it. With the two
// hand-overs that this takes.
struct ReadShareWriteShared : Scene {
  Clock L;
  void hand_over(ThreadState& from, ThreadState& to) {
    fasttrack::release(from, L);
    fasttrack::acquire(to, L);
  }
  void once() {
    check(t, AccessKind::Read, 8);
    check(u, AccessKind::Read, 8);
    hand_over(u, t);
    check(t, AccessKind::Write, 8);
    hand_over(t, u);
  }
  bool held(u64 n) const { return count(Rule::read_share) == n && count(Rule::write_shared) == n; }
};

// malloc, a write of its first bytes, and free, of a block that goes round in one thread: in one epoch, or in a new one each time.
template <u64 size, bool new_epoch> struct BlockLife : Scene {
  BlockLife() {
    fasttrack::access(t, base() + 256, 8, AccessKind::AtomicWrite, unexpected, nullptr);
  } // a fine block
  void once() {
    if (new_epoch) fasttrack::tick(t);
    if (!fasttrack::is_all_ordered(t, base(), size)) fasttrack::forget_unordered(t, base(), size);
    check(t, AccessKind::Write, 16);
    if (fasttrack::has_written_cells(t, base(), size)) return;
    fasttrack::Found found(t, unexpected, nullptr);
    fasttrack::access_cells<true>(t, base(), base() + size, found);
  }
  bool held(u64 n) const {
    return fasttrack::has_written_cells(t, base(), size) &&
           count(Rule::write_exclusive) == (new_epoch ? n : 1) * (size / 8);
  }
};

// Two threads in turns take a lock, read and write what it protects, and give it back.
struct HandOver : Scene {
  Clock L;
  void turn(ThreadState& me) {
    fasttrack::acquire(me, L);
    check(me, AccessKind::Read, 8);
    check(me, AccessKind::Write, 8);
    fasttrack::release(me, L);
  }
  void once() { turn(t), turn(u); }
  bool held(u64 n) const {
    return count(Rule::read_exclusive) == 2 * n && count(Rule::write_exclusive) == 2 * n;
  }
};

} // namespace

void add_access_operations(Operations& table) {
  constexpr AccessKind kRead = AccessKind::Read, kWrite = AccessKind::Write;
  add<SameEpoch<kRead, 8>>(table, "read_same_epoch", 1000);
  add<SameEpoch<kWrite, 8>>(table, "write_same_epoch", 1000);
  add<Exclusive<kRead, 8>>(table, "read_exclusive", 1000);
  add<Exclusive<kWrite, 8>>(table, "write_exclusive", 1000);
  add<ReadSharedSameEpoch>(table, "read_shared_same_epoch", 1000);
  add<ReadShared>(table, "read_shared", 1000);
  add<ReadShareWriteShared>(table, "read_share_write_shared", 1000);
  add<HandOver>(table, "hand_over", 1000);
  add<BlockLife<64, false>>(table, "block_life_same_epoch/64", 1000);
  add<BlockLife<64, true>>(table, "block_life/64", 1000);
  add<SameEpoch<kRead, 64>>(table, "range_read_same_epoch/64", 100);
  add<SameEpoch<kRead, 4096>>(table, "range_read_same_epoch/4096", 10);
  add<SameEpoch<kRead, kBytes>>(table, "range_read_same_epoch/1048576", 1);
  add<Exclusive<kRead, 64>>(table, "range_read_exclusive/64", 100);
  add<Exclusive<kRead, 4096>>(table, "range_read_exclusive/4096", 10);
  add<Exclusive<kRead, kBytes>>(table, "range_read_exclusive/1048576", 1);
  add<Exclusive<kWrite, 64>>(table, "range_write_exclusive/64", 100);
  add<Exclusive<kWrite, 4096>>(table, "range_write_exclusive/4096", 10);
  add<Exclusive<kWrite, kBytes>>(table, "range_write_exclusive/1048576", 1);
}

} // namespace footrace::micro
