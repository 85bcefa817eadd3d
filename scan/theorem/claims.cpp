#include "scan/theorem/claims.h"

#include "scan/domain/conflict.h"

#include <set>

namespace footrace::scan::theorem {

namespace {

using domain::AccessKind;

Claim claim_of(const il::Method& a, const domain::AccessKey& x, const il::Method& b,
               const domain::AccessKey& y) {
  return {&a,
          &b,
          x.path,
          y.path,
          x.kind == AccessKind::Write,
          y.kind == AccessKind::Write,
          x.locks->has_locks(),
          y.locks->has_locks()};
}

Route route_to(const domain::AccessPlace& place) {
  Route route;
  for (const domain::CallSite& call : place.calls) route.push_back(call.at);
  route.push_back(place.at);
  return route;
}

} // namespace

Claims claims(const il::Program& program, const domain::Options& options, const domain::Rules& rules) {
  Claims found;
  domain::Summaries summaries = domain::summarize(program, options, rules);
  for (std::size_t i = 0; i < program.methods.size(); ++i)
    for (std::size_t j = i; j < program.methods.size(); ++j) {
      const il::Method &a = program.methods[i], &b = program.methods[j];
      for (const auto& [x, at_x] : summaries.at(a.name).accesses.all())
        for (const auto& [y, at_y] : summaries.at(b.name).accesses.all()) {
          // Formals of any names may be given one object; a global is only itself.
          if (x.path->root.kind != y.path->root.kind) continue;
          if (x.path->root.kind == il::RootKind::Global && x.path->root != y.path->root) continue;
          if (domain::may_race(x, y, {x.path->root, y.path->root}, rules))
            found.emplace(claim_of(a, x, b, y), Routes{route_to(at_x), route_to(at_y)});
        }
    }
  return found;
}

std::vector<Claim> missing_from(const Claims& fewer, const Claims& more) {
  auto without_locks = [](Claim claim) {
    claim.a_holds = claim.b_holds = false;
    return claim;
  };
  std::set<Claim> known;
  for (const auto& [claim, routes] : more) known.insert(without_locks(claim));
  std::vector<Claim> missing;
  for (const auto& [claim, routes] : fewer)
    if (!known.contains(without_locks(claim))) missing.push_back(claim);
  return missing;
}

} // namespace footrace::scan::theorem
