#include "scan/frontend/guard_search.h"

#include "scan/domain/substitution.h"
#include "scan/frontend/guards.h"
#include "scan/frontend/names.h"

#include "clang/AST/StmtCXX.h"
#include "llvm/ADT/STLExtras.h"

namespace footrace::scan::frontend {

namespace {

constexpr unsigned kDeepest = 4; // of functions that return what others return

// The function takes the locks of a deferred guard, of this one or of all.
bool locks_later(const clang::Stmt* code, const clang::VarDecl& guard) {
  if (!code) return false;
  if (const auto* call = clang::dyn_cast<clang::CallExpr>(code); call && call->getDirectCallee()) {
    if (function_kind(*call->getDirectCallee()) == FunctionKind::LockAll) return true;
    const clang::Expr* object = object_of(*call);
    const auto* name = object ? clang::dyn_cast<clang::DeclRefExpr>(stripped(object)) : nullptr;
    LockCall done = name && name->getDecl() == &guard ? lock_call(method_name(*call)) : LockCall::None;
    if (done == LockCall::Lock || done == LockCall::TryLock) return true;
  }
  return llvm::any_of(code->children(), [&](const clang::Stmt* part) { return locks_later(part, guard); });
}

class Search {
public:
  Search(const clang::FunctionDecl& function, unsigned depth)
      : function_(function), scope_(function), paths_(scope_), depth_(depth) {}

  FoundLocks found;

  void look_at(const clang::Expr* value) {
    value = stripped(value);
    if (const auto* cast = clang::dyn_cast<clang::CastExpr>(value))
      return look_at(cast->getSubExpr()); // a pointer that is loaded
    if (const auto* made = clang::dyn_cast<clang::CXXConstructExpr>(value)) return look_at_made(*made);
    if (const auto* allocation = clang::dyn_cast<clang::CXXNewExpr>(value)) {
      if (allocation->getConstructExpr()) look_at_made(*allocation->getConstructExpr());
      return;
    }
    if (const auto* list = clang::dyn_cast<clang::InitListExpr>(value)) return look_at_all(list->inits());
    if (const auto* choice = clang::dyn_cast<clang::ConditionalOperator>(value)) {
      look_at(choice->getTrueExpr());
      return look_at(choice->getFalseExpr());
    }
    if (const auto* name = clang::dyn_cast<clang::DeclRefExpr>(value)) return look_at_name(*name);
    if (const auto* call = clang::dyn_cast<clang::CallExpr>(value)) return look_at_call(*call);
    found.unknown = true;
  }

  void look_at_returns(const clang::Stmt* code) {
    if (!code || clang::isa<clang::LambdaExpr>(code)) return;
    if (const auto* leave = clang::dyn_cast<clang::ReturnStmt>(code); leave && leave->getRetValue())
      return look_at(leave->getRetValue());
    for (const clang::Stmt* part : code->children()) look_at_returns(part);
  }

private:
  template <class Arguments> void look_at_all(const Arguments& arguments) {
    for (const clang::Expr* argument : arguments) {
      if (GuardTag tag = guard_tag(argument->getType()); tag != GuardTag::None)
        found.deferred |= tag == GuardTag::Defer;
      else if (names_lock(*argument))
        add(argument);
      else if (holds_guard(argument->getType()))
        look_at(argument);
    }
  }

  void add(const clang::Expr* lock) {
    std::optional<il::Path> path =
        lock->getType()->isPointerType() ? behind(paths_.rvalue(lock)) : paths_.lvalue(lock);
    bool shared = guard_mode(made_) == GuardMode::Shared;
    if (path && path->root.kind != il::RootKind::Local)
      found.locks.push_back({*path, shared ? il::LockMode::Shared : il::LockMode::Exclusive});
    else
      found.unknown = true;
  }

  void look_at_made(const clang::CXXConstructExpr& made) {
    made_ = made.getType();
    if (kind_of(made.getType()) != TypeKind::User || made.getConstructor()->isCopyOrMoveConstructor())
      return look_at_all(made.arguments());
    translate(constructed_locks(*made.getConstructor(), depth_ + 1), {made.getArgs(), made.getNumArgs()},
              *made.getConstructor(), il::nothing());
  }

  void look_at_name(const clang::DeclRefExpr& name) {
    if (const auto* formal = clang::dyn_cast<clang::ParmVarDecl>(name.getDecl());
        formal && formal->getDeclContext() == &function_) {
      found.passed.push_back(formal->getFunctionScopeIndex());
      return;
    }
    const auto* variable = clang::dyn_cast<clang::VarDecl>(name.getDecl());
    if (!variable || !variable->getInit() || !visited_.insert(variable).second) {
      found.unknown = true;
      return;
    }
    std::size_t before = found.locks.size();
    look_at(variable->getInit());
    if (found.locks.size() == before) found.unknown = true; // it got them later
    if (found.deferred && locks_later(function_.getBody(), *variable)) found.deferred = false;
  }

  void look_at_call(const clang::CallExpr& call) {
    const clang::FunctionDecl* callee = call.getDirectCallee();
    std::vector<const clang::Expr*> arguments = arguments_of(call);
    FunctionKind kind = callee ? function_kind(*callee) : FunctionKind::Other;
    if (kind == FunctionKind::PassThrough && !arguments.empty()) return look_at(arguments[0]);
    if (kind == FunctionKind::MakePointer) {
      made_ = call.getType();
      return look_at_all(arguments);
    }
    if (!callee) {
      found.unknown = true;
      return;
    }
    std::optional<il::Path> object = paths_.object(call);
    translate(returned_locks(*callee, depth_ + 1), arguments, *callee,
              object_of(call) ? std::optional(object ? il::address_of(*object) : il::nothing())
                              : std::nullopt);
  }

  // What another function gives, said in the words of this one.
  void translate(const FoundLocks& inner, llvm::ArrayRef<const clang::Expr*> arguments,
                 const clang::FunctionDecl& callee, const std::optional<il::Value>& object) {
    std::vector<il::Value> actuals;
    if (object) actuals.push_back(*object);
    for (std::size_t i = 0; i < arguments.size() && i < callee.getNumParams(); ++i)
      actuals.push_back(paths_.argument(arguments[i], callee.getParamDecl(unsigned(i))->getType()));
    for (const il::RequiredLock& lock : inner.locks)
      if (auto path = domain::substitute(lock.lock, actuals))
        found.locks.push_back({*path, lock.mode});
      else
        found.unknown = true;
    for (unsigned number : inner.passed)
      if (number < arguments.size()) look_at(arguments[number]);
    found.deferred |= inner.deferred;
    found.unknown |= inner.unknown;
  }

  const clang::FunctionDecl& function_;
  Scope scope_;
  Paths paths_;
  unsigned depth_;
  clang::QualType made_; // that the locks are given to
  llvm::DenseSet<const clang::VarDecl*> visited_;
};

bool makes_guard(const clang::Stmt* code) {
  if (!code) return false;
  const auto* made = clang::dyn_cast<clang::CXXConstructExpr>(code);
  if (made && holds_guard(made->getType()) && made->getNumArgs() > 0) return true;
  return llvm::any_of(code->children(), makes_guard);
}

} // namespace

bool names_lock(const clang::Expr& argument) {
  clang::QualType type = argument.getType();
  return is_lockable(type->isPointerType() ? type->getPointeeType() : type);
}

FoundLocks returned_locks(const clang::FunctionDecl& function, unsigned depth) {
  const clang::FunctionDecl* defined = nullptr;
  FoundLocks none;
  none.unknown = true;
  if (depth > kDeepest || !function.hasBody(defined)) return none;
  Search search(*defined, depth);
  search.look_at_returns(defined->getBody());
  return search.found;
}

FoundLocks constructed_locks(const clang::CXXConstructorDecl& constructor, unsigned depth) {
  FoundLocks none;
  const clang::FunctionDecl* defined = nullptr;
  if (constructor.isDefaulted() || constructor.isImplicit()) return none;
  none.unknown = true;
  if (depth > kDeepest || !constructor.hasBody(defined)) return none;
  Search search(*defined, depth);
  for (const clang::CXXCtorInitializer* part : clang::cast<clang::CXXConstructorDecl>(defined)->inits())
    if (part->getInit() && holds_guard(part->getInit()->getType())) search.look_at(part->getInit());
  if (search.found.locks.empty() && makes_guard(defined->getBody())) search.found.unknown = true;
  return search.found;
}

FoundLocks member_locks(const clang::FieldDecl& guard) {
  FoundLocks all;
  const auto* record = clang::dyn_cast<clang::CXXRecordDecl>(guard.getParent());
  if (!record) return all;
  for (const clang::CXXConstructorDecl* constructor : record->ctors()) {
    const clang::FunctionDecl* defined = nullptr;
    if (!constructor->hasBody(defined)) continue;
    for (const clang::CXXCtorInitializer* part : clang::cast<clang::CXXConstructorDecl>(defined)->inits()) {
      if (part->getMember() != &guard || !part->getInit()) continue;
      Search search(*defined, 0);
      const auto* default_init = clang::dyn_cast<clang::CXXDefaultInitExpr>(part->getInit());
      search.look_at(default_init ? default_init->getExpr() : part->getInit());
      for (const il::RequiredLock& lock : search.found.locks) {
        bool of_object = lock.lock.root.kind == il::RootKind::Global || lock.lock.root.index == 0;
        if (of_object && !llvm::is_contained(all.locks, lock)) all.locks.push_back(lock);
      }
    }
  }
  return all;
}

} // namespace footrace::scan::frontend
