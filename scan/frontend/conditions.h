// What the condition of a branch says about the value that it looks at.
#pragma once

#include "clang/AST/Expr.h"
#include "clang/Analysis/CFG.h"

#include <cstdint>
#include <optional>

namespace footrace::scan::frontend {

std::optional<std::int64_t> constant(const clang::Expr* expression, const clang::ASTContext& context);

// Where the condition holds, the value is this number, or is not. x: it is not 0; !x: it is; x == y: a number that is not known.
struct Comparison {
  const clang::Expr* value;
  std::optional<std::int64_t> number;
  bool equal;

  // Where the condition holds. That something equals what is not known is taken for a failure.
  bool is_zero() const { return number.value_or(0) == 0 ? equal : !equal; }
};
Comparison comparison_of(const clang::Expr* condition, const clang::ASTContext& context);

// Of the block's own branch: of a || b that is b, as the block of a has a branch of its own. Null: there is none.
const clang::Expr* condition_of(const clang::CFGBlock& block);

} // namespace footrace::scan::frontend
