#include "tests/replay/small_traces.h"

#include "events/feasibility.h"
#include "tests/property/random.h"

namespace footrace::replay {
namespace {

using property::Random;

Event random_block(Random& random, u32 threads) {
  Event e;
  e.thread = u32(random.below(threads));
  e.kind = random.chance(0.6) ? EventKind::Begin : EventKind::End;
  return e;
}

Event random_event(Random& random, u32 threads, bool fine) {
  Event e;
  e.thread = u32(random.below(threads));
  const u64 lock = random.below(2);
  switch (random.below(fine ? 22 : 16)) {
  case 0:
  case 1:
  case 2:
  case 3:
    e.kind = EventKind::Read;
    break;
  case 4:
  case 5:
  case 6:
  case 7:
    e.kind = EventKind::Write;
    break;
  case 8:
  case 9:
  case 10:
    return e.kind = EventKind::Acquire, e.target = lock, e;
  case 11:
  case 12:
  case 13:
    return e.kind = EventKind::Release, e.target = lock, e;
  case 14:
    return e.kind = EventKind::Fork, e.target = random.below(threads), e;
  case 15:
    return e.kind = EventKind::Join, e.target = random.below(threads), e;
  case 16:
    return e.kind = random.chance(0.5) ? EventKind::AcquireShared : EventKind::ReleaseShared, e.target = lock,
           e;
  case 17:
    return e.kind = random.chance(0.5) ? EventKind::VolatileRead : EventKind::VolatileWrite, e.target = 0, e;
  case 18:
  case 19:
    e.kind = random.one_of(
        {EventKind::AtomicLoad, EventKind::AtomicStore, EventKind::AtomicRmw, EventKind::AtomicCasFail});
    e.order = random.chance(0.5) ? MemoryOrder::Relaxed : MemoryOrder::SeqCst;
    e.target = kAtomic, e.extent = 1;
    return e;
  case 20:
    return e.kind = random.chance(0.5) ? EventKind::BarrierArrive : EventKind::BarrierLeave,
           e.extent = random.below(2), e;
  default:
    e.kind = random.chance(0.5) ? EventKind::Alloc : EventKind::Free;
  }
  e.target = random.below(2), e.extent = fine && random.chance(0.3) ? 2 : 1;
  return e;
}

} // namespace

std::vector<Event> small_trace(u64 seed, Blocks blocks) {
  Random random(seed);
  const u32 threads = u32(random.between(2, 3));
  const u64 length = random.chance(0.1) ? 16 : random.between(4, 12);
  const bool fine = random.chance(0.5);
  std::vector<Event> trace;
  Feasibility feasible;
  for (u64 tries = 0; trace.size() < length && tries < 20 * length; ++tries) {
    Event e = random_event(random, threads, fine);
    if (blocks == Blocks::Some && random.chance(0.25)) e = random_block(random, threads);
    if (!feasible.why_not(e).empty()) continue;
    feasible.append(e);
    trace.push_back(e);
  }
  return trace;
}

} // namespace footrace::replay
