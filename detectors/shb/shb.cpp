#include "detectors/shb/shb.h"

namespace footrace::detectors {

// One warning for each thread and kind of earlier access that is not ordered.
void Shb::check(State& x, Tid t, AccessKind kind, const Bytes& bytes, Verdict& verdict) {
  ++(may_write(kind) ? write_ : read_);
  for (u32 k = 0; k < kAccessKinds; ++k) {
    const AccessKind earlier = AccessKind(k);
    if (!may_conflict(earlier, kind)) continue;
    x.of(earlier).for_each_above(sync_.C(t), sync_.counts(), [&](Tid u) {
      const Previous previous = Previous::of(sync_.thread(u), earlier);
      bytes.for_each_run([&](u64 address, u64 size) { verdict.warn(address, size, previous); });
    });
  }
  x.of(kind).set(t, sync_.C(t).get(t), sync_.counts());
}

// A read of what was written.
void Shb::learn_writes(const Event& e, Tid t) {
  memory_.for_each(e.target, e.extent, [&](State& x, const Bytes& bytes) {
    if (!x.last_write.is_bottom()) return sync_.learn(t, x.last_write);
    bytes.for_each_run([&](u64 address, u64 size) {
      for (u64 at = address; at < address + size; ++at)
        if (const Clock* allocation = allocations_.find(at)) sync_.learn(t, *allocation);
    });
  });
}

void Shb::step(const Event& e, Verdict& verdict) {
  const Tid t = sync_.before(e);
  const bool is_access = has_access(e.kind), is_write = is_access && may_write(kind_of(e.kind));
  if (e.kind == EventKind::Alloc) {
    memory_.reset(e.target, e.extent);
    allocations_.set(e.target, e.extent, sync_.C(t));
  }
  if (is_access)
    memory_.for_each(e.target, e.extent,
                     [&](State& x, const Bytes& bytes) { check(x, t, kind_of(e.kind), bytes, verdict); });
  if (may_read(e.kind)) learn_writes(e, t);
  if (is_write)
    memory_.for_each(e.target, e.extent,
                     [&](State& x, const Bytes&) { x.last_write.copy(sync_.C(t), sync_.counts()); });
  sync_.after(e, t);
  if (is_write || e.kind == EventKind::Alloc) sync_.tick(t); // what follows is not what readers have seen
}

Cost Shb::cost() const {
  return {sync_.counts().allocated,
          sync_.counts().operations,
          sync_.memory() + memory_.memory(),
          {{"read", read_}, {"write", write_}}};
}

} // namespace footrace::detectors
