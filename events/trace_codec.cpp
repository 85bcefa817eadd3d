// An event is: head (kind; what is not as foreseen), then of these what the head and the kind ask for: site, stack, extent and order, target.
#include "events/trace_codec.h"

namespace footrace {
namespace {

constexpr u8 kKindBits = 0x1f, kOtherSite = 0x20, kOtherStack = 0x40, kOtherShape = 0x80;
static_assert(kEventKinds <= kKindBits);

constexpr bool has_target(EventKind k) {
  return operands_of(k) != Operands::None && operands_of(k) != Operands::Order;
}
constexpr bool has_extent(EventKind k) { return has_range(k) || operands_of(k) == Operands::Barrier; }
constexpr bool is_release(EventKind k) { return k == EventKind::Release || k == EventKind::ReleaseShared; }

} // namespace

u64 EventCodec::foreseen_target(EventKind kind, const Habit& at) const {
  if (operands_of(kind) == Operands::Thread) return thread_;
  return is_release(kind) ? state_.lock : at.address + at.stride;
}

void EventCodec::learn(const Event& e, Habit& at) {
  habit(state_.site).next_site = e.site;
  state_.site = e.site;
  at.stack = e.stack;
  if (has_extent(e.kind)) at.extent = e.extent;
  if (has_order(e.kind)) at.order = e.order;
  if (operands_of(e.kind) == Operands::Lock && !is_release(e.kind)) state_.lock = e.target;
  if (has_target(e.kind)) at.stride = e.target - at.address, at.address = e.target;
}

char* EventCodec::put(char* end, const Event& e) {
  const u32 site = habit(state_.site).next_site;
  Habit& at = habit(e.site);
  const bool other_shape =
      (has_extent(e.kind) && e.extent != at.extent) || (has_order(e.kind) && e.order != at.order);
  *end++ = char(u8(e.kind) | (e.site != site) * kOtherSite | (e.stack != at.stack) * kOtherStack |
                other_shape * kOtherShape);
  if (e.site != site) end = put_number(end, zigzag(u64(i64(i32(e.site - site)))));
  if (e.stack != at.stack) end = put_number(end, zigzag(u64(i64(i32(e.stack - at.stack)))));
  if (other_shape && has_extent(e.kind)) end = put_number(end, e.extent);
  if (other_shape && has_order(e.kind)) end = put_number(end, u64(e.order));
  if (has_target(e.kind)) end = put_number(end, zigzag(e.target - foreseen_target(e.kind, at)));
  learn(e, at);
  return end;
}

bool EventCodec::take(ByteCursor& from, Event& e) {
  const u8 head = from.byte();
  if ((head & kKindBits) >= kEventKinds) return false;
  e = {};
  e.kind = EventKind(head & kKindBits);
  e.thread = thread_;
  e.site = habit(state_.site).next_site;
  if (head & kOtherSite) e.site += u32(from_zigzag(from.number()));
  Habit& at = habit(e.site);
  e.stack = at.stack;
  if (head & kOtherStack) e.stack += u32(from_zigzag(from.number()));
  if (has_extent(e.kind)) e.extent = head & kOtherShape ? from.number() : at.extent;
  const u64 order = has_order(e.kind) && head & kOtherShape ? from.number() : u64(at.order);
  if (order > u64(MemoryOrder::SeqCst)) return false;
  if (has_order(e.kind)) e.order = MemoryOrder(order);
  if (has_target(e.kind)) e.target = foreseen_target(e.kind, at) + from_zigzag(from.number());
  learn(e, at);
  return from.ok;
}

} // namespace footrace
