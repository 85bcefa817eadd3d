#include "prove/effects/types.h"

namespace footrace::prove::effects {

Iteration LoopVector::operator[](LoopId loop) const {
  auto found = named_.find(loop);
  return found == named_.end() ? otherwise_ : found->second;
}

void LoopVector::set(LoopId loop, Iteration value) {
  if (value == otherwise_)
    named_.erase(loop);
  else
    named_[loop] = value;
}

std::set<LoopId> loops_of(const LoopVector& a, const LoopVector& b) {
  std::set<LoopId> loops;
  for (const auto& [loop, value] : a.named()) loops.insert(loop);
  for (const auto& [loop, value] : b.named()) loops.insert(loop);
  return loops;
}

Iteration join(Iteration a, Iteration b) { return a == b ? a : Iteration::Top; }

LoopVector join(const LoopVector& a, const LoopVector& b) {
  LoopVector joined(join(a.otherwise(), b.otherwise()));
  for (LoopId loop : loops_of(a, b)) joined.set(loop, join(a[loop], b[loop]));
  return joined;
}

MaybeType join(const MaybeType& a, const MaybeType& b) {
  if (!a) return b;
  if (!b) return a;
  return Type{join(a->loops, b->loops), a->site == b->site ? a->site : std::nullopt};
}

MaybeType loopback(const MaybeType& type, LoopId loop) {
  if (!type || type->loops[loop] != Iteration::One) return type;
  Type carried = *type;
  carried.loops.set(loop, Iteration::Top);
  return carried;
}

bool may_be_equal(const Type& a, const Type& b) {
  if (a.site && b.site && a.site != b.site) return false;
  auto agree = [](Iteration x, Iteration y) { return x == y || x == Iteration::Top || y == Iteration::Top; };
  if (!agree(a.loops.otherwise(), b.loops.otherwise())) return false;
  for (LoopId loop : loops_of(a.loops, b.loops))
    if (!agree(a.loops[loop], b.loops[loop])) return false;
  return true;
}

bool is_below_top(const Type& type) {
  if (!type.site || type.loops.otherwise() == Iteration::Top) return false;
  for (const auto& [loop, value] : type.loops.named())
    if (value == Iteration::Top) return false;
  return true;
}

} // namespace footrace::prove::effects
