// validate-placement LOG: is every access covered and every check legitimate? Exit code 0: yes, 1: no, 2: the log cannot be read.
#include "tests/placement/validator/log.h"

#include <cstdio>
#include <map>

using namespace footrace;
using namespace footrace::validation;

namespace {

// One line per place in the program: its first violation, and how many more there are.
void print(const Verdict& verdict, const Log& log) {
  std::map<std::pair<u64, EventType>, std::pair<const Violation*, u64>> places;
  for (const Violation& violation : verdict.violations) {
    auto& [first, count] = places[{violation.event.site, violation.event.type}];
    if (count++ == 0) first = &violation;
  }
  for (const auto& [place, entry] : places) {
    std::printf("%s\n", describe(*entry.first, log.sites).c_str());
    if (entry.second > 1)
      std::printf("  and %llu more there\n", static_cast<unsigned long long>(entry.second - 1));
  }
}

} // namespace

int main(int argc, char** argv) {
  if (argc != 2) {
    std::fprintf(stderr, "usage: validate-placement LOG\n");
    return 2;
  }
  const std::optional<Log> log = read_log(argv[1]);
  if (!log) return 2;
  const Verdict verdict = validate(*log);
  print(verdict, *log);
  if (!verdict.broken_proxies.empty())
    std::printf("%s\n", describe(verdict.broken_proxies.front(), log->sites).c_str());
  const size_t violations = verdict.violations.size() + verdict.broken_proxies.size();
  std::printf(
      "%llu violations, %llu accesses, %llu checks, %llu threads, %llu cut off, %llu proxied\n",
      static_cast<unsigned long long>(violations), static_cast<unsigned long long>(verdict.accesses),
      static_cast<unsigned long long>(verdict.checks), static_cast<unsigned long long>(verdict.threads),
      static_cast<unsigned long long>(verdict.cut_off), static_cast<unsigned long long>(verdict.proxied));
  return violations == 0 ? 0 : 1;
}
