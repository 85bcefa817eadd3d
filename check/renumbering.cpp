#include "check/renumbering.h"

#include "check/log.h"
#include "check/sweep.h"
#include "check/sync_rules.h"
#include "clocks/clock_rewriter.h"

namespace footrace {

namespace {

template <class Fn> void for_each_thread_state(const World& world, Fn fn) {
  world.threads(world.self, [](void* f, ThreadState& t) { (*static_cast<Fn*>(f))(t); }, &fn);
}
// fn(clock, whether it is C of a live thread)
template <class Fn> void for_each_clock(const World& world, Fn fn) {
  for_each_thread_state(world, [&fn](ThreadState& t) {
    fn(t.C, true);
    if (!t.release_fence.empty()) fn(t.release_fence, false);
    if (!t.acquire_fence.empty()) fn(t.acquire_fence, false);
  });
  world.clocks(
      world.self,
      [](void* f, Clock& clock) {
        if (!clock.empty()) (*static_cast<Fn*>(f))(clock, false);
      },
      &fn);
}

void sweep_through(const World& world, const EpochVisitor& visitor) {
  Sweep sweep(&visitor);
  for_each_thread_state(world, [&sweep](ThreadState& t) { sweep.visit(t); });
  world.memory(
      world.self, [](void* s, uptr begin, uptr end) { static_cast<Sweep*>(s)->visit_memory(begin, end); },
      &sweep);
  sweep.finish();
}

void collect(EpochMap& map, const World& world) {
  for_each_thread_state(world, [&map](ThreadState& t) { map.hold_of_live_thread(t.covered, t.covered_end); });
  for_each_clock(world, [&map](Clock& clock, bool is_of_live_thread) {
    if (!is_of_live_thread) map.hold(clock);
  });
  const auto name = [](void* m, Epoch e) {
    if (e != kAncientEpoch) static_cast<EpochMap*>(m)->name(e);
    return e;
  };
  sweep_through(world, {name, &map});
}

void rewrite_clocks(const EpochMap& map, const World& world) {
  ClockRewriter rewriter(map);
  for_each_thread_state(world, [&](ThreadState& t) {
    rewriter.rewrite(t.C.tree);
    rewriter.rewrite(t.release_fence);
    rewriter.rewrite(t.acquire_fence);
    fasttrack::renumbered(t, map.last(t.tid()), map.first(t.tid(), t.first));
  });
  world.clocks(
      world.self, [](void* r, Clock& clock) { static_cast<ClockRewriter*>(r)->rewrite(clock); }, &rewriter);
}

void rewrite_words(EpochMap& map, const World& world) {
  sweep_through(world, {[](void* m, Epoch e) { return static_cast<EpochMap*>(m)->epoch(e); }, &map});
  for_each_logged_epoch([&map](Epoch& e) { e = map.logged_epoch(e); });
  if (!world.epochs) return;
  world.epochs(world.self, [](void* m, Epoch& e) { e = static_cast<EpochMap*>(m)->epoch(e); }, &map);
}

} // namespace

void renumber(EpochMap& map, const World& world, u32 wanted, u32 least) {
  collect(map, world);
  map.make_classes();
  while (map.open_round(wanted)) {
    for_each_clock(world,
                   [&map](Clock& clock, bool is_of_live_thread) { map.check(clock, is_of_live_thread); });
    map.close_round();
  }
  map.assign(least);
  rewrite_clocks(map, world);
  rewrite_words(map, world);
}

} // namespace footrace
