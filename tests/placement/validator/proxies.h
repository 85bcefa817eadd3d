// Shadow proxies (RedCard, section 5), judged on the log: bytes that have no checks of their own may be taken as checked through others only if
// the two have the same history. A check that says "this byte of mine stands for those bytes" says so each time the byte is checked,
// in every thread, with the same bytes; what it stands for counts as checked there (precise_checks.h) and must be legitimate there.
#pragma once

#include "tests/placement/recorder/log_format.h"

#include <map>
#include <set>
#include <utility>
#include <vector>

namespace footrace::validation {

struct BrokenProxy {
  u64 thread;
  Event check; // of the proxy, that does not stand for all that other checks of it stand for
  u64 bytes;   // the first that are missing
};

std::vector<BrokenProxy> find_broken_proxies(const std::vector<std::vector<Event>>& threads);

} // namespace footrace::validation
