#include "events/trace_codec.h"

#include <gtest/gtest.h>
#include <vector>

namespace footrace {
namespace {

std::string encode(const std::vector<Event>& events) {
  EventCodec codec(3);
  std::string bytes;
  for (const Event& e : events) {
    char one[EventCodec::kMostBytes];
    bytes.append(one, codec.put(one, e));
  }
  return bytes;
}

TEST(TraceCodec, EveryKindWithExtremeOperands_ComesBack) {
  std::vector<Event> events;
  for (u64 target : {u64(0), u64(1), u64(0x7fff'ffff'ffff), ~u64(0)})
    for (u32 k = 0; k < kEventKinds; ++k) {
      Event e = {
          .kind = EventKind(k), .thread = 3, .site = k % 3 ? ~u32(0) - k : 0, .stack = k * 0x0fff'ffff};
      if (has_order(e.kind)) e.order = MemoryOrder(k % 6);
      const Operands operands = operands_of(e.kind);
      if (operands != Operands::None && operands != Operands::Order) e.target = target;
      if (has_range(e.kind) || operands == Operands::Barrier) e.extent = target | 1;
      events.push_back(e);
    }
  const std::string bytes = encode(events);
  EventCodec codec(3);
  ByteCursor from(bytes);
  for (const Event& expected : events) {
    Event e;
    ASSERT_TRUE(codec.take(from, e));
    EXPECT_EQ(e, expected);
  }
  EXPECT_TRUE(from.is_done());
}

TEST(TraceCodec, LoopOverAnArray_NeedsTwoBytesPerAccess) {
  std::vector<Event> events;
  for (u64 i = 0; i < 1000; ++i) {
    events.push_back(
        {.kind = EventKind::Read, .thread = 3, .site = 7, .stack = 4, .target = 0x7000 + 8 * i, .extent = 8});
    events.push_back({.kind = EventKind::Write,
                      .thread = 3,
                      .site = 9,
                      .stack = 4,
                      .target = 0x9000 + 4 * i,
                      .extent = 4});
  }
  EXPECT_LT(encode(events).size(), 2 * events.size() + 40);
}

TEST(TraceCodec, BytesThatAreNoEvent_AreRefused) {
  Event e;
  for (std::string bytes : {std::string(""), std::string("\x1f"), std::string("\x80\xff"),
                            std::string("\x0e\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff")}) {
    EventCodec codec(1);
    ByteCursor from(bytes);
    EXPECT_FALSE(codec.take(from, e)) << bytes.size();
  }
}

} // namespace
} // namespace footrace
