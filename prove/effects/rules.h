// The type rules of paper 001, Figure 8, one function each. The state is what the judgement W, Pi, Gamma |- s says:
// the active loops, the current loop vector, the types of variables, and the heap effects so far.
//
// The functions are generic in what a variable is: the tests use names, the analysis of LLVM IR uses SSA values.
#pragma once

#include "prove/effects/types.h"

namespace footrace::prove::effects {

// owner |> owned: an object of the second type was stored in a field of one of the first.
struct Effect {
  Type owner, owned;
  auto operator<=>(const Effect&) const = default;
};
using Effects = std::set<Effect>; // K

template <class Variable> struct Judgement {
  std::set<LoopId> active;             // W
  LoopVector now;                      // Pi
  std::map<Variable, MaybeType> types; // Gamma
  Effects effects;                     // K
};

// Rule (12): the type of what `new h` makes.
inline Type type_of_new(const std::set<LoopId>& active, const LoopVector& now, SiteId site) {
  LoopVector loops;
  for (LoopId loop : active) loops.set(loop, now[loop]);
  return {loops, site};
}

// Rule (15): the effect of x.f = y.
inline std::optional<Effect> effect_of_store(const MaybeType& x, const MaybeType& y) {
  if (!x || !y) return std::nullopt;
  return Effect{*x, *y};
}

template <class V> void rule_11_null(Judgement<V>& state, const V& x) { state.types[x] = std::nullopt; }

template <class V> void rule_12_new(Judgement<V>& state, const V& x, SiteId site) {
  state.types[x] = type_of_new(state.active, state.now, site);
}

template <class V> void rule_13_copy(Judgement<V>& state, const V& x, const V& y) {
  state.types[x] = state.types[y];
}

template <class V> void rule_14_load(Judgement<V>& state, const V& x) { state.types[x] = top_type(); }

template <class V> void rule_15_store(Judgement<V>& state, const V& x, const V& y) {
  if (std::optional<Effect> effect = effect_of_store(state.types[x], state.types[y]))
    state.effects.insert(*effect);
}

template <class V, class First, class Second>
void rule_16_sequence(Judgement<V>& state, First first, Second second) {
  first(state);
  second(state);
}

template <class V>
std::map<V, MaybeType> join(const std::map<V, MaybeType>& a, const std::map<V, MaybeType>& b) {
  std::map<V, MaybeType> joined = a;
  for (const auto& [variable, type] : b) joined[variable] = join(joined[variable], type);
  return joined;
}

template <class V, class Then, class Else> void rule_17_if(Judgement<V>& state, Then then, Else otherwise) {
  Judgement<V> other = state;
  then(state);
  otherwise(other);
  state.types = join(state.types, other.types);
  state.effects.insert(other.effects.begin(), other.effects.end());
}

// Gamma is an invariant of the loop, found by iteration; the lattice is finite.
template <class V, class Body> void rule_18_while(Judgement<V>& state, LoopId loop, Body body) {
  bool was_active = state.active.contains(loop);
  Iteration before = state.now[loop];
  if (before == Iteration::Zero) state.now.set(loop, Iteration::One);
  while (true) {
    Judgement<V> once = state;
    once.active.insert(loop);
    for (auto& [variable, type] : once.types) type = loopback(type, loop);
    body(once);
    std::map<V, MaybeType> invariant = join(state.types, once.types);
    bool is_stable = invariant == state.types && once.effects == state.effects;
    state.types = std::move(invariant);
    state.effects = std::move(once.effects);
    if (is_stable) break;
  }
  if (was_active) state.active.insert(loop);
}

} // namespace footrace::prove::effects
