// The state of every byte of the traced program. Bytes that were always accessed together share one State: a stretch of 128 bytes has one
// until an access touches only a part of it, then each granule of 8 bytes, and then each part of a granule that differs. Exact for any mix
// of sizes. Memory: proportional to what the program has touched.
#pragma once

#include "detectors/common/partition.h"

#include <memory>
#include <unordered_map>
#include <vector>

namespace footrace::detectors {

// All of a stretch, or some bytes of one granule.
struct Bytes {
  u64 begin;
  u8 mask; // of a granule; 0: a stretch
  static constexpr u64 kGranule = 8, kStretch = 128;
  template <class Fn> void for_each_run(Fn fn) const { // fn(address, size)
    if (!mask) return fn(begin, kStretch);
    for (u32 first = 0; first < kGranule; ++first) {
      if (!(mask >> first & 1)) continue;
      u32 end = first + 1;
      while (end < kGranule && (mask >> end & 1)) ++end;
      fn(begin + first, u64(end - first));
      first = end;
    }
  }
};

// State: copyable, and bytes() says what it holds besides itself.
template <class State> class Shadow {
public:
  explicit Shadow(Partition partition = {}) : partition_(partition) {}

  // fn(state, bytes) for each State of the range, as far as it is ours.
  template <class Fn> void for_each(u64 begin, u64 size, Fn fn) {
    for (u64 at = begin, end = begin + size; at < end;) {
      if (!partition_.owns(at)) {
        at = at / Partition::kBlock * Partition::kBlock + Partition::kBlock;
        if (!at) return; // the end of memory
        continue;
      }
      const u64 stop = min(end, at / kStretch * kStretch + kStretch);
      access(stretch(at), at, stop, fn);
      at = stop;
    }
  }

  // Fresh memory: nothing is known of it.
  void reset(u64 begin, u64 size) {
    const u64 end = begin + size;
    if (size / kPageBytes > pages_.size()) { // more pages than there are
      std::vector<u64> numbers;
      for (const auto& [number, page] : pages_)
        if (number >= begin / kPageBytes && number <= (end - 1) / kPageBytes) numbers.push_back(number);
      for (u64 number : numbers)
        reset_in_page(number, max(begin, number * kPageBytes), min(end, (number + 1) * kPageBytes));
      return;
    }
    for (u64 number = begin / kPageBytes; number <= (end - 1) / kPageBytes; ++number)
      reset_in_page(number, max(begin, number * kPageBytes), min(end, (number + 1) * kPageBytes));
  }

  u64 memory() const {
    u64 bytes = pages_.size() * sizeof(Page);
    for (const auto& [number, page] : pages_)
      for (const Stretch& stretch : page->at) {
        bytes += stretch.whole.bytes();
        if (!stretch.fine) continue;
        bytes += sizeof *stretch.fine;
        for (const Granule& g : stretch.fine->at)
          bytes += g.whole.bytes() + (g.parts ? bytes_of(*g.parts) : 0);
      }
    return bytes;
  }

private:
  static constexpr u64 kGranule = Bytes::kGranule, kStretch = Bytes::kStretch, kPageBytes = 1024;
  struct Parts {
    u8 of[kGranule] = {}; // each byte's place in `states`
    std::vector<State> states;
  };
  struct Granule {
    State whole;
    std::unique_ptr<Parts> parts; // null: all bytes are in `whole`
  };
  struct Granules {
    Granule at[kStretch / kGranule];
  };
  struct Stretch {
    State whole;
    std::unique_ptr<Granules> fine; // null: all bytes are in `whole`
  };
  struct Page {
    Stretch at[kPageBytes / kStretch];
  };

  static u64 bytes_of(const Parts& parts) {
    u64 bytes = sizeof parts + parts.states.capacity() * sizeof(State);
    for (const State& state : parts.states) bytes += state.bytes();
    return bytes;
  }

  static u8 mask_of(u64 begin, u64 end) { return u8((1u << end) - (1u << begin)); }

  Stretch& stretch(u64 address) {
    const u64 number = address / kPageBytes;
    if (number != last_number_ || !last_) {
      auto& page = pages_[number];
      if (!page) page = std::make_unique<Page>();
      last_number_ = number, last_ = page.get();
    }
    return last_->at[address % kPageBytes / kStretch];
  }

  // [begin, end) of one stretch.
  template <class Fn> void access(Stretch& s, u64 begin, u64 end, Fn& fn) {
    if (!s.fine) {
      if (end - begin == kStretch) return fn(s.whole, Bytes{begin, 0});
      s.fine = std::make_unique<Granules>();
      for (Granule& g : s.fine->at) g.whole = s.whole;
      s.whole = State();
    }
    for (u64 at = begin; at < end;) {
      const u64 base = at / kGranule * kGranule, stop = min(end, base + kGranule);
      access(s.fine->at[base % kStretch / kGranule], Bytes{base, mask_of(at - base, stop - base)}, fn);
      at = stop;
    }
  }

  template <class Fn> void access(Granule& g, Bytes bytes, Fn& fn) {
    if (!g.parts) {
      if (bytes.mask == 0xff) return fn(g.whole, bytes);
      g.parts = std::make_unique<Parts>();
      g.parts->states.push_back(std::move(g.whole));
      g.whole = State();
    }
    access_parts(*g.parts, bytes, fn);
  }

  template <class Fn> void access_parts(Parts& parts, Bytes bytes, Fn& fn) {
    for (u32 done = 0; done != bytes.mask;) {
      const u32 first = u32(__builtin_ctz(bytes.mask & ~done)), part = parts.of[first];
      u32 members = 0;
      for (u32 i = 0; i < 8; ++i) members |= u32(parts.of[i] == part) << i;
      const u32 touched = members & bytes.mask;
      done |= touched;
      u32 mine = part;
      if (touched != members) { // the others keep theirs
        mine = u32(parts.states.size());
        State copy = parts.states[part];
        parts.states.push_back(std::move(copy));
        for (u32 i = 0; i < 8; ++i)
          if (touched >> i & 1) parts.of[i] = u8(mine);
      }
      fn(parts.states[mine], Bytes{bytes.begin, u8(touched)});
    }
  }

  void reset_in_page(u64 number, u64 begin, u64 end) {
    const auto page = pages_.find(number);
    if (page == pages_.end()) return;
    if (end - begin == kPageBytes) {
      if (last_number_ == number) last_ = nullptr;
      pages_.erase(page);
      return;
    }
    for (u64 at = begin; at < end;) {
      const u64 stop = min(end, at / kStretch * kStretch + kStretch);
      Stretch& s = page->second->at[at % kPageBytes / kStretch];
      if (stop - at == kStretch)
        s = Stretch();
      else
        access(s, at, stop, reset_state_);
      at = stop;
    }
  }

  struct ResetState {
    void operator()(State& state, const Bytes&) const { state = State(); }
  };
  Partition partition_;
  ResetState reset_state_;
  std::unordered_map<u64, std::unique_ptr<Page>> pages_;
  u64 last_number_ = 0;
  Page* last_ = nullptr;
};

} // namespace footrace::detectors
