// Expressions -> paths and values. Pure: what an expression does is lowered elsewhere (expressions.h), here is only
// what it denotes.
#pragma once

#include "scan/frontend/ignored_lines.h"
#include "scan/frontend/library.h"
#include "scan/il/il.h"

#include "clang/AST/Decl.h"
#include "clang/AST/DeclCXX.h"
#include "clang/AST/ExprCXX.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/DenseSet.h"

#include <optional>

namespace footrace::scan::frontend {

// The variables of one function.
class Scope {
public:
  explicit Scope(const clang::FunctionDecl& function);

  const clang::FunctionDecl& function() const { return function_; }
  const std::vector<il::Formal>& formals() const { return formals_; }
  bool has_this() const { return has_this_; }
  // A reference that stands for a path from its declaration on.
  void bind(const clang::VarDecl& reference, const il::Path& path) { references_[&reference] = path; }
  // Declared in the body of a loop.
  void put_in_loop(const clang::VarDecl& variable) { in_loops_.insert(&variable); }
  // Where a call leaves its result.
  il::Root result_of(const clang::Expr& call);

  std::optional<il::Path> variable(const clang::VarDecl& variable) const;
  // A parameter, or what a closure has captured.
  std::optional<il::Root> formal(const clang::VarDecl& variable) const;
  il::Path this_pointer() const { return il::Path(il::formal(0, "this")); }

private:
  void add_captures(const clang::CXXRecordDecl& closure);

  const clang::FunctionDecl& function_;
  bool has_this_ = false;
  std::vector<il::Formal> formals_;
  struct Parameter {
    unsigned index;
    bool by_reference;
  };
  llvm::DenseMap<const clang::VarDecl*, Parameter> parameters_; // and captures
  llvm::DenseMap<const clang::VarDecl*, il::Path> references_;
  llvm::DenseSet<const clang::VarDecl*> in_loops_;
  llvm::DenseMap<const clang::Expr*, unsigned> results_;
};

// Without what has no meaning for us: parentheses, casts within a class hierarchy, temporaries' wrappers.
const clang::Expr* stripped(const clang::Expr* expression);

class Paths {
public:
  explicit Paths(Scope& scope, IgnoredLines* ignored = nullptr) : scope_(scope), ignored_(ignored) {}

  // The storage that the expression designates; nothing: unknown, or memory that cannot race.
  std::optional<il::Path> lvalue(const clang::Expr* expression);
  // The pointer that the expression yields.
  il::Value rvalue(const clang::Expr* expression);
  // The object that a member call is made on.
  std::optional<il::Path> object(const clang::CallExpr& call);
  // What a parameter of type `type` gets for this argument.
  il::Value argument(const clang::Expr* expression, clang::QualType type);
  // A field or global whose declaration says that it is to be ignored, or a part of one.
  bool is_ignored(const clang::Expr* expression);

private:
  std::optional<il::Path> member(const clang::MemberExpr& expression);
  std::optional<il::Path> subscript(const clang::ArraySubscriptExpr& expression);
  std::optional<il::Path> returned_reference(const clang::CallExpr& call);
  il::Value returned_value(const clang::CallExpr& call);

  Scope& scope_;
  IgnoredLines* ignored_; // null: nothing is
};

// Object that a member call or overloaded operator is made on; null: none.
const clang::Expr* object_of(const clang::CallExpr& call);
TypeKind object_kind(const clang::CallExpr& call); // Scalar: there is none
bool is_on_lockable(const clang::CallExpr& call);  // library.h
// Without the object of an overloaded operator.
std::vector<const clang::Expr*> arguments_of(const clang::CallExpr& call);
// Its result leads somewhere.
bool gives_pointer(const clang::CallExpr& call);
// "lock", "operator[]"; empty for other operators.
llvm::StringRef method_name(const clang::CallExpr& call);
// The path behind a pointer value.
std::optional<il::Path> behind(const il::Value& pointer);
// A closure's captures, as values in the scope that makes it; in the order of its extra formals.
std::vector<il::Value> captured_values(const clang::LambdaExpr& lambda, Paths& paths, Scope& scope);

} // namespace footrace::scan::frontend
