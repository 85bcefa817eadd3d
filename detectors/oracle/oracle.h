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

// What an allocation does to the earlier accesses of its bytes. Forgets: they are gone, as the definition above has it. KeepsOrdered: those
// that happen before the allocation stay, so an access that is not ordered after the allocation races with them; a detector may tell of
// such races, since they are between accesses that nothing orders.
enum class Fresh : u8 { Forgets, KeepsOrdered };

class Oracle {
public:
  explicit Oracle(Report report = Report::Every, Fresh fresh = Fresh::Forgets)
      : report_(report), fresh_(fresh) {}
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
  void begin_life(u64 address, EventIndex allocation);

  Report report_;
  Fresh fresh_;
  HappensBefore order_;
  std::unordered_map<u64, ByteHistory> bytes_;
};

std::vector<Race> find_races(const std::vector<Event>& trace, Report report = Report::Every);

} // namespace footrace::oracle
