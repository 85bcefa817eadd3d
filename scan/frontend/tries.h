// The try statements of a function: whose handlers catch what is thrown at a statement, and which variables end on the way there.
// Clang's CFG has neither the edges from calls to handlers, as we build it, nor the destructors of what is unwound.
#pragma once

#include "clang/AST/StmtCXX.h"
#include "llvm/ADT/DenseMap.h"

#include <vector>

namespace footrace::scan::frontend {

class Tries {
public:
  explicit Tries(const clang::Stmt& body);

  // The innermost try whose body has the statement; null: the function ends with the exception.
  const clang::CXXTryStmt* around(const clang::Stmt& statement) const;
  // In its body or in one of its handlers.
  bool is_part_of(const clang::Stmt& statement, const clang::CXXTryStmt& whole) const;
  // Declared in the body of `caught` and known at `thrown_at`; the last one first.
  std::vector<const clang::VarDecl*> ended_between(const clang::Stmt& thrown_at,
                                                   const clang::CXXTryStmt& caught) const;

private:
  void add_children(const clang::Stmt& statement);

  llvm::DenseMap<const clang::Stmt*, const clang::Stmt*> parents_; // empty: there is no try
};

} // namespace footrace::scan::frontend
