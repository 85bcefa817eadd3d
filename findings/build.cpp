#include "findings/build.h"

#include "findings/foreign_code.h"
#include "findings/names.h"

namespace footrace::findings {
namespace {

StackFrame site_frame(const RawSite& site) {
  StackFrame frame;
  frame.function = readable_name(site.function);
  if (frame.function != site.function) frame.linkage_name = site.function;
  if (site.location.line != 0)
    frame.location = {readable_path(site.location.file), site.location.line, site.location.column};
  return frame;
}

// The table of sites, made at compile time, needs no debug info; what called the site comes from return
// addresses.
Stack access_stack(const RawAccess& raw, Symbolizer& symbolizer) {
  Stack stack;
  for (std::size_t i = 0; i < raw.sites.size(); ++i) {
    StackFrame frame = site_frame(raw.sites[i]);
    frame.inlined = i + 1 < raw.sites.size();
    const Module* module = raw.record ? symbolizer.module_of(*raw.record) : nullptr;
    if (module) {
      frame.module = module->path;
      // Without a line, the record is all that tells this site from its neighbours.
      if (raw.sites[i].location.line == 0) frame.offset = *raw.record - module->base;
    }
    stack.push_back(std::move(frame));
  }
  if (!raw.intercepted.empty()) {
    StackFrame frame;
    frame.function = readable_name(raw.intercepted);
    stack.push_back(std::move(frame));
  }
  if (raw.pc) symbolizer.append_frames({*raw.pc}, stack);
  // A context taken inside an interceptor may begin with the caller that `pc` already names.
  bool repeated = raw.pc && !raw.stack.empty() && raw.stack.front() == *raw.pc;
  symbolizer.append_frames({raw.stack.begin() + (repeated ? 1 : 0), raw.stack.end()}, stack);
  return stack;
}

HeldLock build_lock(const RawLock& raw, Symbolizer& symbolizer) {
  HeldLock lock{raw.address, {}, raw.mode, {}, raw.after};
  Memory memory;
  memory.address = raw.address;
  symbolizer.describe_global(memory);
  if (!memory.name.empty())
    lock.name = memory.begin == raw.address || !memory.member.empty() ? object_name(memory) : "";
  if (memory.name.empty() && raw.size != 0 && !raw.allocated.empty()) {
    memory.begin = raw.begin;
    memory.size = raw.size;
    symbolizer.describe_block(memory, raw.allocated.front());
    lock.name = object_name(memory);
  }
  symbolizer.append_frames(raw.stack, lock.taken);
  return lock;
}

// "bank_mutex", else its address.
std::string object_name(std::uint64_t address, Symbolizer& symbolizer) {
  Memory memory;
  memory.address = address;
  symbolizer.describe_global(memory);
  if (memory.name.empty()) return to_hex(address);
  return memory.begin == address ? memory.name : memory.name + "+" + std::to_string(address - memory.begin);
}

Access build_access(const RawAccess& raw, Symbolizer& symbolizer) {
  Access access;
  access.kind = raw.kind;
  access.size = raw.size;
  access.address = raw.address;
  access.thread = raw.thread;
  access.intercepted = readable_name(raw.intercepted);
  access.stack = access_stack(raw, symbolizer);
  access.stack_lost = raw.stack_lost;
  access.locks_lost = raw.locks_lost;
  for (const RawLock& lock : raw.locks) access.locks.push_back(build_lock(lock, symbolizer));
  return access;
}

// "Base", if a virtual table of it is there; the first word of an object points behind the table's beginning.
std::string class_of_table(std::uint64_t address, Symbolizer& symbolizer) {
  Memory table;
  table.address = address;
  symbolizer.describe_global(table);
  constexpr std::string_view title = "vtable for ";
  std::string name = readable_name(table.name);
  return name.starts_with(title) ? name.substr(title.size()) : "";
}

Memory build_memory(const RawRace& race, Symbolizer& symbolizer) {
  const RawMemory& raw = *race.memory;
  Memory memory;
  memory.region = raw.region;
  memory.address = raw.address;
  memory.begin = raw.begin;
  memory.size = raw.size;
  memory.thread = raw.thread;
  memory.freed = raw.freed;
  symbolizer.append_frames(raw.stack, memory.allocated);
  if (memory.region == Region::Global) symbolizer.describe_global(memory);
  if (memory.region == Region::Heap && !raw.stack.empty())
    symbolizer.describe_block(memory, raw.stack.front());
  if (memory.region == Region::Stack) symbolizer.describe_stack(memory, race);
  if (raw.points_to != 0) memory.vtable = class_of_table(raw.points_to, symbolizer);
  return memory;
}

} // namespace

Finding build_finding(const RawRace& race, const Hello& process, Symbolizer& symbolizer) {
  Finding finding;
  finding.program = process.program;
  finding.pid = process.pid;
  for (const RawAccess& access : race.accesses) finding.accesses.push_back(build_access(access, symbolizer));
  finding.order = race.order;
  symbolizer.append_frames(race.slept, finding.slept);
  if (race.through != 0) finding.through = object_name(race.through, symbolizer);
  if (race.memory) finding.memory = build_memory(race, symbolizer);
  for (const RawThread& raw : race.threads) {
    ThreadInfo thread{raw.number, raw.name,   raw.os_id, raw.finished, raw.parent, {},
                      raw.joiner, raw.joined, {}};
    symbolizer.append_frames(raw.stack, thread.created);
    symbolizer.append_frames(raw.join, thread.join);
    finding.threads.push_back(std::move(thread));
  }
  explain_foreign_code(finding, symbolizer);
  seal(finding);
  return finding;
}

} // namespace footrace::findings
