#include "tests/property/generator.h"

#include "detectors/oracle/oracle.h"
#include "events/feasibility.h"
#include "tests/property/random.h"

#include <utility>

namespace footrace::property {
namespace {

enum Draw : u32 {
  kReadDraw,
  kWriteDraw,
  kLockDraw,
  kSharedLockDraw,
  kVolatileDraw,
  kAtomicDraw,
  kFenceDraw,
  kBarrierDraw,
  kForkDraw,
  kExitDraw,
  kJoinDraw,
  kAllocDraw,
  kFreeDraw,
  kDraws
};

struct Profile {
  u32 weight[kDraws] = {};
  u32 total = 0;
  u32 length = 0;
  u32 roots = 1, most_threads = 2;
  bool sparse_threads = false; // numbers far apart, to reach high tids
  u32 locks = 1, volatiles = 1, barriers = 1;
  u32 area = 8;         // bytes in which most accesses start
  double stretches = 0; // chance that an access is to whole aligned stretches
  double rows = 0;      // chance that an access is to the same bytes of several granules, one after the other
  u32 sites = 1;
  double tolerance = 1;  // of racing accesses
  u32 tolerant_from = 0; // event from which every race is welcome
};

Profile random_profile(Random& random) {
  Profile p;
  const bool crowd = random.chance(0.004);
  p.length = crowd                ? u32(random.between(200, 700))
             : random.chance(0.1) ? u32(random.between(120, 300))
                                  : u32(random.between(8, 90));
  p.most_threads = crowd ? u32(random.between(40, 200))
                         : u32(random.chance(0.7) ? random.between(2, 4) : random.between(5, 12));
  p.roots = random.chance(0.25) ? u32(random.between(2, min(p.most_threads, 12u))) : 1;
  p.sparse_threads = random.chance(0.2);
  p.locks = u32(random.between(1, 3)), p.volatiles = u32(random.between(1, 2)),
  p.barriers = u32(random.between(1, 2));
  p.area = random.one_of({1u, 8u, 8u, 16u, 16u, 64u, 64u});
  p.sites = random.one_of({1u, 2u, 6u});
  p.stretches = random.chance(0.25) ? 0.3 : 0;
  p.rows = random.chance(0.1) ? 0.3 : 0;
  p.tolerance = random.one_of({0.0, 0.0, 0.01, 0.1, 1.0});
  p.tolerant_from = random.chance(0.5) ? p.length * 3 / 4 : p.length;

  u32* w = p.weight;
  w[kReadDraw] = u32(random.between(5, 40)), w[kWriteDraw] = u32(random.between(2, 30));
  if (random.chance(0.2)) w[kReadDraw] *= 4; // read-shared data
  // One kind of synchronisation dominates; the others are there or not.
  for (u32 draw : {kLockDraw, kSharedLockDraw, kVolatileDraw, kAtomicDraw, kFenceDraw, kBarrierDraw})
    w[draw] = random.chance(0.3) ? u32(random.between(1, 8)) : 0;
  switch (random.below(5)) {
  case 0:
    w[kLockDraw] += 40;
    break;
  case 1:
    w[kSharedLockDraw] += 40;
    break;
  case 2:
    w[kVolatileDraw] += 25;
    break;
  case 3:
    w[kAtomicDraw] += 50, w[kFenceDraw] += random.chance(0.5) ? 25 : 0;
    break;
  case 4:
    w[kBarrierDraw] += 12;
    break;
  }
  w[kForkDraw] = crowd ? 60 : 12;
  if (random.chance(0.5)) w[kExitDraw] = u32(random.between(1, 8)), w[kJoinDraw] = u32(random.between(2, 10));
  if (random.chance(0.3)) w[kAllocDraw] = u32(random.between(1, 5)), w[kFreeDraw] = u32(random.between(1, 5));
  if (random.chance(0.1)) { // short lives: tids are used again and again
    w[kForkDraw] = 30, w[kExitDraw] = 20, w[kJoinDraw] = 30;
    p.roots = 1, p.most_threads = u32(random.between(2, 5));
  }
  if (random.chance(0.05)) { // many concurrent readers, and writers that have seen most of them
    w[kReadDraw] = 100, w[kWriteDraw] = 5, w[kForkDraw] = 30;
    p.most_threads = u32(random.between(6, 16)), p.length = u32(random.between(60, 150));
    p.area = 8, p.tolerance = 0, p.tolerant_from = p.length;
  }
  for (u32 i = 0; i < kDraws; ++i) p.total += w[i];
  return p;
}

class Generator {
public:
  explicit Generator(u64 seed) : random_(seed), profile_(random_profile(random_)) {
    for (u32 i = 0; i < profile_.roots; ++i) add_thread();
    for (u32 i = 0, n = u32(random_.between(1, 3)); i < n; ++i) {
      u64 size = random_.one_of<u64>({1, 2, 4, 4, 8, 8, 16});
      // Among the plain data, where they collide, or apart.
      u64 place = random_.chance(0.4) ? random_.below(max(profile_.area, 16u)) : 256 + random_.below(64);
      atomics_.push_back({round_down(place, size), size});
    }
  }

  std::vector<Event> run() {
    // Some draws give nothing (no lock to release, a race not wanted): bounded, so that it always ends.
    for (u32 tries = 0; trace_.size() < profile_.length && tries < profile_.length * 8; ++tries) step();
    return std::move(trace_);
  }

private:
  enum class Phase : u8 { Free, MustArrive, Waiting };
  struct SimThread {
    u32 number;
    std::vector<u64> locks, shared_locks; // held
    Phase phase = Phase::Free;
    u32 barrier = 0;
    u64 generation = 0;
  };
  struct SimBarrier {
    u64 generation = 0;
    u32 missing = 0; // arrivals of the current generation; nobody leaves before it is 0
  };
  struct AtomicObject {
    u64 address, size;
  };

  u32 new_number() {
    const bool far = profile_.sparse_threads && next_number_ < kMaxThread / 2;
    return std::exchange(
        next_number_, next_number_ + (far ? u32(random_.between(1, random_.one_of<u64>({3, 40, 2000}))) : 1));
  }
  void add_thread() { threads_.push_back({new_number(), {}, {}}); }

  // Appends the event if it can happen.
  bool emit(const Event& e) {
    if (!feasible_.why_not(e).empty()) return false;
    feasible_.append(e);
    oracle_.append(e);
    trace_.push_back(e);
    return true;
  }
  static Event sync(const SimThread& t, EventKind kind, u64 target, u64 extent = 0) {
    return {.kind = kind,
            .order = MemoryOrder::Relaxed,
            .thread = t.number,
            .site = 0,
            .target = target,
            .extent = extent};
  }

  // An access, unless it would be a race that the profile does not want.
  bool emit_access(Event e) {
    e.site = u32(random_.between(1, profile_.sites));
    bool welcome = trace_.size() >= profile_.tolerant_from || random_.chance(profile_.tolerance);
    if (!welcome && oracle_.may_race(e)) return false;
    return emit(e);
  }

  Event ranged(const SimThread& t, EventKind kind) {
    u64 size = random_.one_of<u64>({1, 1, 1, 2, 2, 4, 4, 4, 8, 8, 8, 16, random_.between(3, 24)});
    u64 address = random_.below(profile_.area);
    if (random_.chance(0.7) && (size & (size - 1)) == 0) address = round_down(address, size);
    if (random_.chance(0.02)) size = random_.between(17, 200), address = random_.below(profile_.area);
    if (random_.chance(profile_.stretches))
      size = kStretch * random_.between(1, 2), address = kStretch * random_.below(3);
    return sync(t, kind, address, size);
  }

  void emit_accesses(const SimThread& t, EventKind kind) {
    if (!random_.chance(profile_.rows)) {
      emit_access(ranged(t, kind));
      return;
    }
    const u64 begin = 4 * random_.below(4), granules = random_.between(3, 8);
    for (u64 byte = random_.below(2), end = random_.between(1, 4); byte < end; ++byte)
      for (u64 i = 0; i < granules; ++i) emit_access(sync(t, kind, begin + 4 * i + byte, 1));
  }

  void step() {
    SimThread& t = random_.pick(threads_);
    if (t.phase == Phase::Waiting) {
      if (barriers_[t.barrier].missing == 0 || barriers_[t.barrier].generation != t.generation)
        if (emit(sync(t, EventKind::BarrierLeave, t.barrier, t.generation))) t.phase = Phase::Free;
      return;
    }
    if (t.phase == Phase::MustArrive && random_.chance(0.5)) {
      if (!emit(sync(t, EventKind::BarrierArrive, t.barrier, t.generation))) return;
      t.phase = Phase::Waiting;
      --barriers_[t.barrier].missing;
      return;
    }
    u64 at = random_.below(profile_.total);
    u32 draw = 0;
    while (at >= profile_.weight[draw]) at -= profile_.weight[draw++];
    perform(t, Draw(draw));
  }

  void perform(SimThread& t, Draw draw) {
    switch (draw) {
    case kReadDraw:
      emit_accesses(t, EventKind::Read);
      break;
    case kWriteDraw:
      emit_accesses(t, EventKind::Write);
      break;
    case kFreeDraw:
      emit_access(ranged(t, EventKind::Free));
      break;
    case kAllocDraw:
      emit(ranged(t, EventKind::Alloc));
      break;
    case kLockDraw:
      lock(t, t.locks, EventKind::Acquire, EventKind::Release);
      break;
    case kSharedLockDraw:
      if (random_.chance(0.3))
        lock(t, t.locks, EventKind::Acquire, EventKind::Release);
      else
        lock(t, t.shared_locks, EventKind::AcquireShared, EventKind::ReleaseShared);
      break;
    case kVolatileDraw:
      emit(sync(t, random_.chance(0.5) ? EventKind::VolatileRead : EventKind::VolatileWrite,
                random_.below(profile_.volatiles)));
      break;
    case kAtomicDraw:
      atomic(t);
      break;
    case kFenceDraw: {
      Event e = sync(t, EventKind::Fence, 0);
      e.order = MemoryOrder(random_.below(6));
      emit(e);
      break;
    }
    case kBarrierDraw:
      open_barrier();
      break;
    case kForkDraw:
      if (threads_.size() < profile_.most_threads) {
        SimThread child{new_number(), {}, {}};
        if (emit(sync(t, EventKind::Fork, child.number))) threads_.push_back(std::move(child)); // moves t
      }
      break;
    case kExitDraw:
      if (t.phase == Phase::Free && threads_.size() > 1 && emit(sync(t, EventKind::Exit, 0))) {
        ended_.push_back(t.number);
        threads_.erase(threads_.begin() + (&t - threads_.data()));
      }
      break;
    case kJoinDraw:
      if (!ended_.empty()) emit(sync(t, EventKind::Join, random_.pick(ended_)));
      break;
    case kDraws:
      break;
    }
  }

  void lock(SimThread& t, std::vector<u64>& held, EventKind acquire, EventKind release) {
    if (!held.empty() && random_.chance(0.6)) {
      size_t which = random_.below(held.size());
      if (emit(sync(t, release, held[which]))) held.erase(held.begin() + which);
    } else if (u64 which = random_.below(profile_.locks); emit(sync(t, acquire, which))) {
      held.push_back(which);
    }
  }

  void atomic(SimThread& t) {
    const AtomicObject& object = random_.pick(atomics_);
    Event e = sync(t,
                   random_.one_of({EventKind::AtomicLoad, EventKind::AtomicLoad, EventKind::AtomicStore,
                                   EventKind::AtomicRmw, EventKind::AtomicRmw, EventKind::AtomicCasFail}),
                   object.address, object.size);
    e.order = MemoryOrder(random_.below(6));
    emit_access(e); // orders that the operation cannot have are refused as infeasible
  }

  // A random part of the free threads will meet at a barrier whose earlier generation is complete.
  void open_barrier() {
    u32 which = u32(random_.below(profile_.barriers));
    SimBarrier& barrier = barriers_[which];
    if (barrier.missing) return;
    std::vector<SimThread*> parties;
    for (SimThread& t : threads_)
      if (t.phase == Phase::Free && random_.chance(0.7)) parties.push_back(&t);
    if (parties.size() < 2) return;
    ++barrier.generation;
    barrier.missing = u32(parties.size());
    for (SimThread* t : parties)
      t->phase = Phase::MustArrive, t->barrier = which, t->generation = barrier.generation;
  }

  Random random_;
  Profile profile_;
  Feasibility feasible_;
  oracle::Oracle oracle_{oracle::Report::FirstPerByte};
  std::vector<SimThread> threads_;
  std::vector<u32> ended_;
  std::vector<AtomicObject> atomics_;
  SimBarrier barriers_[2];
  u32 next_number_ = 0;
  std::vector<Event> trace_;
};

} // namespace

std::vector<Event> random_trace(u64 seed) { return Generator(seed).run(); }

} // namespace footrace::property
