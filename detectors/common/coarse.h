// Coarse granularity (PLDI'09, section 4): one State for a whole object. Objects are what the trace allocates; of other memory (globals,
// stacks) nothing is known but its address, and each aligned line of 64 bytes is an object. Imprecise: two fields under different locks
// look like a race. An access that leaves its object is one of each object that it touches.
#pragma once

#include "detectors/common/partition.h"

#include <map>
#include <unordered_map>

namespace footrace::detectors {

template <class State> class Coarse {
public:
  struct Bytes {
    u64 address, size; // of the access
    template <class Fn> void for_each_run(Fn fn) const { fn(address, size); }
  };

  explicit Coarse(Partition partition = {}) : partition_(partition) {}

  // An object is whose its first byte is.
  template <class Fn> void for_each(u64 begin, u64 size, Fn fn) {
    for (u64 at = begin, end = begin + size; at < end;) {
      u64 stop = min(end, (at / kLine + 1) * kLine);
      State* state = nullptr;
      auto next = objects_.upper_bound(at);
      if (auto object = next; object != objects_.begin() && at < (--object)->second.end) {
        stop = min(end, object->second.end);
        state = partition_.owns(object->first) ? &object->second.state : nullptr;
      } else {
        if (next != objects_.end()) stop = min(stop, next->first);
        if (partition_.owns(at)) state = &lines_[at / kLine];
      }
      if (state) fn(*state, Bytes{at, stop - at});
      at = stop;
    }
  }

  // A new object.
  void reset(u64 begin, u64 size) {
    const u64 end = begin + size;
    auto object = objects_.lower_bound(begin);
    if (object != objects_.begin() && std::prev(object)->second.end > begin) --object;
    while (object != objects_.end() && object->first < end) object = objects_.erase(object);
    objects_[begin].end = end;
  }

  u64 memory() const {
    u64 bytes = 0;
    for (const auto& [begin, object] : objects_) bytes += kMapNode + sizeof object + object.state.bytes();
    for (const auto& [number, state] : lines_) bytes += kMapNode + sizeof state + state.bytes();
    return bytes;
  }

private:
  static constexpr u64 kLine = 64, kMapNode = 32;
  struct Object {
    u64 end = 0;
    State state;
  };
  Partition partition_;
  std::map<u64, Object> objects_; // by first address
  std::unordered_map<u64, State> lines_;
};

} // namespace footrace::detectors
