// Mappings of finished threads for the next ones: mmap, munmap and the page faults between them are most of
// what a short thread costs. The first pages keep their contents, so users must not count on zeroes; the rest
// goes back to the kernel. Concurrency: any thread, inside a Critical section.
#pragma once

#include "base/platform.h"

namespace footrace {

class MappingCache {
public:
  static constexpr u32 kMost = 32;
  static constexpr uptr kKept = 64u << 10; // bytes of each that stay resident

  // 0 when there is no memory.
  uptr take(uptr size) {
    {
      SpinGuard guard(lock_);
      for (u32 i = count_; i-- > 0;) {
        if (entries_[i].size != size) continue;
        uptr found = entries_[i].address;
        entries_[i] = entries_[--count_];
        return found;
      }
    }
    return map_memory(size);
  }

  void give_back(uptr address, uptr size) {
    if (size > kKept) discard_pages(address + kKept, size - kKept);
    Entry dropped = {};
    {
      SpinGuard guard(lock_);
      // The oldest makes room, or sizes that nobody asks for any more would fill the cache.
      if (count_ == kMost) {
        dropped = entries_[0];
        for (u32 i = 1; i < kMost; ++i) entries_[i - 1] = entries_[i];
        --count_;
      }
      entries_[count_++] = {address, size};
    }
    if (dropped.address) unmap_memory(dropped.address, dropped.size);
  }

private:
  struct Entry {
    uptr address, size;
  };
  SpinLock lock_;
  Entry entries_[kMost] = {};
  u32 count_ = 0;
};

} // namespace footrace
