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
#include "runtime/reporter_process.h"
#include "runtime/site_table.h"
#include "runtime/threads.h"

#include <linux/futex.h>
#include <sys/syscall.h>

namespace footrace {
namespace {

using fasttrack::AccessKind;
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
// Two places may race in more than one way: code that many callers use, on many objects. A conflict is worth
// a look when its current stack is new for the pair of places, or its address is; looking finds the previous
// stack, and a race is told once per pair of stacks. (The reporter decides which of those mean the same
// defect.) Limits per pair keep loops that race a million times quick; they are reset by nothing but fork,
// since the child speaks for itself.

struct Pair {
  u64 low, high; // (generation, site, kind) of either side
};

enum class Told : u8 { Pair, Stack, Address, Stacks };
struct ToldNode {
  Pair pair;
  u64 what;
  Told kind;
  bool same(const ToldNode& o) const {
    return pair.low == o.pair.low && pair.high == o.pair.high && what == o.what && kind == o.kind;
  }
  u64 hash() const { return mix_hash(pair.low ^ mix_hash(pair.high ^ mix_hash(what + (u64(kind) << 56)))); }
};
constexpr u32 kMaxTold = 1 << 20;
constexpr u8 kMaxLooks = 64;
constexpr u8 kMaxLooksIntoChecks = 255; // at single bytes, of checks that cover several accesses
InternTable<ToldNode, kMaxTold> g_told;
u8 g_looks[2][kMaxTold + 1]; // for a new stack, for a new address; by id of the pair
u64 g_generation;            // of processes, by fork

Pair pair_of(SiteId a, AccessKind a_kind, SiteId b, AccessKind b_kind) {
  u64 x = u64(a) << 8 | u64(a_kind), y = u64(b) << 8 | u64(b_kind);
  return {g_generation << 32 | min(x, y), g_generation << 32 | max(x, y)};
}

bool is_first(const Pair& pair, Told kind, u64 what) {
  bool is_new;
  g_told.intern({pair, what, kind}, &is_new);
  return is_new;
}

bool has_looks_left(u32 pair, Told kind, u8 most) {
  u8& looks = g_looks[kind == Told::Address][pair];
  if (__atomic_load_n(&looks, __ATOMIC_RELAXED) >= most) return false;
  __atomic_fetch_add(&looks, 1, __ATOMIC_RELAXED);
  return true;
}

bool may_be_untold(const Pair& pair, ContextId context, uptr address, u8 most_addresses) {
  u32 id = g_told.intern({pair, 0, Told::Pair});
  if (!id) return false; // a million reports
  return (is_first(pair, Told::Stack, context) && has_looks_left(id, Told::Stack, kMaxLooks)) ||
         (is_first(pair, Told::Address, address) && has_looks_left(id, Told::Address, most_addresses));
}

bool must_be_told(const Pair& pair, const Race& race) {
  u64 now = race.accesses[0].context, before = race.accesses[1].context;
  return is_first(pair, Told::Stacks, now << 32 | before);
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

u32 mention_epoch(Race& race, Epoch epoch) {
  const ThreadRecord* record = thread_record(epoch);
  if (!record) return kNoThread;
  mention(race, *record);
  return record->number;
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

RaceAccess access_of_now(Race& race, Thread* t, const CurrentAccess& access) {
  if (t->record) mention(race, *t->record);
  return {kind_name(access.kind, access.site),
          access.size,
          access.address,
          t->record ? t->record->number : kNoThread,
          access.site,
          current_context(t),
          current_lock_set(t),
          /*is_lost=*/false};
}

// An entry of the history may be of many accesses of one site, side by side: the user is told of the one that touches `byte`. If the site is a check of several
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

// An access that is over, from the history; what has aged out there is told by its site alone.
RaceAccess access_of_past(Race& race, AccessKind kind, SiteId site, Epoch when, RacingByte byte, u64 size) {
  RaceAccess access = {};
  access.kind = kind_name(kind, site);
  access.thread = mention_epoch(race, when);
  access.site = site;
  HistoryEntry entry;
  if (history_find(when, byte.checked, site, &entry)) {
    access.size = entry.size;
    access.address = entry.address;
    access.context = entry.context;
    access.locks = entry.locks;
    name_element(access, site, byte.told);
    if (access.site == site) name_covered_access(access, site, byte.told);
  } else {
    access.site = only_covered_site(site, byte.told);
    const SiteRecord* record = site_record(access.site);
    access.size = record && record->size ? record->size : size;
    access.address = byte.told;
    access.is_lost = true;
  }
  return access;
}

void collect(Race& race, Thread* t, const CurrentAccess& access, const Conflict& conflict,
             SiteId previous_site, RacingByte byte) {
  SpinGuard sites(site_table_lock());
  if (access.epoch) {
    race.accesses[0] = access_of_past(race, access.kind, access.site, access.epoch, byte, access.size);
  } else {
    race.accesses[0] = access_of_now(race, t, access);
    name_covered_access(race.accesses[0], access.site, byte.told);
  }
  race.accesses[1] = access_of_past(race, conflict.previous_kind, previous_site, conflict.previous, byte,
                                    u64(__builtin_popcount(conflict.bytes)));
  describe_memory(race, byte.told);
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
  write_all(2, text.data(), text.size());
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
  return previous && previous->kind == SiteKind::Free && find_module(address);
}

// Bytes that a check has in common with another access may belong to different accesses of the check.
bool may_hide_accesses(Thread* t, SiteId site, SiteId previous_site) {
  Critical critical(t);
  SpinGuard sites(site_table_lock());
  return covers_others(site) || covers_others(previous_site);
}

void report_race(Thread* t, const CurrentAccess& access, const Conflict& conflict, SiteId previous_site,
                 RacingByte byte) {
  Pair pair = pair_of(access.site, access.kind, previous_site, conflict.previous_kind);
  const bool is_sharp = may_hide_accesses(t, access.site, previous_site);
  {
    Critical critical(t);
    if (!may_be_untold(pair, access.epoch ? 0 : current_context(t),
                       is_sharp ? byte.told : conflict.cell_address,
                       is_sharp ? kMaxLooksIntoChecks : kMaxLooks))
      return;
  }
  u64 modules_version = refresh_modules(); // before the lock: modules.h says why
  if (has_older_owner(previous_site, byte.told)) return;
  ReportScope scope(t);
  if (g_finished) return;
  Race race;
  fill_bytes(&race, 0, sizeof race);
  {
    Critical critical(t);
    collect(race, t, access, conflict, previous_site, byte);
    // The sites are those of the accesses now, not of checks that cover them.
    pair = pair_of(race.accesses[0].site, access.kind, race.accesses[1].site, conflict.previous_kind);
    if (!must_be_told(pair, race)) return;
  }
  race.id = ++g_ids;
  if (!tell(t, race, modules_version) || !options().halt_on_error) return;
  finish_locked();
  sys(SYS_exit_group, u64(options().exitcode));
}

bool find_proxied(Thread* t, SiteId site, u32 index, ProxiedBytes* out) {
  Critical critical(t);
  SpinGuard sites(site_table_lock());
  return proxied_bytes(site, index, out);
}

// What is checked through bytes that raced has raced as well.
constexpr u64 kMostProxied = 1024; // of an array of which the pass does not know which access touches what
void report_proxied(Thread* t, const CurrentAccess& access, const Conflict& conflict, bool is_first_byte) {
  ProxiedBytes proxied;
  for (u32 i = 0; find_proxied(t, access.site, i, &proxied); ++i) {
    u64 byte = proxied.proxy - conflict.cell_address;
    if (byte >= 8 || !(conflict.bytes >> byte & 1)) continue;
    SiteId previous = site_of_byte(conflict.previous_site, u32(byte));
    u64 end = is_first_byte ? 1 : min(proxied.size, kMostProxied);
    for (u64 j = is_first_byte ? 0 : 1; j < end; ++j)
      report_race(t, access, conflict, previous, {proxied.proxy, proxied.begin + j});
  }
}

} // namespace

void report_conflict(Thread* t, const CurrentAccess& access, const Conflict& conflict) {
  if (t->ignore) return; // a race of ours, or inside what must not be judged
  // Bytes of one cell may have been accessed from different places in the same epoch.
  SiteId told[8];
  u32 count = 0;
  for (u32 byte = 0; byte < 8; ++byte) {
    if (!(conflict.bytes >> byte & 1)) continue;
    SiteId site = site_of_byte(conflict.previous_site, byte);
    bool is_repeated = false;
    for (u32 i = 0; i < count; ++i) is_repeated |= told[i] == site;
    if (is_repeated && !may_hide_accesses(t, access.site, site)) continue;
    if (!is_repeated) told[count++] = site;
    uptr address = conflict.cell_address + byte;
    report_race(t, access, conflict, site, {address, address});
  }
  // How often a pair of checks is looked into is limited: first each access, then their other bytes.
  report_proxied(t, access, conflict, /*is_first_byte=*/true);
  report_proxied(t, access, conflict, /*is_first_byte=*/false);
}

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
}

} // namespace footrace
