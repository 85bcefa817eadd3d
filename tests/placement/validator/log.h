// A log of the recorder, read back.
#pragma once

#include "tests/placement/validator/precise_checks.h"
#include "tests/placement/validator/proxies.h"

#include <map>
#include <optional>

namespace footrace::validation {

struct Log {
  std::vector<std::vector<Event>> threads; // in the order of their first events
  std::map<u64, std::string> sites;        // "file:line:column in function"
};

// Says on standard error why it cannot be read.
std::optional<Log> read_log(const std::string& path);

struct Verdict {
  std::vector<Violation> violations;
  std::vector<BrokenProxy> broken_proxies;
  u64 threads = 0, cut_off = 0, accesses = 0, checks = 0, proxied = 0;
};
Verdict validate(const Log& log);

std::string describe(const BrokenProxy& broken, const std::map<u64, std::string>& sites);
std::string describe(const Violation& violation, const std::map<u64, std::string>& sites);

} // namespace footrace::validation
