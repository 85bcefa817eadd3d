#include "detectors/fasttrack/fasttrack.h"

namespace footrace::detectors {

// W_x covered by C_t: no write-read and no write-write race.
bool FastTrackRules::covers_write(const State& x, Tid t, Previous& previous) const {
  if (covers(sync_.C(t), x.W)) return true;
  previous = Previous::of(sync_.thread(x.W.tid()), AccessKind::Write);
  return false;
}

// R_x covered by C_t. The comparison of clocks is the slow path.
bool FastTrackRules::covers_history(const ReadHistory& R, Tid t, AccessKind kind, Previous& previous) {
  Tid u = Clock::kAllCovered;
  if (R.is_shared())
    u = R.readers.first_above(sync_.C(t), sync_.counts());
  else if (!covers(sync_.C(t), R.epoch))
    u = R.epoch.tid();
  if (u == Clock::kAllCovered) return true;
  previous = Previous::of(sync_.thread(u), kind);
  return false;
}

void FastTrackRules::remember_read(ReadHistory& R, Tid t) {
  if (R.is_shared()) { // [READ SHARED]
    R.readers.set(t, sync_.epoch(t).clock(), sync_.counts());
    ++read_shared_;
  } else if (covers(sync_.C(t), R.epoch)) { // [READ EXCLUSIVE]
    R.epoch = sync_.epoch(t);
    ++read_exclusive_;
  } else { // [READ SHARE]
    R.readers.set(R.epoch.tid(), R.epoch.clock(), sync_.counts());
    R.readers.set(t, sync_.epoch(t).clock(), sync_.counts());
    ++read_share_;
  }
}

bool FastTrackRules::read(State& x, Tid t, Previous& previous) {
  if (!x.R.is_shared() && x.R.epoch == sync_.epoch(t)) return ++read_same_epoch_; // [READ SAME EPOCH]
  if (!covers_write(x, t, previous)) return false;
  if (x.atomics && !covers_history(x.atomics->writes, t, AccessKind::AtomicWrite, previous)) return false;
  remember_read(x.R, t);
  return true;
}

bool FastTrackRules::write(State& x, Tid t, Previous& previous) {
  if (x.W == sync_.epoch(t) && !x.atomics) return ++write_same_epoch_; // [WRITE SAME EPOCH]
  if (!covers_write(x, t, previous)) return false;
  if (!covers_history(x.R, t, AccessKind::Read, previous)) return false;
  if (x.atomics) {
    if (!covers_history(x.atomics->writes, t, AccessKind::AtomicWrite, previous) ||
        !covers_history(x.atomics->reads, t, AccessKind::AtomicRead, previous))
      return false;
    x.atomics.reset(); // whoever is ordered after this write is ordered after them
  }
  ++(x.R.is_shared() ? write_shared_ : write_exclusive_);
  if (x.R.is_shared()) x.R.clear(); // [WRITE SHARED]
  x.W = sync_.epoch(t);
  return true;
}

bool FastTrackRules::atomic(State& x, Tid t, AccessKind kind, Previous& previous) {
  if (!x.atomics) x.atomics = std::make_unique<State::Atomics>();
  ReadHistory& mine = kind == AccessKind::AtomicRead ? x.atomics->reads : x.atomics->writes;
  if (!mine.is_shared() && mine.epoch == sync_.epoch(t))
    return ++(kind == AccessKind::AtomicRead ? read_same_epoch_ : write_same_epoch_);
  if (!covers_write(x, t, previous)) return false;
  if (kind == AccessKind::AtomicWrite && !covers_history(x.R, t, AccessKind::Read, previous)) return false;
  remember_read(mine, t);
  return true;
}

bool FastTrackRules::access(State& x, Tid t, AccessKind kind, Previous& previous) {
  switch (kind) {
  case AccessKind::Read:
    return read(x, t, previous);
  case AccessKind::Write:
    return write(x, t, previous);
  default:
    return atomic(x, t, kind, previous);
  }
}

std::vector<RuleCount> FastTrackRules::counts() const {
  return {{"read_same_epoch", read_same_epoch_},   {"read_shared", read_shared_},
          {"read_exclusive", read_exclusive_},     {"read_share", read_share_},
          {"write_same_epoch", write_same_epoch_}, {"write_exclusive", write_exclusive_},
          {"write_shared", write_shared_}};
}

} // namespace footrace::detectors
