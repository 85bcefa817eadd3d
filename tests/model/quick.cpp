#include "tests/model/quick.h"

#include "check/quick.h"
#include "tests/model/shadow.h"

namespace footrace::model {

namespace {

// Nobody reads what is logged here. There is always room, and the frame's callers are known. Each thread has its own: another one that begins an access must
// not change what this one has found of its frame.
constexpr u32 kEntries = 64;
struct OfThread {
  LogEntry entries[kEntries];
  Frame frame;
} g_threads[kThreads];
Frame* frame_of_access(ThreadState& t) {
  auto& [entries, frame] = g_threads[t.tid()];
  t.log.next = entries, t.log.size = kEntries, t.log.end = entries + kEntries - kLogSlack;
  t.log.locks = 0;
  frame = {};
  frame.node = 1;
  return &frame;
}

template <bool write> u64 make_quickly(ThreadState& t, uptr address, u64 size) {
  Frame* frame = frame_of_access(t);
  if (size <= 8 && fasttrack::quick_access<write>(t, frame, address, size, 0)) return size;
  const bool is_in_unit = address % kGranule + size <= kGranule || (size == 8 && !(address % 8));
  if (is_in_unit) return 0;
  const u64 element = address % 8 || size % 8 ? 4 : 8;
  if (fasttrack::has_seen_elements(t, address, element, element, size / element, write) && !(size % element))
    return size;
  if (fasttrack::has_seen_row(t, address, size, write)) return size;
  frame = frame_of_access(t);
  log_at_once(t, frame, address, size, fasttrack::kPlain<write>, 0);
  return fasttrack::quick_row<write>(t, frame, address, size) - address;
}

} // namespace

u64 make_quickly(ThreadState& t, uptr address, u64 size, AccessKind kind, fasttrack::Found& found) {
  if (kind == AccessKind::AtomicWrite)
    return fasttrack::quick_atomic_write(t, frame_of_access(t), address, size, 0, found) ? size : 0;
  if (kind == AccessKind::AtomicRead)
    return fasttrack::quick_atomic_read(t, frame_of_access(t), address, size, 0) ? size : 0;
  return kind == AccessKind::Write ? make_quickly<true>(t, address, size)
                                   : make_quickly<false>(t, address, size);
}

} // namespace footrace::model
