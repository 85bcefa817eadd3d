// `footrace record --all`: every access that has a check is recorded, also what its thread has accessed in this span before.
// Code in line, which looks for its thread's epoch in the shadow, is not told any, so it calls for every access. And the entry points that it calls begin with a
// jump to those below, which record and go the general way: written over their first bytes, once, while the process has one thread. So the entry
// points need no test of whether somebody records.
#include "runtime/access.h"
#include "runtime/interception.h"
#include "runtime/interceptors/memory_functions.h"
#include "runtime/recording.h"
#include "runtime/threads.h"

#include <sys/mman.h>
#include <sys/syscall.h>

namespace footrace {
namespace {

using Void = void;
using Ptr = void*;
using I32 = u32;
using I64 = u64;
extern "C" {
#define FR_CALLBACK(symbol, result, ...) result symbol(__VA_ARGS__);
#define FR_CALLBACK_KEEPING(symbol, result, ...) FR_KEEPS_REGISTERS result symbol(__VA_ARGS__);
#include "abi/callbacks.def"
}

uptr number(const void* p) { return reinterpret_cast<uptr>(p); }

FR_NOINLINE void access(void* address, u64 size, void* record, AccessKind kind) {
  Thread* t = self();
  if ((!t && !(t = attach_foreign_thread())) || t->ignore || !size) return;
  const uptr a = number(address);
  record_access(t, a, size, kind, number(record));
  if (size <= kLongestRow && fasttrack::has_seen_row(*t, a, size, may_write(kind))) return;
  checked_access(t, a, size, kind, number(record));
}

#define FR_ALL_OF_SIZE(kind, Kind, size)                                                                     \
  void all_##kind##size(void* address, void* record) { access(address, size, record, AccessKind::Kind); }    \
  FR_KEEPS_REGISTERS void all_unseen_##kind##size(void* address, void* record) {                             \
    access(address, size, record, AccessKind::Kind);                                                         \
  }
#define FR_ALL(kind, Kind)                                                                                   \
  FR_ALL_OF_SIZE(kind, Kind, 1)                                                                              \
  FR_ALL_OF_SIZE(kind, Kind, 2)                                                                              \
  FR_ALL_OF_SIZE(kind, Kind, 4)                                                                              \
  FR_ALL_OF_SIZE(kind, Kind, 8)                                                                              \
  FR_ALL_OF_SIZE(kind, Kind, 16)                                                                             \
  void all_##kind##_range(void* address, u64 size, void* record) {                                           \
    access(address, size, record, AccessKind::Kind);                                                         \
  }                                                                                                          \
  FR_KEEPS_REGISTERS void all_unseen_##kind##_range(void* address, u64 size, void* record) {                 \
    access(address, size, record, AccessKind::Kind);                                                         \
  }                                                                                                          \
  void all_##kind##_strided(void* first, u64 size, u64 stride, u64 count, void* record) {                    \
    for (u64 i = 0; i < count; ++i)                                                                          \
      access(static_cast<char*>(first) + i * stride, size, record, AccessKind::Kind);                        \
  }                                                                                                          \
  void all_##kind##_masked(void* address, u64 lane_size, u64 lanes, void* record) {                          \
    for (; lanes; lanes &= lanes - 1)                                                                        \
      access(static_cast<char*>(address) + u64(__builtin_ctzll(lanes)) * lane_size, lane_size, record,       \
             AccessKind::Kind);                                                                              \
  }                                                                                                          \
  void all_##kind##_lanes(void* addresses, u64 lane_size, u64 lanes, void* record) {                         \
    for (; lanes; lanes &= lanes - 1)                                                                        \
      access(static_cast<void**>(addresses)[__builtin_ctzll(lanes)], lane_size, record, AccessKind::Kind);   \
  }
FR_ALL(read, Read)
FR_ALL(write, Write)

void* all_memcpy(void* to, void* from, u64 size, void* record) {
  access(from, size, record, AccessKind::Read);
  access(to, size, record, AccessKind::Write);
  return plain_memcpy(to, from, size);
}
void* all_memmove(void* to, void* from, u64 size, void* record) {
  access(from, size, record, AccessKind::Read);
  access(to, size, record, AccessKind::Write);
  return plain_memmove(to, from, size);
}
void* all_memset(void* to, u32 value, u64 size, void* record) {
  access(to, size, record, AccessKind::Write);
  return plain_memset(to, int(value), size);
}

// A jump to `to` as the first instruction of `from`; both are in the executable.
bool divert(uptr from, uptr to) {
  constexpr u64 kJumpBytes = 5, kPage = 4096;
  const i64 distance = i64(to - from - kJumpBytes);
  if (distance != i32(distance)) return false;
  const uptr begin = round_down(from, kPage), end = round_up(from + kJumpBytes, kPage);
  if (sys(SYS_mprotect, begin, end - begin, PROT_READ | PROT_WRITE | PROT_EXEC) < 0) return false;
  u8 jump[kJumpBytes] = {0xe9};
  const i32 operand = i32(distance);
  copy_bytes(jump + 1, &operand, sizeof operand);
  copy_bytes(reinterpret_cast<void*>(from), jump, sizeof jump);
  return sys(SYS_mprotect, begin, end - begin, PROT_READ | PROT_EXEC) >= 0;
}

} // namespace

bool divert_entry_points() {
  bool done = true;
#define FR_DIVERT(name) done = done && divert(uptr(&__footrace_##name), uptr(&all_##name));
#define FR_DIVERT_AS(name, as) done = done && divert(uptr(&__footrace_##name), uptr(&all_##as));
#define FR_DIVERT_KIND(kind)                                                                                 \
  FR_DIVERT(kind##1)                                                                                         \
  FR_DIVERT(kind##2)                                                                                         \
  FR_DIVERT(kind##4)                                                                                         \
  FR_DIVERT(kind##8)                                                                                         \
  FR_DIVERT(kind##16)                                                                                        \
  FR_DIVERT(kind##_range)                                                                                    \
  FR_DIVERT(unseen_##kind##1)                                                                                \
  FR_DIVERT(unseen_##kind##2)                                                                                \
  FR_DIVERT(unseen_##kind##4)                                                                                \
  FR_DIVERT(unseen_##kind##8)                                                                                \
  FR_DIVERT(unseen_##kind##16)                                                                               \
  FR_DIVERT(unseen_##kind##_range)                                                                           \
  FR_DIVERT(kind##_strided)                                                                                  \
  FR_DIVERT(kind##_masked)
  FR_DIVERT_KIND(read)
  FR_DIVERT_KIND(write)
  FR_DIVERT_AS(read_gather, read_lanes)
  FR_DIVERT_AS(write_scatter, write_lanes)
  FR_DIVERT(memcpy)
  FR_DIVERT(memmove)
  FR_DIVERT(memset)
  return done;
}

} // namespace footrace
