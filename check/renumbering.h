// Renumbers all epochs (clocks/epoch_map.h says to what, and why that compares alike): those that the shadow names, those of clocks, threads and logs.
//
// What else holds, so that afterwards all is as if the program had had these epochs from the start:
//   threads    the epoch of now stays (but for who asks), so what code in line, memos of the runtime and ThreadState::version have remembered stays true. C has
//              grown "now" (since = own), which nobody has seen yet; its mirror is made again
//   clocks     keep their owner's entry, but not their freshness (exact): two values that nobody could tell apart may be equal now, but their trees were not
//   sets       change in place, each once: it is a sweep as well (check/sweep.h)
//   logs       epochs that no word names any more go with the class before them, or are none: nobody asks for them
//   W = R      may become true of a write and a read after it that are one class. Whoever conflicts with the read then meets the write instead, which is
//              not covered either
// Concurrency: the world stands still; no thread is inside a step, nor in a comparison of clocks.
#pragma once

#include "check/thread_state.h"
#include "clocks/epoch_map.h"

namespace footrace {

// All that has epochs. Each function calls `fn` with `argument` for all there are.
struct World {
  void* self;
  void (*threads)(void* self, void (*fn)(void*, ThreadState&), void* argument); // live ones
  void (*clocks)(void* self, void (*fn)(void*, Clock&), void* argument);        // but those of live threads
  void (*memory)(void* self, void (*fn)(void*, uptr begin, uptr end), void* argument);
  void (*epochs)(void* self, void (*fn)(void*, Epoch&),
                 void* argument); // that need not be told apart; may be null
};

// `map` knows the slots. `wanted` free slots are worth some work, `least` even a loss (EpochMap::is_lossy).
void renumber(EpochMap& map, const World& world, u32 wanted, u32 least);

} // namespace footrace
