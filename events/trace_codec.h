// Events of one thread as bytes, and back. Programs repeat themselves: after a site comes the one that came after it last time, at an address that goes on as
// before, with the same size and from the same callers. So only what is not as foreseen is written, and zstd makes little of the rest.
// Both directions keep the same State. A block begins with a new codec.
#pragma once

#include "events/trace_format.h"

#include <array>

namespace footrace {

class EventCodec {
public:
  explicit EventCodec(u32 thread) : thread_(thread) {}
  static constexpr u32 kMostBytes = 1 + 5 * kMostNumberBytes; // of an event
  char* put(char* to, const Event& event);                    // returns where the event ends
  bool take(ByteCursor& from, Event& event);                  // false: the bytes are damaged

private:
  // What a site did last. Sites with the same place share it: foreseen less well, never wrong.
  struct Habit {
    u64 address = 0, stride = 0, extent = 0;
    u32 next_site = 0, stack = 0;
    MemoryOrder order = MemoryOrder::Relaxed;
  };
  static constexpr u32 kHabits = 512;
  struct State {
    std::array<Habit, kHabits> habits{};
    u64 lock = 0; // the one that was taken last
    u32 site = 0;
  };
  Habit& habit(u32 site) { return state_.habits[site % kHabits]; }
  u64 foreseen_target(EventKind kind, const Habit& at) const;
  void learn(const Event& event, Habit& at);

  u32 thread_;
  State state_;
};

} // namespace footrace
