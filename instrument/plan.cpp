#include "instrument/plan.h"

#include "llvm/IR/Function.h"
#include "llvm/Support/Format.h"
#include "llvm/Support/raw_ostream.h"

#include <numeric>

using namespace llvm;

namespace footrace {

Plan plan_fasttrack(Function& function, RaceFreedom& race_freedom) {
  Plan plan{&function, {}};
  const bool plain = function.hasFnAttribute(Attribute::SanitizeThread);
  for (Access& access : collect_accesses(function)) {
    std::optional<Reason> left_out = race_freedom.reason(access);
    if (!plain && !has_atomicity(access.kind)) left_out = Reason::NoSanitize;
    plan.accesses.push_back({access, left_out});
  }
  return plan;
}

void PlanStats::add(const Plan& plan) {
  for (const PlannedAccess& planned : plan.accesses)
    ++(planned.left_out ? left_out_[static_cast<unsigned>(*planned.left_out)]
                        : checked_[static_cast<unsigned>(planned.access.kind)]);
}

void PlanStats::print(StringRef module_name) const {
  const uint64_t seen = std::accumulate(checked_.begin(), checked_.end(), uint64_t{0}) +
                        std::accumulate(left_out_.begin(), left_out_.end(), uint64_t{0});
  raw_ostream& out = errs();
  const auto line = [&](uint64_t count, StringRef what, StringRef which) {
    if (count != 0) out << format("%10llu ", static_cast<unsigned long long>(count)) << what << which << '\n';
  };
  out << "footrace: checks of " << module_name << '\n';
  out << format("%10llu accesses seen\n", static_cast<unsigned long long>(seen));
  for (unsigned i = 0; i < access_kind_count; ++i)
    line(checked_[i], "checked: ", name_of(static_cast<AccessKind>(i)));
  for (unsigned i = 0; i < reason_count; ++i)
    line(left_out_[i], "left out: ", name_of(static_cast<Reason>(i)));
}

} // namespace footrace
