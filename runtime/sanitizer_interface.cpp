// <sanitizer/common_interface_defs.h> and <sanitizer/allocator_interface.h>: what programs that know sanitizers call. Addresses become modules and offsets here;
// lines are the business of another process (findings/).
#include "runtime/context.h"
#include "runtime/environment.h"
#include "runtime/heap.h"
#include "runtime/interception.h"
#include "runtime/modules.h"
#include "runtime/options.h"
#include "runtime/report.h"
#include "runtime/runtime.h"

#include <dlfcn.h>
#include <malloc.h>

#define FR_INTERFACE FR_EXPORT __attribute__((weak))

namespace footrace {
namespace {

// "function (module+0x12)", as much of it as is known.
void add_address(TextBuffer& out, uptr address) {
  Dl_info symbol;
  if (dladdr(reinterpret_cast<void*>(address), &symbol) && symbol.dli_sname) {
    out.add(symbol.dli_sname);
    out.add(' ');
  }
  refresh_modules();
  if (const LoadedModule* module = find_module(address)) {
    out.add('(');
    out.add(module->path);
    out.add('+');
    out.add_hex(address - module->base);
    out.add(')');
  } else {
    out.add_hex(address);
  }
}

void copy_text(const TextBuffer& text, char* out, u64 size) {
  if (!size) return;
  const u64 n = min(text.size(), size - 1);
  copy_bytes(out, text.data(), n);
  out[n] = 0;
}

} // namespace

FR_INTERFACE void __sanitizer_print_stack_trace() {
  Thread* t = self();
  if (!t) return;
  constexpr u32 kMost = 64;
  uptr frames[kMost];
  u32 count = 0;
  {
    Critical critical(t);
    count = context_frames(current_context(t), frames, kMost);
  }
  TextBuffer out;
  for (u32 i = 0; i <= count && i < kMost; ++i) {
    const uptr pc = i ? frames[i - 1] : FR_CALLER_PC();
    out.add("    #");
    out.add_decimal(i);
    out.add(' ');
    add_address(out, pc - 1); // a return address: the call is just before
    out.add('\n');
  }
  out.add('\n');
  write_error(out.data(), out.size());
}
FR_INTERFACE void __sanitizer_symbolize_pc(void* pc, const char*, char* out, size_t size) {
  TextBuffer text;
  add_address(text, reinterpret_cast<uptr>(pc));
  copy_text(text, out, size);
}
FR_INTERFACE void __sanitizer_symbolize_global(void* address, const char*, char* out, size_t size) {
  TextBuffer text;
  Dl_info symbol;
  if (dladdr(address, &symbol) && symbol.dli_sname)
    text.add(symbol.dli_sname);
  else
    add_address(text, reinterpret_cast<uptr>(address));
  copy_text(text, out, size);
}
FR_INTERFACE int __sanitizer_get_module_and_offset_for_pc(void* pc, char* path, size_t size, void** offset) {
  refresh_modules();
  const LoadedModule* module = find_module(reinterpret_cast<uptr>(pc));
  if (!module) return 0;
  TextBuffer text;
  text.add(module->path);
  if (path) copy_text(text, path, size);
  if (offset) *offset = reinterpret_cast<void*>(reinterpret_cast<uptr>(pc) - module->base);
  return 1;
}

FR_INTERFACE void __sanitizer_set_report_path(const char* path) { set_log_path(path ? path : "stderr"); }
FR_INTERFACE void __sanitizer_set_report_fd(void* fd) {
  const uptr number = reinterpret_cast<uptr>(fd);
  if (number == 1 || number == 2)
    set_log_path(number == 1 ? "stdout" : "stderr");
  else
    say("warning: __sanitizer_set_report_fd is obeyed for 1 and 2 only; use __sanitizer_set_report_path, or "
        "the option log_path");
}
FR_INTERFACE const char* __sanitizer_get_report_path() { return options().log_path; }
FR_INTERFACE void __sanitizer_set_death_callback(void (*callback)()) { set_death_callback(callback); }
FR_INTERFACE void __sanitizer_report_error_summary(const char* text) {
  TextBuffer line;
  line.add("SUMMARY: ");
  line.add(text);
  line.add('\n');
  write_error(line.data(), line.size());
}
// The reporter is started when it is needed; a sandbox must let it.
FR_INTERFACE void __sanitizer_sandbox_on_notify(void*) {}
FR_INTERFACE int __sanitizer_acquire_crash_state() {
  static u32 taken;
  return !__atomic_exchange_n(&taken, 1, __ATOMIC_ACQ_REL);
}

FR_INTERFACE size_t __sanitizer_get_estimated_allocated_size(size_t size) { return size; }
FR_INTERFACE size_t __sanitizer_get_allocated_size(const volatile void* block) {
  return heap_usable_size(const_cast<void*>(block));
}
FR_INTERFACE size_t __sanitizer_get_allocated_size_fast(const volatile void* block) {
  return heap_usable_size(const_cast<void*>(block));
}
FR_INTERFACE int __sanitizer_get_ownership(const volatile void* block) {
  HeapBlock found;
  return heap_find(reinterpret_cast<uptr>(block), &found) && !found.freed &&
         found.begin == reinterpret_cast<uptr>(block);
}
FR_INTERFACE const void* __sanitizer_get_allocated_begin(const void* address) {
  HeapBlock found;
  const bool is_live = heap_find(reinterpret_cast<uptr>(address), &found) && !found.freed;
  return is_live ? reinterpret_cast<const void*>(found.begin) : nullptr;
}
FR_INTERFACE size_t __sanitizer_get_current_allocated_bytes() {
  const struct mallinfo2 info = mallinfo2();
  return info.uordblks + info.hblkhd;
}
FR_INTERFACE size_t __sanitizer_get_heap_size() {
  const struct mallinfo2 info = mallinfo2();
  return info.arena + info.hblkhd;
}
FR_INTERFACE size_t __sanitizer_get_free_bytes() { return mallinfo2().fordblks; }
FR_INTERFACE size_t __sanitizer_get_unmapped_bytes() { return 0; }
FR_INTERFACE void __sanitizer_purge_allocator() { malloc_trim(0); }
// 0: hooks are not called.
FR_INTERFACE int __sanitizer_install_malloc_and_free_hooks(void (*)(const volatile void*, size_t),
                                                           void (*)(const volatile void*)) {
  return 0;
}

} // namespace footrace
