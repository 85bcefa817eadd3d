#include "scan/domain/selection.h"

#include <algorithm>
#include <map>
#include <set>
#include <tuple>

namespace footrace::scan::domain {

namespace {

RaceRule rule_of(const Side& weak, const Side& other) {
  if (has_lock(weak) && has_lock(other)) {
    auto all_shared = [](const Side& side) {
      return std::ranges::all_of(side.access.locks->held, [](const auto& held) {
        return held.first.mode == il::LockMode::Shared || is_role_lock(held.first.lock);
      });
    };
    return all_shared(weak) && all_shared(other) ? RaceRule::SharedLock : RaceRule::WrongLock;
  }
  if (!is_write(weak)) return RaceRule::ReadWrite;
  if (has_lock(other)) return RaceRule::UnprotectedWrite;
  return is_write(other) ? RaceRule::WriteWrite : RaceRule::UnprotectedWrite;
}

// Of a thread: what it runs.
il::Name function_of(const il::Method& method) { return method.body.empty() ? method.name : method.body; }

// The way to a place that is reported already: x->f of x->f->g.
bool says_nothing_new(const Found& race, const std::vector<Race>& kept) {
  return std::ranges::any_of(kept, [&](const Race& other) {
    const il::Location &a = race.weak->place.at, &b = other.weak.place.at;
    return other.weak.method->name == function_of(*race.weak->method) && a.file == b.file &&
           a.line == b.line &&
           (is_prefix(race.weak->access.path, other.weak.access.path) ||
            is_prefix(other.weak.access.path, race.weak->access.path));
  });
}

// Those without the calls of a method that is in them itself, for the same place.
std::vector<Found> without_calls(std::vector<Found> races, const Concurrency& concurrency,
                                 unsigned& left_out) {
  std::map<il::Location, std::vector<const Side*>> by_place;
  for (const Found& race : races) by_place[race.weak->place.at].push_back(race.weak);
  // Or of another instance of the same template.
  auto calls = [&](const Side& side, const il::Method& method) {
    return std::ranges::any_of(side.place.calls, [&](const CallSite& call) {
      const il::Method* callee = concurrency.find(call.callee);
      return call.callee == method.name || (callee && callee->at.line != 0 && callee->at == method.at);
    });
  };
  left_out += unsigned(std::erase_if(races, [&](const Found& race) {
    return std::ranges::any_of(by_place[race.weak->place.at], [&](const Side* other) {
      return other->place.calls.size() < race.weak->place.calls.size() &&
             calls(*race.weak, concurrency.body_of(*other->method));
    });
  }));
  return races;
}

// What says most comes first.
auto order(const Found& race) {
  const Side &weak = *race.weak, &other = *race.other;
  using Order = std::tuple<bool, bool, bool, bool, const il::Location&, const il::Location&, std::size_t,
                           il::Name, il::Name, const il::Path&, const il::Path&>;
  return Order(!is_write(weak), !has_lock(other), weak.method == other.method, !is_write(other),
               weak.place.at, other.place.at, weak.place.calls.size() + other.place.calls.size(),
               weak.method->name, other.method->name, weak.access.path, other.access.path);
}

// A thread is shown as the function that it runs.
Side as_shown(const Side& side, const Concurrency& concurrency) {
  Side shown = side;
  shown.facts = nullptr; // they are gone when the report is shown
  if (side.method->body.empty()) return shown;
  shown.method = &concurrency.body_of(*side.method);
  shown.place.calls = shown.place.calls.rest();
  return shown;
}

// Instances of one template are one defect: they are written in one place.
auto access_of(const Side& side, const Concurrency& concurrency) {
  const il::Method& method = concurrency.body_of(*side.method);
  il::Name name = method.at.line == 0 ? method.name : il::Name();
  return std::tuple(method.at, name, side.access.path, has_lock(side));
}

} // namespace

bool says_more(const Found& a, const Found& b) { return order(a) < order(b); }

std::vector<Race> best_of(std::vector<Found> races, const Concurrency& concurrency, PairingCounts& counts) {
  races = without_calls(std::move(races), concurrency, counts.duplicates);
  std::ranges::sort(races, says_more);
  std::set<decltype(access_of(*races[0].weak, concurrency))> repaired;
  std::set<std::tuple<il::Location, il::Location>> places;
  std::vector<Race> kept;
  for (Found& race : races) {
    auto place = std::minmax(race.weak->place.at, race.other->place.at);
    bool news = repaired.insert(access_of(*race.weak, concurrency)).second;
    // Of two accesses without a lock, one report shows both.
    if (news && !has_lock(*race.other)) repaired.insert(access_of(*race.other, concurrency));
    if (news && places.insert({place.first, place.second}).second && !says_nothing_new(race, kept))
      kept.push_back({rule_of(*race.weak, *race.other), as_shown(*race.weak, concurrency),
                      as_shown(*race.other, concurrency), std::move(race.why)});
    else
      ++counts.duplicates;
  }
  counts.reported = unsigned(kept.size());
  std::ranges::sort(kept, {},
                    [](const Race& race) { return std::tuple(race.weak.place.at, race.other.place.at); });
  return kept;
}

} // namespace footrace::scan::domain
