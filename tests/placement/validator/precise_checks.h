// Precise checks (BigFoot, section 2 and appendix B), byte by byte and thread by thread:
//   covering    a check covers an access if it precedes it with no release between, or succeeds it with no acquire between
//   legitimate  a check is legitimate for an access if it precedes it with no acquire between, or succeeds it with no release between
// With kinds (section 5): a write check covers writes and reads, a read check only reads; a write check is legitimate for writes, a read
// check for both. A trace has precise checks if every access has a covering check and every check is legitimate for some access.
// Beyond the paper: memory that is allocated or freed starts anew, so no check may stand for an access on the other side of that.
// What a check stands for as a proxy counts as checked; whether it may, proxies.h judges.
// Nothing here knows how checks are placed: the only input is the log.
#pragma once

#include "tests/placement/recorder/log_format.h"

#include <string>
#include <unordered_map>
#include <vector>

namespace footrace::validation {

// What was known about the bytes when the violation began.
enum class Before : u8 {
  Nothing,       // never checked (or accessed)
  PastRelease,   // only on the other side of a release
  OnlyReadCheck, // a write, but only a read check in the span
  OnlyReads,     // a write check, but only reads in the span
};

struct Violation {
  u64 thread;
  Event event;          // the access without cover, or the check that is not legitimate
  u64 first;            // the lowest byte that is wrong
  u64 bytes;            // how many of its bytes are
  Before before;        // for the lowest byte
  std::string ended_by; // what ended the wait for a later check (or access)
};

// One thread's events, in its order.
class ThreadValidator {
public:
  explicit ThreadValidator(u64 thread) : thread_(thread) {}
  void step(const Event& event);
  // The log is over. A thread that was cut off may have been about to check.
  void finish();

  const std::vector<Violation>& violations() const { return violations_; }
  u64 accesses() const { return accesses_; }
  u64 checks() const { return checks_; }
  bool cut_off() const { return !ended_; }

private:
  // The span numbers of releases say whether a release lies between; 0 is before the first.
  struct Byte {
    u32 read_check, write_check; // the span of the last check that covers reads, writes
    u32 access, write;           // the span of the last access of any kind, of the last write
    // 1 + index into waiting_: for a later check that covers, for a later access that legitimises
    u32 uncovered_read, uncovered_write, unfounded_read, unfounded_write;
  };
  static constexpr u64 kPage = 64;
  struct Page {
    Byte bytes[kPage];
  };
  struct Waiting {
    Event event;
    Before before;
    u64 violation; // 1 + index into violations_
  };

  Byte& byte(u64 address) { return pages_[address / kPage].bytes[address % kPage]; }
  void access(Byte& byte, bool write, bool must_be_covered);
  void check(Byte& byte, bool write);
  void wait(u32& slot, Before before);
  void give_up(u64 address, Byte& byte, const std::string& ended_by);
  void give_up(u64 address, u32& slot, const std::string& ended_by);
  void end_span(const std::string& ended_by);
  void forget(u64 address, u64 size);

  u64 thread_;
  u32 span_ = 1; // releases so far, plus one
  bool ended_ = false;
  u64 accesses_ = 0, checks_ = 0;
  const Event* current_ = nullptr;
  bool current_waits_ = false; // the last of waiting_ is current_
  std::unordered_map<u64, Page> pages_;
  std::vector<u64> touched_; // bytes that wait, at least
  std::vector<Waiting> waiting_;
  std::vector<Violation> violations_;
};

} // namespace footrace::validation
