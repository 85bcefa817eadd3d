// Random feasible traces that are small enough to try every order: 2 or 3 threads, up to 16 events.
#pragma once

#include "events/event.h"

#include <vector>

namespace footrace::replay {

constexpr u64 kAtomic = 2; // address of all atomic accesses; plain ones of two bytes may touch it

enum class Blocks : u8 { None, Some }; // atomic blocks

std::vector<Event> small_trace(u64 seed, Blocks blocks);

} // namespace footrace::replay
