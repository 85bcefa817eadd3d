#include "placement/proxies.h"

#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Analysis/ScalarEvolutionExpressions.h"
#include "llvm/IR/GlobalVariable.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/Module.h"

#include <map>
#include <set>

using namespace llvm;

namespace footrace {
namespace {

constexpr uint64_t cell = 8;

bool overlap(const GlobalBytes& a, const GlobalBytes& b) {
  return a.variable == b.variable && a.begin < b.end && b.begin < a.end;
}
bool includes(const GlobalBytes& all, const GlobalBytes& some) {
  return all.variable == some.variable && all.begin <= some.begin && some.end <= all.end;
}

// Points of a plan: where a check runs, all checks of the point do, in one span and with nothing between that could lose the rest.
class Points {
public:
  Points(const Summaries& summaries, unsigned& next) : summaries_(summaries), next_(next) {}

  unsigned of(const Position& position) {
    if (position.before == nullptr) {
      const auto [entry, inserted] = edges_.try_emplace({position.from, position.to}, next_);
      next_ += inserted ? 1 : 0;
      return entry->second;
    }
    if (blocks_.insert(position.before->getParent()).second) number(*position.before->getParent());
    return numbers_.find(position.before)->second;
  }

private:
  void number(const BasicBlock& block) {
    unsigned current = next_++;
    for (const Instruction& inst : block) {
      numbers_[&inst] = current;
      if (!summaries_.effects(inst).has_none()) current = next_++;
    }
  }

  const Summaries& summaries_;
  unsigned& next_; // of the module
  DenseSet<const BasicBlock*> blocks_;
  DenseMap<const Instruction*, unsigned> numbers_;
  DenseMap<std::pair<const BasicBlock*, const BasicBlock*>, unsigned> edges_;
};

using Point = std::pair<unsigned, AccessKind>;

struct LocatedCheck {
  unsigned plan, check;
  GlobalBytes bytes;
  Point point;
};
using AtPoint = std::map<Point, std::vector<LocatedCheck>>;

// Bytes that are always checked together, in pieces that each check has or has not, and the part of the first that is checked.
struct Class {
  SmallVector<GlobalBytes, 2> bytes;
  GlobalBytes proxy = {};
};

std::optional<GlobalBytes> bytes_of(const Plan& plan, unsigned access) {
  const Access& made = plan.accesses[access].access;
  if (made.extent != Extent::Fixed || made.address == nullptr) return std::nullopt;
  return global_bytes(*made.address, static_cast<int64_t>(made.offset), made.size,
                      plan.function->getDataLayout());
}

// A range whose begin and length are known while compiling.
std::optional<GlobalBytes> bytes_of_range(const PlannedCheck& check, const DataLayout& layout) {
  const SCEV* start = check.start;
  int64_t offset = 0;
  if (const auto* sum = dyn_cast<SCEVAddExpr>(start); sum != nullptr && sum->getNumOperands() == 2)
    if (const auto* constant = dyn_cast<SCEVConstant>(sum->getOperand(0))) {
      offset = constant->getAPInt().getSExtValue();
      start = sum->getOperand(1);
    }
  const auto* origin = dyn_cast<SCEVUnknown>(start);
  const auto* length = dyn_cast<SCEVConstant>(check.length);
  if (origin == nullptr || length == nullptr || length->isZero()) return std::nullopt;
  return global_bytes(*origin->getValue(), offset, length->getAPInt().getZExtValue(), layout);
}

std::optional<GlobalBytes> bytes_of(const PlannedCheck& check, const Plan& plan) {
  const DataLayout& layout = plan.function->getDataLayout();
  switch (check.shape) {
  case Shape::Own:
    return bytes_of(plan, check.own);
  case Shape::Fixed:
    return global_bytes(*check.base, check.offset, check.size, layout);
  case Shape::Range:
    return bytes_of_range(check, layout);
  case Shape::Strided:
    return std::nullopt;
  }
  llvm_unreachable("a shape outside Shape");
}

AtPoint locate(ArrayRef<Plan> plans, const ClosedGlobals& closed, const Summaries& summaries) {
  AtPoint located;
  unsigned next = 0;
  for (unsigned i = 0; i < plans.size(); ++i) {
    Points points(summaries, next);
    for (unsigned j = 0; j < plans[i].checks.size(); ++j) {
      const PlannedCheck& check = plans[i].checks[j];
      const std::optional<GlobalBytes> bytes = bytes_of(check, plans[i]);
      if (!bytes || !closed.contains(*bytes->variable)) continue;
      const Point point{points.of(check.position), check.kind};
      located[point].push_back({i, j, *bytes, point});
    }
  }
  return located;
}

Align alignment_of(const GlobalVariable& variable) {
  return variable.getPointerAlignment(variable.getDataLayout());
}

// What of the piece lies in its first cell: one comparison checks it.
GlobalBytes proxy_of(const GlobalBytes& first) {
  const uint64_t aligned = std::min(cell, alignment_of(*first.variable).value());
  return {first.variable, first.begin, std::min(first.end, first.begin / aligned * aligned + aligned)};
}

// A check goes, or has fewer cells.
bool has_gain(const Class& its, const std::set<Point>& points, const AtPoint& checks) {
  const auto in_cell = [&](const GlobalBytes& bytes) {
    return bytes.variable == its.proxy.variable && bytes.begin / cell == its.proxy.begin / cell &&
           (bytes.end - 1) / cell == its.proxy.begin / cell;
  };
  if (!all_of(its.bytes, in_cell)) return true;
  return any_of(points, [&](const Point& point) {
    return any_of(checks.find(point)->second, [&](const LocatedCheck& check) {
      return !overlap(check.bytes, its.proxy) &&
             any_of(its.bytes, [&](const GlobalBytes& piece) { return overlap(check.bytes, piece); });
    });
  });
}

// Conjectures that everything is everything's proxy, and keeps what all checks agree with (section 6): bytes that have the same points.
std::map<std::set<Point>, std::vector<GlobalBytes>> find_pieces(const AtPoint& checks) {
  MapVector<GlobalVariable*, std::set<uint64_t>> cuts;
  for (const auto& [point, group] : checks)
    for (const LocatedCheck& check : group)
      cuts[check.bytes.variable].insert({check.bytes.begin, check.bytes.end});
  DenseMap<const GlobalVariable*, std::map<uint64_t, std::set<Point>>> points;
  for (const auto& [point, group] : checks)
    for (const LocatedCheck& check : group) {
      const std::set<uint64_t>& places = cuts[check.bytes.variable];
      for (auto at = places.find(check.bytes.begin); *at != check.bytes.end; ++at)
        points[check.bytes.variable][*at].insert(point);
    }
  std::map<std::set<Point>, std::vector<GlobalBytes>> pieces;
  for (const auto& [variable, places] : cuts)
    for (auto at = places.begin(); std::next(at) != places.end(); ++at)
      if (const auto found = points[variable].find(*at); found != points[variable].end())
        pieces[found->second].push_back({variable, *at, *std::next(at)});
  return pieces;
}

std::vector<Class> find_classes(const AtPoint& checks) {
  std::vector<Class> kept;
  for (auto& [points, bytes] : find_pieces(checks)) {
    Class its{{bytes.begin(), bytes.end()}, proxy_of(bytes.front())};
    if (has_gain(its, points, checks)) kept.push_back(std::move(its));
  }
  return kept;
}

// Pieces that follow each other and that each of the checks has all of. Accesses in loops are told apart by their distances from where their
// check starts, so none may stand for the accesses of another.
std::vector<Class> find_array_classes(const AtPoint& checks) {
  std::vector<Class> kept;
  for (auto& [points, bytes] : find_pieces(checks))
    for (auto first = bytes.begin(), last = first; first != bytes.end(); first = last) {
      GlobalBytes all = *first;
      for (; last != bytes.end() && last->variable == all.variable && last->begin <= all.end; ++last)
        all.end = last->end;
      Class its{{first, last}, proxy_of(*first)};
      const bool is_whole = all_of(points, [&](const Point& point) {
        return all_of(checks.find(point)->second, [&](const LocatedCheck& check) {
          return !overlap(check.bytes, all) || includes(check.bytes, all);
        });
      });
      if (is_whole && has_gain(its, points, checks)) kept.push_back(std::move(its));
    }
  return kept;
}

void add_all(std::vector<unsigned>& list, ArrayRef<unsigned> more) {
  list.insert(list.end(), more.begin(), more.end());
  sort(list);
  list.erase(std::unique(list.begin(), list.end()), list.end());
}

// All checks of one kind at one point.
class Rewriter {
public:
  Rewriter(Plan& plan, ArrayRef<Class> classes, ArrayRef<LocatedCheck> checks)
      : plan_(plan), checks_(checks) {
    // At a point there is all of a class, or nothing.
    for (const Class& its : classes)
      if (any_of(checks, [&](const LocatedCheck& check) { return overlap(check.bytes, its.proxy); }))
        classes_.push_back(&its);
    for (const LocatedCheck& check : checks_) before_.push_back(plan_.checks[check.check]);
  }

  void rewrite() {
    if (classes_.empty()) return;
    for (const auto& [check, old] : zip_equal(checks_, before_)) shrink(check, old);
    for (const Class* its : classes_) stand_for(*its);
  }

private:
  static ArrayRef<unsigned> names_of(const PlannedCheck& check) {
    if (check.shape == Shape::Own) return check.own;
    return check.names.empty() ? ArrayRef<unsigned>(check.covers) : ArrayRef<unsigned>(check.names);
  }

  bool has_proxy(const GlobalBytes& bytes) const {
    return any_of(classes_, [&](const Class* its) {
      return !includes(its->proxy, bytes) &&
             any_of(its->bytes, [&](const GlobalBytes& piece) { return includes(piece, bytes); });
    });
  }

  // Where, in the bytes, a piece or a proxy begins or ends.
  std::set<uint64_t> cuts_of(const GlobalBytes& bytes) const {
    std::set<uint64_t> cuts{bytes.begin, bytes.end};
    const auto cut = [&](const GlobalBytes& by) {
      for (const uint64_t at : {by.begin, by.end})
        if (by.variable == bytes.variable && bytes.begin < at && at < bytes.end) cuts.insert(at);
    };
    for (const Class* its : classes_) {
      cut(its->proxy);
      for (const GlobalBytes& piece : its->bytes) cut(piece);
    }
    return cuts;
  }

  // What is left of the bytes without those that have a proxy, from its first to its last byte; no variable: nothing.
  GlobalBytes rest_of(const GlobalBytes& bytes) const {
    GlobalBytes rest{nullptr, bytes.begin, bytes.end};
    const std::set<uint64_t> cuts = cuts_of(bytes);
    for (auto at = cuts.begin(); std::next(at) != cuts.end(); ++at) {
      if (has_proxy({bytes.variable, *at, *std::next(at)})) continue;
      if (rest.variable == nullptr) rest.begin = *at;
      rest.variable = bytes.variable;
      rest.end = *std::next(at);
    }
    return rest;
  }

  void shrink(const LocatedCheck& located, const PlannedCheck& old) {
    const GlobalBytes rest = rest_of(located.bytes);
    PlannedCheck& check = plan_.checks[located.check];
    if (rest.variable != nullptr) return check_bytes(located, old, rest);
    for (const unsigned access : names_of(old)) plan_.accesses[access].rule = Rule::Proxied;
    for (const unsigned access : check.covers) erase(plan_.accesses[access].covered_by, located.check);
    check.covers.clear();
  }

  void check_bytes(const LocatedCheck& located, const PlannedCheck& old, const GlobalBytes& bytes) {
    const bool has_class = any_of(classes_, [&](const Class* its) {
      return any_of(its->bytes, [&](const GlobalBytes& piece) { return overlap(piece, located.bytes); });
    });
    if (!has_class) return;
    PlannedCheck& check = plan_.checks[located.check];
    if (old.shape == Shape::Own) plan_.accesses[old.own].rule = Rule::Proxy;
    if (old.shape == Shape::Range)
      for (const unsigned access : old.covers) plan_.accesses[access].rule = Rule::Proxied;
    check.names = names_of(old).vec();
    check.shape = Shape::Fixed;
    check.base = bytes.variable;
    check.offset = static_cast<int64_t>(bytes.begin);
    check.size = bytes.end - bytes.begin;
    check.alignment = commonAlignment(alignment_of(*bytes.variable), bytes.begin).value();
  }

  // The check that has the proxy takes over what the others do without, where the first of them was.
  void stand_for(const Class& its) {
    const auto has_proxy = [&](const LocatedCheck& check) { return includes(check.bytes, its.proxy); };
    const LocatedCheck& first = *find_if(checks_, has_proxy);
    for (const LocatedCheck& located : make_filter_range(checks_, has_proxy)) {
      for (const GlobalBytes& piece : its.bytes) add_piece(plan_.checks[located.check], piece, its.proxy);
      for (const PlannedCheck& old : before_)
        for (const unsigned access : names_of(old)) name(plan_.checks[located.check], access);
    }
    for (const auto& [other, old] : zip_equal(checks_, before_))
      if (any_of(its.bytes, [&](const GlobalBytes& piece) { return overlap(other.bytes, piece); }))
        take_over(first.check, old);
  }

  void take_over(unsigned number, const PlannedCheck& old) {
    PlannedCheck& check = plan_.checks[number];
    if (old.position.before != nullptr && old.position.before->comesBefore(check.position.before))
      check.position = old.position;
    add_all(check.names, names_of(old));
    add_all(check.covers, old.covers);
    for (const unsigned access : old.covers)
      if (SmallVectorImpl<unsigned>& by = plan_.accesses[access].covered_by; !is_contained(by, number))
        by.push_back(number);
  }

  static void add_piece(PlannedCheck& check, const GlobalBytes& piece, const GlobalBytes& proxy) {
    const bool has_proxy = overlap(piece, proxy);
    const uint64_t begin = has_proxy ? proxy.end : piece.begin;
    if (begin < piece.end) check.proxied.push_back({{piece.variable, begin, piece.end}, proxy});
  }

  void name(PlannedCheck& check, unsigned access) {
    const std::optional<GlobalBytes> bytes = bytes_of(plan_, access);
    for (Proxied& proxied : check.proxied)
      if (bytes && overlap(*bytes, proxied.bytes) &&
          !is_contained(proxied.accesses, std::pair(access, bytes->begin))) {
        proxied.accesses.push_back({access, bytes->begin});
        plan_.accesses[access].rule = Rule::Proxied;
      }
  }

  Plan& plan_;
  ArrayRef<LocatedCheck> checks_;
  std::vector<const Class*> classes_;
  std::vector<PlannedCheck> before_;
};

void rewrite(MutableArrayRef<Plan> plans, const AtPoint& checks, ArrayRef<Class> classes) {
  if (classes.empty()) return;
  for (const auto& [point, group] : checks) Rewriter(plans[group.front().plan], classes, group).rewrite();
  for (Plan& plan : plans) plan.drop_unused_checks();
}

} // namespace

void use_proxies(MutableArrayRef<Plan> plans, const ClosedGlobals& closed, const Summaries& summaries) {
  if (closed.empty()) return;
  const AtPoint checks = locate(plans, closed, summaries);
  rewrite(plans, checks, find_classes(checks));
}

void use_array_proxies(MutableArrayRef<Plan> plans, Module& module, const Summaries& summaries) {
  // What is checked itself, the late phase checks.
  DenseSet<const Instruction*> covered, others;
  for (const Plan& plan : plans)
    for (const PlannedAccess& planned : plan.accesses) {
      const bool has_range = !planned.covered_by.empty() && all_of(planned.covered_by, [&](unsigned check) {
        return plan.checks[check].shape == Shape::Range && bytes_of(plan.checks[check], plan);
      });
      (has_range ? covered : others).insert(planned.access.inst);
    }
  if (covered.empty()) return;
  const ClosedGlobals closed(
      module, [&](const Instruction& inst) { return covered.contains(&inst) && !others.contains(&inst); },
      Places::Any);
  if (closed.empty()) return;
  const AtPoint checks = locate(plans, closed, summaries);
  rewrite(plans, checks, find_array_classes(checks));
}

} // namespace footrace
