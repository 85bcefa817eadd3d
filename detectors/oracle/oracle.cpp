#include "detectors/oracle/oracle.h"

namespace footrace::oracle {

bool Oracle::may_conflict(EventIndex previous, const Event& e) const {
  EventKind earlier = order_.event(previous).kind;
  return (may_write(earlier) || may_write(e.kind)) &&
         !(has_atomic_access(earlier) && has_atomic_access(e.kind));
}

bool Oracle::may_race(const Event& e) const {
  if (!has_access(e.kind)) return false;
  ClockVector clock = order_.clock_of_next(e);
  for (u64 address = e.target; address < e.target + e.extent; ++address) {
    auto byte = bytes_.find(address);
    if (byte == bytes_.end() || (byte->second.raced && report_ == Report::FirstPerByte)) continue;
    for (EventIndex previous : byte->second.accesses)
      if (may_conflict(previous, e) && !order_.ordered(previous, clock)) return true;
  }
  return false;
}

void Oracle::begin_life(u64 address, EventIndex allocation) {
  auto byte = bytes_.find(address);
  if (byte == bytes_.end()) return;
  if (fresh_ == Fresh::Forgets) {
    bytes_.erase(byte);
    return;
  }
  byte->second.raced = false;
  std::erase_if(byte->second.accesses,
                [&](EventIndex previous) { return !order_.ordered(previous, order_.clock(allocation)); });
}

std::vector<Race> Oracle::append(const Event& e) {
  const EventIndex index = EventIndex(order_.size());
  std::vector<Race> races;
  order_.append(e);
  if (e.kind == EventKind::Alloc)
    for (u64 address = e.target; address < e.target + e.extent; ++address) begin_life(address, index);
  if (!has_access(e.kind)) return races;
  for (u64 address = e.target; address < e.target + e.extent; ++address) {
    ByteHistory& byte = bytes_[address];
    if (byte.raced && report_ == Report::FirstPerByte) continue;
    for (EventIndex previous : byte.accesses)
      if (may_conflict(previous, e) && !order_.ordered(previous, order_.clock(index))) {
        races.push_back({index, address, previous});
        byte.raced = true;
      }
    byte.accesses.push_back(index);
  }
  return races;
}

std::vector<Race> find_races(const std::vector<Event>& trace, Report report) {
  Oracle oracle(report);
  std::vector<Race> all;
  for (const Event& e : trace) {
    auto races = oracle.append(e);
    all.insert(all.end(), races.begin(), races.end());
  }
  return all;
}

} // namespace footrace::oracle
