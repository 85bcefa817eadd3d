// Renumbering and sweeps never change a verdict: FastTrack with clocks of 4 bits and a few slots, swept and renumbered whenever it must be and at random moments
// besides, against vector clocks without bounds and the list of all accesses.
//
// A trace goes on after a race: the bytes begin a new life in both. The thread that is named must be one that races. Where a renumbering had to give up order
// between ended threads (EpochMap::is_lossy), races may be missed from there on; none may be invented.
#include "base/platform.h"
#include "check/arrays.h"
#include "check/fresh_memory.h"
#include "check/renumbering.h"
#include "check/step.h"
#include "check/sweep.h"
#include "check/sync_rules.h"
#include "tests/property/random.h"

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <vector>

namespace footrace::property {
namespace {

constexpr u32 kMemory = 128;
alignas(4096) char g_memory[4096];
uptr base() { return reinterpret_cast<uptr>(g_memory); }

// -- The reference

using Vector = std::vector<u32>; // by thread number
void join(Vector& a, const Vector& b) {
  if (a.size() < b.size()) a.resize(b.size());
  for (size_t i = 0; i < b.size(); ++i) a[i] = std::max(a[i], b[i]);
}
u32 at(const Vector& v, u32 i) { return i < v.size() ? v[i] : 0; }

struct MadeAccess {
  u32 thread, clock;
  AccessKind kind;
};

// A clock of both worlds.
struct Both {
  Clock fast;
  Vector exact;
  void clear() { fast.clear(), exact.clear(); }
};

struct SimThread {
  u32 number = 0;
  std::unique_ptr<ThreadState> state;
  Frame frame = {};
  Vector exact, release_fence, acquire_fence;
  void tick() { ++exact[number]; }
};

// -- Slots, as the runtime has them (runtime/thread_slots.h)

struct Record { // epochs from `first` on are this thread's
  u64 first;
  u32 number;
};
struct SimSlot {
  enum Use { Free, Live, Ended } use = Free;
  u64 final = 0;
  Tid predecessor = 0;
  std::vector<Record> records;
};

struct Options {
  u32 slots = kMaxTid;
  u32 sweeps = 100, renumberings = 100; // one in so many steps, besides those that must be
  bool check_identity = true;
};

struct Counts {
  u64 traces, steps, races, threads, renewals, renumberings, forced, lossy, sweeps, lossy_traces, missed,
      moved, freed, stuck;
};
Counts g;

class Trace {
public:
  Trace(u64 seed, const Options& options) : random_(seed), options_(options), slots_(kMaxTid + 1) {
    most_live_ = u32(random_.one_of<u64>({3, 5, 9, std::min<u64>(kMaxTid - 2, 24), kMaxTid}));
    locks_.resize(random_.between(1, 40));
    locations_.resize(random_.between(1, 6));
    sharing_ = double(random_.between(0, 10)) / 10;
    churn_ = random_.one_of<u32>({2, 10, 40});
    tolerance_ = random_.one_of({0.0, 0.02, 0.3});
    start(nullptr);
  }
  ~Trace() {
    for (auto& t : live_) log_finish(*t->state);
    fasttrack::forget(nullptr, base(), sizeof g_memory);
    sweep(nullptr);
  }

  // Empty: the worlds agree.
  std::string run(u32 steps) {
    for (u32 i = 0; i < steps && failure_.empty() && !is_over_; ++i, ++g.steps) step();
    g.lossy_traces += was_lossy_;
    return failure_;
  }

private:
  static PlaceNow nowhere(ThreadState&, Frame*) { return {}; }

  void step() {
    if (random_.below(options_.sweeps) == 0) sweep(nullptr), ++g.sweeps;
    if (random_.below(options_.renumberings) == 0)
      renumber_all(nullptr, u32(random_.one_of<u64>({0, kMaxTid / 2, kMaxTid})));
    SimThread& t = *random_.pick(live_);
    const u64 draw = random_.below(100 + 2 * churn_);
    if (draw < 50)
      access(t);
    else if (draw < 58)
      forget(t);
    else if (draw < 80)
      lock(t);
    else if (draw < 100)
      location(t);
    else if (draw < 100 + churn_)
      start(&t);
    else if (random_.chance(0.5))
      end(t);
    else
      join_one(t);
  }

  // -- Threads

  Tid take(const Clock* seen) {
    for (Tid slot = 1; seen && slot <= kMaxTid; ++slot) {
      SimSlot& s = slots_[slot];
      if (s.use != SimSlot::Ended || s.final + 1 >= kMaxClock || seen->get(slot) < s.final) continue;
      return slot;
    }
    for (Tid slot = 1; slot <= kMaxTid; ++slot)
      if (slots_[slot].use == SimSlot::Free) return slot;
    return 0;
  }

  void occupy(Tid slot, u32 number, Tid predecessor) {
    SimSlot& s = slots_[slot];
    s.records.push_back({s.final + 1, number});
    s.use = SimSlot::Live;
    s.predecessor = predecessor;
    for (SimSlot& other : slots_)
      if (other.predecessor == slot) other.predecessor = 0; // it has another thread now
  }

  void start(SimThread* parent) {
    if (live_.size() >= most_live_) return;
    Tid slot = take(parent ? &parent->state->C : nullptr);
    if (!slot) {
      ++g.forced;
      renumber_all(nullptr, kMaxTid / 2);
      slot = take(&parent->state->C);
      if (!slot) return; // what has ended does not fit into fewer slots of 14 clocks
    }
    live_.push_back(std::make_unique<SimThread>());
    SimThread& t = *live_.back();
    t.number = count_++;
    ++g.threads;
    t.state = std::make_unique<ThreadState>();
    t.state->log.place_now = nowhere;
    fasttrack::initial(*t.state, slot, slots_[slot].final + 1);
    log_start(*t.state);
    occupy(slot, t.number, 0);
    if (parent) join(t.exact, parent->exact);
    t.exact.resize(count_);
    t.exact[t.number] = 1;
    if (!parent) return;
    fasttrack::fork(*parent->state, *t.state);
    parent->tick();
    renew(*parent);
  }

  void end(SimThread& t) {
    if (live_.size() == 1) return;
    Tid slot = t.state->tid();
    slots_[slot].use = SimSlot::Ended;
    slots_[slot].final = t.state->C.own;
    log_finish(*t.state);
    if (random_.chance(0.7)) ended_.push_back({t.state->C, t.exact}); // else it is detached
    live_.erase(std::find_if(live_.begin(), live_.end(), [&](auto& other) { return other.get() == &t; }));
  }

  void join_one(SimThread& t) {
    if (ended_.empty()) return;
    const size_t which = random_.below(ended_.size());
    fasttrack::join(*t.state, ended_[which].fast);
    join(t.exact, ended_[which].exact);
    ended_.erase(ended_.begin() + long(which));
  }

  // The thread's clock is used up.
  void renew(SimThread& t) {
    ThreadState& state = *t.state;
    if (state.C.own < kMaxClock) return;
    ++g.renewals;
    Tid slot = take(&state.C);
    if (!slot) {
      ++g.forced;
      renumber_all(&t, kMaxTid / 2);
      if (state.C.own < kMaxClock) return;
      slot = take(&state.C);
      if (!slot) return is_over_ = true, void(++g.stuck);
    }
    const Tid old = state.tid();
    slots_[old].use = SimSlot::Ended;
    slots_[old].final = state.C.own;
    log_new_tid(state);
    const Clock before = state.C, release_fence = state.release_fence, acquire_fence = state.acquire_fence;
    fasttrack::initial(state, slot, slots_[slot].final + 1);
    fasttrack::acquire(state, before);
    state.release_fence = release_fence;
    state.acquire_fence = acquire_fence;
    occupy(slot, t.number, old);
  }

  // -- Synchronisation

  void lock(SimThread& t) {
    Both& L = random_.pick(locks_);
    switch (random_.below(3)) {
    case 0:
      fasttrack::acquire(*t.state, L.fast);
      join(t.exact, L.exact);
      return;
    case 1:
      if (random_.chance(sharing_)) { // as a mutex: acquire before
        fasttrack::acquire(*t.state, L.fast);
        join(t.exact, L.exact);
      }
      fasttrack::release(*t.state, L.fast);
      L.exact = t.exact;
      break;
    case 2:
      fasttrack::write_volatile(*t.state, L.fast);
      join(L.exact, t.exact);
      break;
    }
    t.tick();
    renew(t);
  }

  void location(SimThread& t) {
    using fasttrack::Order;
    Both& L = random_.pick(locations_);
    switch (random_.below(7)) {
    case 0:
      fasttrack::atomic_load(*t.state, L.fast, Order::Acquire);
      join(t.exact, L.exact);
      return;
    case 1:
      fasttrack::atomic_load(*t.state, L.fast, Order::Relaxed);
      join(t.acquire_fence, L.exact);
      return;
    case 2:
      fasttrack::atomic_store(*t.state, L.fast, Order::Relaxed);
      L.exact = t.release_fence;
      return;
    case 3:
      fasttrack::fence(*t.state, Order::Acquire);
      join(t.exact, t.acquire_fence);
      t.acquire_fence.clear();
      return;
    case 4:
      fasttrack::fence(*t.state, Order::Release);
      t.release_fence = t.exact;
      break;
    case 5:
      fasttrack::atomic_store(*t.state, L.fast, Order::Release);
      L.exact = t.exact;
      break;
    case 6:
      fasttrack::atomic_rmw(*t.state, L.fast, Order::Release);
      join(t.acquire_fence, L.exact);
      join(L.exact, t.exact);
      break;
    }
    t.tick();
    renew(t);
  }

  // -- Accesses

  void forget(SimThread& t) {
    const u64 size = random_.one_of<u64>({1, 4, 8, 16, 32, kMemory});
    const u64 address = round_down(random_.below(kMemory), std::min<u64>(size, 32));
    forget_bytes(t, size == kMemory ? 0 : address, size);
  }
  void forget_bytes(SimThread& t, u64 address, u64 size) {
    fasttrack::forget(t.state.get(), base() + address, size);
    ++t.state->version;
    for (u64 i = address; i < address + size; ++i) accesses_[i].clear();
  }

  struct FoundRace {
    u64 address;
    Epoch previous;
  };
  bool races(const SimThread& t, AccessKind kind, const MadeAccess& before) const {
    return may_conflict(kind, before.kind) && before.clock > at(t.exact, before.thread);
  }

  void access(SimThread& t) {
    u64 size = random_.one_of<u64>({1, 2, 4, 4, 8, 8, 8, 16, 32});
    u64 address = random_.below(kMemory - size + 1);
    if (random_.chance(0.8)) address = round_down(address, size);
    const auto kind = AccessKind(random_.one_of<u32>({0, 0, 0, 1, 1, 2, 3}));
    if (is_atomic(kind)) size = std::min<u64>(size, 8), address = round_down(address, size);
    bool is_race = false;
    for (u64 i = address; i < address + size; ++i)
      for (const MadeAccess& before : accesses_[i]) is_race |= races(t, kind, before);
    if (is_race && !random_.chance(tolerance_)) return;
    g.races += is_race;

    log_access(*t.state, &t.frame, base() + address, size, kind, 0);
    std::vector<FoundRace> found;
    fasttrack::access(
        *t.state, base() + address, size, kind,
        [](void* list, const fasttrack::Conflict& c) {
          for (u32 i = 0; i < c.size; ++i)
            static_cast<std::vector<FoundRace>*>(list)->push_back({c.address + i - base(), c.previous});
        },
        &found);
    bool is_judged[kMemory] = {};
    for (const FoundRace& f : found) {
      is_judged[f.address] = true;
      judge(t, kind, f);
    }
    for (u64 i = address; i < address + size; ++i) {
      for (const MadeAccess& before : accesses_[i])
        if (races(t, kind, before) && !is_judged[i]) {
          if (!was_lossy_) failure_ = describe("missed a race", i, t.number, before.thread);
          ++g.missed;
          break;
        }
      accesses_[i].push_back({t.number, t.exact[t.number], kind});
    }
    if (is_race || !found.empty()) forget_bytes(t, address, size);
  }

  void judge(const SimThread& t, AccessKind kind, const FoundRace& f) {
    std::set<u32> racing;
    for (const MadeAccess& before : accesses_[f.address])
      if (races(t, kind, before)) racing.insert(before.thread);
    if (racing.empty()) {
      failure_ = describe("invented a race", f.address, t.number, ~0u);
      return;
    }
    const SimSlot& s = slots_[tid_of(f.previous)];
    u32 named = ~0u;
    for (const Record& r : s.records)
      if (r.first <= clock_of(f.previous)) named = r.number;
    if (options_.check_identity && !racing.count(named))
      failure_ = describe("named the wrong thread", f.address, t.number, named);
  }

  std::string describe(const char* what, u64 address, u32 thread, u32 other) const {
    return std::string(what) + " at byte " + std::to_string(address) + " of thread " +
           std::to_string(thread) + (other == ~0u ? "" : " with " + std::to_string(other));
  }

  // -- Sweeps and renumberings

  template <class Fn> void for_each_clock(Fn fn) {
    for (Both& L : locks_) fn(L.fast);
    for (Both& L : locations_) fn(L.fast);
    for (Both& L : ended_) fn(L.fast);
  }

  void sweep(const EpochVisitor* visitor) {
    Sweep sweep(visitor);
    for (auto& t : live_) sweep.visit(*t->state);
    sweep.visit_memory(base(), base() + sizeof g_memory);
    sweep.finish();
  }

  World world() {
    World w = {};
    w.self = this;
    w.threads = [](void* self, void (*fn)(void*, ThreadState&), void* argument) {
      for (auto& t : static_cast<Trace*>(self)->live_) fn(argument, *t->state);
    };
    w.clocks = [](void* self, void (*fn)(void*, Clock&), void* argument) {
      static_cast<Trace*>(self)->for_each_clock([&](Clock& clock) { fn(argument, clock); });
    };
    w.memory = [](void*, void (*fn)(void*, uptr, uptr), void* argument) {
      fn(argument, base(), base() + sizeof g_memory);
    };
    return w;
  }

  void renumber_all(SimThread* moving, u32 wanted) {
    ++g.renumberings;
    EpochMap map;
    u32 free_before = 0;
    for (Tid slot = 1; slot <= kMaxTid; ++slot) {
      const SimSlot& s = slots_[slot];
      free_before += s.use == SimSlot::Free;
      if (s.use == SimSlot::Ended) map.add_ended(slot, s.records.back().number);
    }
    for (auto& t : live_) map.add_live(t->state->tid(), t->state->C.own, t.get() == moving);
    for (Tid slot = 1; slot <= kMaxTid; ++slot) {
      const SimSlot& s = slots_[slot];
      if (s.use == SimSlot::Free) continue;
      if (s.predecessor) map.set_predecessor(slot, s.predecessor);
      for (const Record& r : s.records) map.keep_apart(slot, r.first);
    }
    renumber(map, world(), wanted, 1);
    if (map.is_lossy()) was_lossy_ = true, ++g.lossy;
    std::vector<SimSlot> now(kMaxTid + 1);
    std::vector<Tid> target(kMaxTid + 1);
    for (Tid slot = 1; slot <= kMaxTid; ++slot) {
      const SimSlot& s = slots_[slot];
      target[slot] = s.use == SimSlot::Free ? 0 : map.slot_of(slot);
      if (!target[slot]) continue;
      g.moved += target[slot] != slot;
      SimSlot& to = now[target[slot]];
      to.use = slots_[target[slot]].use;
      to.final = map.last(target[slot]);
      for (size_t i = 0; i < s.records.size(); ++i) {
        const Record& r = s.records[i];
        const u64 end = i + 1 < s.records.size() ? s.records[i + 1].first : kMaxClock + 1;
        if (map.is_left(slot, r.first, end)) to.records.push_back({map.first(slot, r.first), r.number});
      }
    }
    u32 free_after = 0;
    for (Tid slot = 1; slot <= kMaxTid; ++slot) {
      SimSlot& s = now[slot];
      std::sort(s.records.begin(), s.records.end(),
                [](const Record& a, const Record& b) { return a.first < b.first; });
      // The predecessor of what is now in its own slot, if it still has one for itself.
      const Tid before = slots_[slot].predecessor;
      if (s.use != SimSlot::Free && before && target[before] == before) s.predecessor = before;
      free_after += s.use == SimSlot::Free;
    }
    if (free_after != map.free_slots()) failure_ = "free slots are not what was said";
    if (free_after < free_before) failure_ = "fewer slots are free";
    g.freed += free_after - free_before;
    slots_ = std::move(now);
    for (auto& t : live_) {
      const SimSlot& s = slots_[t->state->tid()];
      if (s.use != SimSlot::Live) failure_ = "a live thread has lost its slot";
      if (s.final != t->state->C.own) failure_ = "a live thread's last number is not its epoch";
    }
    check_mirrors(moving);
  }

  void check_mirrors(SimThread* moving) {
    for (auto& t : live_)
      for (Tid slot = 1; slot <= kMaxTid; ++slot) {
        const u64 held = t->state->C.get(slot);
        if (t->state->covered[slot] != (held ? make_epoch(slot, held).raw : 0))
          failure_ = "the mirror is wrong: slot " + std::to_string(slot) + " of " +
                     std::to_string(t->state->tid()) + " holds " + std::to_string(held) + " own " +
                     std::to_string(t->state->C.own) + " covered " + std::to_string(t->state->covered[slot]) +
                     " tree " + std::to_string(t->state->C.tree.get(slot)) + " moving " +
                     std::to_string(moving ? moving->number : 999) + " number " + std::to_string(t->number);
      }
  }

  Random random_;
  Options options_;
  std::vector<SimSlot> slots_;
  std::vector<std::unique_ptr<SimThread>> live_;
  std::vector<Both> ended_; // not joined yet
  std::vector<Both> locks_, locations_;
  std::vector<MadeAccess> accesses_[kMemory];
  u32 count_ = 0, most_live_, churn_;
  double sharing_, tolerance_;
  bool was_lossy_ = false, is_over_ = false;
  std::string failure_;
};

} // namespace
} // namespace footrace::property

int main(int argc, char** argv) {
  using namespace footrace;
  using namespace footrace::property;
  u64 traces = 2000, first = 1;
  u32 steps = 400;
  for (int i = 1; i + 1 < argc; i += 2) {
    if (!std::strcmp(argv[i], "--traces")) traces = std::strtoull(argv[i + 1], nullptr, 10);
    if (!std::strcmp(argv[i], "--seed")) first = std::strtoull(argv[i + 1], nullptr, 10), traces = 1;
    if (!std::strcmp(argv[i], "--steps")) steps = u32(std::strtoull(argv[i + 1], nullptr, 10));
  }
  if (const char* failure = reserve_shadow()) return std::fprintf(stderr, "%s\n", failure), 1;
  g_compress_blocks = true;
  for (u64 seed = first; seed < first + traces; ++seed) {
    Trace trace(seed, {});
    ++g.traces;
    const std::string failure = trace.run(steps);
    if (failure.empty()) continue;
    std::printf("seed %llu after %llu steps: %s\n", (unsigned long long)seed, (unsigned long long)g.steps,
                failure.c_str());
    return 1;
  }
  const std::pair<const char*, u64> counts[] = {{"traces", g.traces},
                                                {"steps", g.steps},
                                                {"races", g.races},
                                                {"threads", g.threads},
                                                {"renewals", g.renewals},
                                                {"sweeps", g.sweeps},
                                                {"renumberings", g.renumberings},
                                                {"forced", g.forced},
                                                {"slots freed", g.freed},
                                                {"slots that became one", g.moved},
                                                {"lossy", g.lossy},
                                                {"lossy traces", g.lossy_traces},
                                                {"missed", g.missed},
                                                {"stuck", g.stuck}};
  for (auto [name, count] : counts) std::printf("%-24s %llu\n", name, (unsigned long long)count);
  return 0;
}
