// The entry points of abi/callbacks.def. A plain check is recorded as an access of the program if __footrace_note_access came right
// before it; the checks themselves come from the placement.
#include "recorder.h"

#include "abi/notes.h"

#include <string.h>

namespace footrace::validation {
namespace {

using Void = void;
using Ptr = void*;
using I32 = u32;
using I64 = u64;

// The contract: a definition below that disagrees with the list does not compile.
extern "C" {
#define FR_CALLBACK(symbol, result, ...) result symbol(__VA_ARGS__);
#define FR_CALLBACK_KEEPING(symbol, result, ...) FR_KEEPS_REGISTERS result symbol(__VA_ARGS__);
#include "abi/callbacks.def"
}

constexpr auto kNoNote = AccessNote(~0u);
__thread AccessNote t_note = kNoNote;

EventType type_of(AccessNote note) {
  if (note == kNoNote) return EventType::Check;
  return note == AccessNote::Proxied ? EventType::Proxied : EventType::Access;
}

// Several elements of one instruction share a note.
struct Described {
  AccessNote note = t_note;
  Described() { t_note = kNoNote; }
  void elements(void* address, u64 size, i64 stride, u64 count, bool write, void* site) const {
    if (!size || !count) return;
    Event& event = record(type_of(note));
    event.write = write;
    event.must_be_covered = note == AccessNote::MayRace;
    event.site = reinterpret_cast<u64>(site);
    event.elements.address = reinterpret_cast<u64>(address);
    event.elements.size = size;
    event.elements.stride = stride;
    event.elements.count = count;
  }
  void bytes(void* address, u64 size, bool write, void* site) const {
    elements(address, size, 0, 1, write, site);
  }
};

void lanes(void* address, u64 size, u64 bits, bool write, void* site) {
  Described described;
  for (u64 lane = 0; lane < 64; lane++)
    if (bits >> lane & 1) described.bytes(static_cast<char*>(address) + lane * size, size, write, site);
}
void scattered(void* addresses, u64 size, u64 bits, bool write, void* site) {
  Described described;
  for (u64 lane = 0; lane < 64; lane++)
    if (bits >> lane & 1) described.bytes(static_cast<void**>(addresses)[lane], size, write, site);
}

// Orders of <stdatomic.h>. Consume is acquire.
bool has_acquire(u32 order) { return order == 1 || order == 2 || order >= 4; }
bool has_release(u32 order) { return order >= 3; }
void read_modify_write(u32 order, const char* name) {
  if (has_acquire(order)) record_acquire(name);
  if (has_release(order)) record_release(name);
}

} // namespace

extern "C" void __footrace_note_access(u32 note) { t_note = AccessNote(note); }

#define FR_SIZED(size)                                                                                       \
  extern "C" void __footrace_read##size(void* a, void* site) { Described().bytes(a, size, false, site); }    \
  extern "C" void __footrace_write##size(void* a, void* site) { Described().bytes(a, size, true, site); }
FR_SIZED(1)
FR_SIZED(2)
FR_SIZED(4)
FR_SIZED(8)
FR_SIZED(16)

extern "C" void __footrace_read_range(void* a, u64 size, void* site) {
  Described().bytes(a, size, false, site);
}
extern "C" void __footrace_write_range(void* a, u64 size, void* site) {
  Described().bytes(a, size, true, site);
}
extern "C" void __footrace_read_strided(void* a, u64 size, u64 stride, u64 count, void* site) {
  Described().elements(a, size, i64(stride), count, false, site);
}
extern "C" void __footrace_write_strided(void* a, u64 size, u64 stride, u64 count, void* site) {
  Described().elements(a, size, i64(stride), count, true, site);
}
extern "C" void __footrace_read_masked(void* a, u64 size, u64 bits, void* site) {
  lanes(a, size, bits, false, site);
}
extern "C" void __footrace_write_masked(void* a, u64 size, u64 bits, void* site) {
  lanes(a, size, bits, true, site);
}
extern "C" void __footrace_read_gather(void* a, u64 size, u64 bits, void* site) {
  scattered(a, size, bits, false, site);
}
extern "C" void __footrace_write_scatter(void* a, u64 size, u64 bits, void* site) {
  scattered(a, size, bits, true, site);
}

extern "C" void* __footrace_memcpy(void* to, void* from, u64 size, void* site) {
  Described().bytes(from, size, false, site);
  Described().bytes(to, size, true, site);
  return memcpy(to, from, size);
}
extern "C" void* __footrace_memmove(void* to, void* from, u64 size, void* site) {
  Described().bytes(from, size, false, site);
  Described().bytes(to, size, true, site);
  return memmove(to, from, size);
}
extern "C" void* __footrace_memset(void* to, u32 value, u64 size, void* site) {
  Described().bytes(to, size, true, site);
  return memset(to, int(value), size);
}

// Atomic accesses check themselves, and no check of a plain access may stand for one; only their order matters here.
extern "C" void* __footrace_atomic_begin(void*, u64, void*) { return nullptr; }
extern "C" void __footrace_atomic_end_load(void*, u32 order) {
  if (has_acquire(order)) record_acquire("atomic load");
}
#define LOAD(bytes, type)                                                                                    \
  extern "C" u64 __footrace_atomic_load##bytes(void* address, u32 order, void*) {                            \
    const type value = __atomic_load_n(static_cast<type*>(address), __ATOMIC_SEQ_CST);                       \
    __footrace_atomic_end_load(nullptr, order);                                                              \
    return value;                                                                                            \
  }
LOAD(1, uint8_t)
LOAD(2, uint16_t)
LOAD(4, uint32_t)
LOAD(8, uint64_t)
#undef LOAD
extern "C" void __footrace_atomic_end_store(void*, u32 order) {
  if (has_release(order)) record_release("atomic store");
}
extern "C" void __footrace_atomic_end_rmw(void*, u32 order) {
  read_modify_write(order, "atomic read-modify-write");
}
extern "C" void __footrace_atomic_end_cas(void*, u32 success, u32 order, u32 failure_order) {
  if (success) return read_modify_write(order, "compare-exchange");
  if (has_acquire(failure_order)) record_acquire("failed compare-exchange");
}
// The order that a fence makes counts from the fence itself, not from the relaxed operation around it.
extern "C" void __footrace_fence(u32 order) { read_modify_write(order, "fence"); }

// Called by the constructor that -fsanitize=thread makes.
extern "C" void __tsan_init();
extern "C" void __tsan_init() {}

extern "C" void* __footrace_enter(void*) { return nullptr; }
extern "C" void __footrace_leave(void*) {}
extern "C" void __footrace_resume(void*) {}
extern "C" void __footrace_call_out(void*) {}

} // namespace footrace::validation
