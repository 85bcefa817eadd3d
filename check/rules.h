// Read and write rules of FastTrack (PLDI'09, Figures 2 and 5): [READ SAME EPOCH] [READ EXCLUSIVE] [READ SHARE] [READ SHARED] [WRITE SAME EPOCH]
// [WRITE EXCLUSIVE] [WRITE SHARED], extended to C++ atomics: atomic accesses never race with each other but do with plain ones. This is the only
// place that judges whether accesses are ordered, and that says what the shadow knows afterwards; step.cpp finds the words, and puts new ones there.
//
// Invariant ("look at R only"): unless R is a set, whoever is ordered after R is ordered after W. For a write stamps both; a read becomes R only
// if W and all that was in R are ordered before it; what is not, and atomic accesses, makes R a set, and then W is asked as well.
// Deviations: a write stamps R (both are ordered before the write, or raced with it); sets keep only accesses that no other stands for (in place they may
// keep more); after a race the access is recorded as if it had been ordered, and what raced with a read stays in W or in the set.
#pragma once

#include "check/readers.h"

namespace footrace::fasttrack {

// What the shadow knows of one granule, cell or byte.
struct Past {
  Epoch W;
  Word R; // an epoch, none, or a set
};

struct Conflict {
  uptr address;
  u32 size; // bytes that race
  Epoch previous;
  AccessKind previous_kind;
  AccessKind kind; // of the access that is made
};
// Called for every previous access that the access conflicts with; it must not touch the shadow.
using ConflictSink = void (*)(void* context, const Conflict& conflict);

// What a step finds. From before the shadow changes until the sink has been told, the thread is *telling*: whoever lets go of an access that the shadow does
// not name any more waits for that (check/log.cpp).
class Found {
public:
  Found(ThreadState& t, ConflictSink sink, void* context)
      : sink(sink), context(context), telling_(&t.telling), before_(t.telling) {
    __atomic_store_n(telling_, before_ | 1, __ATOMIC_RELAXED);
  }
  ~Found() {
    __atomic_store_n(telling_, before_ & 1 ? before_ : before_ + 2,
                     __ATOMIC_RELEASE); // the outermost one ends it
  }
  Found(const Found&) = delete;
  Found& operator=(const Found&) = delete;

  const ConflictSink sink;
  void* const context;
  u32 count = 0;

private:
  u32* telling_;
  u32 before_;
};
// The bytes that are judged.
struct Stretch {
  uptr address;
  u32 size;
};

// Whether the thread has made an access in its epoch that stands for this one: [READ SAME EPOCH], [WRITE SAME EPOCH].
bool is_same_epoch(const ThreadState& t, const Past& past, AccessKind kind);

// Tells every conflict of the access with the past. Returns whether there was any.
bool tell_conflicts(ThreadState& t, const Past& past, AccessKind kind, Stretch bytes, Found& found);

// The new R, if it is known without a new set: [READ EXCLUSIVE], [WRITE EXCLUSIVE], [WRITE SHARED]. None: a set is needed.
Word exclusive_after(ThreadState& t, const Past& past, AccessKind kind);
// The new R where a set is needed: [READ SHARE], [READ SHARED], atomic accesses. `own`: the kind of a set that no other granule names.
Word shared_after(ThreadState& t, const Past& past, AccessKind kind, Reference own);

} // namespace footrace::fasttrack
