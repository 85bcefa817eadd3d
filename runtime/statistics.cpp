#include "runtime/statistics.h"

#include "check/arrays.h"
#include "check/bytes.h"
#include "check/readers.h"
#include "runtime/environment.h"
#include "runtime/mappings.h"
#include "runtime/options.h"
#include "runtime/renumbering.h"
#include "runtime/report.h"
#include "runtime/threads.h"

#include <fcntl.h>
#include <sys/syscall.h>

namespace footrace {
namespace {

constexpr uptr kPage = 4096;

struct Counts {
  u64 rules[kAccessRules];
  u64 transitions[kTransitions];
};
Counts g_finished; // of threads that have ended; under the registry's lock
bool g_printed;

void add_counts(Counts& sum, const Thread& t) {
  for (u32 rule = 0; rule < kAccessRules; ++rule)
    sum.rules[rule] += __atomic_load_n(&t.rule_count[rule], __ATOMIC_RELAXED);
  for (u32 x = 0; x < kTransitions; ++x)
    sum.transitions[x] += __atomic_load_n(&t.transition_count[x], __ATOMIC_RELAXED);
}

// Of {W, R}, in 64 bits each.
u64 used_cells_of_page(uptr page) {
  u64 used = 0;
  for (const u64* r = reinterpret_cast<u64*>(page) + 1; r < reinterpret_cast<u64*>(page + kPage); r += 2)
    used += !low_word(__atomic_load_n(r, __ATOMIC_RELAXED)).asks_header();
  return used;
}
u64 coarse_blocks_of_page(uptr page) {
  u64 used = 0;
  for (const u64* h = reinterpret_cast<u64*>(page); h != reinterpret_cast<u64*>(page + kPage); ++h)
    used += is_coarse(__atomic_load_n(h, __ATOMIC_RELAXED));
  return used;
}

// Pages of the shadow that were never touched are not looked at: that would make them resident.
u64 count_in(uptr begin, uptr end, u64 (*count_of_page)(uptr)) {
  u8 resident[1024];
  u64 used = 0;
  for (uptr at = begin; at < end; at += sizeof resident * kPage) {
    uptr pages = end - at < sizeof resident * kPage ? (end - at) / kPage : sizeof resident;
    if (sys(SYS_mincore, at, pages * kPage, u64(resident)) != 0) continue;
    for (uptr i = 0; i < pages; ++i)
      if (resident[i] & 1) used += count_of_page(at + i * kPage);
  }
  return used;
}

// Pages of headers are shared by neighbours in memory: counted with the one that begins in them.
u64 coarse_blocks(uptr begin, uptr end) {
  uptr first = round_up(reinterpret_cast<uptr>(header_of(begin)), kPage),
       last = round_up(reinterpret_cast<uptr>(header_of(end)), kPage);
  return first < last ? count_in(first, last, coarse_blocks_of_page) : 0;
}

// Cells and coarse blocks that hold an access, over all memory that is mapped now.
u64 shadow_locations() {
  u64 used = 0;
  for_each_mapping([&used](uptr begin, uptr end) {
    used += count_in(reinterpret_cast<uptr>(cell_of(begin)), reinterpret_cast<uptr>(cell_of(end)),
                     used_cells_of_page) +
            coarse_blocks(begin, end);
  });
  return used;
}

void add_line(TextBuffer& out, const char* name, u64 value) {
  out.add("footrace-stats: ");
  out.add(name);
  out.add(' ');
  out.add_decimal(value);
  out.add('\n');
}

void write_statistics(const TextBuffer& text) {
  const char* path = options().stats_file;
  if (!*path) {
    write_error(text.data(), text.size());
    return;
  }
  // Appended, because the children of fork write theirs to the same file.
  i64 fd = sys(SYS_open, u64(path), O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0666);
  if (fd < 0 || !write_all(int(fd), text.data(), text.size()))
    say("cannot write the statistics to '", path, "': correct stats_file= in FOOTRACE_OPTIONS");
  if (fd >= 0) sys(SYS_close, u64(fd));
}

} // namespace

void add_to_statistics(const Thread& t) { add_counts(g_finished, t); }

void print_statistics() {
  if (!options().stats && !*options().stats_file) return;
  if (__atomic_exchange_n(&g_printed, true, __ATOMIC_RELAXED)) return;

  Counts sum;
  {
    Critical critical(self());
    registry_lock();
    sum = g_finished;
    visit_threads_locked([](void* s, Thread* t) { add_counts(*static_cast<Counts*>(s), *t); }, &sum);
    registry_unlock();
  }

  TextBuffer out;
  u64 slow = 0;
  for (u64 count : sum.rules) slow += count;
  add_line(out, "slow_path", slow);
#define X(name) add_line(out, #name, sum.rules[u32(Rule::name)]);
  FOOTRACE_ACCESS_RULES(X)
#undef X
#define X(name) add_line(out, #name, sum.transitions[u32(Transition::name)]);
  FOOTRACE_SHADOW_TRANSITIONS(X)
#undef X
  add_line(out, "shadow_locations", shadow_locations());
  add_line(out, "four_words", fasttrack::four_words_in_use());
  add_line(out, "read_sets", set_lines_in_use());
  add_line(out, "clock_nodes", clock_nodes_in_use());
  add_line(out, "renumberings", renumberings());
  add_line(out, "threads_created", registry_counts().created);
  add_line(out, "races_reported", races_reported());
  add_line(out, "races_suppressed", races_suppressed());
  write_statistics(out);
}

} // namespace footrace
