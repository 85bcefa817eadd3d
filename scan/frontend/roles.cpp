// Roles: several threads run one function, and a number that each is told decides who does what: if (number == 0) ... Two accesses under the same
// test are made by one thread.
#include "scan/frontend/conditions.h"
#include "scan/frontend/function.h"
#include "scan/frontend/library.h"
#include "scan/frontend/names.h"

#include "clang/AST/ExprCXX.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringSwitch.h"

#include <array>

namespace footrace::scan::frontend {

namespace {

constexpr unsigned kDeepest = 6; // of what a number is computed from

bool is_captured_by_copy(const clang::FunctionDecl& function, const clang::ValueDecl& variable) {
  const auto* method = clang::dyn_cast<clang::CXXMethodDecl>(&function);
  if (!method || !method->getParent()->isLambda()) return false;
  return llvm::any_of(method->getParent()->captures(), [&](const clang::LambdaCapture& capture) {
    return capture.capturesVariable() && capture.getCapturedVar() == &variable &&
           capture.getCaptureKind() == clang::LCK_ByCopy;
  });
}

bool is_typed_pointer(clang::QualType type) {
  return type->isReferenceType() || (type->isPointerType() && !type->isVoidPointerType());
}

// Of a state machine, one of whose states is tested.
bool is_state(const clang::Expr* value) { return value->IgnoreParenCasts()->getType()->isEnumeralType(); }

bool tells_threads_apart(const clang::FunctionDecl* function) {
  return function && function->getIdentifier() &&
         llvm::StringSwitch<bool>(function->getName())
             .Cases({"pthread_self", "get_id", "gettid", "thrd_current", "omp_get_thread_num"}, true)
             .Default(false);
}

// In C the function of a thread has one argument; other functions compare theirs all the time.
bool may_be_told(const clang::FunctionDecl& function, const clang::ASTContext& context) {
  return context.getLangOpts().CPlusPlus ||
         (function.getNumParams() == 1 && function.getParamDecl(0)->getType()->isVoidPointerType());
}

// pthread_self(), or a variable that was set to it: whoever calls the function, it is the same.
bool names_thread(const clang::Expr* value) {
  value = value->IgnoreParenCasts();
  if (const auto* call = clang::dyn_cast<clang::CallExpr>(value))
    return tells_threads_apart(call->getDirectCallee());
  const auto* name = clang::dyn_cast<clang::DeclRefExpr>(value);
  const auto* variable = name ? clang::dyn_cast<clang::VarDecl>(name->getDecl()) : nullptr;
  return variable && variable->hasLocalStorage() && !clang::isa<clang::ParmVarDecl>(variable) &&
         variable->getInit() && names_thread(variable->getInit());
}

std::string text_of(const clang::Expr* expression, const clang::ASTContext& context) {
  std::string text;
  llvm::raw_string_ostream out(text);
  expression->IgnoreParenCasts()->printPretty(out, nullptr, context.getPrintingPolicy());
  return text;
}

// A number of threads, to judge by its name: io_threads, nthreads, thread_count; or whether there are any.
bool counts_threads(const clang::Expr* value) {
  value = value->IgnoreParenCasts();
  const auto* member = clang::dyn_cast<clang::MemberExpr>(value);
  const auto* name = clang::dyn_cast<clang::DeclRefExpr>(value);
  const clang::ValueDecl* declaration = member ? member->getMemberDecl() : name ? name->getDecl() : nullptr;
  if (!declaration || !declaration->getDeclName().isIdentifier() || !declaration->getType()->isIntegerType())
    return false;
  std::string text = declaration->getName().lower();
  return llvm::any_of(std::array<llvm::StringRef, 6>{"threads", "threaded", "nthread", "num_thread",
                                                     "thread_count", "thread_num"},
                      [&](llvm::StringRef word) { return llvm::StringRef(text).contains(word); });
}

// The branch on which there is one thread only; nothing: the condition does not ask.
std::optional<unsigned> branch_of_only_thread(const clang::Expr* condition,
                                              const clang::ASTContext& context) {
  condition = condition->IgnoreParenImpCasts();
  if (const auto* unary = clang::dyn_cast<clang::UnaryOperator>(condition);
      unary && unary->getOpcode() == clang::UO_LNot) {
    auto inner = branch_of_only_thread(unary->getSubExpr(), context);
    return inner ? std::optional(1 - *inner) : std::nullopt;
  }
  if (counts_threads(condition)) return 1;
  const auto* binary = clang::dyn_cast<clang::BinaryOperator>(condition);
  if (!binary || !counts_threads(binary->getLHS())) return std::nullopt;
  const std::optional<std::int64_t> number = constant(binary->getRHS(), context);
  if (!number) return std::nullopt;
  switch (binary->getOpcode()) {
  case clang::BO_EQ:
  case clang::BO_LE:
    return number == 0 || number == 1 ? std::optional(0u) : std::nullopt;
  case clang::BO_LT:
    return number == 1 || number == 2 ? std::optional(0u) : std::nullopt;
  case clang::BO_NE:
  case clang::BO_GT:
    return number == 0 || number == 1 ? std::optional(1u) : std::nullopt;
  case clang::BO_GE:
    return number == 1 || number == 2 ? std::optional(1u) : std::nullopt;
  default:
    return std::nullopt;
  }
}

// The function changes the field itself: it is no news that a thread was told, but a state that it shares.
bool changes(const clang::Stmt* code, const clang::ValueDecl& field) {
  if (!code) return false;
  const clang::Expr* target = nullptr;
  if (const auto* binary = clang::dyn_cast<clang::BinaryOperator>(code); binary && binary->isAssignmentOp())
    target = binary->getLHS();
  if (const auto* unary = clang::dyn_cast<clang::UnaryOperator>(code);
      unary && (unary->isIncrementDecrementOp() || unary->getOpcode() == clang::UO_AddrOf))
    target = unary->getSubExpr();
  const auto* member = target ? clang::dyn_cast<clang::MemberExpr>(target->IgnoreParenCasts()) : nullptr;
  if (member && member->getMemberDecl() == &field) return true;
  return llvm::any_of(code->children(), [&](const clang::Stmt* part) { return changes(part, field); });
}

struct Compared {
  const clang::Expr *value, *with; // with is null: zero
  bool equal;                      // on the true branch
};

std::optional<Compared> compared_in(const clang::Expr* condition) {
  condition = condition->IgnoreParenImpCasts();
  if (const auto* unary = clang::dyn_cast<clang::UnaryOperator>(condition);
      unary && unary->getOpcode() == clang::UO_LNot) {
    auto inner = compared_in(unary->getSubExpr());
    if (inner) inner->equal = !inner->equal;
    return inner;
  }
  if (const auto* binary = clang::dyn_cast<clang::BinaryOperator>(condition)) {
    if (!binary->isEqualityOp()) return std::nullopt;
    return Compared{binary->getLHS(), binary->getRHS(), binary->getOpcode() == clang::BO_EQ};
  }
  if (const auto* call = clang::dyn_cast<clang::CXXOperatorCallExpr>(condition);
      call && call->getNumArgs() == 2 &&
      (call->getOperator() == clang::OO_EqualEqual || call->getOperator() == clang::OO_ExclaimEqual))
    return Compared{call->getArg(0), call->getArg(1), call->getOperator() == clang::OO_EqualEqual};
  return Compared{condition, nullptr, false};
}

bool is_assigned_fork(const clang::Stmt* code, const clang::VarDecl& variable);

// fork(), or pid = fork(), or a variable that was set to it.
bool is_result_of_fork(const clang::Expr* value, const clang::FunctionDecl& function) {
  value = value->IgnoreParenCasts();
  if (const auto* call = clang::dyn_cast<clang::CallExpr>(value))
    return call->getDirectCallee() && makes_process(*call->getDirectCallee());
  if (const auto* binary = clang::dyn_cast<clang::BinaryOperator>(value))
    return binary->getOpcode() == clang::BO_Assign && is_result_of_fork(binary->getRHS(), function);
  const auto* name = clang::dyn_cast<clang::DeclRefExpr>(value);
  const auto* variable = name ? clang::dyn_cast<clang::VarDecl>(name->getDecl()) : nullptr;
  return variable && variable->hasLocalStorage() &&
         ((variable->getInit() && is_result_of_fork(variable->getInit(), function)) ||
          is_assigned_fork(function.getBody(), *variable));
}

bool is_assigned_fork(const clang::Stmt* code, const clang::VarDecl& variable) {
  if (!code) return false;
  if (const auto* binary = clang::dyn_cast<clang::BinaryOperator>(code);
      binary && binary->getOpcode() == clang::BO_Assign) {
    const auto* name = clang::dyn_cast<clang::DeclRefExpr>(binary->getLHS()->IgnoreParens());
    const auto* call = clang::dyn_cast<clang::CallExpr>(binary->getRHS()->IgnoreParenCasts());
    if (name && name->getDecl() == &variable && call && call->getDirectCallee() &&
        makes_process(*call->getDirectCallee()))
      return true;
  }
  return llvm::any_of(code->children(),
                      [&](const clang::Stmt* part) { return is_assigned_fork(part, variable); });
}

// The branch of the child, which has one thread until it starts others: if (fork() == 0).
std::optional<unsigned> branch_of_child(const clang::CFGBlock& block, const clang::Expr* condition,
                                        const clang::FunctionDecl& function) {
  const clang::ASTContext& context = function.getASTContext();
  if (const auto* choice = clang::dyn_cast_or_null<clang::SwitchStmt>(block.getTerminatorStmt())) {
    if (!is_result_of_fork(choice->getCond(), function)) return std::nullopt;
    auto is_child = [&](const clang::CFGBlock::AdjacentBlock& next) {
      const auto* label = next ? clang::dyn_cast_or_null<clang::CaseStmt>(next->getLabel()) : nullptr;
      return label && !label->getRHS() && constant(label->getLHS(), context) == 0;
    };
    auto child = llvm::find_if(block.succs(), is_child);
    return child == block.succ_end() ? std::nullopt : std::optional(unsigned(child - block.succ_begin()));
  }
  std::optional<Compared> compared = compared_in(condition);
  if (!compared || block.succ_size() != 2 || (compared->with && constant(compared->with, context) != 0) ||
      !is_result_of_fork(compared->value, function))
    return std::nullopt;
  return compared->equal ? 0 : 1;
}

// The variable that everybody knows, of x, x.f and x[i]; null: another.
const clang::VarDecl* known_variable(const clang::Expr* expression) {
  expression = expression->IgnoreParenImpCasts();
  if (const auto* member = clang::dyn_cast<clang::MemberExpr>(expression))
    return member->isArrow() ? nullptr : known_variable(member->getBase());
  const auto* name = clang::dyn_cast<clang::DeclRefExpr>(expression);
  const auto* variable = name ? clang::dyn_cast<clang::VarDecl>(name->getDecl()) : nullptr;
  return variable && variable->hasGlobalStorage() && variable->getTLSKind() == clang::VarDecl::TLS_None
             ? variable
             : nullptr;
}

struct Tested {
  const clang::Expr* value;
  unsigned unset; // the branch on which it is found not to be set
};

// !x, x == 0, x == -1, x == NULL, x < 0, x <= 0; x, x != 0, x > 0, x >= 1.
std::optional<Tested> test_of(const clang::Expr* condition, const clang::ASTContext& context) {
  condition = condition->IgnoreParenImpCasts();
  if (const auto* unary = clang::dyn_cast<clang::UnaryOperator>(condition);
      unary && unary->getOpcode() == clang::UO_LNot) {
    auto inner = test_of(unary->getSubExpr(), context);
    return inner ? std::optional(Tested{inner->value, 1 - inner->unset}) : std::nullopt;
  }
  const auto* binary = clang::dyn_cast<clang::BinaryOperator>(condition);
  if (!binary) return Tested{condition, 1};
  const std::optional<std::int64_t> with = constant(binary->getRHS(), context);
  if (!with || *with < -1 || *with > 1) return std::nullopt;
  switch (binary->getOpcode()) {
  case clang::BO_EQ:
  case clang::BO_LT:
  case clang::BO_LE:
    return Tested{binary->getLHS(), 0};
  case clang::BO_NE:
  case clang::BO_GT:
  case clang::BO_GE:
    return Tested{binary->getLHS(), 1};
  default:
    return std::nullopt;
  }
}

} // namespace

// It comes from an argument of the function, from what a closure has copied, or names the thread.
bool FunctionLowering::is_told(const clang::Expr* value, unsigned depth) const {
  if (!value || depth > kDeepest) return false;
  value = value->IgnoreParenCasts();
  auto deeper = [&](const clang::Expr* part) { return is_told(part, depth + 1); };
  if (const auto* name = clang::dyn_cast<clang::DeclRefExpr>(value)) {
    // What a typed pointer leads to is an object that others know.
    if (clang::isa<clang::ParmVarDecl>(name->getDecl())) return !is_typed_pointer(name->getDecl()->getType());
    if (is_captured_by_copy(function_, *name->getDecl())) return true;
    const auto* variable = clang::dyn_cast<clang::VarDecl>(name->getDecl());
    return variable && variable->hasLocalStorage() && deeper(variable->getInit());
  }
  if (const auto* member = clang::dyn_cast<clang::MemberExpr>(value))
    return deeper(member->getBase()) && !changes(function_.getBody(), *member->getMemberDecl());
  if (const auto* element = clang::dyn_cast<clang::ArraySubscriptExpr>(value))
    return deeper(element->getBase());
  if (const auto* unary = clang::dyn_cast<clang::UnaryOperator>(value)) return deeper(unary->getSubExpr());
  if (const auto* binary = clang::dyn_cast<clang::BinaryOperator>(value))
    return deeper(binary->getLHS()) || deeper(binary->getRHS());
  if (const auto* call = clang::dyn_cast<clang::CallExpr>(value))
    return tells_threads_apart(call->getDirectCallee());
  return false;
}

// Of who finds `value` equal to `compared`, or to zero if that is null.
std::optional<il::Path> FunctionLowering::role_of(const clang::Expr* value, const clang::Expr* compared,
                                                  const char* relation) const {
  if (compared && !is_told(value) && is_told(compared)) std::swap(value, compared);
  if (!is_told(value) || is_state(value)) return std::nullopt;
  std::string role = unique_name(function_).text() + " with " + text_of(value, context_) + relation +
                     (compared ? text_of(compared, context_) : "0");
  return names_thread(value) ? il::role_lock(il::Name(role)) : il::told_role_lock(il::Name(role));
}

void FunctionLowering::find_roles(const clang::CFGBlock& block, const clang::Expr& condition,
                                  std::vector<std::optional<il::Path>>& roles) const {
  if (!may_be_told(function_, context_)) return;
  if (const auto* choice = clang::dyn_cast_or_null<clang::SwitchStmt>(block.getTerminatorStmt())) {
    unsigned i = 0;
    for (const clang::CFGBlock::AdjacentBlock& next : block.succs()) {
      const auto* label = next ? clang::dyn_cast_or_null<clang::CaseStmt>(next->getLabel()) : nullptr;
      if (label && !label->getRHS()) roles[i] = role_of(choice->getCond(), label->getLHS());
      ++i;
    }
  } else if (auto compared = compared_in(&condition); compared && roles.size() == 2) {
    roles[compared->equal ? 0 : 1] = role_of(compared->value, compared->with);
    // A yes or no is told to one of them, as far as anybody knows.
    if (!compared->with && compared->value->IgnoreParenImpCasts()->getType()->isBooleanType())
      roles[compared->equal ? 1 : 0] = role_of(compared->value, nullptr, " != ");
  }
}

// This code sets what the path names, or has it set by somebody who is given its address, or that of what it is a part of.
bool FunctionLowering::sets(const clang::Stmt* code, const il::Path& path) {
  if (!code) return false;
  const auto* binary = clang::dyn_cast<clang::BinaryOperator>(code);
  const auto* unary = clang::dyn_cast<clang::UnaryOperator>(code);
  const bool assigns = (binary && binary->isAssignmentOp()) || (unary && unary->isIncrementDecrementOp());
  const bool passes = unary && unary->getOpcode() == clang::UO_AddrOf;
  if (assigns || passes)
    if (std::optional<il::Path> target = paths_.lvalue(binary ? binary->getLHS() : unary->getSubExpr()))
      if (assigns ? *target == path : il::is_prefix(*target, path)) return true;
  return llvm::any_of(code->children(), [&](const clang::Stmt* part) { return sets(part, path); });
}

void FunctionLowering::find_first_use(const clang::Expr& condition,
                                      std::vector<std::optional<il::Path>>& roles) {
  std::optional<Tested> tested = test_of(&condition, context_);
  if (!tested || !known_variable(tested->value) || roles[tested->unset]) return;
  std::optional<il::Path> path = paths_.lvalue(tested->value->IgnoreParenImpCasts());
  if (path && path->root.kind == il::RootKind::Global && sets(function_.getBody(), *path))
    roles[tested->unset] = il::first_use_lock(*path);
}

void FunctionLowering::lower_roles(const clang::CFGBlock& block, std::vector<unsigned>& successors) {
  const auto* condition = clang::dyn_cast_or_null<clang::Expr>(block.getTerminatorCondition());
  if (!condition || successors.size() < 2 || block.succ_size() != successors.size()) return;
  std::vector<std::optional<il::Path>> roles(successors.size());
  find_roles(block, *condition, roles);
  std::optional<unsigned> alone = branch_of_child(block, condition, function_);
  if (!alone && successors.size() == 2) alone = branch_of_only_thread(condition, context_);
  if (alone) roles[*alone] = il::only_thread();
  if (successors.size() == 2) find_first_use(*condition, roles);
  if (llvm::none_of(roles, [](const auto& role) { return role.has_value(); })) return;
  const clang::CFGBlock* meet = meet_of(block);
  for (unsigned i = 0; i < roles.size(); ++i) {
    if (!roles[i]) continue;
    successors[i] = edge_to(successors[i],
                            {il::LockOp{il::LockAction::Acquire, il::LockMode::Exclusive, true, *roles[i]}});
    if (meet) releases_[meet].push_back(*roles[i]);
  }
}

} // namespace footrace::scan::frontend
