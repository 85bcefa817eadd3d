#include "scan/frontend/tries.h"

#include "clang/AST/ExprCXX.h"
#include "llvm/ADT/STLExtras.h"

namespace footrace::scan::frontend {

namespace {

bool has_try(const clang::Stmt& statement) {
  if (clang::isa<clang::CXXTryStmt>(statement)) return true;
  if (clang::isa<clang::LambdaExpr>(statement)) return false;
  return llvm::any_of(statement.children(), [](const clang::Stmt* part) { return part && has_try(*part); });
}

void add_variables(const clang::Stmt& statement, std::vector<const clang::VarDecl*>& variables) {
  const auto* declarations = clang::dyn_cast<clang::DeclStmt>(&statement);
  if (!declarations) return;
  for (const clang::Decl* decl : declarations->decls())
    if (const auto* variable = clang::dyn_cast<clang::VarDecl>(decl); variable && variable->hasLocalStorage())
      variables.push_back(variable);
}

} // namespace

Tries::Tries(const clang::Stmt& body) {
  if (has_try(body)) add_children(body);
}

void Tries::add_children(const clang::Stmt& statement) {
  if (clang::isa<clang::LambdaExpr>(statement)) return; // a function of its own
  for (const clang::Stmt* part : statement.children())
    if (part && parents_.try_emplace(part, &statement).second) add_children(*part);
}

const clang::CXXTryStmt* Tries::around(const clang::Stmt& statement) const {
  const clang::Stmt* part = &statement;
  for (const clang::Stmt* parent = parents_.lookup(part); parent;
       part = parent, parent = parents_.lookup(part))
    if (const auto* found = clang::dyn_cast<clang::CXXTryStmt>(parent); found && found->getTryBlock() == part)
      return found;
  return nullptr;
}

bool Tries::is_part_of(const clang::Stmt& statement, const clang::CXXTryStmt& whole) const {
  const clang::Stmt* part = &statement;
  while (part && part != &whole) part = parents_.lookup(part);
  return part != nullptr;
}

std::vector<const clang::VarDecl*> Tries::ended_between(const clang::Stmt& thrown_at,
                                                        const clang::CXXTryStmt& caught) const {
  std::vector<const clang::VarDecl*> ended;
  const clang::Stmt* part = &thrown_at;
  for (const clang::Stmt* parent = parents_.lookup(part); parent && part != caught.getTryBlock();
       part = parent, parent = parents_.lookup(part)) {
    if (clang::isa<clang::DeclStmt>(parent)) continue; // its variable is being made
    std::vector<const clang::VarDecl*> known;
    for (const clang::Stmt* earlier : parent->children()) {
      if (earlier == part) break;
      if (earlier) add_variables(*earlier, known);
    }
    ended.insert(ended.end(), known.rbegin(), known.rend());
  }
  return ended;
}

} // namespace footrace::scan::frontend
