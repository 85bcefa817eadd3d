// Atomics do not race. What a thread sees in one may tell it that it is its turn (scan/domain/hand_off.h), and a loop that
// waits to set one is a lock.
#include "scan/frontend/conditions.h"
#include "scan/frontend/function.h"
#include "scan/frontend/library.h"
#include "scan/frontend/names.h"

#include "clang/AST/ASTContext.h"

namespace footrace::scan::frontend {

namespace {

const char* value_name(std::optional<std::int64_t> value) {
  return !value ? "any" : *value == 0 ? "zero" : "nonzero";
}

// std::memory_order_relaxed orders nothing; a fence that would is not looked for.
bool is_relaxed(const clang::Expr* argument, const clang::ASTContext& context) {
  const auto* alias = argument->getType()->getAs<clang::EnumType>();
  return alias && alias->getDecl()->getName() == "memory_order" && constant(argument, context) == 0;
}

bool is_loop(const clang::Stmt* statement) {
  return llvm::isa_and_nonnull<clang::WhileStmt, clang::DoStmt, clang::ForStmt>(statement);
}

// n.fetch_add(1) + 1 == total looks at the number as well.
const clang::Expr* counted(const clang::Expr* expression) {
  const auto* sum = clang::dyn_cast<clang::BinaryOperator>(expression);
  return sum && sum->isAdditiveOp() ? stripped(sum->getLHS()) : expression;
}

bool is_counting(const clang::FunctionDecl& function) {
  if (function.getDeclName().isIdentifier())
    return function.getName().contains("fetch_add") || function.getName().contains("fetch_sub");
  switch (function.getOverloadedOperator()) {
  case clang::OO_PlusPlus:
  case clang::OO_MinusMinus:
  case clang::OO_PlusEqual:
  case clang::OO_MinusEqual:
    return true;
  default:
    return false;
  }
}

AtomicOp op_of(llvm::StringRef name) {
  if (name.contains("init")) return AtomicOp::None;
  if (name.contains("_load")) return AtomicOp::Load;
  return name.ends_with("_store") || name.ends_with("_store_n") || name.contains("clear") ? AtomicOp::Store
                                                                                          : AtomicOp::Modify;
}

} // namespace

bool FunctionLowering::lower_atomic_call(const clang::CallExpr& call, const clang::FunctionDecl& callee) {
  if (callee.getIdentifier() && lower_sync_call(call, callee.getName())) return true;
  AtomicOp op = atomic_op(callee);
  if (op == AtomicOp::None) return false;
  bool member = object_of(call) != nullptr;
  std::vector<const clang::Expr*> arguments(call.arg_begin(), call.arg_end());
  if (clang::isa<clang::CXXOperatorCallExpr>(call) || !member) {
    if (arguments.empty()) return false;
    arguments.erase(arguments.begin());
  }
  std::optional<il::Path> atomic = member                  ? paths_.object(call)
                                   : call.getNumArgs() > 0 ? behind(paths_.rvalue(call.getArg(0)))
                                                           : std::nullopt;
  bool relaxed =
      std::ranges::any_of(arguments, [&](const clang::Expr* a) { return is_relaxed(a, context_); });
  if (!atomic) return true;
  bool clears = callee.getDeclName().isIdentifier() && callee.getName().contains("clear");
  bool sets = callee.getDeclName().isIdentifier() && callee.getName().contains("test_and_set");
  bool compares = callee.getDeclName().isIdentifier() && callee.getName().starts_with("compare_exchange") &&
                  arguments.size() > 1;
  const clang::Expr* value = arguments.empty() ? nullptr : arguments[compares ? 1 : 0];
  std::optional<std::int64_t> known = clears ? 0 : sets ? 1 : constant(value, context_);
  bool exchanges = sets || (callee.getDeclName().isIdentifier() && callee.getName().starts_with("exchange"));
  lower_atomic({.expression = call,
                .op = op,
                .atomic = *atomic,
                .value = known,
                .exchanges = exchanges,
                .compares = compares,
                .clears = clears,
                .counts = is_counting(callee),
                .relaxed = relaxed});
  return true;
}

// __sync_lock_test_and_set(&x, 1) and its kin. The old value is zero for the first, of a swap that expects zero too.
bool FunctionLowering::lower_sync_call(const clang::CallExpr& call, llvm::StringRef name) {
  if (!name.consume_front("__sync_")) return false;
  std::optional<il::Path> atomic =
      call.getNumArgs() > 0 ? behind(paths_.rvalue(call.getArg(0))) : std::nullopt;
  if (!atomic) return true;
  auto number = [&](unsigned argument) {
    return argument < call.getNumArgs() ? constant(call.getArg(argument), context_) : std::nullopt;
  };
  bool clears = name.starts_with("lock_release"), sets = name.starts_with("lock_test_and_set");
  bool swaps = name.contains("compare_and_swap"), tells = name.starts_with("bool_");
  bool takes = swaps && number(1) == 0;
  lower_atomic({.expression = call,
                .op = clears ? AtomicOp::Store : AtomicOp::Modify,
                .atomic = *atomic,
                .value = clears  ? 0
                         : swaps ? number(2)
                                 : number(1),
                .exchanges = sets || (takes && !tells),
                .compares = swaps && tells,
                .clears = clears,
                .counts = name.contains("add") || name.contains("sub"),
                .takes = takes,
                .plain = true});
  return true;
}

void FunctionLowering::lower(const clang::AtomicExpr& expression) {
  visit_children(expression);
  llvm::StringRef name = expression.getOpAsString();
  AtomicOp op = op_of(name);
  std::optional<il::Path> atomic = behind(paths_.rvalue(expression.getPtr()));
  if (op == AtomicOp::None || !atomic) return;
  bool clears = name.contains("clear"), sets = name.contains("test_and_set");
  bool compares = name.contains("compare_exchange");
  std::optional<std::int64_t> value;
  if (clears || sets)
    value = sets;
  else if (op != AtomicOp::Load)
    value = constant(compares ? expression.getVal2() : expression.getVal1(), context_);
  lower_atomic({.expression = expression,
                .op = op,
                .atomic = *atomic,
                .value = value,
                .exchanges = sets || (!compares && name.contains("exchange")),
                .compares = compares,
                .clears = clears,
                .counts = name.contains("add") || name.contains("sub"),
                .relaxed = constant(expression.getOrder(), context_) == 0,
                .plain = !expression.getPtr()->getType()->getPointeeType()->isAtomicType()});
}

// A builtin on a plain variable: an access that only races with those that are not atomic. What is a lock is left out: to look at one
// without taking it is what spin locks do.
void FunctionLowering::access_plain(const AtomicUse& use) {
  if (!use.plain || use.exchanges || use.compares || use.clears) return;
  const il::Path together = il::ticket_lock(use.atomic.dot("atomic"));
  lock(il::LockAction::Acquire, together, il::LockMode::Exclusive);
  if (use.op != AtomicOp::Store) emit(use.expression.getExprLoc(), il::Use{use.atomic});
  if (use.op != AtomicOp::Load) emit(use.expression.getExprLoc(), il::Assign{use.atomic, il::nothing()});
  lock(il::LockAction::Release, together, il::LockMode::Exclusive);
}

void FunctionLowering::lower_atomic(const AtomicUse& use) {
  access_plain(use);
  il::Value atomic = il::address_of(use.atomic);
  auto note = [&](il::CallKind kind, const char* value) {
    emit(use.expression.getExprLoc(), il::Call{std::nullopt, value, {atomic}, kind});
  };
  const clang::Expr* condition = condition_of(*block_);
  std::optional<Comparison> test;
  if (condition) test = comparison_of(condition, context_);
  bool looks = test && test->value == &use.expression, decides = looks && test->number == 0;
  bool wins = looks && test->number && (use.exchanges || use.compares) && use.value && *use.value != 0;
  bool in_loop = is_loop(block_->getTerminatorStmt());
  if (wins && (use.exchanges || use.takes) && in_loop && !use.relaxed) {
    tried_ = Tried{{{use.atomic, il::LockMode::Exclusive}}, use.exchanges};
    return;
  }
  // exchange() gives back zero to the first, compare_exchange() true.
  if (wins && !in_loop)
    tried_ = Tried{{{il::ticket_lock(use.atomic), il::LockMode::Exclusive}}, use.exchanges};
  // if (--left == 0): of those who count, each has another number.
  const bool numbered = use.counts && test && counted(test->value) == &use.expression;
  if (numbered && !in_loop)
    tried_ = Tried{{{il::ticket_lock(use.atomic), il::LockMode::Exclusive}}, false, false, test->equal};
  // What __sync_fetch_and_add() only counts tells nobody that it is his turn: statistics.
  const bool of_sync = use.plain && clang::isa<clang::CallExpr>(use.expression);
  if (use.relaxed || (of_sync && use.counts && !numbered)) return;
  if (use.op == AtomicOp::Load && decides) {
    seen_ = Seen{use.atomic, !test->equal};
    return;
  }
  bool looked_at =
      use.op == AtomicOp::Load || (use.op == AtomicOp::Modify && !discarded_.contains(&use.expression));
  if (looked_at) note(il::CallKind::Receive, "any");
  if (use.op == AtomicOp::Load) return;
  note(il::CallKind::Send, use.op == AtomicOp::Store || use.exchanges ? value_name(use.value) : "any");
  // The end of a spin lock: of one that was taken here, or in general of a flag that has no other use.
  bool stores = use.op == AtomicOp::Store || use.exchanges || use.compares;
  if (use.clears || (stores && use.value == 0)) {
    lock(il::LockAction::Release, use.atomic, il::LockMode::Exclusive, !use.clears);
    lock(il::LockAction::Release, il::ticket_lock(use.atomic), il::LockMode::Exclusive, true);
  }
}

// Each way out of a condition knows what was seen.
void FunctionLowering::lower_seen(std::vector<unsigned>& successors) {
  if (!seen_ || successors.size() != 2) return;
  for (unsigned i : {0u, 1u}) {
    const char* value = (i == 0) == seen_->set ? "nonzero" : "zero";
    successors[i] =
        edge_to(successors[i],
                {il::Call{std::nullopt, value, {il::address_of(seen_->atomic)}, il::CallKind::Receive}});
  }
}

} // namespace footrace::scan::frontend
