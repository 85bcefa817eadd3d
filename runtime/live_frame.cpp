#include "runtime/live_frame.h"

#include "runtime/runtime.h"
#include "runtime/thread.h"

namespace footrace {
namespace {

constexpr u32 kMostFrames = 256; // innermost: of a deep recursion, not all are looked for
constexpr u64 kLargestFrame = 256 << 10;
constexpr u8 kDirectCall = 0xe8; // with four bytes of distance
constexpr u64 kDirectCallBytes = 5;

// What the direct call before `returns` calls; 0 if that is another kind of call.
uptr called_from(uptr returns) {
  const u8* call = reinterpret_cast<const u8*>(returns - kDirectCallBytes);
  if (!is_instrumented_code(returns) || !is_instrumented_code(uptr(call)) || *call != kDirectCall) return 0;
  i32 distance;
  __builtin_memcpy(&distance, call + 1, sizeof distance);
  return returns + uptr(i64(distance));
}

} // namespace

LiveFrame find_live_frame(const Thread* t, uptr address) {
  const Frame* const base = t->context.base;
  const Frame* const top = t->context.top;
  if (top < base || top > t->context.limit) return {}; // a fiber's
  const uptr end = min(t->stack_high, address + kLargestFrame);
  const u32 count = u32(min(u64(top - base), u64(kMostFrames)));
  for (uptr slot = round_up(address + 1, 8); slot + 8 <= end; slot += 8) {
    const uptr value = *reinterpret_cast<const volatile uptr*>(slot);
    for (u32 i = 1; i <= count; ++i) {
      const Frame& frame = *(top - i);
      if (frame.pc != value || frame.call_out) continue;
      const uptr code = i > 1 ? uptr((top - i + 1)->pc) - 1 : called_from(value);
      return {slot + 8, code, value};
    }
  }
  return {};
}

} // namespace footrace
