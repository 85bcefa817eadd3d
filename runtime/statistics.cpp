#include "runtime/statistics.h"

#include "runtime/environment.h"
#include "runtime/options.h"
#include "runtime/report.h"
#include "runtime/threads.h"
#include "shadow/cell.h"

#include <fcntl.h>
#include <sys/syscall.h>

namespace footrace {
namespace {

constexpr uptr kPage = 4096;

u64 g_finished[fasttrack::kAccessRules]; // of threads that have ended; under the registry's lock
bool g_printed;

void add_counts(u64 (&sum)[fasttrack::kAccessRules], const Thread& t) {
  for (u32 rule = 0; rule < fasttrack::kAccessRules; ++rule)
    sum[rule] += __atomic_load_n(&t.rule_count[rule], __ATOMIC_RELAXED);
}

u64 used_cells_of_page(uptr page) {
  u64 used = 0;
  for (const Cell* cell = reinterpret_cast<Cell*>(page); cell != reinterpret_cast<Cell*>(page + kPage);
       ++cell)
    used += __atomic_load_n(&cell->W, __ATOMIC_RELAXED) || __atomic_load_n(&cell->R, __ATOMIC_RELAXED);
  return used;
}

// Pages of the shadow that were never touched are not looked at: that would make them resident.
u64 used_cells(uptr begin, uptr end) {
  u8 resident[1024];
  u64 used = 0;
  for (uptr at = begin; at < end; at += sizeof resident * kPage) {
    uptr pages = end - at < sizeof resident * kPage ? (end - at) / kPage : sizeof resident;
    if (sys(SYS_mincore, at, pages * kPage, u64(resident)) != 0) continue;
    for (uptr i = 0; i < pages; ++i)
      if (resident[i] & 1) used += used_cells_of_page(at + i * kPage);
  }
  return used;
}

uptr parse_hex(const char*& text) {
  uptr value = 0;
  for (;; ++text) {
    if (*text >= '0' && *text <= '9')
      value = value * 16 + uptr(*text - '0');
    else if (*text >= 'a' && *text <= 'f')
      value = value * 16 + uptr(*text - 'a' + 10);
    else
      return value;
  }
}

// Cells that hold an access, over all memory that is mapped now.
u64 shadow_locations() {
  TextBuffer maps;
  if (!read_file("/proc/self/maps", maps)) return 0;
  u64 used = 0;
  for (const char* line = maps.c_str(); *line;) {
    uptr begin = parse_hex(line);
    if (*line == '-') ++line;
    uptr end = parse_hex(line);
    if (begin < end && may_have_shadow(begin) && may_have_shadow(end - 1))
      used += used_cells(reinterpret_cast<uptr>(cell_of(begin)), reinterpret_cast<uptr>(cell_of(end)));
    while (*line && *line != '\n') ++line;
    if (*line) ++line;
  }
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
    write_all(2, text.data(), text.size());
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

  struct Sum {
    u64 rules[fasttrack::kAccessRules];
  } sum;
  {
    Critical critical(self());
    registry_lock();
    copy_bytes(sum.rules, g_finished, sizeof sum.rules);
    visit_threads_locked([](void* s, Thread* t) { add_counts(static_cast<Sum*>(s)->rules, *t); }, &sum);
    registry_unlock();
  }

  TextBuffer out;
  u64 slow = 0;
  for (u64 count : sum.rules) slow += count;
  add_line(out, "slow_path", slow);
#define X(name) add_line(out, #name, sum.rules[u32(fasttrack::Rule::name)]);
  FOOTRACE_ACCESS_RULES(X)
#undef X
  add_line(out, "shadow_locations", shadow_locations());
  add_line(out, "group_blocks", group_blocks_in_use());
  add_line(out, "read_sets", sets_in_use());
  add_line(out, "clock_nodes", clock_nodes_in_use());
  add_line(out, "threads_created", registry_counts().created);
  add_line(out, "races_reported", races_reported());
  add_line(out, "races_suppressed", races_suppressed());
  write_statistics(out);
}

} // namespace footrace
