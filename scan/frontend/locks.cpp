// Locks and guards, and Clang's thread-safety attributes read as specification.
#include "scan/domain/substitution.h"
#include "scan/frontend/function.h"
#include "scan/frontend/guards.h"
#include "scan/frontend/library.h"
#include "scan/frontend/names.h"

#include "clang/AST/ASTContext.h"
#include "clang/AST/Attr.h"

#include <utility>

namespace footrace::scan::frontend {

namespace {

// A lock named in an attribute of `function`, in the function's own words.
std::optional<il::Path> named_lock(const clang::Expr* expression, Paths& paths) {
  const clang::Expr* written = stripped(expression);
  if (const auto* unary = clang::dyn_cast<clang::UnaryOperator>(written);
      unary && unary->getOpcode() == clang::UO_LNot)
    return std::nullopt; // REQUIRES(!mu)
  if (written->getType()->isPointerType()) return behind(paths.rvalue(written));
  return paths.lvalue(written);
}

il::LockMode mode_of(bool shared) { return shared ? il::LockMode::Shared : il::LockMode::Exclusive; }

struct LockEffect {
  il::LockAction action;
  il::LockMode mode;
  il::Path lock; // in the words of the function that has the attribute
};

template <class Attribute>
void add_effects(const clang::FunctionDecl& function, il::LockAction action, Scope& scope, Paths& paths,
                 std::vector<LockEffect>& effects) {
  for (const auto* attribute : function.specific_attrs<Attribute>()) {
    il::LockMode mode = il::LockMode::Exclusive;
    if constexpr (requires { attribute->isShared(); }) mode = mode_of(attribute->isShared());
    // Without an argument it is the object itself.
    if (attribute->args_size() == 0 && scope.has_this())
      effects.push_back({action, mode, scope.this_pointer().then(il::deref())});
    for (const clang::Expr* argument : attribute->args())
      if (auto lock = named_lock(argument, paths)) effects.push_back({action, mode, *lock});
  }
}

std::vector<LockEffect> effects_of(const clang::FunctionDecl& function) {
  Scope scope(function);
  Paths paths(scope);
  std::vector<LockEffect> effects;
  add_effects<clang::ReleaseCapabilityAttr>(function, il::LockAction::Release, scope, paths, effects);
  add_effects<clang::AcquireCapabilityAttr>(function, il::LockAction::Acquire, scope, paths, effects);
  add_effects<clang::AssertCapabilityAttr>(function, il::LockAction::Assume, scope, paths, effects);
  return effects;
}

} // namespace

std::vector<il::RequiredLock> required_locks(const clang::FunctionDecl& function) {
  std::vector<il::RequiredLock> locks;
  for (const clang::FunctionDecl* declaration : function.redecls()) {
    Scope scope(*declaration);
    Paths paths(scope);
    for (const auto* attribute : declaration->specific_attrs<clang::RequiresCapabilityAttr>()) {
      if (attribute->isInherited()) continue;
      for (const clang::Expr* argument : attribute->args())
        if (auto lock = named_lock(argument, paths)) locks.push_back({*lock, mode_of(attribute->isShared())});
    }
  }
  return locks;
}

void FunctionLowering::lock(il::LockAction action, const il::Path& path, il::LockMode mode, bool attempt) {
  emit(at_, il::LockOp{action, mode, attempt, path});
}

std::optional<il::Path> FunctionLowering::lock_argument(const clang::Expr* argument) {
  if (argument->getType()->isPointerType()) return behind(paths_.rvalue(argument));
  return paths_.lvalue(argument);
}

// One of two, or maybe none (shared ? &mutex : nullptr): some lock, which may be any and says of none that it is needed. Nor does
// that one say so where it is taken without a choice.
std::optional<il::Path> FunctionLowering::guarded_lock(const clang::Expr* argument) {
  const auto* choice = clang::dyn_cast<clang::ConditionalOperator>(argument->IgnoreParenImpCasts());
  if (!choice) return lock_argument(argument);
  for (const clang::Expr* lock : {choice->getTrueExpr(), choice->getFalseExpr()}) {
    lock = lock->IgnoreParenImpCasts();
    if (const auto* unary = clang::dyn_cast<clang::UnaryOperator>(lock))
      lock = unary->getSubExpr()->IgnoreParenImpCasts();
    const auto* member = clang::dyn_cast<clang::MemberExpr>(lock);
    const auto* field = member ? clang::dyn_cast<clang::FieldDecl>(member->getMemberDecl()) : nullptr;
    if (const auto* record = field ? clang::dyn_cast<clang::CXXRecordDecl>(field->getParent()) : nullptr)
      discoveries_.optional_locks.emplace(class_name(*record), field_name(*field));
  }
  return il::Path(il::local(""));
}

bool FunctionLowering::apply(LockCall call, const il::Path& path) {
  using enum il::LockAction;
  constexpr il::LockMode exclusive = il::LockMode::Exclusive, shared = il::LockMode::Shared;
  switch (call) {
  case LockCall::Lock:
    lock(Acquire, path, exclusive);
    return true;
  case LockCall::Unlock:
    lock(Release, path, exclusive);
    return true;
  case LockCall::LockShared:
    lock(Acquire, path, shared);
    return true;
  case LockCall::UnlockShared:
    lock(Release, path, shared);
    return true;
  case LockCall::AssertHeld:
    lock(Assume, path, exclusive);
    return true;
  case LockCall::TryLock:
    tried_ = Tried{{{path, exclusive}}};
    return true;
  case LockCall::TryLockShared:
    tried_ = Tried{{{path, shared}}};
    return true;
  case LockCall::None:
    return false;
  }
  return false;
}

bool FunctionLowering::lower_lock_call(const clang::CallExpr& call, const clang::FunctionDecl& callee) {
  if (const auto* conversion = clang::dyn_cast<clang::CXXConversionDecl>(&callee);
      conversion && object_of(call)) {
    auto guard = guards_.find(guard_of(object_of(call)));
    if (guard == guards_.end()) return false;
    tried_ = Tried{guard->second.locks, false, true}; // if (lock)
    return true;
  }
  if (!callee.getDeclName().isIdentifier()) return false;
  if (LockCall function = lock_function(callee.getName());
      function != LockCall::None && call.getNumArgs() > 0) {
    auto path = lock_argument(call.getArg(0));
    if (path) apply(function, *path);
    if (tried_ && (function == LockCall::TryLock || function == LockCall::TryLockShared))
      tried_->negated = true; // 0 is success
    return true;
  }
  TypeKind kind = object_kind(call);
  if (is_on_lockable(call)) {
    // lock.release()->unlock()
    if (auto released = guards_.find(stripped(object_of(call))); released != guards_.end()) {
      lock_by_guard(released->second, lock_call(callee.getName()));
      return true;
    }
    auto path = paths_.object(call);
    LockCall wanted = lock_call(callee.getName());
    return wanted != LockCall::None && path && apply(wanted, *path);
  }
  if (kind != TypeKind::Guard && !(object_of(call) && holds_guard(object_of(call)->getType()))) return false;
  Guarded* guard = known_guard(object_of(call));
  if (!guard) return false;
  LockCall wanted = lock_call(callee.getName());
  if (wanted == LockCall::TryLock) tried_ = Tried{guard->locks};
  if (callee.getName() == "owns_lock" || callee.getName() == "has_value")
    tried_ = Tried{guard->locks, false, true};
  lock_by_guard(*guard, wanted);
  if (kind == TypeKind::Guard && callee.getName() == "release") {
    std::vector<il::RequiredLock> released = std::exchange(guard->locks, {});
    guards_[&call].locks = std::move(released);
  }
  return wanted != LockCall::None;
}

void FunctionLowering::lock_by_guard(const Guarded& guard, LockCall wanted) {
  for (const il::RequiredLock& held : guard.locks) {
    if (wanted == LockCall::Lock) lock(il::LockAction::Acquire, held.lock, held.mode);
    if (wanted == LockCall::Unlock) lock(il::LockAction::Release, held.lock, held.mode);
  }
}

bool FunctionLowering::lower_lock_attributes(const clang::CallExpr& call, const clang::FunctionDecl& callee) {
  std::vector<LockEffect> effects = effects_of(callee);
  if (const auto* attempt = callee.getAttr<clang::TryAcquireCapabilityAttr>()) {
    Scope scope(callee);
    Paths paths(scope);
    auto path = attempt->args_size() ? named_lock(*attempt->args_begin(), paths)
                                     : std::optional(scope.this_pointer().then(il::deref()));
    if (path) effects.push_back({il::LockAction::Acquire, mode_of(attempt->isShared()), *path});
  }
  if (effects.empty()) return false;
  std::vector<const clang::Expr*> arguments(call.arg_begin(), call.arg_end());
  std::vector<il::Value> actuals = actuals_of(arguments, callee);
  if (object_of(call)) {
    auto object = paths_.object(call);
    actuals.insert(actuals.begin(), object ? il::address_of(*object) : il::nothing());
  }
  for (const LockEffect& effect : effects)
    if (auto path = domain::substitute(effect.lock, actuals)) {
      if (callee.hasAttr<clang::TryAcquireCapabilityAttr>())
        tried_ = Tried{{{*path, effect.mode}}};
      else
        lock(effect.action, *path, effect.mode);
    }
  return true;
}

// The locks of a guard are its arguments; the user's own guards say so in their constructor's attributes.
bool FunctionLowering::lower_guard(const clang::CXXConstructExpr& made, const void* guard) {
  std::vector<const clang::Expr*> arguments(made.arguments().begin(), made.arguments().end());
  visit_arguments(arguments, made.getConstructor());
  Guarded guarded, moved;
  GuardTag tag = GuardTag::None;
  il::LockMode mode = mode_of(guard_mode(made.getType()) == GuardMode::Shared);
  std::vector<LockEffect> effects = effects_of(*made.getConstructor());
  if (!effects.empty()) {
    std::vector<il::Value> actuals = actuals_of(arguments, *made.getConstructor());
    actuals.insert(actuals.begin(), il::nothing());
    for (const LockEffect& effect : effects)
      if (auto path = domain::substitute(effect.lock, actuals)) guarded.locks.push_back({*path, effect.mode});
  }
  for (const clang::Expr* argument : arguments) {
    if (GuardTag said = guard_tag(argument->getType()); said != GuardTag::None) tag = said;
    clang::QualType type =
        argument->getType()->isPointerType() ? argument->getType()->getPointeeType() : argument->getType();
    if (effects.empty() && !is_lockable(type) && holds_guard(argument->getType()))
      take_guard(argument, moved);
    if (!effects.empty() || !is_lockable(type)) continue;
    if (auto path = guarded_lock(argument)) guarded.locks.push_back({*path, mode});
  }
  if (tag == GuardTag::None || tag == GuardTag::Try)
    for (const il::RequiredLock& held : guarded.locks)
      lock(il::LockAction::Acquire, held.lock, held.mode, tag == GuardTag::Try);
  if (tag == GuardTag::Adopt) // it is held, if not by this function then by its caller
    for (const il::RequiredLock& held : guarded.locks) lock(il::LockAction::Assume, held.lock, held.mode);
  guarded.locks.insert(guarded.locks.end(), moved.locks.begin(), moved.locks.end());
  guards_[guard] = std::move(guarded);
  return true;
}

// The user's own, known by its code. A lock that cannot be named here is left to the summaries of its functions.
bool FunctionLowering::lower_plain_guard(const clang::CXXConstructExpr& made, const void* guard) {
  const clang::CXXConstructorDecl& constructor = *made.getConstructor();
  std::optional<GuardMode> mode = plain_guard(constructor);
  if (!mode) return false;
  std::vector<const clang::Expr*> arguments(made.arguments().begin(), made.arguments().end());
  auto is_lock = [](const clang::Expr* argument) {
    clang::QualType type = argument->getType();
    return is_lockable(type->isPointerType() ? type->getPointeeType() : type);
  };
  auto argument = std::ranges::find_if(arguments, is_lock);
  std::optional<il::Path> path = argument == arguments.end() ? std::nullopt : guarded_lock(*argument);
  if (!path) return false;
  visit_arguments(arguments, &constructor);
  il::RequiredLock held{*path, mode_of(*mode == GuardMode::Shared)};
  lock(il::LockAction::Acquire, held.lock, held.mode);
  guards_[guard].locks = {std::move(held)};
  return true;
}

void FunctionLowering::end_guard(const void* guard) {
  auto found = guards_.find(guard);
  if (found == guards_.end()) return;
  const std::vector<il::RequiredLock>& locks = found->second.locks;
  for (auto held = locks.rbegin(); held != locks.rend(); ++held)
    lock(il::LockAction::Release, held->lock, held->mode, true);
}

} // namespace footrace::scan::frontend
