#include "placement/plan.h"

#include "placement/marks.h"

#include "llvm/Analysis/ScalarEvolution.h"
#include "llvm/IR/BasicBlock.h"
#include "llvm/IR/Function.h"
#include "llvm/Support/Format.h"
#include "llvm/Support/raw_ostream.h"

#include <numeric>

using namespace llvm;

namespace footrace {

const char* name_of(Rule rule) {
  static constexpr const char* names[] = {
#define FR_RULE(id, name) name,
#include "placement/rules.def"
  };
  return names[static_cast<unsigned>(rule)];
}

const char* text_of(Fallback fallback) {
  static constexpr const char* texts[] = {
#define FR_FALLBACK(id, text) text,
#include "placement/fallbacks.def"
  };
  return texts[static_cast<unsigned>(fallback)];
}

bool has_check_elsewhere(const PlannedAccess& planned) {
  return planned.rule == Rule::Requires || planned.rule == Rule::Ensures;
}

bool has_proxy(const PlannedCheck& check, unsigned access) {
  return any_of(check.proxied, [&](const Proxied& proxied) {
    return is_contained(make_first_range(proxied.accesses), access);
  });
}

bool Plan::has_own_check(unsigned access) const {
  return any_of(accesses[access].covered_by, [&](unsigned check) {
    return checks[check].shape == Shape::Own && checks[check].own == access;
  });
}

void Plan::replace_check(unsigned check, ArrayRef<unsigned> by) {
  for (const unsigned access : checks[check].covers) {
    SmallVector<unsigned, 1>& covered_by = accesses[access].covered_by;
    erase(covered_by, check);
    for (const unsigned other : by) {
      // It is not certain at the other check that this access will come.
      if (checks[other].names.empty()) checks[other].names = checks[other].covers;
      if (!is_contained(covered_by, other)) covered_by.push_back(other);
      if (!is_contained(checks[other].covers, access)) checks[other].covers.push_back(access);
    }
  }
  checks[check].covers.clear();
  for (const unsigned other : by) sort(checks[other].covers);
}

void Plan::drop_unused_checks() {
  std::vector<unsigned> number(checks.size());
  std::vector<PlannedCheck> kept;
  for (unsigned i = 0; i < checks.size(); ++i) {
    number[i] = static_cast<unsigned>(kept.size());
    if (!checks[i].covers.empty()) kept.push_back(std::move(checks[i]));
  }
  checks = std::move(kept);
  for (PlannedAccess& planned : accesses)
    for (unsigned& check : planned.covered_by) check = number[check];
}

void Plan::check_itself(unsigned access) {
  const Access& checked = accesses[access].access;
  accesses[access].covered_by.push_back(static_cast<unsigned>(checks.size()));
  checks.push_back({.shape = Shape::Own,
                    .kind = checked.kind,
                    .position = {.before = checked.inst},
                    .own = access,
                    .covers = {access}});
}

Plan plan_accesses(Function& function, RaceFreedom& race_freedom) {
  Plan plan{&function};
  const bool plain = function.hasFnAttribute(Attribute::SanitizeThread);
  for (Access& access : collect_accesses(function)) {
    PlannedAccess planned{access, race_freedom.reason(access)};
    if (!planned.left_out && has_cover_mark(*access.inst)) planned.left_out = Reason::CoveredInLoop;
    if (!plain && !has_atomicity(access.kind)) planned.left_out = Reason::NoSanitize;
    plan.accesses.push_back(std::move(planned));
  }
  return plan;
}

Plan plan_fasttrack(Function& function, RaceFreedom& race_freedom) {
  Plan plan = plan_accesses(function, race_freedom);
  for (unsigned i = 0; i < plan.accesses.size(); ++i)
    if (!plan.accesses[i].left_out) plan.check_itself(i);
  return plan;
}

namespace {

void print_position(const Position& position, raw_ostream& out) {
  if (position.before != nullptr) {
    out << " before";
    position.before->print(out);
  } else {
    out << " on edge ";
    position.from->printAsOperand(out, false);
    out << " -> ";
    position.to->printAsOperand(out, false);
  }
}

void print_shape(const PlannedCheck& check, raw_ostream& out) {
  switch (check.shape) {
  case Shape::Own:
    out << "own #" << check.own;
    return;
  case Shape::Fixed:
    check.base->printAsOperand(out, false);
    out << '+' << check.offset << ", " << check.size;
    return;
  case Shape::Range:
    out << '[' << *check.start << ", " << *check.length << ']';
    return;
  case Shape::Strided:
    out << '[' << *check.start << ", " << check.size << " every " << *check.stride << ", " << *check.count
        << " times]";
    return;
  }
}

void print_list(ArrayRef<unsigned> list, raw_ostream& out) {
  for (const unsigned item : list) out << ' ' << item;
}

} // namespace

void print(const Plan& plan, raw_ostream& out) {
  for (unsigned i = 0; i < plan.checks.size(); ++i) {
    const PlannedCheck& check = plan.checks[i];
    out << "check " << i << ": " << name_of(check.kind) << ' ';
    print_shape(check, out);
    print_position(check.position, out);
    out << " covers";
    print_list(check.covers, out);
    out << '\n';
  }
  for (unsigned i = 0; i < plan.accesses.size(); ++i) {
    const PlannedAccess& planned = plan.accesses[i];
    out << "access " << i << ": " << name_of(planned.access.kind);
    planned.access.inst->print(out);
    if (planned.left_out)
      out << " left out: " << name_of(*planned.left_out);
    else if (plan.has_own_check(i))
      out << " checked";
    else {
      out << " covered by";
      print_list(planned.covered_by, out);
      out << ": " << name_of(*planned.rule);
    }
    out << '\n';
  }
}

void PlanStats::add(const Plan& plan) {
  for (unsigned i = 0; i < plan.accesses.size(); ++i) {
    const PlannedAccess& planned = plan.accesses[i];
    if (planned.left_out)
      ++left_out_[static_cast<unsigned>(*planned.left_out)];
    else if (plan.has_own_check(i))
      ++checked_[static_cast<unsigned>(planned.access.kind)];
    else
      ++covered_[static_cast<unsigned>(*planned.rule)];
  }
  for (const PlannedCheck& check : plan.checks) ++combined_[static_cast<unsigned>(check.shape)];
  for (unsigned i = 0; i < fallback_count; ++i) fallbacks_[i] += plan.fallbacks[i];
}

void PlanStats::print(StringRef module_name) const {
  const auto sum = [](const auto& counts) {
    return std::accumulate(counts.begin(), counts.end(), uint64_t{0});
  };
  raw_ostream& out = errs();
  const auto line = [&](uint64_t count, StringRef what, StringRef which) {
    if (count != 0) out << format("%10llu ", static_cast<unsigned long long>(count)) << what << which << '\n';
  };
  out << "footrace: checks of " << module_name << '\n';
  out << format("%10llu accesses seen\n",
                static_cast<unsigned long long>(sum(checked_) + sum(covered_) + sum(left_out_)));
  for (unsigned i = 0; i < access_kind_count; ++i)
    line(checked_[i], "checked: ", name_of(static_cast<AccessKind>(i)));
  static constexpr const char* shapes[] = {"", "bytes", "range", "strided range"};
  for (unsigned i = 1; i < std::size(shapes); ++i) line(combined_[i], "combined checks: ", shapes[i]);
  for (unsigned i = 0; i < rule_count; ++i) line(covered_[i], "covered: ", name_of(static_cast<Rule>(i)));
  for (unsigned i = 0; i < reason_count; ++i)
    line(left_out_[i], "left out: ", name_of(static_cast<Reason>(i)));
  for (unsigned i = 0; i < fallback_count; ++i)
    line(fallbacks_[i], "fallback: ", text_of(static_cast<Fallback>(i)));
}

} // namespace footrace
