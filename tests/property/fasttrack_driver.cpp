#include "tests/property/fasttrack_driver.h"

#include "check/bytes.h"
#include "check/fresh_memory.h"
#include "check/quick.h"
#include "check/ranges.h"
#include "check/sweep.h"
#include "check/waiting_bytes.h"
#include "tests/property/generator.h"

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <utility>

namespace footrace::property {

using fasttrack::Order;

static_assert(u8(Order::Relaxed) == u8(MemoryOrder::Relaxed) &&
              u8(Order::Consume) == u8(MemoryOrder::Consume) &&
              u8(Order::Acquire) == u8(MemoryOrder::Acquire) &&
              u8(Order::Release) == u8(MemoryOrder::Release) &&
              u8(Order::AcqRel) == u8(MemoryOrder::AcqRel) && u8(Order::SeqCst) == u8(MemoryOrder::SeqCst));

namespace {

// The memory of all traces, one after the other; with room for accesses that are widened by a fault.
alignas(4096) char g_memory[4096];
static_assert(kMemory <= sizeof g_memory / 2);
uptr base() { return reinterpret_cast<uptr>(g_memory); }

// Clocks of some threads start near their end, and tids of some are high, so that every bit of an epoch counts.
constexpr u64 kLongestTrace = 8192; // ticks
u64 first_clock(u32 number) { return number % 3 == 2 ? kMaxClock - kLongestTrace - number : 1; }
// Slot 0 is nobody's.
Tid first_tid(u32 number) { return ++number % 4 == 3 ? number ^ (kMaxTid & ~3u) : number; }
static_assert(kMaxThread < kMaxTid);

constexpr u64 kLongestRow = 256; // runtime/access.h

// Some traces end before one, others have several.
constexpr u64 kSweepEvery = 40;

bool may_only_learn(EventKind kind) {
  return kind == EventKind::Acquire || kind == EventKind::AcquireShared || kind == EventKind::Join ||
         kind == EventKind::VolatileRead || kind == EventKind::BarrierLeave;
}

FastTrackDriver* g_driver; // one at a time

// States of threads of earlier traces, with whatever is left in them: what they took from the pools is used up, not lost.
std::vector<std::unique_ptr<ThreadState>> g_states;

std::unique_ptr<ThreadState> take_state() {
  if (g_states.empty()) return std::make_unique<ThreadState>();
  auto state = std::move(g_states.back());
  g_states.pop_back();
  for (u64& n : state->rule_count) n = 0;
  for (u64& n : state->transition_count) n = 0;
  return state;
}

} // namespace

const std::vector<std::string_view>& fault_names() {
  static const std::vector<std::string_view> names = {
#define X(name) #name,
      FOOTRACE_DRIVER_FAULTS(X)
#undef X
  };
  return names;
}

std::optional<Fault> fault_of(std::string_view name) {
  const auto& names = fault_names();
  auto found = std::find(names.begin(), names.end(), name);
  if (found == names.end()) return std::nullopt;
  return Fault(1 + (found - names.begin()));
}

AccessKind access_kind_of(EventKind kind) {
  if (has_atomic_access(kind)) return may_write(kind) ? AccessKind::AtomicWrite : AccessKind::AtomicRead;
  return may_write(kind) ? AccessKind::Write : AccessKind::Read;
}

FastTrackDriver::FastTrackDriver(Fault fault, Bytes bytes) : fault_(fault), bytes_(bytes) {
  static const char* failure = reserve_shadow();
  if (failure) std::fprintf(stderr, "property: %s\n", failure), std::exit(1);
  g_compress_blocks = true;
  g_driver = this;
  limit_logs(0, 0); // that something was logged is all that the rules ask
}

// The next trace uses the same epochs for other threads: nothing of this one may be remembered.
FastTrackDriver::~FastTrackDriver() {
  fasttrack::forget(nullptr, base(), sizeof g_memory);
  for (auto& [number, t] : threads_)
    if (t->state) {
      for (Clock* clock : {&t->state->C, &t->state->release_fence, &t->state->acquire_fence}) clock->clear();
      g_states.push_back(std::move(t->state));
    }
}

void FastTrackDriver::start(SimThread& t, u32 number, Tid tid, u64 clock) {
  if (!t.state) t.state = take_state();
  t.state->log.place_now = [](ThreadState&, Frame*) { return PlaceNow(); };
  t.frame.node = t.frame.era = 0;
  if (number % 2) t.frame.node = 1; // its callers are known: the quick steps find its place themselves
  t.state->settle = [](ThreadState& state) { g_driver->settle(state); };
  t.state->tell_late_write = [](ThreadState& state, uptr address, u32 size, Word before) {
    fasttrack::Found found(state, collect, g_driver);
    fasttrack::tell_write(state, address, size, before, found);
  };
  fasttrack::initial(*t.state, tid, clock);
  tid_uses_[tid].push_back({clock, number});
}

// Threads that nobody forked are there from the start.
FastTrackDriver::SimThread& FastTrackDriver::thread(u32 number) {
  auto& slot = threads_[number];
  if (!slot) {
    slot = std::make_unique<SimThread>();
    start(*slot, number, first_tid(number), first_clock(number));
  }
  return *slot;
}

void FastTrackDriver::start_child(SimThread& parent, u32 number) {
  auto& child = threads_[number] = std::make_unique<SimThread>();
  auto old = std::find_if(reusable_.begin(), reusable_.end(), [&](SimThread* t) {
    return fault_ == Fault::reuse_unseen_tid || parent.state->C.get(t->last.owner) >= t->last.own;
  });
  if (old == reusable_.end()) {
    start(*child, number, first_tid(number), first_clock(number));
  } else {
    child->state = std::move((*old)->state); // with whatever is left in it
    start(*child, number, (*old)->last.owner, (*old)->last.own + 1);
    reusable_.erase(old);
  }
  if (fault_ == Fault::skip_fork)
    fasttrack::tick(*parent.state);
  else
    fasttrack::fork(*parent.state, *child->state);
}

void FastTrackDriver::end(SimThread& t) {
  if (t.ended) return;
  t.ended = true;
  settle(*t.state);
  t.last = t.state->C;
  reusable_.push_back(&t);
}

const std::vector<FoundByte>& FastTrackDriver::append(const Event& e) {
  found_.clear();
  SimThread& t = thread(e.thread);
  ThreadState& state = *t.state;
  const ReadersInLine known = in_line(state).readers;
  const Epoch epoch = state.epoch;
  if (has_atomic_access(e.kind)) {
    atomic(t, e);
  } else if (has_access(e.kind)) {
    if (e.kind != EventKind::Free || fault_ != Fault::skip_free) check(t, e);
  } else if (bytes_ == Bytes::WaitForTicksOnly && may_only_learn(e.kind)) {
    const u64 waiting = std::exchange(state.waiting.used, 0);
    synchronize(t, e);
    state.waiting.used = waiting;
  } else {
    synchronize(t, e);
  }
  if (e.kind == EventKind::Free || e.kind == EventKind::Alloc) forget_atomics(e.target, e.extent);
  if (fault_ == Fault::keep_known_readers && state.epoch != epoch)
    in_line(state).readers = known, state.known = 1;
  if (++events_ % kSweepEvery == 0) sweep();
  check_blocks();
  if (fault_ == Fault::keep_set_memos)
    for (ReadMemo& memo : state.memo) memo.epoch = state.epoch;
  return found_;
}

// As the runtime does, which acquires nothing where numbers tell that there is nothing to acquire.
static void acquire_unless_covered(ThreadState& t, const Clock& L) {
  if (!fasttrack::covers_clock(t, L)) fasttrack::acquire(t, L);
}

void FastTrackDriver::synchronize(SimThread& t, const Event& e) {
  using namespace fasttrack;
  ThreadState& state = *t.state;
  const u64 generation = fault_ == Fault::one_barrier_clock ? 0 : e.extent;
  switch (e.kind) {
  case EventKind::Acquire:
    if (fault_ == Fault::skip_acquire) return;
    acquire_unless_covered(state, locks_[e.target].L);
    if (fault_ != Fault::forget_shared_releases) acquire(state, locks_[e.target].readers);
    break;
  case EventKind::AcquireShared:
    acquire_unless_covered(state, locks_[e.target].L);
    if (fault_ == Fault::order_shared_holders) acquire(state, locks_[e.target].readers);
    break;
  case EventKind::Release: // the readers before are in C_t, and so in L
    locks_[e.target].readers.clear();
    release(state, locks_[e.target].L);
    break;
  case EventKind::ReleaseShared:
    write_volatile(state, locks_[e.target].readers);
    break;
  case EventKind::Fork:
    start_child(t, u32(e.target));
    break;
  case EventKind::Join:
    end(thread(u32(e.target)));
    if (fault_ != Fault::skip_join) join(state, thread(u32(e.target)).last);
    break;
  case EventKind::Exit:
    end(t);
    break;
  case EventKind::VolatileRead:
    if (fault_ != Fault::skip_volatile_read) read_volatile(state, volatiles_[e.target]);
    break;
  case EventKind::VolatileWrite:
    write_volatile(state, volatiles_[e.target]);
    break;
  case EventKind::BarrierArrive:
    barrier_arrive(state, generations_[{e.target, generation}]);
    break;
  case EventKind::BarrierLeave:
    barrier_leave(state, generations_[{e.target, generation}]);
    break;
  case EventKind::Fence: {
    Order order = Order(e.order);
    if (fault_ == Fault::ignore_release_fence && has_release(e.order))
      order = has_acquire(e.order) ? Order::Acquire : Order::Relaxed;
    if (fault_ == Fault::ignore_acquire_fence && has_acquire(e.order))
      order = has_release(e.order) ? Order::Release : Order::Relaxed;
    fence(state, order);
    break;
  }
  case EventKind::Alloc:
    allocate(state, base() + e.target, e.extent);
    break;
  default:
    break;
  }
}

void FastTrackDriver::allocate(ThreadState& t, uptr begin, u64 size) {
  if (fault_ == Fault::skip_forget) return;
  if (fault_ == Fault::forget_whole_blocks) begin = block_address(begin), size = round_up(size, kBlockBytes);
  if (fault_ == Fault::forget_whole_granules)
    size = round_up(begin + size, kGranule) - round_down(begin, kGranule),
    begin = round_down(begin, kGranule);
  if (size % 2) // both kinds of fresh memory
    fasttrack::forget(size % 4 == 1 ? &t : nullptr, begin, size);
  else
    fasttrack::forget_unordered(t, begin, size);
}

// The access lies after what the operation acquires and before what it releases.
void FastTrackDriver::atomic(SimThread& t, const Event& e) {
  using namespace fasttrack;
  ThreadState& state = *t.state;
  Clock& L = atomics_[e.target];
  const bool acquires = has_acquire(e.order) || fault_ == Fault::relaxed_load_acquires;
  switch (e.kind) {
  case EventKind::AtomicStore:
    check(t, e);
    if (fault_ == Fault::relaxed_store_continues && e.order == MemoryOrder::Relaxed) break;
    atomic_store(state, L, Order(e.order));
    break;
  case EventKind::AtomicRmw:
    if (fault_ == Fault::check_rmw_before_acquire) check(t, e);
    atomic_load(state, L, acquires ? Order::Acquire : Order::Relaxed);
    if (fault_ == Fault::rmw_cuts_sequence) L.clear();
    if (fault_ != Fault::check_rmw_before_acquire && fault_ != Fault::check_rmw_after_release) check(t, e);
    atomic_rmw(state, L, Order(e.order));
    if (fault_ == Fault::check_rmw_after_release) check(t, e);
    break;
  default: // a load, or a compare-exchange that failed
    atomic_load(state, L, fault_ == Fault::relaxed_load_acquires ? Order::Acquire : Order(e.order));
    check(t, e);
    break;
  }
}

void FastTrackDriver::check(SimThread& thread, const Event& e) {
  ThreadState& t = *thread.state;
  AccessKind kind = access_kind_of(e.kind);
  if (fault_ == Fault::atomics_are_plain) kind = may_write(e.kind) ? AccessKind::Write : AccessKind::Read;
  if (fault_ == Fault::failed_cas_writes && e.kind == EventKind::AtomicCasFail)
    kind = AccessKind::AtomicWrite;
  uptr begin = base() + e.target, end = begin + e.extent;
  if (fault_ == Fault::whole_cells) begin = round_down(begin, 8), end = round_up(end, 8);
  if (fault_ == Fault::whole_granules) begin = round_down(begin, kGranule), end = round_up(end, kGranule);
  if (fault_ == Fault::drop_last_byte) --end;
  if (fault_ == Fault::widen_to_blocks && e.extent >= 100)
    begin = round_down(begin, kBlockBytes), end = round_up(end, kBlockBytes);
  // Every way by which the runtime comes to the shadow: with and without a look at the words first, by whole cells where there are some, and by the
  // steps that need no call.
  const u32 way = (e.thread + e.site) % 4;
  if (!is_atomic(kind)) {
    if (way == 3 && is_seen_in_line(t, begin, end, may_write(kind))) return;
    if (way == 3 && is_checked_quickly(thread, begin, end, may_write(kind), e.site)) return;
    if (way == 3 && end - begin <= kLongestRow && fault_ != Fault::log_nothing)
      return check_row(thread, begin, end, may_write(kind), e.site);
    if (way && is_seen(t, begin, end, may_write(kind))) return;
  } else if (kind == AccessKind::AtomicRead && way == 3 && fault_ != Fault::log_nothing &&
             fasttrack::quick_atomic_read(t, &thread.frame, begin, end - begin, e.site)) {
    return;
  } else if (kind == AccessKind::AtomicWrite && way == 3 && fault_ != Fault::log_nothing) {
    fasttrack::Found found(t, collect, this);
    if (fasttrack::quick_atomic_write(t, &thread.frame, begin, end - begin, e.site, found)) return;
  }
  if (fault_ != Fault::log_nothing) log_access(t, &thread.frame, begin, end - begin, kind, e.site);
  if (is_atomic(kind) || (way < 2 && bytes_ == Bytes::AtOnce))
    fasttrack::access(t, begin, end - begin, kind, collect, this);
  else
    check_cells(t, begin, end, may_write(kind));
}

// As instrument/same_epoch.cpp does it: all words of a few granules are the epoch, or one set that is known in line.
bool FastTrackDriver::is_seen_in_line(ThreadState& t, uptr begin, uptr end, bool write) {
  constexpr u64 kMostBytes = 32;
  if (end - begin > kMostBytes) return false;
  const auto word_at = [write](uptr at) {
    const Unit<u32> unit = granule_unit(at);
    return load_word(write ? unit.W : unit.R);
  };
  const u32 first = word_at(begin);
  const InLine& known = in_line(t);
  if (both<u64>(Word(first)) != known.epoch &&
      (write || both<u64>(Word(first)) != known.readers.word[slot_of_readers(first)]))
    return false;
  for (uptr at = round_down(begin, kGranule); at < end; at += kGranule)
    if (word_at(at) != first) return false;
  t.count(write ? Rule::write_same_epoch : Rule::read_same_epoch);
  return true;
}

// As runtime/entry_points.cpp does it. Bytes that wait by it are checked with the access, unless they may wait.
bool FastTrackDriver::is_checked_quickly(SimThread& thread, uptr begin, uptr end, bool write, Site site) {
  ThreadState& t = *thread.state;
  if (fault_ == Fault::log_nothing || end - begin > 8) return false;
  const bool is_done = write ? fasttrack::quick_access<true>(t, &thread.frame, begin, end - begin, site)
                             : fasttrack::quick_access<false>(t, &thread.frame, begin, end - begin, site);
  quick_ += is_done;
  if (bytes_ == Bytes::AtOnce) settle(t);
  return is_done;
}

bool FastTrackDriver::is_seen(ThreadState& t, uptr begin, uptr end, bool write) {
  const bool is_whole = begin % 8 == 0 && end % 8 == 0;
  if (is_whole ? fasttrack::first_unseen_cell(t, begin, end, write) != end
               : !fasttrack::seen_in_this_epoch(t, begin, end - begin, write))
    return false;
  t.count(write ? Rule::write_same_epoch : Rule::read_same_epoch);
  return true;
}

// As runtime/access.cpp does it: what the quick steps leave is left to the others.
void FastTrackDriver::check_row(SimThread& thread, uptr begin, uptr end, bool write, Site site) {
  ThreadState& t = *thread.state;
  if (fasttrack::has_seen_row(t, begin, end - begin, write)) return;
  log_access(t, &thread.frame, begin, end - begin, write ? AccessKind::Write : AccessKind::Read, site);
  const uptr from = write ? fasttrack::quick_row<true>(t, &thread.frame, begin, end - begin)
                          : fasttrack::quick_row<false>(t, &thread.frame, begin, end - begin);
  quick_ += from == end;
  if (bytes_ == Bytes::AtOnce) settle(t);
  check_cells(t, from, end, write);
}

// As runtime/access.cpp does it: bytes, a granule, cells, a granule, bytes.
void FastTrackDriver::check_cells(ThreadState& t, uptr begin, uptr end, bool write) {
  const AccessKind kind = write ? AccessKind::Write : AccessKind::Read;
  while (begin < end) {
    fasttrack::Found found(t, collect, this);
    if (begin % kGranule || end - begin < kGranule) {
      const uptr to = min(round_down(begin, kGranule) + kGranule, end);
      check_bytes(t, begin, to, write);
      begin = to;
    } else if (begin % 8 || end - begin < 8) {
      fasttrack::step(t, granule_unit(begin), kind, found);
      begin += kGranule;
    } else if (write) {
      begin = fasttrack::access_cells<true>(t, begin, round_down(end, 8), found);
    } else {
      begin = fasttrack::access_cells<false>(t, begin, round_down(end, 8), found);
    }
  }
}

// Of one granule.
void FastTrackDriver::check_bytes(ThreadState& t, uptr begin, uptr end, bool write) {
  const uptr granule = begin / kGranule;
  const u32 mask = ((1u << (end - begin)) - 1) << (begin % kGranule);
  fasttrack::Found found(t, collect, this);
  if (bytes_ == Bytes::AtOnce) {
    fasttrack::step_on_bytes(t, granule * kGranule, mask, write ? AccessKind::Write : AccessKind::Read,
                             found);
  } else {
    ++gathered_;
    if (!t.waiting.has(granule, mask, write)) fasttrack::wait_in_granule(t, granule, mask, write, found);
  }
}

void FastTrackDriver::settle(ThreadState& t) {
  fasttrack::Found found(t, collect, this);
  if (bytes_ == Bytes::AreLost) t.waiting = WaitingBytes();
  if (bytes_ == Bytes::AreWhole)
    for (WaitingGranule& g : t.waiting.slot) g.read = g.read ? 0xf : 0, g.written = g.written ? 0xf : 0;
  fasttrack::settle_bytes(t, found);
}

const std::vector<FoundByte>& FastTrackDriver::finish() {
  found_.clear();
  for (auto& [number, t] : threads_)
    if (t->state) settle(*t->state);
  return found_;
}

void FastTrackDriver::collect(void* self, const fasttrack::Conflict& c) {
  FastTrackDriver& driver = *static_cast<FastTrackDriver*>(self);
  u32 previous = ~0u; // stays so if the epoch is nobody's
  for (const TidUse& use : driver.tid_uses_[tid_of(c.previous)])
    if (clock_of(c.previous) >= use.start) previous = use.thread;
  for (u32 byte = 0; byte < c.size; ++byte)
    driver.found_.push_back({c.address - base() + byte, previous, c.previous_kind});
}

// As runtime/sweeping.cpp does it, while no thread is inside a step.
void FastTrackDriver::sweep() {
  Sweep sweep;
  bool skipped = fault_ != Fault::sweep_skips_a_thread;
  for (auto& [number, t] : threads_)
    if (t->state && std::exchange(skipped, true)) sweep.visit(*t->state);
  for (auto& state : g_states) sweep.visit(*state);
  sweep.visit_memory(base(), base() + sizeof g_memory);
  sweep.finish();
}

void FastTrackDriver::forget_atomics(u64 address, u64 size) {
  atomics_.erase(atomics_.lower_bound(address), atomics_.lower_bound(address + size));
}

// Cells have no words of their own unless their block is fine.
void FastTrackDriver::check_blocks() const {
  for (uptr at = base(); at < base() + kMemory; at += 8) {
    const Unit<u64> cell = cell_unit(at);
    if (is_fine(*header_of(at)) || (has_equal_halves(*cell.R) && low_word(*cell.R).asks_header())) continue;
    std::fprintf(stderr,
                 "property: broken invariant of blocks: a cell has words in a block that is not fine\n");
    std::abort();
  }
}

void FastTrackDriver::add_transition_counts(u64 (&counts)[kTransitions]) const {
  for (const auto& [number, t] : threads_)
    for (u32 x = 0; t->state && x < kTransitions; ++x) counts[x] += t->state->transition_count[x];
}

void FastTrackDriver::add_rule_counts(u64 (&counts)[kAccessRules]) const {
  for (const auto& [number, t] : threads_)
    for (u32 rule = 0; t->state && rule < kAccessRules; ++rule) counts[rule] += t->state->rule_count[rule];
}

} // namespace footrace::property
