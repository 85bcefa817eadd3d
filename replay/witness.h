// Who made the other access of a race: found in a second pass over the trace, for the memory of the reports only. So detectors need no
// sites in their states, as the papers' have none.
//
// The earlier access is the one that the detector names by its number in the trace; else the last access of the thread and kind that it
// names (if an older one of that thread is not ordered, the last one is not either); else, of detectors that know no pairs (Eraser), the
// last conflicting access of another thread, or the last access of one.
#pragma once

#include "events/source.h"
#include "replay/run.h"

#include <map>
#include <optional>
#include <unordered_map>

namespace footrace::replay {

// An access or another step with its place in the trace.
struct Step {
  u64 index = 0;
  Event event;
};

struct Held {
  u64 lock;
  bool shared;
  Event taken;
};

// What each thread holds.
class HeldByThreads {
public:
  void step(const Event& event);
  const std::vector<Held>& of(u32 thread) { return held_[thread]; }

private:
  std::unordered_map<u32, std::vector<Held>> held_;
};

struct Witnessed {
  Step step;
  std::vector<Held> locks;
};

struct Block {
  u64 begin, size;
  Event allocated;
  bool freed = false;
};

// A report with all that the trace says of it.
struct Race {
  Report report;
  std::vector<Held> locks; // of the later access
  std::optional<Witnessed> earlier;
  std::optional<Block> block;
};

struct ThreadLife {
  std::optional<Event> fork;
  bool finished = false;
};
using ThreadLives = std::map<u32, ThreadLife>; // by number
void step(ThreadLives& lives, const Event& event);

class Witnesses {
public:
  // `reports` by event.
  explicit Witnesses(std::vector<Report> reports);
  // False: the source has an error.
  bool read(EventSource& source);

  const std::vector<Race>& races() const { return races_; }
  const ThreadLives& threads() const { return threads_; }

private:
  // The last accesses of one granule of 8 bytes by thread, kind and which of its bytes.
  using Granule = std::vector<Witnessed>;
  void remember(const Step& step);
  void remember_block(const Event& event);
  void resolve(Race& race);
  void resolve_deferred(Race& race);
  void resolve_block(Race& race);
  const Witnessed* find_earlier(const Report& report) const;
  const Witnessed* find_deferred(const Report& report) const;
  template <class Fn> void for_each_watched(const Event& event, Fn fn);

  std::vector<Race> races_;
  std::map<u64, Granule> watched_;           // by number, of the memory of all reports
  std::unordered_map<u64, Witnessed> named_; // by number in the trace, if a detector named it
  HeldByThreads held_;
  std::map<u64, Block> blocks_; // by address, of watched memory
  ThreadLives threads_;
};

} // namespace footrace::replay
