#include "placement/entail.h"

#include "llvm/ADT/DenseMap.h"
#include "llvm/Analysis/LoopInfo.h"
#include "llvm/Analysis/ScalarEvolution.h"
#include "llvm/Analysis/ScalarEvolutionExpressions.h"
#include "llvm/IR/Dominators.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/PatternMatch.h"

#include <optional>
#include <z3.h>

using namespace llvm;

namespace footrace {
namespace {

constexpr unsigned address_bits = 64;
constexpr unsigned most_nodes = 256;     // of the expressions of one query
constexpr unsigned most_constraints = 8; // branches that lead to a place
constexpr unsigned most_proofs = 16;     // of one function
// No object is larger, so no range that the program accesses is.
constexpr uint64_t most_bytes = uint64_t{1} << 62;
constexpr uint64_t small_distance = uint64_t{1} << 32;

std::optional<int64_t> constant_of(const SCEV* expression) {
  const auto* constant = dyn_cast_or_null<SCEVConstant>(expression);
  if (constant == nullptr || constant->getAPInt().getBitWidth() != address_bits) return std::nullopt;
  return constant->getAPInt().getSExtValue();
}

bool has_small_constant(const SCEV* expression) {
  const std::optional<int64_t> constant = constant_of(expression);
  return constant && *constant >= 0 && static_cast<uint64_t>(*constant) < small_distance;
}

bool has_power_of_two(const SCEV* expression) {
  const auto* constant = dyn_cast<SCEVConstant>(expression);
  return constant != nullptr && constant->getAPInt().isPowerOf2();
}

} // namespace

// A context takes longer to make than most questions to answer: there is one per thread (of a parallel link step), for all functions.
static Z3_context context_of_thread() {
  static thread_local Z3_context context = [] {
    Z3_config config = Z3_mk_config();
    Z3_context made = Z3_mk_context(config);
    Z3_del_config(config);
    Z3_set_error_handler(made, nullptr);
    return made;
  }();
  return context;
}

// The questions in Z3's language. Unknown expressions are free variables: fewer facts, never wrong ones.
class Entailment::Solver {
public:
  Solver(const FunctionAnalyses& analyses, unsigned steps)
      : analyses_(analyses), context_(context_of_thread()) {
    // Not the one for QF_BV: its preparations take five times as long as these questions.
    solver_ = Z3_mk_simple_solver(context_);
    Z3_solver_inc_ref(context_, solver_);
    Z3_params params = Z3_mk_params(context_);
    Z3_params_inc_ref(context_, params);
    Z3_params_set_uint(context_, params, Z3_mk_string_symbol(context_, "rlimit"), steps);
    Z3_solver_set_params(context_, solver_, params);
    Z3_params_dec_ref(context_, params);
  }
  ~Solver() { Z3_solver_dec_ref(context_, solver_); }
  Solver(const Solver&) = delete;
  Solver& operator=(const Solver&) = delete;

  enum class Verdict : uint8_t { Proved, Refuted, GaveUp };

  // Begins a question about values as they are at a place.
  void begin(const Instruction& at) {
    Z3_solver_reset(context_, solver_);
    values_.clear();
    nodes_ = 0;
    assume_branches(at);
  }
  Verdict prove(Z3_ast claim) {
    if (nodes_ > most_nodes || Z3_get_error_code(context_) != Z3_OK) return Verdict::GaveUp;
    Z3_solver_assert(context_, solver_, Z3_mk_not(context_, claim));
    switch (Z3_solver_check(context_, solver_)) {
    case Z3_L_FALSE:
      return Verdict::Proved;
    case Z3_L_TRUE:
      return Verdict::Refuted;
    case Z3_L_UNDEF:
      break;
    }
    return Verdict::GaveUp;
  }
  void assume(Z3_ast fact) { Z3_solver_assert(context_, solver_, fact); }

  Z3_ast number(uint64_t value, unsigned bits = address_bits) {
    return Z3_mk_unsigned_int64(context_, value, Z3_mk_bv_sort(context_, bits));
  }
  Z3_ast add(Z3_ast a, Z3_ast b) { return Z3_mk_bvadd(context_, a, b); }
  Z3_ast subtract(Z3_ast a, Z3_ast b) { return Z3_mk_bvsub(context_, a, b); }
  Z3_ast multiply(Z3_ast a, Z3_ast b) { return Z3_mk_bvmul(context_, a, b); }
  Z3_ast divide(Z3_ast a, Z3_ast b) { return Z3_mk_bvudiv(context_, a, b); }
  Z3_ast remainder(Z3_ast a, Z3_ast b) { return Z3_mk_bvurem(context_, a, b); }
  Z3_ast at_most(Z3_ast a, Z3_ast b) { return Z3_mk_bvule(context_, a, b); }
  Z3_ast equal(Z3_ast a, Z3_ast b) { return Z3_mk_eq(context_, a, b); }
  Z3_ast both(Z3_ast a, Z3_ast b) {
    Z3_ast list[] = {a, b};
    return Z3_mk_and(context_, 2, list);
  }
  Z3_ast either(Z3_ast a, Z3_ast b) {
    Z3_ast list[] = {a, b};
    return Z3_mk_or(context_, 2, list);
  }
  Z3_ast choose(Z3_ast condition, Z3_ast then, Z3_ast otherwise) {
    return Z3_mk_ite(context_, condition, then, otherwise);
  }

  Z3_ast value(const SCEV* expression) {
    const auto [entry, inserted] = values_.try_emplace(expression, nullptr);
    if (!inserted) return entry->second;
    Z3_ast made = ++nodes_ > most_nodes ? fresh(expression) : translate(expression);
    return values_[expression] = made;
  }

private:
  unsigned width(const SCEV* expression) const {
    return static_cast<unsigned>(analyses_.scev.getTypeSizeInBits(expression->getType()));
  }
  Z3_ast fresh(const SCEV* expression) {
    return Z3_mk_fresh_const(context_, "v", Z3_mk_bv_sort(context_, width(expression)));
  }

  using Operation = Z3_ast (*)(Z3_context, Z3_ast, Z3_ast);
  Z3_ast fold(ArrayRef<const SCEV*> operands, Operation operation) {
    Z3_ast result = value(operands.front());
    for (const SCEV* operand : operands.drop_front()) result = operation(context_, result, value(operand));
    return result;
  }
  // The smaller or larger one, by the order that `less` gives.
  Z3_ast extreme(ArrayRef<const SCEV*> operands, Operation less) {
    Z3_ast result = value(operands.front());
    for (const SCEV* operand : operands.drop_front()) {
      Z3_ast other = value(operand);
      result = choose(less(context_, other, result), other, result);
    }
    return result;
  }

  Z3_ast translate(const SCEV* expression) {
    const auto operands = [&] { return expression->operands(); };
    switch (expression->getSCEVType()) {
    case scConstant: {
      const APInt& constant = cast<SCEVConstant>(expression)->getAPInt();
      if (constant.getBitWidth() > address_bits) return fresh(expression);
      return number(constant.getZExtValue(), constant.getBitWidth());
    }
    case scAddExpr:
      return fold(operands(), Z3_mk_bvadd);
    // Products and quotients of variables cost more than any answer is worth, and so does a divider that is no shift.
    case scMulExpr:
      if (count_if(operands(), [](const SCEV* factor) { return !isa<SCEVConstant>(factor); }) > 1)
        return fresh(expression);
      return fold(operands(), Z3_mk_bvmul);
    case scUDivExpr:
      if (!has_power_of_two(operands().back())) return fresh(expression);
      return fold(operands(), Z3_mk_bvudiv);
    case scUMaxExpr:
      return extreme(operands(), Z3_mk_bvugt);
    case scSMaxExpr:
      return extreme(operands(), Z3_mk_bvsgt);
    case scUMinExpr:
    case scSequentialUMinExpr:
      return extreme(operands(), Z3_mk_bvult);
    case scSMinExpr:
      return extreme(operands(), Z3_mk_bvslt);
    case scTruncate:
      return Z3_mk_extract(context_, width(expression) - 1, 0, value(operands().front()));
    case scZeroExtend:
      return Z3_mk_zero_ext(context_, width(expression) - width(operands().front()),
                            value(operands().front()));
    case scSignExtend:
      return Z3_mk_sign_ext(context_, width(expression) - width(operands().front()),
                            value(operands().front()));
    case scAddRecExpr:
      return recurrence(*cast<SCEVAddRecExpr>(expression));
    default:
      return fresh(expression);
    }
  }

  // start + step * k, where k is the iteration.
  Z3_ast recurrence(const SCEVAddRecExpr& expression) {
    if (!expression.isAffine() || width(&expression) > address_bits) return fresh(&expression);
    const SCEV* step = expression.getStepRecurrence(analyses_.scev);
    if (!isa<SCEVConstant>(step)) return fresh(&expression);
    Z3_ast k = iteration(*expression.getLoop());
    if (width(&expression) < address_bits) k = Z3_mk_extract(context_, width(&expression) - 1, 0, k);
    return add(value(expression.getStart()), multiply(value(step), k));
  }
  Z3_ast iteration(const Loop& loop) {
    const auto [entry, inserted] = iterations_.try_emplace(&loop, nullptr);
    if (!inserted) return entry->second;
    Z3_ast k = Z3_mk_fresh_const(context_, "k", Z3_mk_bv_sort(context_, address_bits));
    iterations_[&loop] = k;
    const SCEV* last = analyses_.scev.getBackedgeTakenCount(&loop);
    if (!isa<SCEVCouldNotCompute>(last) && width(last) <= address_bits) {
      Z3_ast bound = value(last);
      assume(at_most(k, width(last) < address_bits
                            ? Z3_mk_zero_ext(context_, address_bits - width(last), bound)
                            : bound));
    }
    return k;
  }

  // Boolean constraints: the branches whose outcome is known at the place.
  void assume_branches(const Instruction& at) {
    iterations_.clear();
    constraints_ = 0;
    const DominatorTree& dominators = analyses_.dominators;
    const BasicBlock& place = *at.getParent();
    for (const auto* node = dominators.getNode(&place); node != nullptr; node = node->getIDom()) {
      const auto* branch = dyn_cast<BranchInst>(node->getBlock()->getTerminator());
      if (branch == nullptr || !branch->isConditional() || branch->getSuccessor(0) == branch->getSuccessor(1))
        continue;
      for (const unsigned side : {0u, 1u})
        if (dominators.dominates(BasicBlockEdge(branch->getParent(), branch->getSuccessor(side)), &place))
          assume_condition(*branch->getCondition(), side == 0);
    }
  }
  void assume_condition(Value& condition, bool outcome) {
    if (constraints_ == most_constraints) return;
    Value *left = nullptr, *right = nullptr;
    if (outcome ? PatternMatch::match(&condition, PatternMatch::m_LogicalAnd(PatternMatch::m_Value(left),
                                                                             PatternMatch::m_Value(right)))
                : PatternMatch::match(&condition, PatternMatch::m_LogicalOr(PatternMatch::m_Value(left),
                                                                            PatternMatch::m_Value(right)))) {
      assume_condition(*left, outcome);
      assume_condition(*right, outcome);
      return;
    }
    const auto* compare = dyn_cast<ICmpInst>(&condition);
    if (compare == nullptr || !analyses_.scev.isSCEVable(compare->getOperand(0)->getType())) return;
    if (Z3_ast fact = comparison(*compare)) {
      assume(outcome ? fact : Z3_mk_not(context_, fact));
      ++constraints_;
    }
  }
  Z3_ast comparison(const ICmpInst& compare) {
    const SCEV* left = analyses_.scev.getSCEV(compare.getOperand(0));
    if (width(left) > address_bits) return nullptr;
    Z3_ast a = value(left), b = value(analyses_.scev.getSCEV(compare.getOperand(1)));
    switch (compare.getPredicate()) {
    case CmpInst::ICMP_EQ:
      return equal(a, b);
    case CmpInst::ICMP_NE:
      return Z3_mk_not(context_, equal(a, b));
    case CmpInst::ICMP_ULT:
      return Z3_mk_bvult(context_, a, b);
    case CmpInst::ICMP_ULE:
      return Z3_mk_bvule(context_, a, b);
    case CmpInst::ICMP_UGT:
      return Z3_mk_bvugt(context_, a, b);
    case CmpInst::ICMP_UGE:
      return Z3_mk_bvuge(context_, a, b);
    case CmpInst::ICMP_SLT:
      return Z3_mk_bvslt(context_, a, b);
    case CmpInst::ICMP_SLE:
      return Z3_mk_bvsle(context_, a, b);
    case CmpInst::ICMP_SGT:
      return Z3_mk_bvsgt(context_, a, b);
    case CmpInst::ICMP_SGE:
      return Z3_mk_bvsge(context_, a, b);
    default:
      return nullptr;
    }
  }

  FunctionAnalyses analyses_;
  Z3_context context_;
  Z3_solver solver_;
  DenseMap<const SCEV*, Z3_ast> values_;
  DenseMap<const Loop*, Z3_ast> iterations_;
  unsigned nodes_ = 0, constraints_ = 0;
};

Entailment::Entailment(const FunctionAnalyses& analyses, EntailmentBudget budget)
    : analyses_(analyses), budget_(budget) {}
Entailment::~Entailment() = default;

// The answer to a query that ScalarEvolution has left open. `ask` says it to the solver and returns the claim.
template <class Ask> bool Entailment::solve(Query query, Ask ask) {
  const auto [entry, inserted] = answers_.try_emplace(std::move(query), false);
  if (!inserted) return entry->second;
  if (in_vain_ == budget_.queries || queries_ - in_vain_ == most_proofs) {
    ++undecided_;
    return false;
  }
  ++queries_;
  if (solver_ == nullptr) solver_ = std::make_unique<Solver>(analyses_, budget_.steps_per_query);
  switch (ask(*solver_)) {
  case Solver::Verdict::Proved:
    entry->second = true;
    return true;
  case Solver::Verdict::Refuted:
    break;
  case Solver::Verdict::GaveUp:
    ++undecided_;
    break;
  }
  ++in_vain_;
  return false;
}

bool Entailment::must_contain(const PlannedCheck& outer, const PlannedCheck& inner, const Instruction& at) {
  ScalarEvolution& scev = analyses_.scev;
  const bool outer_strided = outer.shape == Shape::Strided, inner_strided = inner.shape == Shape::Strided;
  if ((outer_strided && outer.length != nullptr) || (inner_strided && inner.length != nullptr)) return false;
  if (outer_strided && (!inner_strided || outer.stride != inner.stride || outer.size < inner.size))
    return false;
  const SCEV* distance = scev.getMinusSCEV(inner.start, outer.start);
  if (isa<SCEVCouldNotCompute>(distance)) return false; // not the same object, or nobody knows
  const std::optional<int64_t> stride = inner_strided ? constant_of(inner.stride) : 0;
  if (outer_strided) {
    if (distance->isZero() && inner.count == outer.count) return true;
    if (!stride || *stride <= 0) return false;
  }
  if (!outer_strided && !inner_strided && has_small_constant(distance) &&
      has_small_constant(scev.getMinusSCEV(scev.getMinusSCEV(outer.length, inner.length), distance)))
    return true;
  if (inner_strided && (!stride || *stride == 0 || *stride == INT64_MIN)) return false;

  Query query{&at.getParent()->front(),
              outer.start,
              outer.length,
              outer.count,
              inner.start,
              inner.length,
              inner.count};
  return solve(std::move(query), [&](Solver& z) {
    z.begin(at);
    Z3_ast between = z.value(distance);
    const auto bytes_of = [&](const PlannedCheck& range) {
      Z3_ast bytes = z.value(range.length);
      z.assume(z.at_most(bytes, z.number(most_bytes)));
      return bytes;
    };
    if (!inner_strided) {
      Z3_ast has = bytes_of(outer), needs = bytes_of(inner);
      return z.prove(z.either(z.equal(needs, z.number(0)),
                              z.both(z.at_most(between, has), z.at_most(needs, z.subtract(has, between)))));
    }
    const auto step = static_cast<uint64_t>(std::abs(*stride));
    Z3_ast count = z.value(inner.count);
    z.assume(z.at_most(count, z.number(most_bytes / step)));
    Z3_ast nothing = z.equal(count, z.number(0));
    if (outer_strided) {
      // The same grid, and the elements of the inner range among those of the outer.
      Z3_ast first = z.divide(between, z.number(step)), elements = z.value(outer.count);
      z.assume(z.at_most(elements, z.number(most_bytes / step)));
      return z.prove(z.either(nothing, z.both(z.equal(z.remainder(between, z.number(step)), z.number(0)),
                                              z.both(z.at_most(first, elements),
                                                     z.at_most(count, z.subtract(elements, first))))));
    }
    // From the lowest to the highest byte.
    Z3_ast has = bytes_of(outer);
    Z3_ast rest = z.multiply(z.subtract(count, z.number(1)), z.number(step));
    Z3_ast needs = z.add(rest, z.number(inner.size));
    Z3_ast lowest = *stride < 0 ? z.subtract(between, rest) : between;
    return z.prove(
        z.either(nothing, z.both(z.at_most(lowest, has), z.at_most(needs, z.subtract(has, lowest)))));
  });
}

bool Entailment::must_adjoin(const PlannedCheck& first, const PlannedCheck& second, const Instruction& at) {
  ScalarEvolution& scev = analyses_.scev;
  const SCEV* distance = scev.getMinusSCEV(second.start, first.start);
  if (isa<SCEVCouldNotCompute>(distance)) return false;
  if (scev.getMinusSCEV(distance, first.length)->isZero()) return true;
  if (isa<SCEVConstant>(distance) && isa<SCEVConstant>(first.length)) return false;
  Query query{&at.getParent()->front(), first.start, first.length, second.start};
  return solve(std::move(query), [&](Solver& z) {
    z.begin(at);
    return z.prove(z.equal(z.value(distance), z.value(first.length)));
  });
}

} // namespace footrace
