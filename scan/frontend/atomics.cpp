// Atomics do not race. What a thread sees in one may tell it that it is its turn (scan/domain/hand_off.h), and a loop that
// waits to set one is a lock.
#include "scan/frontend/function.h"
#include "scan/frontend/library.h"
#include "scan/frontend/names.h"

#include "clang/AST/ASTContext.h"

namespace footrace::scan::frontend {

namespace {

std::optional<std::int64_t> constant(const clang::Expr* expression, const clang::ASTContext& context) {
  clang::Expr::EvalResult result;
  if (!expression || expression->isValueDependent()) return std::nullopt;
  if (expression->isNullPointerConstant(const_cast<clang::ASTContext&>(context),
                                        clang::Expr::NPC_ValueDependentIsNotNull))
    return 0;
  if (!expression->EvaluateAsInt(result, context)) return std::nullopt;
  return result.Val.getInt().getExtValue();
}

const char* value_name(std::optional<std::int64_t> value) {
  return !value ? "any" : *value == 0 ? "zero" : "nonzero";
}

// std::memory_order_relaxed orders nothing; a fence that would is not looked for.
bool is_relaxed(const clang::Expr* argument, const clang::ASTContext& context) {
  const auto* alias = argument->getType()->getAs<clang::EnumType>();
  return alias && alias->getDecl()->getName() == "memory_order" && constant(argument, context) == 0;
}

const clang::Expr* without_casts(const clang::Expr* expression) {
  for (const clang::Expr* before = nullptr; expression && expression != before;) {
    before = expression;
    expression = stripped(expression)->IgnoreParenImpCasts();
  }
  return expression;
}

// What the value that is tested means for the branch that is taken if the condition holds.
struct Test {
  const clang::Expr* tested;
  bool set; // it is not zero there
};

Test test_of(const clang::Expr* condition, const clang::ASTContext& context) {
  const clang::Expr* inner = without_casts(condition);
  if (const auto* unary = clang::dyn_cast<clang::UnaryOperator>(inner);
      unary && unary->getOpcode() == clang::UO_LNot) {
    Test test = test_of(unary->getSubExpr(), context);
    return {test.tested, !test.set};
  }
  if (const auto* binary = clang::dyn_cast<clang::BinaryOperator>(inner);
      binary && binary->isEqualityOp() && constant(binary->getRHS(), context) == 0) {
    Test test = test_of(binary->getLHS(), context);
    return {test.tested, (binary->getOpcode() == clang::BO_NE) == test.set};
  }
  return {inner, true};
}

bool is_loop(const clang::Stmt* statement) {
  return llvm::isa_and_nonnull<clang::WhileStmt, clang::DoStmt, clang::ForStmt>(statement);
}

AtomicOp op_of(const clang::AtomicExpr& expression) {
  llvm::StringRef name = expression.getOpAsString();
  if (name.contains("init")) return AtomicOp::None;
  if (name.contains("_load")) return AtomicOp::Load;
  return name.ends_with("_store") || name.ends_with("_store_n") || name.contains("clear") ? AtomicOp::Store
                                                                                          : AtomicOp::Modify;
}

} // namespace

bool FunctionLowering::lower_atomic_call(const clang::CallExpr& call, const clang::FunctionDecl& callee) {
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
  if (!atomic || relaxed) return true;
  bool clears = callee.getDeclName().isIdentifier() && callee.getName().contains("clear");
  bool sets = callee.getDeclName().isIdentifier() && callee.getName().contains("test_and_set");
  bool compares = callee.getDeclName().isIdentifier() && callee.getName().starts_with("compare_exchange") &&
                  arguments.size() > 1;
  const clang::Expr* value = arguments.empty() ? nullptr : arguments[compares ? 1 : 0];
  std::optional<std::int64_t> known = clears ? 0 : sets ? 1 : constant(value, context_);
  bool exchanges = sets || (callee.getDeclName().isIdentifier() && callee.getName().starts_with("exchange"));
  lower_atomic({call, op, *atomic, known, exchanges, compares, clears});
  return true;
}

void FunctionLowering::lower(const clang::AtomicExpr& expression) {
  visit_children(expression);
  AtomicOp op = op_of(expression);
  std::optional<il::Path> atomic = behind(paths_.rvalue(expression.getPtr()));
  if (op == AtomicOp::None || !atomic || constant(expression.getOrder(), context_) == 0) return;
  const clang::Expr* value = op == AtomicOp::Load ? nullptr : expression.getVal1();
  lower_atomic({expression, op, *atomic, constant(value, context_), false, false, false});
}

void FunctionLowering::lower_atomic(const AtomicUse& use) {
  il::Value atomic = il::address_of(use.atomic);
  auto note = [&](il::CallKind kind, const char* value) {
    emit(use.expression.getExprLoc(), il::Call{std::nullopt, value, {atomic}, kind});
  };
  const auto* condition = clang::dyn_cast_or_null<clang::Expr>(block_->getTerminatorCondition());
  std::optional<Test> test = condition ? std::optional(test_of(condition, context_)) : std::nullopt;
  bool decides = test && test->tested == &use.expression;
  bool wins = decides && (use.exchanges || use.compares) && use.value && *use.value != 0;
  bool in_loop = is_loop(block_->getTerminatorStmt());
  if (wins && use.exchanges && in_loop) {
    tried_ = Tried{{{use.atomic, il::LockMode::Exclusive}}, true};
    return;
  }
  // exchange() gives back zero to the first, compare_exchange() true.
  if (wins && !in_loop)
    tried_ = Tried{{{il::ticket_lock(use.atomic), il::LockMode::Exclusive}}, use.exchanges};
  if (use.op == AtomicOp::Load && decides) {
    seen_ = Seen{use.atomic, test->set};
    return;
  }
  bool looked_at =
      use.op == AtomicOp::Load || (use.op == AtomicOp::Modify && !discarded_.contains(&use.expression));
  if (looked_at) note(il::CallKind::Receive, "any");
  if (use.op == AtomicOp::Load) return;
  note(il::CallKind::Send, use.op == AtomicOp::Store || use.exchanges ? value_name(use.value) : "any");
  // The end of a spin lock: of one that was taken here, or in general of a flag that has no other use.
  if (use.clears || (use.op == AtomicOp::Store && use.value == 0)) {
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
