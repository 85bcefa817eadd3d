#include "runtime/race.h"

#include "runtime/modules.h"
#include "runtime/options.h"
#include "runtime/site_table.h"

#include <sys/syscall.h>

namespace footrace {
namespace {

constexpr u64 kProtocolVersion = 1;
constexpr u32 kMaxInlined = 64; // a damaged record must not hang the program

uptr g_frames[kMaxFrames];
HeldLock g_locks[kMaxLocks];

void write_stack(JsonWriter& json, ContextId context, const char* key = "stack") {
  u32 count = context_frames(context, g_frames, kMaxFrames);
  json.key(key).begin_array();
  for (u32 i = 0; i < count; ++i) json.address(g_frames[i]);
  json.end_array();
}

void write_block(JsonWriter& json, const HeapBlock& block, const char* stack) {
  json.key("begin").address(block.begin);
  json.key("size").number(block.size);
  write_stack(json, block.allocation_context, stack);
}

void write_place(JsonWriter& json, const SiteRecord& record) {
  const char *file = site_file(record), *function = site_function(record);
  json.key("file").text(file ? file : "");
  json.key("line").number(record.line);
  json.key("column").number(record.column);
  json.key("function").text(function ? function : "");
}

void write_site(JsonWriter& json, SiteId site) {
  if (const PcSite* pc = pc_site_record(site)) {
    json.key("pc").address(pc->pc);
    if (pc->function) json.key("intercepted").text(pc->function);
    return;
  }
  const SiteRecord* record = site_record(site);
  if (!record) return;
  json.key("site").begin_object();
  write_place(json, *record);
  json.key("record").address(reinterpret_cast<uptr>(record));
  json.key("inlined").begin_array();
  const SiteRecord* outer = site_inlined_at(*record);
  for (u32 i = 0; outer && i < kMaxInlined; ++i, outer = site_inlined_at(*outer)) {
    json.begin_object();
    write_place(json, *outer);
    json.end_object();
  }
  json.end_array();
  json.end_object();
}

void write_taken_after(JsonWriter& json, const Race& race, uptr lock) {
  for (u32 i = 0; i < race.taken_after_count; ++i)
    if (race.taken_after[i].lock == lock) return (void)json.key("after").number(race.taken_after[i].thread);
}

void write_locks(JsonWriter& json, const Race& race, const RaceAccess& access) {
  const LockSetId locks = access.locks;
  u32 count = lock_set_members(locks, g_locks, kMaxLocks);
  json.key("locks").begin_array();
  while (count--) { // in the order they were taken
    json.begin_object();
    json.key("address").address(g_locks[count].address);
    json.key("mode").text(g_locks[count].mode == LockMode::Shared ? "shared" : "exclusive");
    if (&access == race.accesses) write_taken_after(json, race, g_locks[count].address);
    HeapBlock block;
    if (heap_find(g_locks[count].address, &block)) write_block(json, block, "allocated");
    write_stack(json, g_locks[count].taken);
    json.end_object();
  }
  json.end_array();
}

void write_thread_number(JsonWriter& json, u32 number) {
  if (number != kNoThread) json.key("thread").number(number);
}

void write_access(JsonWriter& json, const Race& race, const RaceAccess& access) {
  json.begin_object();
  json.key("kind").text(access.kind);
  json.key("size").number(access.size);
  json.key("address").address(access.address);
  write_thread_number(json, access.thread);
  write_site(json, access.site);
  if (access.is_lost)
    json.key("stack_lost").boolean(true);
  else
    write_stack(json, access.context);
  if (access.is_lost || access.locks == kLostLockSet)
    json.key("locks_lost").boolean(true);
  else
    write_locks(json, race, access);
  json.end_object();
}

void write_memory(JsonWriter& json, const RaceMemory& memory) {
  static const char* const kRegions[] = {"unknown", "heap", "stack", "tls", "global"};
  json.begin_object();
  json.key("region").text(kRegions[u32(memory.region)]);
  json.key("address").address(memory.address);
  write_thread_number(json, memory.thread);
  if (memory.code_data) json.key("points_to").address(memory.code_data);
  if (memory.frame.address) {
    json.key("frame").begin_object();
    json.key("address").address(memory.frame.address);
    json.key("code").address(memory.frame.code);
    json.key("returns").address(memory.frame.returns);
    json.end_object();
  }
  if (memory.region == RaceRegion::Heap) {
    if (memory.block.freed) json.key("freed").boolean(true);
    write_block(json, memory.block, "stack");
  }
  json.end_object();
}

void write_thread(JsonWriter& json, const ThreadRecord& thread) {
  json.begin_object();
  json.key("number").number(thread.number);
  json.key("name").text(thread.name);
  json.key("os_id").number(u64(thread.os_id));
  json.key("finished").boolean(thread.finished);
  if (thread.parent_number != kNoThread) json.key("parent").number(thread.parent_number);
  write_stack(json, thread.creation);
  if (thread.joiner_number != kNoThread) {
    json.key("joiner").number(thread.joiner_number);
    if (thread.joined) json.key("joined").boolean(true);
    write_stack(json, thread.join, "join");
  }
  json.end_object();
}

} // namespace

void write_hello_json(TextBuffer& out) {
  JsonWriter json(out);
  json.begin_object();
  json.key("type").text("hello");
  json.key("version").number(kProtocolVersion);
  json.key("pid").number(u64(sys(SYS_getpid)));
  json.key("exe").text(executable_path());
  json.key("options").begin_object();
  for_each_option(
      options(),
      [](void* writer, const char* name, const char* value) {
        static_cast<JsonWriter*>(writer)->key(name).text(value);
      },
      &json);
  json.end_object();
  if (*default_suppressions()) json.key("suppressions").text(default_suppressions());
  json.end_object();
  out.add('\n');
}

void write_modules_json(TextBuffer& out) {
  JsonWriter json(out);
  json.begin_object();
  json.key("type").text("modules");
  json.key("modules").begin_array();
  for (u32 i = 0; i < module_count(); ++i) {
    const LoadedModule& m = module_at(i);
    if (!m.loaded && has_new_owner(m)) continue;
    json.begin_object();
    json.key("path").text(m.path);
    json.key("base").address(m.base);
    json.key("begin").address(m.begin);
    json.key("end").address(m.end);
    json.end_object();
  }
  json.end_array();
  json.end_object();
  out.add('\n');
}

void write_race_json(TextBuffer& out, const Race& race) {
  JsonWriter json(out);
  json.begin_object();
  json.key("type").text("race");
  json.key("id").number(race.id);
  json.key("accesses").begin_array();
  for (const RaceAccess& access : race.accesses) write_access(json, race, access);
  json.end_array();
  if (race.seen != SeenBefore::Unknown)
    json.key("order").text(race.seen == SeenBefore::None ? "none" : "earlier");
  if (race.slept) write_stack(json, race.slept, "slept");
  if (race.heard_through) json.key("through").address(race.heard_through);
  json.key("memory");
  write_memory(json, race.memory);
  json.key("threads").begin_array();
  for (u32 i = 0; i < race.thread_count; ++i) write_thread(json, race.threads[i]);
  json.end_array();
  json.end_object();
  out.add('\n');
}

} // namespace footrace
