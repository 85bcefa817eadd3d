#include "instrument/cover.h"

#include "abi/site.h"

#include "llvm/Analysis/ScalarEvolution.h"
#include "llvm/Analysis/ScalarEvolutionExpressions.h"

#include <numeric>

using namespace llvm;

namespace footrace {
namespace {

const SCEV* start_of(const PlannedCheck& check, ScalarEvolution& scev) {
  if (check.start != nullptr) return check.start;
  const SCEV* base = scev.getSCEV(check.base);
  Type* offset_type = scev.getEffectiveSCEVType(base->getType());
  return scev.getAddExpr(base, scev.getConstant(offset_type, static_cast<uint64_t>(check.offset), true));
}

std::optional<int64_t> as_constant(const SCEV* value) {
  const auto* constant = dyn_cast<SCEVConstant>(value);
  if (constant == nullptr || constant->getAPInt().getSignificantBits() > 63) return std::nullopt;
  return constant->getAPInt().getSExtValue();
}

// The distance of the access from the start, split into a constant and the steps by which the loops around it repeat it.
struct Distance {
  int64_t constant = 0;
  uint64_t step = 0; // the greatest common divisor of all steps; 0: none
};

std::optional<Distance> split(const SCEV* distance, ScalarEvolution& scev) {
  Distance result;
  const auto add_step = [&](uint64_t step) { result.step = std::gcd(result.step, step); };
  while (const auto* recurrence = dyn_cast<SCEVAddRecExpr>(distance)) {
    const std::optional<int64_t> step = as_constant(recurrence->getStepRecurrence(scev));
    if (!step) return std::nullopt;
    add_step(*step < 0 ? 0 - static_cast<uint64_t>(*step) : static_cast<uint64_t>(*step));
    distance = recurrence->getStart();
  }
  SmallVector<const SCEV*, 4> terms = {distance};
  if (const auto* sum = dyn_cast<SCEVAddExpr>(distance))
    terms.assign(sum->operands().begin(), sum->operands().end());
  for (const SCEV* term : terms) {
    if (const std::optional<int64_t> constant = as_constant(term)) {
      result.constant += *constant;
      continue;
    }
    // A number that is not known, but what it is a multiple of: the start of a loop that counts down, the bounds of a tile.
    const APInt multiple = scev.getConstantMultiple(term);
    if (multiple.getActiveBits() > 32) return std::nullopt;
    add_step(multiple.getZExtValue());
  }
  return result;
}

} // namespace

CoverPlace place_in_check(const Access& access, const PlannedCheck& check, ScalarEvolution& scev) {
  constexpr CoverPlace unknown = {kUnknownOffset, 0};
  if (access.extent != Extent::Fixed || !access.address->getType()->isPointerTy()) return unknown;
  const SCEV* distance = scev.getMinusSCEV(scev.getSCEV(access.address), start_of(check, scev));
  if (isa<SCEVCouldNotCompute>(distance)) return unknown;
  const std::optional<Distance> found = split(distance, scev);
  if (!found) return unknown;
  const int64_t offset = found->constant + static_cast<int64_t>(access.offset);
  if (found->step == 0)
    return offset > INT32_MIN && offset <= INT32_MAX ? CoverPlace{static_cast<int32_t>(offset), 0} : unknown;
  // Repetitions that overlap would claim every byte.
  if (found->step < access.size || found->step > INT32_MAX) return unknown;
  const auto step = static_cast<int64_t>(found->step);
  return {static_cast<int32_t>(((offset % step) + step) % step), static_cast<uint32_t>(step)};
}

} // namespace footrace
