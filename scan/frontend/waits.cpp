// What waits for a thread: joins, and futures. A future of std::async is ready when its thread has ended, and its end waits for that; the
// future of a promise is ready when somebody keeps the promise.
#include "scan/frontend/conditions.h"
#include "scan/frontend/function.h"
#include "scan/frontend/library.h"
#include "scan/frontend/names.h"

#include "clang/AST/ASTContext.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringSwitch.h"

namespace footrace::scan::frontend {

namespace {

const clang::VarDecl* named_variable(const clang::Expr* expression) {
  const auto* name = clang::dyn_cast_or_null<clang::DeclRefExpr>(expression ? stripped(expression) : nullptr);
  return name ? clang::dyn_cast<clang::VarDecl>(name->getDecl()) : nullptr;
}

const clang::CallExpr* call_in(const clang::Expr* expression) {
  return clang::dyn_cast_or_null<clang::CallExpr>(expression ? stripped(expression) : nullptr);
}

bool is_async(const clang::CallExpr& call) {
  const clang::FunctionDecl* callee = call.getDirectCallee();
  return callee && callee->getDeclName().isIdentifier() && plain_name(*callee) == "std::async";
}

bool is_async_in(const clang::Stmt* code) {
  if (!code) return false;
  if (const auto* call = clang::dyn_cast<clang::CallExpr>(code); call && is_async(*call)) return true;
  return llvm::any_of(code->children(), is_async_in);
}

// std::async itself, or a function that gives back what it starts so.
bool gives_future_of_thread(const clang::CallExpr& call) {
  if (is_async(call)) return true;
  const clang::FunctionDecl *callee = call.getDirectCallee(), *defined = nullptr;
  return callee && holds_future(call.getType()) && callee->hasBody(defined) &&
         is_async_in(defined->getBody());
}

// {}, std::jthread()
bool is_empty_object(const clang::Expr* expression) {
  const clang::Expr* object = stripped(expression);
  if (const auto* made = clang::dyn_cast<clang::CXXConstructExpr>(object)) return made->getNumArgs() == 0;
  const auto* list = clang::dyn_cast<clang::InitListExpr>(object);
  return list && list->getNumInits() == 0;
}

// Nobody has the promise but this function and closures that keep it: no other place can be the one where that is done.
class PromiseUses {
public:
  explicit PromiseUses(const clang::VarDecl& promise) : promise_(promise) {}

  bool may_follow(const clang::Stmt& body) {
    visit(&body);
    return kept_ && !escapes_;
  }

private:
  void visit(const clang::Stmt* statement) {
    if (!statement || escapes_) return;
    if (const auto* member = clang::dyn_cast<clang::MemberExpr>(statement);
        member && named_variable(member->getBase()) == &promise_) {
      llvm::StringRef name =
          member->getMemberDecl()->getIdentifier() ? member->getMemberDecl()->getName() : "";
      kept_ |= name == "set_value" || name == "set_exception";
      escapes_ |= name != "set_value" && name != "set_exception" && name != "get_future";
      return;
    }
    if (const auto* lambda = clang::dyn_cast<clang::LambdaExpr>(statement)) {
      for (const clang::LambdaCapture& capture : lambda->captures())
        escapes_ |= capture.capturesVariable() && capture.getCaptureKind() != clang::LCK_ByRef &&
                    refers_to_promise(capture);
      return visit(lambda->getBody());
    }
    const auto* name = clang::dyn_cast<clang::DeclRefExpr>(statement);
    escapes_ |= name && name->getDecl() == &promise_;
    for (const clang::Stmt* child : statement->children()) visit(child);
  }

  // [p = std::move(p)]
  bool refers_to_promise(const clang::LambdaCapture& capture) const {
    const auto* variable = clang::dyn_cast<clang::VarDecl>(capture.getCapturedVar());
    if (!variable || variable == &promise_) return true;
    const clang::CallExpr* moved = call_in(variable->getInit());
    const auto* made = clang::dyn_cast_or_null<clang::CXXConstructExpr>(
        variable->getInit() ? stripped(variable->getInit()) : nullptr);
    if (made && made->getNumArgs() == 1) moved = call_in(made->getArg(0));
    return moved && moved->getNumArgs() == 1 && named_variable(moved->getArg(0)) == &promise_;
  }

  const clang::VarDecl& promise_;
  bool kept_ = false, escapes_ = false;
};

// p of p.get_future(), also of p.get_future().share().
const clang::VarDecl* promise_of(const clang::Expr* future) {
  if (const auto* made =
          clang::dyn_cast_or_null<clang::CXXConstructExpr>(future ? stripped(future) : nullptr);
      made && made->getNumArgs() == 1)
    future = made->getArg(0);
  const clang::CallExpr* call = call_in(future);
  if (call && method_name(*call) == "share" && object_of(*call)) call = call_in(object_of(*call));
  if (!call || method_name(*call) != "get_future" || !object_of(*call)) return nullptr;
  const auto* method = clang::dyn_cast<clang::CXXMethodDecl>(call->getDirectCallee());
  bool promises = method && plain_name(*method->getParent()) == "std::promise";
  return promises ? named_variable(object_of(*call)) : nullptr;
}

bool comes_from_elsewhere(const clang::Expr* future) {
  const clang::CallExpr* call = call_in(future);
  return call && (method_name(*call) == "get_future" || !gives_future_of_thread(*call));
}

} // namespace

bool is_deferred(const clang::CallExpr& call, const clang::ASTContext& context) {
  constexpr std::int64_t deferred = 2; // of std::launch
  return is_async(call) && call.getNumArgs() > 0 && call.getArg(0)->getType()->isEnumeralType() &&
         constant(call.getArg(0), context) == deferred;
}

void FunctionLowering::find_futures(const clang::Stmt& statement) {
  if (const auto* call = clang::dyn_cast<clang::CallExpr>(&statement))
    has_async_ |= holds_future(call->getType()) && gives_future_of_thread(*call);
  const auto* declarations = clang::dyn_cast<clang::DeclStmt>(&statement);
  if (!declarations) return;
  for (const clang::Decl* decl : declarations->decls()) {
    const auto* variable = clang::dyn_cast<clang::VarDecl>(decl);
    const clang::CallExpr* call = variable ? call_in(variable->getInit()) : nullptr;
    if (call && is_deferred(*call, context_)) deferred_[variable] = call;
  }
}

void FunctionLowering::wait_for_threads(clang::SourceLocation at) {
  emit(at, il::Call{std::nullopt, "join", {}, il::CallKind::Join});
}

// Of futures that come from elsewhere nobody waits for a thread. Where others come from is not known: from std::async, if that is used.
bool FunctionLowering::must_wait_at_end(const clang::VarDecl& variable) const {
  if (joins_at_end(variable.getType())) return true;
  return holds_future(variable.getType()) && has_async_ && !comes_from_elsewhere(variable.getInit()) &&
         !deferred_.contains(&variable);
}

// A temporary that nobody takes over.
void FunctionLowering::end_temporary(const clang::CXXBindTemporaryExpr& temporary) {
  const clang::Expr* object = stripped(&temporary);
  end_guard(object);
  guards_.erase(object);
  if (!discarded_.contains(object)) return;
  const clang::CallExpr* call = call_in(object);
  bool waits = call ? is_async(*call) && !is_deferred(*call, context_) : joins_at_end(temporary.getType());
  if (waits) wait_for_threads(temporary.getExprLoc());
}

// What is done when the future is ready.
il::Call FunctionLowering::wait_for_future(const clang::Expr* future) {
  il::Call wait{std::nullopt, "join", {}, il::CallKind::Join};
  const clang::VarDecl* variable = named_variable(future);
  const clang::VarDecl* promise = promise_of(variable ? variable->getInit() : future);
  bool own = promise && promise->getDeclContext() == &function_ &&
             (!variable || variable->getDeclContext() == &function_);
  if (!own || !PromiseUses(*promise).may_follow(*function_.getBody())) return wait;
  if (std::optional<il::Path> path = scope_.variable(*promise))
    wait = {std::nullopt, "any", {il::address_of(*path)}, il::CallKind::Receive};
  return wait;
}

bool FunctionLowering::lower_wait(const clang::CallExpr& call, const clang::CXXMethodDecl& method) {
  const clang::Expr* object = object_of(call);
  llvm::StringRef name = method_name(call);
  if (name == "join") {
    wait_for_threads(call.getExprLoc());
    return true;
  }
  clang::QualType type = object->getType();
  if (method.getOverloadedOperator() == clang::OO_Equal && call.getNumArgs() == 2) {
    const clang::VarDecl* variable = named_variable(object);
    if (is_empty_object(call.getArg(1)) && (variable ? must_wait_at_end(*variable) : joins_at_end(type)))
      wait_for_threads(call.getExprLoc());
    return false;
  }
  if (!llvm::StringRef(plain_name(*method.getParent())).ends_with("future")) return false;
  if (name != "get" && !name.starts_with("wait")) return false;
  const clang::VarDecl* variable = named_variable(object);
  if (const clang::CallExpr* started = variable ? deferred_.lookup(variable) : nullptr) {
    run_deferred(*started);
    return true;
  }
  if (const clang::CallExpr* started = call_in(object); started && is_deferred(*started, context_))
    return true; // it was run there
  if (name != "get" && name != "wait") {
    lower_tried_wait(call, wait_for_future(object));
    return true;
  }
  emit(call.getExprLoc(), wait_for_future(object));
  // Whatever it is the future of: a task that was given away may be what was waited for.
  emit(call.getExprLoc(), il::Call{std::nullopt, "wait", {}, il::CallKind::Wait});
  return true;
}

// The caller of get() runs it.
void FunctionLowering::run_deferred(const clang::CallExpr& started) {
  std::vector<const clang::Expr*> arguments(started.arg_begin() + 1, started.arg_end());
  if (!arguments.empty()) start(arguments, il::CallKind::Plain);
}

// It is over if this gives zero: pthread_tryjoin_np(), and std::future_status::ready.
void FunctionLowering::lower_tried_wait(const clang::CallExpr& call, il::Call wait) {
  const clang::Expr* condition = condition_of(*block_);
  std::optional<Comparison> test;
  if (condition && block_->succ_size() == 2) test = comparison_of(condition, context_);
  bool decides = test && test->value == &call && test->number;
  if (!decides) return emit(call.getExprLoc(), std::move(wait)); // its result went somewhere: taken as over
  awaited_ = Awaited{std::move(wait), test->is_zero()};
}

void FunctionLowering::lower_awaited(std::vector<unsigned>& successors) {
  if (!awaited_ || successors.size() != 2) return;
  unsigned& over = successors[awaited_->if_true ? 0 : 1];
  over = edge_to(over, {awaited_->wait});
}

// std::mem_fn(&std::thread::join)
bool FunctionLowering::is_join(const clang::Expr* callable) const {
  const clang::Expr* value = stripped(callable)->IgnoreParenImpCasts();
  if (const auto* made = clang::dyn_cast<clang::CXXConstructExpr>(value); made && made->getNumArgs() == 1)
    value = stripped(made->getArg(0))->IgnoreParenImpCasts();
  if (const auto* call = clang::dyn_cast<clang::CallExpr>(value); call && call->getNumArgs() > 0)
    value = stripped(call->getArg(0))->IgnoreParenImpCasts();
  if (const auto* unary = clang::dyn_cast<clang::UnaryOperator>(value))
    value = unary->getSubExpr()->IgnoreParens();
  const auto* name = clang::dyn_cast<clang::DeclRefExpr>(value);
  const auto* method = name ? clang::dyn_cast<clang::CXXMethodDecl>(name->getDecl()) : nullptr;
  return method && method->getIdentifier() && method->getName() == "join" &&
         is_thread_type(context_.getCanonicalTagType(method->getParent()));
}

} // namespace footrace::scan::frontend
