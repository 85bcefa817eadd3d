#include "scan/frontend/conditions.h"

#include "scan/frontend/paths.h"

#include "clang/AST/ASTContext.h"

namespace footrace::scan::frontend {

namespace {

const clang::Expr* without_casts(const clang::Expr* expression) {
  for (const clang::Expr* before = nullptr; expression && expression != before;) {
    before = expression;
    expression = stripped(expression)->IgnoreParenImpCasts();
  }
  return expression;
}

bool is_condition(const clang::Expr& expression) {
  if (const auto* unary = clang::dyn_cast<clang::UnaryOperator>(&expression))
    return unary->getOpcode() == clang::UO_LNot;
  const auto* binary = clang::dyn_cast<clang::BinaryOperator>(&expression);
  return binary && binary->isEqualityOp();
}

} // namespace

std::optional<std::int64_t> constant(const clang::Expr* expression, const clang::ASTContext& context) {
  clang::Expr::EvalResult result;
  if (!expression || expression->isValueDependent()) return std::nullopt;
  if (expression->isNullPointerConstant(const_cast<clang::ASTContext&>(context),
                                        clang::Expr::NPC_ValueDependentIsNotNull))
    return 0;
  if (!expression->EvaluateAsInt(result, context)) return std::nullopt;
  return result.Val.getInt().getExtValue();
}

Comparison comparison_of(const clang::Expr* condition, const clang::ASTContext& context) {
  const clang::Expr* inner = without_casts(condition);
  if (const auto* unary = clang::dyn_cast<clang::UnaryOperator>(inner);
      unary && unary->getOpcode() == clang::UO_LNot) {
    Comparison denied = comparison_of(unary->getSubExpr(), context);
    return {denied.value, denied.number, !denied.equal};
  }
  const auto* binary = clang::dyn_cast<clang::BinaryOperator>(inner);
  if (!binary || !binary->isEqualityOp()) return {inner, 0, false};
  const clang::Expr *value = binary->getLHS(), *other = binary->getRHS();
  if (constant(value, context)) std::swap(value, other);
  std::optional<std::int64_t> number = constant(other, context);
  bool equal = binary->getOpcode() == clang::BO_EQ;
  value = without_casts(value);
  if (!number || !is_condition(*value)) return {value, number, equal};
  Comparison compared = comparison_of(value, context); // !x == true
  return {compared.value, compared.number, (*number != 0) == equal ? compared.equal : !compared.equal};
}

const clang::Expr* condition_of(const clang::CFGBlock& block) {
  const auto* condition = clang::dyn_cast_or_null<clang::Expr>(block.getTerminatorCondition());
  while (condition) {
    const auto* choice = clang::dyn_cast<clang::BinaryOperator>(condition->IgnoreParens());
    if (!choice || !choice->isLogicalOp()) break;
    condition = choice->getRHS();
  }
  return condition;
}

} // namespace footrace::scan::frontend
