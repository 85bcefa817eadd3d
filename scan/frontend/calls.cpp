// Calls: of the user's functions by name, of library functions by what library.h says about them.
#include "scan/frontend/function.h"
#include "scan/frontend/guards.h"
#include "scan/frontend/library.h"
#include "scan/frontend/names.h"

#include "clang/AST/ASTContext.h"
#include "clang/AST/Attr.h"
#include "clang/Basic/SourceManager.h"

namespace footrace::scan::frontend {

namespace {

using Arguments = llvm::ArrayRef<const clang::Expr*>;

clang::QualType parameter_type(const clang::FunctionDecl* callee, std::size_t index,
                               const clang::Expr& argument) {
  return callee && index < callee->getNumParams() ? callee->getParamDecl(unsigned(index))->getType()
                                                  : argument.getType();
}

bool waits_for_turn(llvm::StringRef method, llvm::StringRef of_class) {
  return (method.starts_with("wait") && of_class.contains("condition_variable")) ||
         (method.starts_with("Wait") && of_class == "absl::CondVar");
}

// Of std::make_unique<std::thread>(...)
const clang::CXXRecordDecl* pointee_record(clang::QualType type) {
  const auto* pointer =
      clang::dyn_cast_or_null<clang::ClassTemplateSpecializationDecl>(type->getAsCXXRecordDecl());
  bool known = pointer && pointer->getTemplateArgs().size() > 0 &&
               pointer->getTemplateArgs()[0].getKind() == clang::TemplateArgument::Type;
  return known ? pointer->getTemplateArgs()[0].getAsType()->getAsCXXRecordDecl() : nullptr;
}

bool passes_place(clang::QualType type) { return type->isReferenceType(); }

} // namespace

void FunctionLowering::visit_arguments(Arguments arguments, const clang::FunctionDecl* callee) {
  for (std::size_t i = 0; i < arguments.size(); ++i)
    visit_argument(arguments[i], parameter_type(callee, i, *arguments[i]));
}

void FunctionLowering::visit_argument(const clang::Expr* argument, clang::QualType type) {
  if (passes_place(type) && argument->isGLValue())
    visit_place(argument);
  else if (type->isPointerType() || kind_of(type) == TypeKind::Pointer)
    visit_value(argument);
  else
    visit_part(argument);
}

std::vector<il::Value> FunctionLowering::actuals_of(Arguments arguments, const clang::FunctionDecl& callee) {
  std::vector<il::Value> actuals;
  for (std::size_t i = 0; i < arguments.size(); ++i)
    actuals.push_back(paths_.argument(arguments[i], parameter_type(&callee, i, *arguments[i])));
  return actuals;
}

void FunctionLowering::lower(const clang::CallExpr& call) {
  const clang::FunctionDecl* callee = call.getDirectCallee();
  std::vector<const clang::Expr*> arguments = arguments_of(call);
  if (const clang::Expr* object = object_of(call))
    object->getType()->isPointerType() ? visit_value(object) : visit_place(object);
  // Functions among them are for the callee to call: what that means is said where the callee is known.
  for (std::size_t i = 0; i < arguments.size(); ++i)
    if (!closure_of(arguments[i])) visit_argument(arguments[i], parameter_type(callee, i, *arguments[i]));
  if (lower_invocation(call) || (!callee && lower_stored_call(call))) return;
  if (!callee) return call_closures(arguments, nullptr);
  if (lower_atomic_call(call, *callee)) return;
  if (const clang::Expr* object = object_of(call);
      object && callee->getOverloadedOperator() == clang::OO_Call)
    if (call_closure(object, il::CallKind::Plain)) return;
  if (is_range_algorithm(*callee)) return lower_library_arguments(call, *callee);
  if (lower_lock_attributes(call, *callee) || lower_guard_change(call, *callee) ||
      lower_lock_call(call, *callee))
    return;
  if (lower_library_function(call, *callee) || lower_library_object(call)) return;
  if (lower_assignment_operator(call, *callee)) return;
  lower_known_call(call, *callee);
}

// By reference to a library function: const means read. What it is given to call, it calls at once.
bool FunctionLowering::lower_library_function(const clang::CallExpr& call,
                                              const clang::FunctionDecl& callee) {
  std::vector<const clang::Expr*> arguments = arguments_of(call);
  switch (function_kind(callee)) {
  case FunctionKind::PassThrough:
  case FunctionKind::AddressOf:
    return true;
  case FunctionKind::MakePointer:
    if (const auto* made = pointee_record(call.getType());
        made && is_thread_type(context_.getCanonicalTagType(made)))
      start(arguments);
    else
      hand_over(arguments, nullptr);
    return true;
  case FunctionKind::LockAll: // and tried: the result went somewhere
    for (const clang::Expr* argument : arguments)
      if (auto path = lock_argument(argument)) lock(il::LockAction::Acquire, *path, il::LockMode::Exclusive);
    return true;
  case FunctionKind::CallOnce:
    lower_once(arguments, callee);
    return true;
  case FunctionKind::Spawn: {
    std::size_t skip = callee.getName() == "pthread_create" ? 2 : callee.getName() == "thrd_create" ? 1 : 0;
    while (skip < arguments.size() && arguments[skip]->getType()->isEnumeralType()) ++skip; // std::launch
    if (is_deferred(call, context_)) {
      auto kept = [&](const auto& entry) { return entry.second == &call; };
      if (llvm::none_of(deferred_, kept)) run_deferred(call);
    } else if (skip < arguments.size()) {
      start(Arguments(arguments).drop_front(skip));
    }
    return true;
  }
  case FunctionKind::Join:
    wait_for_threads(call.getExprLoc());
    return true;
  case FunctionKind::TryJoin:
    lower_tried_wait(call, {std::nullopt, "join", {}, il::CallKind::Join});
    return true;
  case FunctionKind::Wait:
    emit(call.getExprLoc(), il::Call{std::nullopt, "wait", {}, il::CallKind::Wait});
    if (!arguments.empty()) hand_off(call, callee, behind(paths_.rvalue(arguments[0])));
    return true;
  case FunctionKind::AtFork:
    for (std::size_t i = 0; i < arguments.size(); ++i)
      i == 2 ? call_in_child(arguments[i]) : hand_over(arguments[i], nullptr);
    return true;
  case FunctionKind::CopyMemory:
  case FunctionKind::SetMemory:
    if (arguments.size() > 1 && function_kind(callee) == FunctionKind::CopyMemory)
      if (auto from = behind(paths_.rvalue(arguments[1]))) emit(arguments[1]->getExprLoc(), il::Use{*from});
    if (!arguments.empty())
      if (auto to = behind(paths_.rvalue(arguments[0])))
        emit(arguments[0]->getExprLoc(), il::Assign{*to, il::nothing()});
    return true;
  case FunctionKind::Swap:
  case FunctionKind::Exchange:
  case FunctionKind::Other:
    break;
  }
  if (!is_library(callee) || object_of(call)) return false;
  if (!arguments.empty() && hand_off(call, callee, behind(paths_.rvalue(arguments[0])))) return true;
  lower_library_arguments(call, callee);
  return true;
}

void FunctionLowering::lower_library_arguments(const clang::CallExpr& call,
                                               const clang::FunctionDecl& callee) {
  std::vector<const clang::Expr*> arguments = arguments_of(call);
  for (std::size_t i = 0; i < arguments.size(); ++i) {
    clang::QualType type = parameter_type(&callee, i, *arguments[i]);
    if (!type->isReferenceType() || !arguments[i]->isGLValue() || cannot_race(arguments[i])) continue;
    if (has_fixed_parts(arguments[i]->getType()) && plain_name(callee) == "std::get") continue;
    std::optional<il::Path> path = paths_.lvalue(arguments[i]);
    if (!path) continue;
    if (kind_of(type) == TypeKind::Value) path = path->then(il::content());
    emit(arguments[i]->getExprLoc(), il::Use{*path});
    if (!type.getNonReferenceType().isConstQualified() && may_change_argument(callee, i))
      emit(arguments[i]->getExprLoc(), il::Assign{*path, il::nothing()});
  }
  call_closures(arguments, &callee);
}

// What comes before the one and after the other is ordered, whoever they are.
bool FunctionLowering::hand_off(const clang::CallExpr& call, const clang::FunctionDecl& callee,
                                const std::optional<il::Path>& at) {
  HandOff kind = hand_off_of(callee);
  if (!at || (!kind.sends && !kind.receives)) return false;
  auto note = [&](il::CallKind way) {
    emit(call.getExprLoc(), il::Call{std::nullopt,
                                     !kind.to_one                ? "any"
                                     : way == il::CallKind::Send ? "signal"
                                                                 : "signalled",
                                     {il::address_of(*at)},
                                     way});
  };
  if (kind.sends) note(il::CallKind::Send);
  if (kind.receives) note(il::CallKind::Receive);
  return true;
}

// Whoever forks has it called, and in the child there is nobody else.
void FunctionLowering::call_in_child(const clang::Expr* handler) {
  std::optional<il::Closure> closure = closure_of(handler);
  if (!closure) return;
  lock(il::LockAction::Acquire, il::only_thread(), il::LockMode::Exclusive);
  emit(handler->getExprLoc(), il::Call{std::nullopt, closure->function, std::move(closure->captured)});
  lock(il::LockAction::Release, il::only_thread(), il::LockMode::Exclusive, true);
}

void FunctionLowering::lower_once(Arguments arguments, const clang::FunctionDecl& callee) {
  std::optional<il::Path> flag = arguments.empty() ? std::nullopt : lock_argument(arguments[0]);
  if (!flag) return call_closures(arguments, &callee);
  il::Path once = il::once_lock(*flag);
  lock(il::LockAction::Acquire, once, il::LockMode::Exclusive);
  call_closures(arguments, &callee);
  lock(il::LockAction::Release, once, il::LockMode::Exclusive);
  lock(il::LockAction::Acquire, once, il::LockMode::Shared);
}

bool FunctionLowering::lower_library_object(const clang::CallExpr& call) {
  TypeKind kind = object_kind(call);
  std::vector<const clang::Expr*> arguments = arguments_of(call);
  llvm::StringRef name = method_name(call);
  const auto* method = clang::dyn_cast_or_null<clang::CXXMethodDecl>(call.getDirectCallee());
  if (!method) return false;
  std::optional<il::Path> object = paths_.object(call);
  if (is_pointer_to_this(*method)) return true;
  switch (kind) {
  case TypeKind::Synchronised:
    if (lower_wait(call, *method)) return true;
    if (waits_for_turn(name, plain_name(*method->getParent())))
      emit(call.getExprLoc(), il::Call{std::nullopt, "wait", {}, il::CallKind::Wait});
    hand_off(call, *method, object);
    call_closures(arguments, method);
    return true;
  case TypeKind::Pointer: {
    hand_over(arguments, nullptr);
    bool assigns = method->getOverloadedOperator() == clang::OO_Equal, moves = name == "release";
    if ((assigns || name == "reset") && joins_at_end(object_of(call)->getType()))
      wait_for_threads(call.getExprLoc());
    if (!object) return true;
    if (clang::isa<clang::CXXConversionDecl>(method) || moves || name == "use_count")
      emit(call.getExprLoc(), il::Use{*object});
    if (assigns || moves || name == "reset" || name == "swap") {
      il::Value value = assigns && !arguments.empty() ? paths_.rvalue(arguments[0]) : il::nothing();
      emit(call.getExprLoc(), il::Assign{*object, value});
    }
    return true;
  }
  case TypeKind::Value: {
    bool threads =
        !arguments.empty() && call.getNumArgs() > 0 && (name == "emplace_back" || name == "emplace");
    const auto* vector = clang::dyn_cast<clang::ClassTemplateSpecializationDecl>(method->getParent());
    if (threads && vector && vector->getTemplateArgs().size() > 0 &&
        vector->getTemplateArgs()[0].getKind() == clang::TemplateArgument::Type &&
        is_thread_type(vector->getTemplateArgs()[0].getAsType()))
      start(arguments);
    else
      hand_over(arguments, nullptr);
    if (clang::QualType type = object_of(call)->getType();
        ends_elements(name) && (joins_at_end(type) || (has_async_ && holds_future(type))))
      wait_for_threads(call.getExprLoc());
    if (!object) return true;
    il::Path content = object->then(il::content());
    if (selects_element(name) && has_fixed_parts(object_of(call)->getType())) return true;
    bool reads = method->isConst() || only_reads(name);
    if (name == "operator[]" && plain_name(*method->getParent()).ends_with("map"))
      reads = false; // it inserts
    if (reads)
      emit(call.getExprLoc(), il::Use{content});
    else
      emit(call.getExprLoc(), il::Assign{content, il::nothing()});
    return true;
  }
  case TypeKind::Lock:
  case TypeKind::Guard:
    return is_library(*method);
  case TypeKind::User:
  case TypeKind::Scalar:
    return false;
  }
  return false;
}

// An assignment that the compiler made copies the object as a whole.
bool FunctionLowering::lower_assignment_operator(const clang::CallExpr& call,
                                                 const clang::FunctionDecl& callee) {
  const auto* method = clang::dyn_cast<clang::CXXMethodDecl>(&callee);
  if (!method || method->isUserProvided() || callee.getOverloadedOperator() != clang::OO_Equal) return false;
  if (call.getNumArgs() != 2) return false;
  use(call.getArg(1));
  write(call.getArg(0), il::nothing());
  return true;
}

void FunctionLowering::lower_known_call(const clang::CallExpr& call, const clang::FunctionDecl& callee) {
  std::vector<const clang::Expr*> arguments = arguments_of(call);
  il::Call made;
  made.callee = unique_name(callee);
  made.actuals = actuals_of(arguments, callee);
  const auto* method = clang::dyn_cast<clang::CXXMethodDecl>(&callee);
  unsigned first_formal = method && method->isInstance() ? 1 : 0;
  made.closures = closures_of(arguments, first_formal);
  made.anew = !arguments.empty() &&
              llvm::none_of(arguments, [&](const clang::Expr* argument) { return is_told(argument); });
  if (first_formal) {
    made.kind = kind_of_call(call, *method);
    std::optional<il::Path> object = paths_.object(call);
    const clang::Expr* written = object_of(call);
    il::Value value = object ? il::address_of(*object) : il::fresh();
    if (written && written->getType()->isPointerType()) value = paths_.rvalue(written);
    made.actuals.insert(made.actuals.begin(), value);
  }
  if (gives_pointer(call)) made.result = scope_.result_of(call);
  if (has_name_of_a_queue(callee)) hand_over(arguments, &callee);
  emit(call.getExprLoc(), std::move(made));
}

void FunctionLowering::lower(const clang::CXXConstructExpr& made, il::Value object) {
  std::vector<const clang::Expr*> arguments(made.arguments().begin(), made.arguments().end());
  const clang::CXXConstructorDecl* constructor = made.getConstructor();
  const bool temporary = temporaries_.contains(&made);
  if (temporary && kind_of(made.getType()) == TypeKind::Guard && lower_guard(made, &made)) {
    guards_[&made].temporary = true;
    return;
  }
  visit_arguments(arguments, constructor);
  if (temporary && holds_guard(made.getType())) lower_guard_holder(made, object, &made);
  if (is_thread_type(made.getType()) && !constructor->isCopyOrMoveConstructor()) return start(arguments);
  if (constructor->isCopyOrMoveConstructor() && !constructor->isUserProvided() && !arguments.empty())
    return use(arguments[0]);
  if (kind_of(made.getType()) == TypeKind::Value && constructor->isCopyOrMoveConstructor() &&
      !arguments.empty()) {
    if (auto from = paths_.lvalue(arguments[0])) {
      emit(made.getExprLoc(), il::Use{from->then(il::content())});
      if (constructor->isMoveConstructor())
        emit(made.getExprLoc(), il::Assign{from->then(il::content()), il::nothing()});
    }
    return;
  }
  if (kind_of(made.getType()) != TypeKind::User || !constructor->isUserProvided()) return;
  il::Call call;
  call.callee = unique_name(*constructor);
  call.actuals = actuals_of(arguments, *constructor);
  call.actuals.insert(call.actuals.begin(), std::move(object));
  call.closures = closures_of(arguments, 1);
  hand_over(arguments, constructor);
  emit(made.getExprLoc(), std::move(call));
}

} // namespace footrace::scan::frontend
