// The report of last resort: no symbols, but every line that the site table knows and every address with its
// module.
#include "runtime/race.h"

#include "runtime/modules.h"
#include "runtime/site_table.h"

#include <sys/syscall.h>

namespace footrace {
namespace {

constexpr u32 kMaxShown = 64;
uptr g_frames[kMaxShown];
HeldLock g_locks[kMaxLocks];

void add_code_address(TextBuffer& out, uptr address) {
  out.add_hex(address);
  const LoadedModule* m = find_module(address);
  if (!m) return;
  out.add(" (");
  out.add(m->path);
  out.add('+');
  out.add_hex(address - m->base);
  out.add(')');
}

void add_frame_number(TextBuffer& out, u32 number) {
  out.add("    #");
  out.add_decimal(number);
  out.add(' ');
}

void add_place(TextBuffer& out, const SiteRecord& record) {
  const char *file = site_file(record), *function = site_function(record);
  out.add(function ? function : "<unknown function>");
  out.add(' ');
  out.add(file ? file : "<unknown file>");
  out.add(':');
  out.add_decimal(record.line);
  out.add(':');
  out.add_decimal(record.column);
  out.add('\n');
}

u32 add_site(TextBuffer& out, SiteId site) {
  u32 number = 0;
  if (const PcSite* pc = pc_site_record(site)) {
    if (pc->function) {
      add_frame_number(out, number++);
      out.add(pc->function);
      out.add('\n');
    }
    add_frame_number(out, number++);
    add_code_address(out, pc->pc - 1);
    out.add('\n');
  }
  const SiteRecord* record = site_record(site);
  for (; record && number < kMaxShown; record = site_inlined_at(*record)) {
    add_frame_number(out, number++);
    add_place(out, *record);
  }
  return number;
}

void add_stack(TextBuffer& out, ContextId context, u32 number) {
  u32 count = context_frames(context, g_frames, kMaxShown);
  for (u32 i = 0; i < count; ++i) {
    add_frame_number(out, number++);
    add_code_address(out, g_frames[i] - 1); // return addresses: the call is just before
    out.add('\n');
  }
  out.add('\n');
}

void add_thread_name(TextBuffer& out, u32 number) {
  if (number == kNoThread) return out.add("an unknown thread");
  if (!number) return out.add("main thread");
  out.add("thread T");
  out.add_decimal(number);
}

void add_access(TextBuffer& out, const RaceAccess& access, bool is_previous) {
  out.add(is_previous ? "  Previous " : "  Current ");
  out.add(access.kind);
  out.add(" of size ");
  out.add_decimal(access.size);
  out.add(" at ");
  out.add_hex(access.address);
  out.add(" by ");
  add_thread_name(out, access.thread);
  out.add(":\n");
  u32 frames = add_site(out, access.site);
  if (access.is_lost)
    return out.add("    (its callers and locks are no longer known: raise history_size)\n\n");
  add_stack(out, access.context, frames);
  if (access.locks == kLostLockSet) return out.add("  (the locks held are not known)\n\n");
  for (u32 i = lock_set_members(access.locks, g_locks, kMaxLocks); i-- > 0;) {
    out.add(g_locks[i].mode == LockMode::Shared ? "  holding shared lock " : "  holding lock ");
    out.add_hex(g_locks[i].address);
    out.add(", taken at:\n");
    add_stack(out, g_locks[i].taken, 0);
  }
}

bool is_free(const RaceAccess& access) {
  const PcSite* pc = pc_site_record(access.site);
  return pc && pc->kind == SiteKind::Free;
}

void add_memory(TextBuffer& out, const RaceMemory& memory, const RaceAccess& previous) {
  out.add("  Location is ");
  switch (memory.region) {
  case RaceRegion::Heap:
    out.add(memory.block.freed ? "freed heap block of size " : "heap block of size ");
    out.add_decimal(memory.block.size);
    out.add(" at ");
    out.add_hex(memory.block.begin);
    out.add(" allocated by ");
    add_thread_name(out, memory.thread);
    out.add(" at:\n");
    add_stack(out, memory.block.allocation_context, 0);
    if (is_free(previous) && !memory.block.freed)
      out.add("  The free ended an earlier block. Nothing orders the access after the allocation of this "
              "one.\n\n");
    return;
  case RaceRegion::Stack:
  case RaceRegion::Tls:
    out.add(memory.region == RaceRegion::Stack ? "stack of " : "thread-local storage of ");
    add_thread_name(out, memory.thread);
    break;
  case RaceRegion::Global:
    out.add("global ");
    add_code_address(out, memory.address);
    break;
  case RaceRegion::Unknown:
    out.add("not known, at ");
    out.add_hex(memory.address);
    break;
  }
  out.add("\n\n");
}

void add_thread(TextBuffer& out, const ThreadRecord& thread) {
  out.add("  Thread T");
  out.add_decimal(thread.number);
  if (thread.name[0]) {
    out.add(" '");
    out.add(thread.name);
    out.add('\'');
  }
  out.add(thread.finished ? " (finished)" : " (running)");
  if (thread.parent_number != kNoThread) {
    out.add(" created by ");
    add_thread_name(out, thread.parent_number);
  }
  out.add(":\n");
  add_stack(out, thread.creation, 0);
}

} // namespace

void write_race_text(TextBuffer& out, const Race& race) {
  const bool has_free = is_free(race.accesses[0]) || is_free(race.accesses[1]);
  out.add("==================\nWARNING: footrace: ");
  out.add(has_free ? "heap-use-after-free race" : "data race");
  out.add(" (pid=");
  out.add_decimal(u64(sys(SYS_getpid)));
  out.add(")\n");
  add_access(out, race.accesses[0], false);
  add_access(out, race.accesses[1], true);
  add_memory(out, race.memory, race.accesses[1]);
  for (u32 i = 0; i < race.thread_count; ++i)
    if (race.threads[i].number) add_thread(out, race.threads[i]);
  out.add("==================\n");
}

} // namespace footrace
