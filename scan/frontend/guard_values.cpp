// Guards as values: returned, moved, swapped, kept in other objects, passed as a proof. guards_ tells of every variable and temporary which locks
// it has; whoever gets a guard's value gets its locks, and the end of a guard releases what is still held.
#include "scan/domain/substitution.h"
#include "scan/frontend/function.h"
#include "scan/frontend/guard_search.h"
#include "scan/frontend/guards.h"
#include "scan/frontend/library.h"

#include "clang/AST/ASTContext.h"
#include "clang/Basic/SourceManager.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringSwitch.h"

#include <utility>

namespace footrace::scan::frontend {

namespace {

il::RequiredLock lock_without_name() { return {il::Path(il::local("")), il::LockMode::Exclusive}; }

// A library's, or made by the compiler.
bool is_known(const clang::FunctionDecl& callee) {
  const auto* method = clang::dyn_cast<clang::CXXMethodDecl>(&callee);
  return is_library(callee) || (method && !method->isUserProvided());
}

// The guard in a pointer, an optional, a container.
bool leads_to_content(const clang::CallExpr& call) {
  return object_of(call) && llvm::StringSwitch<bool>(method_name(call))
                                .Cases({"operator*", "operator->", "get", "value"}, true)
                                .Default(selects_element(method_name(call)));
}

enum class Change { None, Add, Replace, Swap };

Change change_by(const clang::CallExpr& call, const clang::FunctionDecl& callee) {
  if (callee.getOverloadedOperator() == clang::OO_Equal) return Change::Replace;
  return llvm::StringSwitch<Change>(method_name(call))
      .Cases({"emplace_back", "push_back", "push", "insert"}, Change::Add)
      .Cases({"emplace", "reset", "clear"}, Change::Replace)
      .Case("swap", Change::Swap)
      .Default(Change::None);
}

} // namespace

// A parameter that is a guard proves that a lock is held; so does a closure that has one.
void FunctionLowering::lower_guard_formals() {
  auto prove = [&](const clang::VarDecl& variable) {
    il::RequiredLock held = lock_without_name();
    if (guard_mode(variable.getType()) == GuardMode::Shared) held.mode = il::LockMode::Shared;
    if (!llvm::is_contained(method_.required, held)) method_.required.push_back(held);
    guards_[&variable].locks = {held};
  };
  for (const clang::ParmVarDecl* formal : function_.parameters()) {
    clang::QualType type = formal->getType().getNonReferenceType();
    TypeKind kind = kind_of(type);
    if (kind == TypeKind::Guard || (kind == TypeKind::User && type->isRecordType() && holds_guard(type)))
      prove(*formal);
  }
  const auto* method = clang::dyn_cast<clang::CXXMethodDecl>(&function_);
  if (!method || !method->isInstance()) return;
  if (method->getParent()->isLambda()) {
    for (const clang::LambdaCapture& capture : method->getParent()->captures())
      if (capture.capturesVariable() && capture.getCaptureKind() == clang::LCK_ByCopy)
        if (const auto* variable = clang::dyn_cast<clang::VarDecl>(capture.getCapturedVar());
            variable && !variable->getType()->isPointerType() && holds_guard(variable->getType()))
          prove(*variable);
  } else if (!method_.constructor && holds_guard_for_life(*method->getParent())) {
    method_.required.push_back(lock_without_name());
  }
}

// On the ways that lead here: a guard has what it has on all of them.
void FunctionLowering::merge_guards(const clang::CFGBlock& block) {
  std::optional<llvm::DenseMap<const void*, Guarded>> merged;
  for (const clang::CFGBlock::AdjacentBlock& before : block.preds()) {
    auto known = guards_after_.find(before.getReachableBlock());
    if (known == guards_after_.end()) continue;
    if (!merged) {
      merged = known->second;
      continue;
    }
    for (const auto& [guard, other] : known->second) {
      auto [entry, is_new] = merged->try_emplace(guard, other);
      if (!is_new)
        llvm::erase_if(entry->second.locks,
                       [&](const il::RequiredLock& lock) { return !llvm::is_contained(other.locks, lock); });
    }
  }
  if (merged) guards_ = std::move(*merged);
}

// The variable, field or temporary whose locks the expression is about.
const void* FunctionLowering::guard_of(const clang::Expr* expression) {
  expression = stripped(expression);
  if (const auto* cast = clang::dyn_cast<clang::CastExpr>(expression)) return guard_of(cast->getSubExpr());
  if (const auto* unary = clang::dyn_cast<clang::UnaryOperator>(expression))
    return guard_of(unary->getSubExpr());
  if (const auto* call = clang::dyn_cast<clang::CallExpr>(expression)) {
    const clang::FunctionDecl* callee = call->getDirectCallee();
    if (callee && function_kind(*callee) == FunctionKind::PassThrough && call->getNumArgs() > 0)
      return guard_of(call->getArg(0));
    return leads_to_content(*call) ? guard_of(object_of(*call)) : call;
  }
  if (const auto* member = clang::dyn_cast<clang::MemberExpr>(expression)) {
    if (clang::isa<clang::CXXThisExpr>(member->getBase()->IgnoreParenImpCasts()))
      return member->getMemberDecl();
    return guard_of(member->getBase());
  }
  const auto* name = clang::dyn_cast<clang::DeclRefExpr>(expression);
  if (!name) return expression;
  const auto* variable = clang::dyn_cast<clang::VarDecl>(name->getDecl());
  bool stands_for_other = variable && variable->getType()->isReferenceType() && variable->hasLocalStorage() &&
                          !clang::isa<clang::ParmVarDecl>(variable) && variable->getInit();
  if (stands_for_other && !guards_.contains(variable)) return guard_of(variable->getInit());
  return name->getDecl();
}

// A member of the object itself has what its constructor gave it, whichever method is called first.
FunctionLowering::Guarded* FunctionLowering::known_guard(const clang::Expr* expression) {
  const void* key = guard_of(expression);
  if (auto known = guards_.find(key); known != guards_.end()) return &known->second;
  const auto* member = clang::dyn_cast<clang::MemberExpr>(stripped(expression));
  const auto* field = member ? clang::dyn_cast<clang::FieldDecl>(member->getMemberDecl()) : nullptr;
  if (!field || field != key || kind_of(field->getType()) != TypeKind::Guard) return nullptr;
  Guarded held{member_locks(*field).locks};
  if (held.locks.empty()) held.locks.push_back(lock_without_name());
  return &(guards_[key] = std::move(held));
}

void FunctionLowering::acquire(Guarded& guard, il::RequiredLock taken) {
  lock(il::LockAction::Acquire, taken.lock, taken.mode);
  guard.locks.push_back(std::move(taken));
}

// The value goes into another guard, and its locks with it. Of what is not known: some lock.
void FunctionLowering::take_guard(const clang::Expr* value, Guarded& to) {
  const void* from = guard_of(value);
  auto known = guards_.find(from);
  if (const auto* made = clang::dyn_cast<clang::CXXConstructExpr>(stripped(value));
      made && known == guards_.end()) {
    lower_guard(*made, made);
    known = guards_.find(from);
  }
  if (const auto* list = clang::dyn_cast<clang::InitListExpr>(stripped(value))) {
    for (const clang::Expr* part : list->inits())
      if (holds_guard(part->getType())) take_guard(part, to);
    return;
  }
  if (known == guards_.end()) {
    if (clang::isa<clang::CallExpr, clang::DeclRefExpr, clang::MemberExpr>(stripped(value)))
      acquire(to, lock_without_name());
    return;
  }
  std::vector<il::RequiredLock> locks = std::exchange(known->second.locks, {});
  to.locks.insert(to.locks.end(), locks.begin(), locks.end());
}

// Arguments that are locks are taken, those that are guards give theirs away.
void FunctionLowering::take_arguments(llvm::ArrayRef<const clang::Expr*> arguments, clang::QualType made,
                                      Guarded& to) {
  bool shared = guard_mode(made) == GuardMode::Shared;
  for (const clang::Expr* argument : arguments) {
    if (names_lock(*argument)) {
      auto path = lock_argument(argument);
      acquire(to, {path.value_or(lock_without_name().lock),
                   shared ? il::LockMode::Shared : il::LockMode::Exclusive});
    } else if (holds_guard(argument->getType())) {
      take_guard(argument, to);
    }
  }
}

// What was found in another function, in the words of this one.
void FunctionLowering::take_found(const FoundLocks& found, llvm::ArrayRef<const clang::Expr*> arguments,
                                  const std::vector<il::Value>& actuals, Guarded& to) {
  const std::size_t before = to.locks.size();
  for (const il::RequiredLock& lock : found.locks) {
    auto path = domain::substitute(lock.lock, actuals);
    il::RequiredLock taken{path.value_or(lock_without_name().lock), lock.mode};
    if (llvm::is_contained(to.locks, taken)) continue; // returned in two places
    if (found.deferred)
      to.locks.push_back(std::move(taken));
    else
      acquire(to, std::move(taken));
  }
  for (unsigned number : found.passed)
    if (number < arguments.size()) take_guard(arguments[number], to);
  if (found.unknown && to.locks.size() == before) acquire(to, lock_without_name());
}

// Where a function returns a guard, its caller has one.
void FunctionLowering::lower_returned_guard(const clang::CallExpr& call) {
  if (call.isGLValue() || call.getType()->isPointerType() || !holds_guard(call.getType())) return;
  const clang::FunctionDecl* callee = call.getDirectCallee();
  std::vector<const clang::Expr*> arguments = arguments_of(call);
  Guarded returned;
  if (!callee) {
    acquire(returned, lock_without_name());
  } else if (is_library(*callee)) {
    take_arguments(arguments, call.getType(), returned);
    if (returned.locks.empty() && !arguments.empty()) acquire(returned, lock_without_name());
  } else {
    std::vector<il::Value> actuals = actuals_of(arguments, *callee);
    const clang::Expr* object = object_of(call);
    const auto* method = clang::dyn_cast<clang::CXXMethodDecl>(callee);
    if (const clang::LambdaExpr* lambda =
            object && method->getParent()->isLambda() ? lambda_of(object) : nullptr) {
      std::vector<il::Value> captured = captured_values(*lambda, paths_, scope_);
      actuals.insert(actuals.begin(), captured.begin(), captured.end());
    } else if (object) {
      auto path = paths_.object(call);
      actuals.insert(actuals.begin(), path ? il::address_of(*path) : il::nothing());
    }
    take_found(returned_locks(*callee), arguments, actuals, returned);
  }
  returned.temporary = true;
  guards_[&call] = std::move(returned);
}

void FunctionLowering::end_temporaries() {
  std::vector<il::RequiredLock> locks;
  for (const auto& [guard, held] : guards_)
    if (held.temporary) locks.insert(locks.end(), held.locks.begin(), held.locks.end());
  llvm::sort(locks, [](const auto& a, const auto& b) { return a.lock < b.lock; }); // the same in every run
  for (const il::RequiredLock& held : locks) lock(il::LockAction::Release, held.lock, held.mode, true);
}

// An object of the user's that has a guard in it: what its constructor gives that, or what the guard is given directly.
void FunctionLowering::lower_guard_holder(const clang::CXXConstructExpr& made, il::Value object,
                                          const void* guard) {
  const clang::CXXConstructorDecl& constructor = *made.getConstructor();
  std::vector<const clang::Expr*> arguments(made.arguments().begin(), made.arguments().end());
  Guarded held;
  if (!constructor.isCopyOrMoveConstructor()) {
    std::vector<il::Value> actuals = actuals_of(arguments, constructor);
    actuals.insert(actuals.begin(), std::move(object));
    take_found(constructed_locks(constructor), arguments, actuals, held);
  }
  bool copies = constructor.isCopyConstructor(); // of a shared pointer: both have it
  if (held.locks.empty() && !copies) take_arguments(arguments, made.getType(), held);
  guards_[guard] = std::move(held);
}

void FunctionLowering::bind_guard(const clang::VarDecl& variable) {
  clang::QualType type = variable.getType().getNonReferenceType();
  const clang::Expr* init = variable.getInit();
  if (!init || variable.hasGlobalStorage() || guards_.contains(&variable) || !holds_guard(type)) return;
  if (variable.getType()->isReferenceType() && stripped(init)->isGLValue()) return;
  const auto* made = clang::dyn_cast<clang::CXXConstructExpr>(stripped(init));
  Guarded held;
  if (made && kind_of(type) != TypeKind::Guard && !guards_.contains(made)) {
    std::optional<il::Path> path = scope_.variable(variable);
    lower_guard_holder(*made, path ? il::address_of(*path) : il::nothing(), made);
  }
  take_guard(init, held);
  guards_[&variable] = std::move(held);
}

// A guard among the bases and members: held to the end of the constructor, and then by the object, which is its maker's.
void FunctionLowering::bind_guard(const clang::CXXCtorInitializer& part) {
  const clang::Expr* init = part.getInit();
  if (!init || part.isDelegatingInitializer() || !holds_guard(init->getType()) ||
      init->getType()->isPointerType())
    return;
  Guarded held;
  take_guard(init, held);
  for (const il::RequiredLock& lock : held.locks)
    releases_[&block_->getParent()->getExit()].push_back(lock.lock);
  if (part.isMemberInitializer()) guards_[part.getMember()] = std::move(held);
}

void FunctionLowering::lower_captured_guards(const clang::LambdaExpr& lambda) {
  Guarded held;
  auto init = lambda.capture_init_begin();
  for (const clang::LambdaCapture& capture : lambda.captures()) {
    const clang::Expr* value = *init++;
    if (value && capture.capturesVariable() && capture.getCaptureKind() == clang::LCK_ByCopy &&
        !value->getType()->isPointerType() && holds_guard(value->getType()))
      take_guard(value, held);
  }
  if (!held.locks.empty()) guards_[&lambda] = std::move(held);
}

void FunctionLowering::swap_guards(const clang::Expr* a, const clang::Expr* b) {
  Guarded of_a = guards_.lookup(guard_of(a)), of_b = guards_.lookup(guard_of(b));
  guards_[guard_of(a)] = std::move(of_b);
  guards_[guard_of(b)] = std::move(of_a);
}

// Assignment, swap, emplace, reset.
bool FunctionLowering::lower_guard_change(const clang::CallExpr& call, const clang::FunctionDecl& callee) {
  std::vector<const clang::Expr*> arguments = arguments_of(call);
  if (function_kind(callee) == FunctionKind::Swap && arguments.size() == 2 &&
      holds_guard(arguments[0]->getType())) {
    swap_guards(arguments[0], arguments[1]);
    return true;
  }
  const clang::Expr* object = object_of(call);
  Change change = object && is_known(callee) ? change_by(call, callee) : Change::None;
  if (change == Change::None || object->getType()->isPointerType() || !holds_guard(object->getType()))
    return false;
  if (change == Change::Swap) {
    if (arguments.size() == 1) swap_guards(object, arguments[0]);
    return true;
  }
  const void* key = guard_of(object);
  Guarded held, old = guards_.lookup(key);
  take_arguments(arguments, object->getType(), held);
  for (const il::RequiredLock& lost : old.locks)
    if (change == Change::Add)
      held.locks.push_back(lost);
    else if (!llvm::is_contained(held.locks, lost)) // the same one again: it was not held
      lock(il::LockAction::Release, lost.lock, lost.mode, true);
  guards_[key] = std::move(held);
  return kind_of(object->getType()) != TypeKind::User;
}

} // namespace footrace::scan::frontend
