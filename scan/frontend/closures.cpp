// Functions as values: closures and callbacks that are called, passed on or given away, function pointers, virtual methods.
#include "scan/frontend/function.h"
#include "scan/frontend/library.h"
#include "scan/frontend/names.h"

#include "clang/AST/ASTContext.h"
#include "clang/AST/Attr.h"
#include "llvm/ADT/STLExtras.h"

namespace footrace::scan::frontend {

using Arguments = llvm::ArrayRef<const clang::Expr*>;

std::vector<const clang::FunctionDecl*> bodies_of(const clang::LambdaExpr& lambda) {
  const clang::CXXMethodDecl* body = lambda.getCallOperator();
  const clang::FunctionTemplateDecl* pattern = body->getDescribedFunctionTemplate();
  std::vector<const clang::FunctionDecl*> bodies;
  if (pattern)
    for (const clang::FunctionDecl* instance : pattern->specializations())
      if (instance->hasBody()) bodies.push_back(instance);
  if (bodies.empty()) bodies.push_back(body);
  return bodies;
}

const clang::LambdaExpr* FunctionLowering::lambda_of(const clang::Expr* callable) const {
  callable = stripped(callable);
  if (const auto* made = clang::dyn_cast<clang::CXXConstructExpr>(callable); made && made->getNumArgs() == 1)
    if (holds_callable(made->getType())) callable = stripped(made->getArg(0));
  if (const auto* call = clang::dyn_cast<clang::CallExpr>(callable); call && call->getNumArgs() == 1)
    callable = stripped(call->getArg(0)); // std::move(f), std::ref(f)
  if (const auto* lambda = clang::dyn_cast<clang::LambdaExpr>(callable)) return lambda;
  if (const auto* name = clang::dyn_cast<clang::DeclRefExpr>(callable))
    if (const auto* variable = clang::dyn_cast<clang::VarDecl>(name->getDecl()))
      return closures_.lookup(variable);
  return nullptr;
}

bool FunctionLowering::call_closure(const clang::Expr* callable, il::CallKind kind, Arguments arguments) {
  const clang::LambdaExpr* lambda = lambda_of(callable);
  if (!lambda) return false;
  for (const clang::FunctionDecl* body : bodies_of(*lambda)) {
    if (kind == il::CallKind::Spawn) discoveries_.thread_entries.insert(body->getCanonicalDecl());
    std::vector<il::Value> actuals = captured_values(*lambda, paths_, scope_);
    for (const clang::Expr* argument : arguments) actuals.push_back(paths_.rvalue(argument));
    emit(callable->getExprLoc(), il::Call{std::nullopt, unique_name(*body), std::move(actuals), kind});
  }
  return true;
}

void FunctionLowering::call_closures(Arguments arguments, const clang::FunctionDecl* callee) {
  for (const clang::Expr* argument : arguments) {
    if (call_closure(argument, il::CallKind::Plain)) continue;
    if (is_join(argument)) {
      wait_for_threads(argument->getExprLoc());
      continue;
    }
    if (!callee || !calls_at_once(*callee)) {
      hand_over(argument, nullptr);
    } else if (std::optional<il::Closure> closure = closure_of(argument)) {
      emit(argument->getExprLoc(), il::Call{std::nullopt, closure->function, std::move(closure->captured)});
    } else if (std::optional<il::Root> formal = callable_formal(argument)) {
      emit(argument->getExprLoc(),
           il::Call{std::nullopt, {}, {il::value_of(il::Path(*formal))}, il::CallKind::Invoke});
    }
  }
}

std::optional<il::Root> FunctionLowering::callable_formal(const clang::Expr* expression) const {
  const auto* name = clang::dyn_cast<clang::DeclRefExpr>(stripped(expression)->IgnoreParenImpCasts());
  const auto* variable = name ? clang::dyn_cast<clang::VarDecl>(name->getDecl()) : nullptr;
  bool callable = variable && (variable->getType()->isFunctionPointerType() ||
                               holds_callable(variable->getType().getNonReferenceType()));
  return callable ? scope_.formal(*variable) : std::nullopt;
}

void FunctionLowering::hand_over(Arguments arguments, const clang::FunctionDecl* to) {
  for (const clang::Expr* argument : arguments) hand_over(argument, to);
}

// A closure, a function, or std::bind of one.
std::optional<il::Closure> FunctionLowering::closure_of(const clang::Expr* callable) {
  std::optional<Callable> called = callable_of(callable);
  if (!called) return std::nullopt;
  return il::Closure{0, unique_name(*called->function), std::move(called->captured)};
}

std::optional<FunctionLowering::Callable> FunctionLowering::callable_of(const clang::Expr* callable) {
  if (const clang::LambdaExpr* lambda = lambda_of(callable))
    return Callable{bodies_of(*lambda).front(), captured_values(*lambda, paths_, scope_)};
  std::vector<il::Value> bound;
  const clang::Expr* value = stripped(callable)->IgnoreParenImpCasts();
  if (const clang::Expr* kept = kept_function(value)) return callable_of(kept);
  if (const auto* made = clang::dyn_cast<clang::CXXConstructExpr>(value);
      made && made->getNumArgs() == 1 && holds_callable(made->getType()))
    value = stripped(made->getArg(0))->IgnoreParenImpCasts();
  if (const auto* bind = clang::dyn_cast<clang::CallExpr>(value);
      bind && bind->getDirectCallee() && plain_name(*bind->getDirectCallee()) == "std::bind" &&
      bind->getNumArgs() > 0) {
    value = stripped(bind->getArg(0))->IgnoreParenImpCasts();
    for (const clang::Expr* argument : llvm::drop_begin(bind->arguments()))
      bound.push_back(paths_.rvalue(argument));
  }
  if (const auto* unary = clang::dyn_cast<clang::UnaryOperator>(value);
      unary && unary->getOpcode() == clang::UO_AddrOf)
    value = unary->getSubExpr()->IgnoreParens();
  const auto* name = clang::dyn_cast<clang::DeclRefExpr>(value);
  const auto* function = name ? clang::dyn_cast<clang::FunctionDecl>(name->getDecl()) : nullptr;
  if (!function) return std::nullopt;
  return Callable{function, std::move(bound)};
}

// What a variable of this function is set to once and for all, if that can be called: a function pointer, std::function, std::bind.
const clang::Expr* FunctionLowering::kept_function(const clang::Expr* variable) const {
  const auto* name = clang::dyn_cast<clang::DeclRefExpr>(variable);
  const auto* kept = name ? clang::dyn_cast<clang::VarDecl>(name->getDecl()) : nullptr;
  if (!kept || !kept->hasLocalStorage() || clang::isa<clang::ParmVarDecl>(kept) ||
      kept->getDeclContext() != &function_ || reassigned_.contains(kept))
    return nullptr;
  bool callable = kept->getType()->isFunctionPointerType() || holds_callable(kept->getType());
  const clang::Expr* init = kept->getInit();
  return callable && init ? init : nullptr;
}

// An object with one operator(), or a reference to it; a copy is the callee's own.
std::optional<FunctionLowering::Callable> FunctionLowering::functor_of(const clang::Expr* object) {
  object = stripped(object);
  const clang::CXXRecordDecl* record = object->getType()->getAsCXXRecordDecl();
  il::Value self = il::fresh();
  if (const auto* call = clang::dyn_cast<clang::CallExpr>(object);
      call && call->getDirectCallee() && call->getNumArgs() == 1 &&
      function_kind(*call->getDirectCallee()) == FunctionKind::PassThrough) {
    record = call->getArg(0)->getType()->getAsCXXRecordDecl();
    if (kind_of(call->getType()) == TypeKind::Pointer) self = paths_.rvalue(call); // std::ref(object)
  }
  if (!record || !record->hasDefinition() || record->isLambda() ||
      kind_of(context_.getCanonicalTagType(record)) != TypeKind::User)
    return std::nullopt;
  const clang::CXXMethodDecl* only = nullptr;
  for (const clang::CXXMethodDecl* method : record->methods()) {
    if (method->getOverloadedOperator() != clang::OO_Call) continue;
    if (only) return std::nullopt;
    only = method;
  }
  if (!only) return std::nullopt;
  return Callable{only, {self}};
}

std::vector<il::Closure> FunctionLowering::closures_of(Arguments arguments, unsigned first_formal) {
  std::vector<il::Closure> closures;
  for (unsigned i = 0; i < arguments.size(); ++i)
    if (std::optional<il::Closure> closure = closure_of(arguments[i])) {
      closure->formal = first_formal + i;
      closures.push_back(*closure);
      if (const clang::LambdaExpr* lambda = lambda_of(arguments[i])) {
        const std::vector<const clang::FunctionDecl*> bodies = bodies_of(*lambda);
        for (const clang::FunctionDecl* body : llvm::drop_begin(bodies))
          closures.push_back({closure->formal, unique_name(*body), closure->captured});
      }
    }
  return closures;
}

void FunctionLowering::hand_over(const clang::Expr* callable, const clang::FunctionDecl* to) {
  std::optional<il::Closure> closure = closure_of(callable);
  if (!closure) return;
  il::Call given{std::nullopt, closure->function, std::move(closure->captured), il::CallKind::Hand};
  if (to && has_name_of_a_queue(*to)) given.to = unique_name(*to);
  emit(callable->getExprLoc(), std::move(given));
}

namespace {

// The variable that is called: f(x), (*f)(x), std::forward<F>(f)(x).
const clang::Decl* called_declaration(const clang::CallExpr& call) {
  bool of_object = clang::isa<clang::CXXOperatorCallExpr>(call);
  const clang::Expr* called = of_object ? object_of(call) : call.getCallee();
  if (!called) return nullptr;
  called = stripped(called)->IgnoreParenImpCasts();
  if (const auto* unary = clang::dyn_cast<clang::UnaryOperator>(called);
      unary && unary->getOpcode() == clang::UO_Deref)
    called = stripped(unary->getSubExpr())->IgnoreParenImpCasts();
  if (const auto* forward = clang::dyn_cast<clang::CallExpr>(called);
      forward && forward->getDirectCallee() && forward->getNumArgs() == 1 &&
      function_kind(*forward->getDirectCallee()) == FunctionKind::PassThrough)
    called = stripped(forward->getArg(0))->IgnoreParenImpCasts();
  if (const auto* name = clang::dyn_cast<clang::DeclRefExpr>(called)) return name->getDecl();
  if (const auto* member = clang::dyn_cast<clang::MemberExpr>(called)) return member->getMemberDecl();
  return nullptr;
}

} // namespace

bool FunctionLowering::lower_invocation(const clang::CallExpr& call) {
  const clang::FunctionDecl* callee = call.getDirectCallee();
  bool calls_object = callee && callee->getOverloadedOperator() == clang::OO_Call && object_of(call) &&
                      holds_callable(object_of(call)->getType());
  if (callee && !calls_object) return false;
  const auto* variable = clang::dyn_cast_or_null<clang::VarDecl>(called_declaration(call));
  std::optional<il::Root> formal = variable ? scope_.formal(*variable) : std::nullopt;
  if (!formal) return false;
  il::Call made{std::nullopt, {}, {il::value_of(il::Path(*formal))}, il::CallKind::Invoke};
  // A closure has a type of its own, which tells its function.
  const auto* method = clang::dyn_cast_or_null<clang::CXXMethodDecl>(callee);
  if (method && method->getParent()->isLambda()) made.callee = unique_name(*callee);
  for (const clang::Expr* argument : arguments_of(call))
    made.actuals.push_back(
        paths_.argument(argument, argument->isGLValue() ? context_.getLValueReferenceType(argument->getType())
                                                        : argument->getType()));
  hand_over(arguments_of(call), nullptr);
  emit(call.getExprLoc(), std::move(made));
  return true;
}

bool FunctionLowering::lower_stored_call(const clang::CallExpr& call) {
  const clang::Decl* slot = called_declaration(call);
  const auto* variable = clang::dyn_cast_or_null<clang::VarDecl>(slot);
  bool kept = clang::isa_and_nonnull<clang::FieldDecl>(slot) || (variable && variable->hasGlobalStorage());
  if (!kept) return false;
  std::vector<const clang::Expr*> arguments = arguments_of(call);
  il::Call made{std::nullopt, unique_name(*slot), {}, il::CallKind::Dispatch};
  for (const clang::Expr* argument : arguments)
    made.actuals.push_back(paths_.argument(argument, argument->getType()));
  made.closures = closures_of(arguments, 0);
  if (gives_pointer(call)) made.result = scope_.result_of(call);
  emit(call.getExprLoc(), std::move(made));
  return true;
}

// A virtual call, unless it says which method it means or can mean one only.
il::CallKind FunctionLowering::kind_of_call(const clang::CallExpr& call,
                                            const clang::CXXMethodDecl& callee) const {
  const auto* named = clang::dyn_cast<clang::MemberExpr>(call.getCallee()->IgnoreParens());
  const clang::Expr* object = object_of(call);
  if (!callee.isVirtual() || !object || (named && named->hasQualifier())) return il::CallKind::Plain;
  bool in_making = clang::isa<clang::CXXConstructorDecl, clang::CXXDestructorDecl>(function_) &&
                   clang::isa<clang::CXXThisExpr>(stripped(object));
  bool one_only =
      callee.hasAttr<clang::FinalAttr>() || callee.getParent()->isEffectivelyFinal() ||
      (!object->getType()->isPointerType() && clang::isa<clang::DeclRefExpr>(stripped(object)) &&
       !clang::cast<clang::DeclRefExpr>(stripped(object))->getDecl()->getType()->isReferenceType());
  return in_making || one_only ? il::CallKind::Plain : il::CallKind::Dispatch;
}

// std::thread(f, arguments...): a lambda, a function, or a member function and its object.
void FunctionLowering::start(Arguments arguments, il::CallKind kind) {
  if (arguments.empty()) return;
  if (call_closure(arguments[0], kind, arguments.drop_front())) return;
  const clang::Expr* written = stripped(arguments[0])->IgnoreParenCasts();
  std::optional<Callable> called = callable_of(written);
  if (!called) called = functor_of(arguments[0]);
  il::Call call{std::nullopt, called ? unique_name(*called->function) : il::Name("thread"), {}, kind};
  if (called) call.actuals = std::move(called->captured);
  if (called && kind == il::CallKind::Spawn)
    discoveries_.thread_entries.insert(called->function->getCanonicalDecl());
  // What the caller passed: expose_threads() tells what that is.
  if (std::optional<il::Root> passed = called ? std::nullopt : callable_formal(written))
    call.closures.push_back({passed->index, "passed", {}});
  for (const clang::Expr* argument : arguments.drop_front()) call.actuals.push_back(paths_.rvalue(argument));
  emit(arguments[0]->getExprLoc(), std::move(call));
}

} // namespace footrace::scan::frontend
