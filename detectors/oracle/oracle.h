// The oracle: which accesses of a trace race, byte by byte, straight from the definition.
// Two accesses of a byte race if at least one writes, not both are atomic, neither happens before the other
// (oracle/happens_before.h), and the byte was not allocated anew in between. A free is a plain write of its
// range. All earlier accesses of every byte are kept. It is what the fast detectors are compared with.
#pragma once

#include "detectors/oracle/happens_before.h"

namespace footrace::oracle {

struct Race {
  EventIndex event;    // the later access
  u64 address;         // of the byte
  EventIndex previous; // the earlier access

  friend bool operator==(const Race&, const Race&) = default;
};

// FirstPerByte: after its first racing access a byte is left alone until it is allocated again. This is what
// FastTrack promises to find (PLDI'09, footnote 3).
enum class Report : u8 { Every, FirstPerByte };

class Oracle {
public:
  explicit Oracle(Report report = Report::Every) : report_(report) {}
  // Extends the trace. Returns the races of e with earlier accesses, by address and then by previous access.
  std::vector<Race> append(const Event& e);
  // Would e race if it came next?
  bool may_race(const Event& e) const;
  const HappensBefore& order() const { return order_; }

private:
  struct ByteHistory {
    bool raced = false;
    std::vector<EventIndex> accesses;
  };
  bool may_conflict(EventIndex previous, const Event& e) const;

  Report report_;
  HappensBefore order_;
  std::unordered_map<u64, ByteHistory> bytes_;
};

std::vector<Race> find_races(const std::vector<Event>& trace, Report report = Report::Every);

} // namespace footrace::oracle
