#include "prove/effects/disjoint.h"

#include <vector>

namespace footrace::prove::effects {
namespace {

// (t1 |> t2) in K^n and (t3 |> t4) in K give (t1 |> t5). Where t1 and t4 both have 1 but t2 or t3 have not, nothing
// says that it is the same iteration.
std::optional<Effect> compose(const Effect& first, const Effect& second) {
  if (!may_be_equal(first.owned, second.owner)) return std::nullopt;
  Type reached = second.owned;
  for (LoopId loop : loops_of(first.owner.loops, second.owned.loops)) {
    bool both = first.owner.loops[loop] == Iteration::One && second.owned.loops[loop] == Iteration::One;
    bool linked = first.owned.loops[loop] == Iteration::One && second.owner.loops[loop] == Iteration::One;
    if (both && !linked) reached.loops.set(loop, Iteration::Top);
  }
  return Effect{first.owner, reached};
}

// The right-hand side of Figure 9's first implication.
bool must_have_same_owner(const Effect& a, const Effect& b, const std::set<SiteId>& owners) {
  if (!a.owner.site || !b.owner.site) return false;
  if (!owners.contains(*a.owner.site) || !owners.contains(*b.owner.site)) return true;
  if (a.owner != b.owner || !is_below_top(a.owner)) return false;
  for (const auto& [loop, value] : a.owner.loops.named())
    if (value == Iteration::One &&
        (a.owned.loops[loop] != Iteration::One || b.owned.loops[loop] != Iteration::One))
      return false;
  return true;
}

} // namespace

std::optional<Effects> closure(const Effects& effects, std::size_t limit) {
  Effects closed = effects;
  std::vector<Effect> work(effects.begin(), effects.end());
  while (!work.empty()) {
    Effect effect = work.back();
    work.pop_back();
    for (const Effect& step : effects) {
      std::optional<Effect> longer = compose(effect, step);
      if (longer && closed.insert(*longer).second) work.push_back(*longer);
    }
    if (closed.size() > limit) return std::nullopt;
  }
  return closed;
}

bool has_disjoint_reachability(const Effects& closed, SiteId site, const std::set<SiteId>& owners) {
  std::vector<const Effect*> relevant;
  for (const Effect& effect : closed)
    if (!effect.owned.site || *effect.owned.site == site) relevant.push_back(&effect);
  for (const Effect* a : relevant)
    for (const Effect* b : relevant)
      if (may_be_equal(a->owned, b->owned) && !must_have_same_owner(*a, *b, owners)) return false;
  return true;
}

} // namespace footrace::prove::effects
