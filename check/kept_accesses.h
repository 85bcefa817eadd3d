// What is left of old logs: accesses that the shadow still names. One table for all threads, found by address.
//
// The table is an array in order of age, so the oldest go by moving the rest down. An entry hangs in a chain of its stretch of memory: stretches come in
// several lengths, and an entry is in the shortest that is not shorter than itself, by its first byte. So who looks for a byte follows two chains of each
// length, that of the byte and the one before. An entry that the shadow does not name any more harms nobody: its epoch is asked for no more. The
// next sweep drops it, when the array is full.
// Concurrency: the caller holds the lock of the logs, but for is_named.
#pragma once

#include "check/log.h"

namespace footrace {

struct KeptAccess {
  u64 address : 48, size_low : 14, kind_bits : 2;
  u64 site : 48, size_high : 16;
  Epoch epoch;
  ContextId context;
  LockSetId locks;
  u32 next; // in the chain: index + 1

  AccessKind kind() const { return AccessKind(kind_bits); }
  u64 size() const { return u64(size_high) << 14 | size_low; }
  u64 end() const { return address + size(); }
  void set_size(u64 size) { size_low = size & ((1 << 14) - 1), size_high = size >> 14; }
};
static_assert(sizeof(KeptAccess) == 32);
constexpr u64 kMostBytesKept = 1ull << 29; // of one entry; more are several

// The shadow still names its epoch at one of its bytes.
bool is_named(const KeptAccess& a);

// At most so many entries; more than that are dropped at once. 0: none is kept.
void limit_kept(u64 most);
void keep_accesses(const KeptAccess* list, u32 count);

// What log_find looks for, and what it has found so far. Offers come from the latest to the oldest.
class WantedAccess {
public:
  WantedAccess(Epoch epoch, uptr byte, AccessKind kind) : epoch(epoch), byte(byte), kind_(kind) {}
  const Epoch epoch;
  const uptr byte;

  void offer(const LoggedAccess& a) {
    if (byte - a.address >= a.size || has_exact_) return;
    if (a.kind == kind_)
      exact_ = a, has_exact_ = true;
    else if (!has_other_ && stands_for(a.kind, kind_))
      other_ = a, has_other_ = true;
  }
  bool is_found() const { return has_exact_; } // nothing older is better
  bool take(LoggedAccess* out) const {
    if (has_exact_ || has_other_) *out = has_exact_ ? exact_ : other_;
    return has_exact_ || has_other_;
  }

private:
  AccessKind kind_;
  bool has_exact_ = false, has_other_ = false;
  LoggedAccess exact_, other_;
};
void find_kept(WantedAccess& wanted);

void visit_kept(void (*fn)(void*, KeptAccess&), void* argument);
template <class Fn> void for_each_kept(Fn fn) {
  visit_kept([](void* f, KeptAccess& a) { (*static_cast<Fn*>(f))(a); }, &fn);
}
void add_kept_counts(LogCounts& counts);

} // namespace footrace
