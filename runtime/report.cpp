// One race, from the conflict to the answer of the reporter.
//
// Locks: the report lock is outermost. What reads the runtime's tables is done in a Critical section; the
// conversation with the reporter is not, since it may take seconds and fork must not wait for it. Signals
// stay blocked throughout: a handler could leave with longjmp while we hold the lock.
#include "runtime/report.h"

#include "runtime/environment.h"
#include "runtime/intern_table.h"
#include "runtime/modules.h"
#include "runtime/options.h"
#include "runtime/race.h"
#include "runtime/recording.h"
#include "runtime/reporter_process.h"
#include "runtime/site_table.h"
#include "runtime/sleeps.h"
#include "runtime/sync.h"
#include "runtime/threads.h"

#include <fcntl.h>
#include <linux/futex.h>
#include <signal.h>
#include <sys/syscall.h>

// The program's, called after each report; what it is given tells nothing (tsan_interface_common.cpp).
extern "C" __attribute__((weak, visibility("default"))) void __tsan_on_report(void* report);

namespace footrace {
namespace {

using fasttrack::Conflict;

// 0 free, 1 held, 2 held and somebody sleeps.
class SleepLock {
public:
  void lock() {
    u32 expected = 0;
    if (__atomic_compare_exchange_n(&word_, &expected, 1, false, __ATOMIC_ACQUIRE, __ATOMIC_RELAXED)) return;
    while (__atomic_exchange_n(&word_, 2, __ATOMIC_ACQUIRE))
      sys(SYS_futex, u64(&word_), FUTEX_WAIT_PRIVATE, 2, 0);
  }
  void unlock() {
    if (__atomic_exchange_n(&word_, 0, __ATOMIC_RELEASE) == 2)
      sys(SYS_futex, u64(&word_), FUTEX_WAKE_PRIVATE, 1);
  }
  void reset() { word_ = 0; }

private:
  u32 word_ = 0;
};

// Nobody else reports, no handler interrupts, and what we do here ourselves is not judged. Cancellation, which
// is a signal too, comes afterwards and finds the lock free and the thread as it was.
class ReportScope {
public:
  explicit ReportScope(Thread* t);
  ~ReportScope();
  ReportScope(const ReportScope&) = delete;

private:
  Thread* t_;
  u64 mask_;
};

SleepLock g_lock;
u64 g_ids, g_reported, g_suppressed;
u64 g_modules_sent; // version of the list that the reporter knows
bool g_finished, g_excused;
void (*g_death_callback)();

struct KernelSigaction {
  uptr handler;
  u64 flags;
  uptr restorer;
  u64 mask;
};

ReportScope::ReportScope(Thread* t) : t_(t), mask_(block_signals()) {
  if (t_) ++t_->ignore;
  g_lock.lock();
}
ReportScope::~ReportScope() {
  g_lock.unlock();
  if (t_) --t_->ignore;
  restore_signals(mask_);
}

// -- Told before?
//
// Two places may race in more than one way: code that many callers use, on many objects. A race is told once per pair of places and pair of stacks.
// (The reporter decides which of those mean the same defect.)
//
// Where the previous access was made, only the logs know, and looking there takes a while. So of the conflicts that one place has with one thread not all
// are worth a look: those with a new stack are, and else as long as looks find what was not told yet, or have not often found nothing new; then
// fewer and fewer, but never none. A loop that races a million times is looked at some hundred times. What was learnt is forgotten by nothing but
// fork, since the child speaks for itself.

struct Subject {
  u64 low,
      high; // (generation, site, kind) of either side; or of the current one, and thread and kind of the previous one
};

enum class Told : u8 { Looks, Stack, Bytes, Pair, Stacks };
struct ToldNode {
  Subject subject;
  u64 what;
  Told kind;
  bool same(const ToldNode& o) const {
    return subject.low == o.subject.low && subject.high == o.subject.high && what == o.what && kind == o.kind;
  }
  u64 hash() const {
    return mix_hash(subject.low ^ mix_hash(subject.high ^ mix_hash(what + (u64(kind) << 56))));
  }
};
constexpr u32 kMaxTold = 1 << 20;
InternTable<ToldNode, kMaxTold> g_told;
u64 g_generation; // of processes, by fork

// By id of Told::Looks.
struct Looks {
  u32 conflicts, next; // how many there were; which of them is looked at next, at the earliest
  u32 in_vain;         // what looks have cost since something new was found
  u32 stacks;          // looks for the sake of a new one
};
Looks g_looks[kMaxTold + 1];
u8 g_told_stacks[kMaxTold + 1]; // by id of Told::Pair
constexpr u32 kMaxStackLooks = 64, kFreeLooks = 256, kBackOff = 16;
constexpr u8 kMaxStacksOfPair = 128;

bool is_first(const Subject& subject, Told kind, u64 what) {
  bool is_new;
  g_told.intern({subject, what, kind}, &is_new);
  return is_new;
}
u32 count_up(u32& counter) { return __atomic_add_fetch(&counter, 1, __ATOMIC_RELAXED); }

u64 side_of(SiteId site, AccessKind kind) { return g_generation << 48 | u64(site) << 8 | u64(kind); }

Subject pair_of(SiteId a, AccessKind a_kind, SiteId b, AccessKind b_kind) {
  const u64 x = side_of(a, a_kind), y = side_of(b, b_kind);
  return {min(x, y), max(x, y)};
}
Subject looks_of(SiteId site, AccessKind kind, const Conflict& conflict) {
  return {side_of(site, kind), u64(tid_of(conflict.previous)) << 8 | u64(conflict.previous_kind)};
}

// The next look is farther away the more were in vain, and the more entries of logs they had to go through.
void look_was(Looks& looks, bool found_news, u64 entries) {
  constexpr u64 kCheap = 16 << 10;
  const u32 in_vain =
      found_news ? 0 : __atomic_add_fetch(&looks.in_vain, u32(1 + entries / kCheap), __ATOMIC_RELAXED);
  if (found_news) __atomic_store_n(&looks.in_vain, 0, __ATOMIC_RELAXED);
  const u32 seen = __atomic_load_n(&looks.conflicts, __ATOMIC_RELAXED);
  __atomic_store_n(&looks.next, seen + 1 + (in_vain < kFreeLooks ? 0 : seen / kBackOff), __ATOMIC_RELAXED);
}

// Null: not worth a look.
Looks* worth_a_look(const Subject& subject, ContextId context, const Conflict& conflict) {
  const u32 id = g_told.intern({subject, 0, Told::Looks});
  if (!id) return nullptr; // a million reports
  Looks& looks = g_looks[id];
  const u32 number = count_up(looks.conflicts);
  if (__atomic_load_n(&looks.stacks, __ATOMIC_RELAXED) < kMaxStackLooks &&
      is_first(subject, Told::Stack, context)) {
    count_up(looks.stacks);
    return &looks;
  }
  if (number < __atomic_load_n(&looks.next, __ATOMIC_RELAXED)) return nullptr;
  // The same bytes and the same epoch: there is nothing else to be found.
  if (is_first(subject, Told::Bytes, conflict.address ^ mix_hash(conflict.previous.raw))) return &looks;
  look_was(looks, false, 0);
  return nullptr;
}

bool must_be_told(const Subject& pair, const Race& race) {
  const u64 now = race.accesses[0].context, before = race.accesses[1].context;
  const u32 id = g_told.intern({pair, 0, Told::Pair});
  if (!id || __atomic_load_n(&g_told_stacks[id], __ATOMIC_RELAXED) >= kMaxStacksOfPair) return false;
  if (!is_first(pair, Told::Stacks, now << 32 | before)) return false;
  __atomic_fetch_add(&g_told_stacks[id], 1, __ATOMIC_RELAXED);
  return true;
}

// -- Collecting

SiteKind kind_of_site(SiteId site) {
  if (const PcSite* pc = pc_site_record(site)) return pc->kind;
  const SiteRecord* record = site_record(site);
  return record ? record->kind : SiteKind::Inlined;
}

const char* kind_name(AccessKind kind, SiteId site) {
  if (kind_of_site(site) == SiteKind::Free) return "free";
  switch (kind) {
  case AccessKind::Read:
    return "read";
  case AccessKind::Write:
    return "write";
  case AccessKind::AtomicRead:
    return "atomic read";
  case AccessKind::AtomicWrite:
    return "atomic write";
  }
  __builtin_unreachable();
}

void mention(Race& race, const ThreadRecord& record) {
  for (u32 i = 0; i < race.thread_count; ++i)
    if (race.threads[i].number == record.number) return;
  race.threads[race.thread_count++] = record;
}

// By number there is only something to find while the thread lives.
void mention_number(Race& race, u32 number) {
  if (number == kNoThread) return;
  ThreadRecord found = {};
  found.number = number;
  found.parent_number = kNoThread;
  found.finished = true;
  for_each_thread([&](Thread* t) {
    if (t->record && t->record->number == number) found = *t->record;
  });
  mention(race, found);
}

void describe_memory(Race& race, uptr address) {
  RaceMemory& memory = race.memory;
  memory.address = address;
  memory.thread = kNoThread;
  for_each_thread([&](Thread* t) {
    bool tls = address - t->tls_low < t->tls_high - t->tls_low;
    bool stack = address - t->stack_low < t->stack_high - t->stack_low;
    if (!t->record || memory.region != RaceRegion::Unknown || (!tls && !stack)) return;
    memory.region = tls ? RaceRegion::Tls : RaceRegion::Stack;
    memory.thread = t->record->number;
    if (stack && !tls) memory.frame = find_live_frame(t, address);
  });
  if (memory.region == RaceRegion::Unknown && heap_find(address, &memory.block)) {
    memory.region = RaceRegion::Heap;
    memory.thread = memory.block.thread_number;
  }
  if (memory.region == RaceRegion::Unknown && find_module(address)) memory.region = RaceRegion::Global;
  mention_number(race, memory.thread);
}

// Where the race was seen, and the byte that the user is told about: another one if that is checked through a proxy.
struct RacingByte {
  uptr checked, told;
};

// An access that is over.
struct PastAccess {
  ThreadRecord thread; // number kNoThread: nobody knows
  SeenBefore seen;     // by the access that has met it
  uptr heard_through;
  ContextId slept;
  AccessKind kind;
  SiteId site;        // kNoSite: it is lost
  LoggedAccess entry; // size 0: it is lost
  bool is_lost() const { return !entry.size; }
};

// Inside a critical section. `found` is null where it has aged out; `known` is all that is known then.
PastAccess past_access(Epoch epoch, AccessKind kind, const LoggedAccess* found, Site known = 0) {
  PastAccess past = {{}, SeenBefore::Unknown, 0, 0, kind, kNoSite, {}};
  if (const ThreadRecord* record = thread_record(epoch))
    past.thread = *record;
  else
    past.thread.number = kNoThread;
  if (found) past.entry = *found;
  past.site = site_id(found ? found->site : known);
  return past;
}

// Inside a critical section. Whether anything that the thread of the epoch has done is ordered before what `t` does now.
SeenBefore seen_before(const Thread* t, Epoch epoch) {
  const ThreadRecord* record = thread_record(epoch);
  if (!record) return SeenBefore::Unknown;
  for (const u32 number = record->number; record && record->number == number; record = record->earlier)
    if (covers(*t, make_epoch(record->tid, record->first_clock))) return SeenBefore::Earlier;
  return SeenBefore::None;
}

uptr heard_through(const Thread* t, Epoch epoch) {
  const Heard& last = t->heard[tid_of(epoch) % Thread::kHeard];
  const ThreadRecord* record = thread_record(epoch);
  const bool is_same = last.object && tid_of(last.from) == tid_of(epoch) && record &&
                       clock_of(last.from) >= record->first_clock;
  return is_same ? last.object : 0;
}

// The access that has met another one.
struct PresentAccess {
  uptr address;
  u64 size;
  AccessKind kind;
  bool is_over; // thread, place, stack and locks are in the log
  SiteId site;
  ContextId context;
  PastAccess past; // if it is over
};

// What the current access is about to use is there: it may be looked at. Freed memory may be gone.
void look_at_pointer(Race& race, const PresentAccess& now, const PastAccess& previous) {
  const uptr address = race.memory.address;
  const bool is_pointer = race.accesses[0].size == 8 && race.accesses[1].size == 8 && address % 8 == 0 &&
                          race.accesses[0].address == address;
  if (!is_pointer || now.is_over || kind_of_site(now.site) == SiteKind::Free ||
      kind_of_site(previous.site) == SiteKind::Free)
    return;
  const uptr value = __atomic_load_n(reinterpret_cast<const uptr*>(address), __ATOMIC_RELAXED);
  if (find_module(value)) race.memory.code_data = value;
}

// Inside a critical section.
PresentAccess find_present(Thread* t, const FoundConflict& found, uptr byte) {
  PresentAccess now = {found.address, found.size, found.kind, bool(found.epoch), kNoSite, 0, {}};
  if (now.is_over) {
    LoggedAccess entry;
    const bool is_found = log_find(found.epoch, byte, found.kind, &entry);
    now.past = past_access(found.epoch, found.kind, is_found ? &entry : nullptr, found.site);
    now.site = now.past.site;
    now.context = now.past.is_lost() ? 0 : now.past.entry.context;
  } else {
    now.site = site_id(found.site);
    now.context = current_context(t);
  }
  return now;
}

// A check of several accesses raced at `byte`: the one of them that touches it is what the user is told.
void name_covered_access(RaceAccess& access, SiteId check, uptr byte) {
  SiteId site = covered_site(check, access.address, byte);
  if (site == check) return;
  const SiteRecord& record = *site_record(site);
  access.site = site;
  access.address = covered_begin(record, access.address, byte);
  if (record.size) access.size = record.size;
  access.kind = record.kind == SiteKind::Write ? "write" : "read";
}

RaceAccess access_of_now(Race& race, Thread* t, const PresentAccess& now) {
  if (t->record) mention(race, *t->record);
  return {kind_name(now.kind, now.site),
          now.size,
          now.address,
          t->record ? t->record->number : kNoThread,
          now.site,
          now.context,
          current_lock_set(t),
          /*is_lost=*/false};
}

// An entry may be of many accesses of one site, side by side: the user is told of the one that touches `byte`. If the site is a check of several
// accesses, it must be the same access in the source, since where each of the checks began is not known.
void name_element(RaceAccess& access, SiteId site, uptr byte) {
  const SiteRecord* record = site_record(site);
  if (!record || !record->size || record->size >= access.size) return;
  if (record->role == SiteRole::Check) {
    access.site = only_covered_site(site, byte);
    if (access.site == site) return;
    record = site_record(access.site);
    if (!record->size) return;
  } else if (record->role != SiteRole::Access) {
    return;
  }
  access.address += (byte - access.address) / record->size * record->size;
  access.size = record->size;
}

// What has aged out is told by its thread and the bytes that race.
RaceAccess access_of_past(Race& race, const PastAccess& past, RacingByte byte, u64 size) {
  RaceAccess access = {};
  access.kind = kind_name(past.kind, past.site);
  access.thread = past.thread.number;
  if (access.thread != kNoThread) mention(race, past.thread);
  access.site = past.site;
  if (!past.is_lost()) {
    access.size = past.entry.size;
    access.address = past.entry.address;
    access.context = past.entry.context;
    access.locks = past.entry.locks;
    name_element(access, past.site, byte.told);
    if (access.site == past.site) name_covered_access(access, past.site, byte.told);
  } else {
    access.site = only_covered_site(past.site, byte.told);
    const SiteRecord* record = site_record(access.site);
    access.size = record && record->size ? record->size : size;
    access.address = byte.told;
    access.is_lost = true;
  }
  return access;
}

// Who has released the locks that the thread holds, before it took them. While it holds them nobody else changes their clocks.
void collect_order_of_locks(Race& race, Thread* t) {
  const Context& c = t->context;
  for (u32 i = 0; i < c.held_count && race.taken_after_count < Race::kMostTakenAfter; ++i) {
    const SyncObject* o = sync_find(c.held[i].address);
    if (!o || o->L.empty() || !o->L.exact || o->L.owner == t->tid()) continue;
    const ThreadRecord* record = thread_record(make_epoch(o->L.owner, o->L.own));
    if (!record || (t->record && record->number == t->record->number)) continue;
    race.taken_after[race.taken_after_count++] = {c.held[i].address, record->number};
    mention(race, *record);
  }
}

void collect_accesses(Race& race, Thread* t, const PresentAccess& now, const PastAccess& previous,
                      RacingByte byte, u64 size) {
  SpinGuard sites(site_table_lock());
  if (now.is_over) {
    race.accesses[0] = access_of_past(race, now.past, byte, now.size);
  } else {
    race.accesses[0] = access_of_now(race, t, now);
    name_covered_access(race.accesses[0], now.site, byte.told);
  }
  race.accesses[1] = access_of_past(race, previous, byte, size);
  if (now.is_over) return;
  race.seen = previous.seen;
  race.heard_through = previous.heard_through;
  race.slept = previous.slept;
  collect_order_of_locks(race, t);
}

// -- Telling

bool introduce_ourselves(u64 modules_version) {
  ReporterStart start = start_reporter();
  if (start == ReporterStart::Failed) return false;
  TextBuffer text;
  if (start == ReporterStart::Started) {
    write_hello_json(text);
    g_modules_sent = 0;
  }
  if (g_modules_sent != modules_version) write_modules_json(text);
  if (!send_to_reporter(text.data(), text.size())) return false;
  g_modules_sent = modules_version;
  return true;
}

// Where the reporter would write: the option log_path, else standard error.
void write_report(const TextBuffer& text) {
  const char* log = options().log_path;
  if (same_text(log, "stdout") && is_standard_stream(1) && write_all(1, text.data(), text.size())) return;
  if (*log && !same_text(log, "stdout") && !same_text(log, "stderr")) {
    TextBuffer path;
    path.add(log);
    path.add('.');
    path.add_decimal(u64(sys(SYS_getpid)));
    const i64 fd = sys(SYS_open, u64(path.c_str()), O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0666);
    const bool done = fd >= 0 && write_all(int(fd), text.data(), text.size());
    if (fd >= 0) sys(SYS_close, u64(fd));
    if (done) return;
  }
  write_error(text.data(), text.size());
}

void tell_without_reporter(Thread* t, const Race& race) {
  ++g_reported;
  u64 limit = u64(options().report_limit);
  if (limit && g_reported > limit) return;
  TextBuffer text;
  {
    Critical critical(t);
    SpinGuard sites(site_table_lock());
    write_race_text(text, race);
  }
  write_report(text);
  if (!g_excused) say("the report above has no symbols: ", reporter_problem());
  g_excused = true;
  if (g_reported == limit) say("the report limit is reached: further races are counted, not printed");
}

// True if the user was told.
bool tell(Thread* t, const Race& race, u64 modules_version) {
  TextBuffer text;
  {
    Critical critical(t);
    SpinGuard sites(site_table_lock());
    write_race_json(text, race);
  }
  char answer = 0;
  for (u32 attempt = 0; !answer && attempt < 2; ++attempt) // the second one if somebody has killed it
    if (introduce_ourselves(modules_version) && send_to_reporter(text.data(), text.size()))
      answer = reporter_answer();
  if (!answer) {
    tell_without_reporter(t, race);
    return true;
  }
  g_reported += answer == 'R';
  g_suppressed += answer == 'S';
  return answer == 'R';
}

void finish_locked() {
  if (g_finished) return;
  g_finished = true;
  TextBuffer text;
  JsonWriter json(text);
  json.begin_object();
  json.key("type").text("bye");
  json.key("races").number(g_reported);
  json.end_object();
  text.add('\n');
  if (g_modules_sent) send_to_reporter(text.data(), text.size());
  end_reporter();
}

// The loader maps behind our back, so a library may lie where freed memory was. What it holds was never freed:
// the mark is that of the block before it.
bool has_older_owner(SiteId previous_site, uptr address) {
  const PcSite* previous = pc_site_record(previous_site);
  if (!previous || previous->kind != SiteKind::Free) return false;
  refresh_modules();
  return find_module(address);
}

// Bytes that a check has in common with another access may belong to different accesses of the check.
bool may_hide_accesses(Thread* t, SiteId site, SiteId previous_site) {
  Critical critical(t);
  SpinGuard sites(site_table_lock());
  return covers_others(site) || covers_others(previous_site);
}

[[noreturn]] void halt() {
  recording_finish();
  finish_locked();
  if (g_death_callback) g_death_callback();
  if (options().abort_on_error) {
    KernelSigaction standard = {};
    u64 none = 0;
    sys(SYS_rt_sigaction, SIGABRT, u64(&standard), 0, sizeof none);
    sys(SYS_rt_sigprocmask, SIG_SETMASK, u64(&none), 0, sizeof none);
    sys(SYS_tgkill, u64(sys(SYS_getpid)), u64(current_os_thread()), SIGABRT);
  }
  sys(SYS_exit_group, u64(options().exitcode));
  __builtin_trap();
}

// True if it was not told before.
bool report_race(Thread* t, const PresentAccess& now, const PastAccess& previous, RacingByte byte, u64 size) {
  if (has_older_owner(previous.site, byte.told)) return false;
  Race race;
  fill_bytes(&race, 0, sizeof race);
  {
    Critical critical(t);
    collect_accesses(race, t, now, previous, byte, size);
    // The sites are those of the accesses now, not of checks that cover them.
    const Subject pair = pair_of(race.accesses[0].site, now.kind, race.accesses[1].site, previous.kind);
    if (!must_be_told(pair, race)) return false;
  }
  const u64 modules_version = refresh_modules(); // before the lock: modules.h says why
  {
    ReportScope scope(t);
    if (g_finished) return true;
    {
      Critical critical(t);
      describe_memory(race, byte.told);
      look_at_pointer(race, now, previous);
    }
    race.id = ++g_ids;
    if (!tell(t, race, modules_version)) return true;
    if (options().halt_on_error) halt();
  }
  if (__tsan_on_report) { // it may well end the process
    ++t->ignore;
    __tsan_on_report(nullptr);
    --t->ignore;
  }
  return true;
}

bool find_proxied(Thread* t, SiteId site, u32 index, ProxiedBytes* out) {
  Critical critical(t);
  SpinGuard sites(site_table_lock());
  return proxied_bytes(site, index, out);
}

// The previous accesses to the bytes of a conflict. They are looked for at once: later, its epoch may have another number.
class PreviousAccesses {
public:
  PreviousAccesses(Thread* t, const Conflict& conflict) : address_(conflict.address) {
    Critical critical(t);
    log_find(conflict.previous, conflict.address, conflict.size, conflict.previous_kind, found_);
    lost_ = past_access(conflict.previous, conflict.previous_kind, nullptr);
    lost_.seen = seen_before(t, conflict.previous);
    lost_.heard_through = heard_through(t, conflict.previous);
    lost_.slept = slept_after(t, conflict.previous);
  }
  PastAccess at(uptr byte) const {
    PastAccess past = lost_;
    if (const LoggedAccess* found = found_.at(u32(byte - address_)))
      // A writer who loses the race for R leaves a W of its own over that of the one before, which then looks like a read. The log knows.
      past.entry = *found, past.kind = found->kind, past.site = site_id(found->site);
    return past;
  }
  u64 cost() const { return found_.looked_at; }

private:
  const uptr address_;
  PastAccess lost_;
  LoggedAccesses found_;
};

// What is checked through bytes that raced has raced as well.
constexpr u64 kMostProxied = 1024; // of an array of which the pass does not know which access touches what
bool report_proxied(Thread* t, const PresentAccess& now, const Conflict& conflict,
                    const PreviousAccesses& previous, bool is_first_byte) {
  bool is_new = false;
  ProxiedBytes proxied;
  for (u32 i = 0; find_proxied(t, now.site, i, &proxied); ++i) {
    if (proxied.proxy - conflict.address >= conflict.size) continue;
    const u64 end = is_first_byte ? 1 : min(proxied.size, kMostProxied);
    for (u64 j = is_first_byte ? 0 : 1; j < end; ++j)
      is_new |=
          report_race(t, now, previous.at(proxied.proxy), {proxied.proxy, proxied.begin + j}, conflict.size);
  }
  return is_new;
}

// Each of the places that have accessed bytes of the conflict in the previous epoch.
bool report_bytes(Thread* t, const PresentAccess& now, const Conflict& conflict,
                  const PreviousAccesses& all) {
  bool is_new = false;
  constexpr u32 kMostPlaces = 8;
  SiteId told[kMostPlaces];
  u32 count = 0;
  for (uptr byte = conflict.address; byte < conflict.address + conflict.size; ++byte) {
    const PastAccess previous = all.at(byte);
    bool is_repeated = false;
    for (u32 i = 0; i < count; ++i) is_repeated |= told[i] == previous.site;
    if (is_repeated && !may_hide_accesses(t, now.site, previous.site)) continue;
    if (!is_repeated && count < kMostPlaces) told[count++] = previous.site;
    is_new |= report_race(t, now, previous, {byte, byte}, conflict.size);
  }
  return is_new;
}

} // namespace

void report_conflict(Thread* t, const FoundConflict& found) {
  if (!options().report_bugs) return;
  if (t->ignore) return; // a race of ours, or inside what must not be judged
  const Conflict& conflict = found.conflict;
  PresentAccess now;
  Looks* looks;
  {
    Critical critical(t);
    now = find_present(t, found, conflict.address);
    looks = worth_a_look(looks_of(now.site, found.kind, conflict), now.context, conflict);
    if (!looks) return;
  }
  const PreviousAccesses previous(t, conflict);
  bool is_new = report_bytes(t, now, conflict, previous);
  // First each access that is proxied, then their other bytes: how many pairs of stacks are told is limited.
  is_new |= report_proxied(t, now, conflict, previous, /*is_first_byte=*/true);
  is_new |= report_proxied(t, now, conflict, previous, /*is_first_byte=*/false);
  look_was(*looks, is_new, previous.cost());
}

void set_death_callback(void (*callback)()) { g_death_callback = callback; }
u64 races_reported() { return __atomic_load_n(&g_reported, __ATOMIC_RELAXED); }
u64 races_suppressed() { return __atomic_load_n(&g_suppressed, __ATOMIC_RELAXED); }

void finish_reporting() {
  ReportScope scope(self());
  finish_locked();
}

void report_after_fork() {
  g_lock.reset();
  ++g_generation;
  g_reported = g_suppressed = g_modules_sent = 0;
  g_finished = false;
  reporter_after_fork();
  log_seeks_end();
}

} // namespace footrace
