#include "tests/property/fasttrack_driver.h"

#include "detectors/fasttrack/runs.h"
#include "shadow/block.h"
#include "shadow/cell.h"
#include "shadow/mapping.h"
#include "shadow/site_id.h"
#include "shadow/split.h"
#include "tests/property/generator.h"

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <utility>

namespace footrace::property {

using fasttrack::AccessKind;
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

// Clocks of some threads start high, so that nothing keeps only their low bits.
u64 first_clock(u32 number) { return number % 3 == 2 ? (u64(1) << 33) + number : 1; }

bool may_only_learn(EventKind kind) {
  return kind == EventKind::Acquire || kind == EventKind::AcquireShared || kind == EventKind::Join ||
         kind == EventKind::VolatileRead || kind == EventKind::BarrierLeave;
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
}

// The next trace uses the same epochs for other threads: nothing of this one may be remembered.
FastTrackDriver::~FastTrackDriver() {
  fasttrack::forget(base(), sizeof g_memory);
  for (auto& [number, t] : threads_) fasttrack::drop_readers(t->state);
  release_cell_caches();
}

void FastTrackDriver::start(SimThread& t, u32 number, Tid tid, u64 clock) {
  fasttrack::initial(t.state, tid, clock);
  t.driver = this;
  t.state.settle_all = settle_all;
  tid_uses_[tid].push_back({clock, number});
}

// Threads that nobody forked are there from the start.
FastTrackDriver::SimThread& FastTrackDriver::thread(u32 number) {
  auto& slot = threads_[number];
  if (!slot) {
    slot = std::make_unique<SimThread>();
    start(*slot, number, number, first_clock(number));
  }
  return *slot;
}

void FastTrackDriver::start_child(SimThread& parent, u32 number) {
  auto& child = threads_[number] = std::make_unique<SimThread>();
  auto old = std::find_if(reusable_.begin(), reusable_.end(), [&](SimThread* t) {
    return fault_ == Fault::reuse_unseen_tid || parent.state.C.get(t->last.owner) >= t->last.own;
  });
  if (old == reusable_.end()) {
    start(*child, number, number, first_clock(number));
  } else {
    std::swap(child->state, (*old)->state); // with whatever is left in it
    start(*child, number, (*old)->last.owner, (*old)->last.own + 1);
    reusable_.erase(old);
  }
  if (fault_ == Fault::skip_fork)
    fasttrack::tick(parent.state);
  else
    fasttrack::fork(parent.state, child->state);
}

void FastTrackDriver::end(SimThread& t) {
  if (t.ended) return;
  t.ended = true;
  if (t.state.footprint.waiting) settle_all(t.state);
  t.last = t.state.C;
  reusable_.push_back(&t);
}

const std::vector<FoundByte>& FastTrackDriver::append(const Event& e) {
  found_.clear();
  SimThread& t = thread(e.thread);
  const ReadersInLine known = t.state.readers.words;
  if (has_atomic_access(e.kind)) {
    atomic(t, e);
  } else if (has_access(e.kind)) {
    if (e.kind != EventKind::Free || fault_ != Fault::skip_free) check(t, e);
  } else if (bytes_ == Bytes::WaitForTicksOnly && may_only_learn(e.kind)) {
    const u32 waiting = std::exchange(t.state.footprint.waiting, 0);
    synchronize(t, e);
    t.state.footprint.waiting = waiting;
  } else {
    synchronize(t, e);
  }
  if (e.kind == EventKind::Free || e.kind == EventKind::Alloc) forget_atomics(e.target, e.extent);
  check_blocks();
  if (fault_ == Fault::keep_known_readers && !has_access(e.kind)) t.state.readers.words = known;
  return found_;
}

void FastTrackDriver::synchronize(SimThread& t, const Event& e) {
  using namespace fasttrack;
  ThreadState& state = t.state;
  const u64 generation = fault_ == Fault::one_barrier_clock ? 0 : e.extent;
  switch (e.kind) {
  case EventKind::Acquire:
    if (fault_ == Fault::skip_acquire) return;
    acquire(state, locks_[e.target].L);
    if (fault_ != Fault::forget_shared_releases) acquire(state, locks_[e.target].readers);
    break;
  case EventKind::AcquireShared:
    acquire(state, locks_[e.target].L);
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
    if (fault_ == Fault::forget_whole_blocks)
      forget(block_address(base() + e.target), round_up(e.extent, kBlockBytes));
    else if (fault_ != Fault::skip_forget && e.extent % 2) // both kinds of fresh memory
      forget(base() + e.target, e.extent);
    else if (fault_ != Fault::skip_forget)
      forget_unordered(state, base() + e.target, e.extent);
    break;
  default:
    break;
  }
}

// The access lies after what the operation acquires and before what it releases.
void FastTrackDriver::atomic(SimThread& t, const Event& e) {
  using namespace fasttrack;
  Clock& L = atomics_[e.target];
  const bool acquires = has_acquire(e.order) || fault_ == Fault::relaxed_load_acquires;
  switch (e.kind) {
  case EventKind::AtomicStore:
    check(t, e);
    if (fault_ == Fault::relaxed_store_continues && e.order == MemoryOrder::Relaxed) break;
    atomic_store(t.state, L, Order(e.order));
    break;
  case EventKind::AtomicRmw:
    if (fault_ == Fault::check_rmw_before_acquire) check(t, e);
    atomic_load(t.state, L, acquires ? Order::Acquire : Order::Relaxed);
    if (fault_ == Fault::rmw_cuts_sequence) L.clear();
    if (fault_ != Fault::check_rmw_before_acquire && fault_ != Fault::check_rmw_after_release) check(t, e);
    atomic_rmw(t.state, L, Order(e.order));
    if (fault_ == Fault::check_rmw_after_release) check(t, e);
    break;
  default: // a load, or a compare-exchange that failed
    atomic_load(t.state, L, fault_ == Fault::relaxed_load_acquires ? Order::Acquire : Order(e.order));
    check(t, e);
    break;
  }
}

void FastTrackDriver::check(SimThread& t, const Event& e) {
  AccessKind kind = access_kind_of(e.kind);
  if (fault_ == Fault::atomics_are_plain) kind = may_write(e.kind) ? AccessKind::Write : AccessKind::Read;
  if (fault_ == Fault::failed_cas_writes && e.kind == EventKind::AtomicCasFail)
    kind = AccessKind::AtomicWrite;
  uptr begin = base() + e.target, end = begin + e.extent;
  if (fault_ == Fault::whole_cells) begin = round_down(begin, 8), end = round_up(end, 8);
  if (fault_ == Fault::drop_last_byte) --end;
  if (fault_ == Fault::widen_to_blocks && e.extent >= 100)
    begin = round_down(begin, kBlockBytes), end = round_up(end, kBlockBytes);
  if (may_wait(kind, begin, end))
    check_waiting(t, begin, end, may_write(kind), e.site);
  else
    fasttrack::access(t.state, begin, end - begin, kind, e.site, collect, this);
  count_form(begin);
}

// Runs of elements and of cells have different keys.
static uptr key_of_elements(u32 site) { return uptr(site) << 32; }

bool FastTrackDriver::may_wait(AccessKind kind, uptr begin, uptr end) const {
  return bytes_ != Bytes::AtOnce && !is_atomic(kind) && end - begin < 8 && begin / 8 == (end - 1) / 8;
}

// As the runtime does it for bytes (runtime/entry_points.cpp).
void FastTrackDriver::check_waiting(SimThread& t, uptr begin, uptr end, bool write, u32 site) {
  const uptr cell = round_down(begin, 8), key = key_of_elements(site);
  const u64 mask = ((1ull << (end - begin)) - 1) << (begin - cell);
  fasttrack::Footprint& f = t.state.footprint;
  if (waits_in_run(t, begin, end, write, site)) return;
  const bool starts_run = f.run(key, write).end == begin && f.run(key, write).key == key;
  bool due = false;
  fasttrack::PendingCell* p = fasttrack::gather(f, cell, mask, site, write, due);
  if (fasttrack::PendingCell& slot = f.slot(cell, write); !p) {
    if (slot.waits()) settle(t.state, slot, write);
    p = fasttrack::gather_behind(f, cell, mask, site, write, due);
  }
  if (p) {
    ++gathered_;
    const bool is_written = p == &f.slot(cell, true);
    if (due && p->bytes == 0xff && p->waits())
      cell_is_full(t.state, *p, is_written);
    else if (due)
      settle(t.state, *p, is_written);
  } else {
    auto settle_one = [&](fasttrack::Run& run, bool written) { settle_run(t.state, run, written); };
    if (!fasttrack::covered_by_run(f, begin, end, write, settle_one))
      fasttrack::access(t.state, begin, end - begin, write ? AccessKind::Write : AccessKind::Read, site,
                        collect, this);
    fasttrack::start_gathering(f, cell, mask, site, write);
    fasttrack::Run& run = f.run(key, write);
    if (run.waits()) settle_run(t.state, run, write);
    fasttrack::expect_run(run, end, key);
  }
  if (!starts_run) return;
  fasttrack::Run& run = f.run(key, write);
  if (run.waits()) settle_run(t.state, run, write);
  fasttrack::start_run(f, end, key, site, {}, write);
}

bool FastTrackDriver::waits_in_run(SimThread& t, uptr begin, uptr end, bool write, u32 site) {
  const uptr key = key_of_elements(site);
  fasttrack::Footprint& f = t.state.footprint;
  fasttrack::Run& run = f.run(key, write);
  if (bytes_ == Bytes::RunOverGaps && run.waits() && begin > run.end && begin < run.end + 16) run.end = begin;
  if (bytes_ == Bytes::RunWithoutEnd && run.waits() && begin > run.end && begin < run.end + 16) return true;
  if (!fasttrack::continue_run(f, begin, end - begin, key, {}, write)) return false;
  ++gathered_, ++in_runs_;
  return true;
}

void FastTrackDriver::cell_is_full(fasttrack::ThreadState& t, fasttrack::PendingCell& p, bool write) {
  const uptr next = p.cell + 8;
  SiteId site = kNoSite;
  if (!fasttrack::full_cell_continues_run(t.footprint, p, write, site)) {
    settle(t, p, write);
    if (site == kNoSite) return;
    if (fasttrack::Run& run = t.footprint.run(site, write); run.waits()) settle_run(t, run, write);
    fasttrack::start_run(t.footprint, next, site, site, {}, write);
  } else {
    ++in_runs_;
  }
  fasttrack::expect_cell(t.footprint, next, write);
}

void FastTrackDriver::settle(fasttrack::ThreadState& t, fasttrack::PendingCell& p, bool write) {
  if (bytes_ == Bytes::AreWhole) p.bytes = 0xff;
  if (bytes_ == Bytes::AreLost)
    p.checked = p.bytes, --t.footprint.waiting;
  else
    fasttrack::settle(t, p, write, collect, this);
}

void FastTrackDriver::settle_run(fasttrack::ThreadState& t, fasttrack::Run& run, bool write) {
  const fasttrack::Run taken = fasttrack::take_run(t.footprint, run);
  if (bytes_ == Bytes::AreLost) return;
  fasttrack::access(t, taken.begin, taken.end - taken.begin, write ? AccessKind::Write : AccessKind::Read,
                    taken.site, collect, this);
}

void FastTrackDriver::settle_all(fasttrack::ThreadState& state) {
  static_assert(offsetof(SimThread, state) == 0);
  FastTrackDriver& driver = *reinterpret_cast<SimThread&>(state).driver;
  fasttrack::settle_each(
      state.footprint, [&](fasttrack::PendingCell& p, bool write) { driver.settle(state, p, write); },
      [&](fasttrack::Run& run, bool write) { driver.settle_run(state, run, write); });
}

const std::vector<FoundByte>& FastTrackDriver::finish() {
  found_.clear();
  for (auto& [number, t] : threads_)
    if (t->state.footprint.waiting) settle_all(t->state);
  return found_;
}

void FastTrackDriver::count_form(uptr address) {
  u64 w = cell_of(address)->W;
  if (!has_tag(w)) ++forms_[form_of(w) / kReadOver];
}

void FastTrackDriver::collect(void* self, const fasttrack::Conflict& c) {
  FastTrackDriver& driver = *static_cast<FastTrackDriver*>(self);
  u32 previous = ~0u; // stays so if the epoch is nobody's
  for (const TidUse& use : driver.tid_uses_[tid_of(c.previous)])
    if (clock_of(c.previous) >= use.start) previous = use.thread;
  for (u32 byte = 0; byte < 8; ++byte)
    if (c.bytes >> byte & 1)
      driver.found_.push_back(
          {c.cell_address - base() + byte, previous, c.previous_kind, site_of_byte(c.previous_site, byte)});
}

void FastTrackDriver::forget_atomics(u64 address, u64 size) {
  atomics_.erase(atomics_.lower_bound(address), atomics_.lower_bound(address + size));
}

void FastTrackDriver::add_form_counts(u64 (&counts)[kForms]) const {
  for (u32 form = 0; form < kForms; ++form) counts[form] += forms_[form];
}

void FastTrackDriver::check_blocks() const {
  for (uptr block = base(); block < base() + kMemory; block += kBlockBytes)
    if (const char* broken = broken_invariant(block)) {
      std::fprintf(stderr, "property: broken invariant of blocks: %s\n", broken);
      std::abort();
    }
}

void FastTrackDriver::add_transition_counts(u64 (&counts)[fasttrack::kTransitions]) const {
  for (const auto& [number, t] : threads_)
    for (u32 x = 0; x < fasttrack::kTransitions; ++x) counts[x] += t->state.transition_count[x];
}

void FastTrackDriver::add_rule_counts(u64 (&counts)[fasttrack::kAccessRules]) const {
  for (const auto& [number, t] : threads_)
    for (u32 rule = 0; rule < fasttrack::kAccessRules; ++rule) counts[rule] += t->state.rule_count[rule];
}

} // namespace footrace::property
