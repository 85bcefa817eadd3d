#include "scan/frontend/function.h"

#include "scan/frontend/library.h"
#include "scan/frontend/names.h"

#include "clang/AST/ASTContext.h"
#include "clang/AST/Attr.h"

namespace footrace::scan::frontend {

namespace {

clang::CFG::BuildOptions cfg_options() {
  clang::CFG::BuildOptions options;
  options.AddImplicitDtors = true;
  options.AddTemporaryDtors = true;
  options.AddInitializers = true;
  options.AddEHEdges = false;
  options.AddCXXDefaultInitExprInCtors = true;
  options.PruneTriviallyFalseEdges = false; // A6: every branch may be taken
  return options;
}

il::Visibility visibility_of(const clang::FunctionDecl& function) {
  switch (function.getAccess()) {
  case clang::AS_private:
    return il::Visibility::Private;
  case clang::AS_protected:
    return il::Visibility::Protected;
  case clang::AS_public:
  case clang::AS_none:
    return il::Visibility::Public;
  }
  return il::Visibility::Public;
}

const clang::CXXRecordDecl* enclosing_class(const clang::DeclContext* context) {
  for (; context; context = context->getParent()) {
    const auto* record = clang::dyn_cast<clang::CXXRecordDecl>(context);
    if (record && !record->isLambda()) return record;
  }
  return nullptr;
}

// !x and x == 0 are true when x is not.
bool may_fail_if_true(const clang::Stmt& condition) {
  const auto* expression = clang::dyn_cast<clang::Expr>(&condition);
  if (!expression) return false;
  expression = expression->IgnoreParenImpCasts();
  if (const auto* unary = clang::dyn_cast<clang::UnaryOperator>(expression))
    return unary->getOpcode() == clang::UO_LNot && !may_fail_if_true(*unary->getSubExpr());
  if (const auto* binary = clang::dyn_cast<clang::BinaryOperator>(expression))
    return binary->getOpcode() == clang::BO_EQ;
  return false;
}

} // namespace

FunctionLowering::FunctionLowering(const clang::FunctionDecl& function, IgnoredLines& ignored,
                                   Discoveries& discoveries)
    : function_(function), context_(function.getASTContext()), ignored_(ignored), discoveries_(discoveries),
      scope_(function), paths_(scope_) {}

void FunctionLowering::describe_method() {
  const auto* member = clang::dyn_cast<clang::CXXMethodDecl>(&function_);
  bool closure = member && member->getParent()->isLambda();
  const clang::CXXRecordDecl* of_class = member ? enclosing_class(function_.getParent()) : nullptr;
  method_.name = unique_name(function_);
  method_.shown = shown_name(function_);
  if (of_class) method_.of_class = class_name(*of_class);
  method_.at = location_of(function_.getLocation(), context_.getSourceManager());
  method_.formals = scope_.formals();
  method_.has_this = scope_.has_this();
  if (method_.has_this && of_class) method_.formals[0].type = method_.of_class;
  method_.visibility = visibility_of(function_);
  method_.constructor = clang::isa<clang::CXXConstructorDecl>(function_);
  method_.destructor = clang::isa<clang::CXXDestructorDecl>(function_);
  method_.internal = closure;
  method_.required = required_locks(function_);
  method_.ignored = ignored_.reason(function_.getLocation()).str();
}

std::optional<il::Method> FunctionLowering::run() {
  clang::Stmt* body = function_.getBody();
  if (!body) return std::nullopt;
  std::unique_ptr<clang::CFG> cfg = clang::CFG::buildCFG(&function_, body, &context_, cfg_options());
  if (!cfg) return std::nullopt;
  describe_method();
  find_owners(*body);
  lower_blocks(*cfg);
  return std::move(method_);
}

// Block ids count down from the entry; our entry is block 0.
void FunctionLowering::lower_blocks(const clang::CFG& cfg) {
  unsigned count = cfg.getNumBlockIDs();
  auto number = [&](const clang::CFGBlock& block) {
    return cfg.getEntry().getBlockID() - block.getBlockID();
  };
  std::vector<const clang::CFGBlock*> by_id(count);
  for (const clang::CFGBlock* block : cfg) {
    by_id[block->getBlockID()] = block;
    for (const clang::CFGElement& element : *block)
      if (auto statement = element.getAs<clang::CFGStmt>()) elements_.insert(statement->getStmt());
  }
  method_.blocks.resize(count);
  // In the order of ids, which is that of the source: declarations are lowered before their uses.
  for (unsigned id = count; id-- > 0;) {
    const clang::CFGBlock* block = by_id[id];
    if (!block) continue;
    unsigned here = number(*block);
    std::vector<il::Statement> statements;
    out_ = &statements;
    tried_.reset();
    for (const clang::CFGElement& element : *block) lower_element(element);
    std::vector<unsigned> successors;
    for (const clang::CFGBlock::AdjacentBlock& next : block->succs())
      if (const clang::CFGBlock* target =
              next.getReachableBlock() ? next.getReachableBlock() : next.getPossiblyUnreachableBlock())
        successors.push_back(number(*target));
    // A call that never returns: the end of the method is not reached, so the block leads nowhere but to itself.
    if (block->hasNoReturnElement()) successors = {here};
    lower_try_lock(*block, successors);
    method_.blocks[here].statements = std::move(statements);
    method_.blocks[here].successors = std::move(successors);
  }
}

// if (m.try_lock()): the lock is held on one of the two ways only.
void FunctionLowering::lower_try_lock(const clang::CFGBlock& block, std::vector<unsigned>& successors) {
  if (!tried_) return;
  bool branches = successors.size() == 2 && block.getTerminatorCondition();
  if (!branches) {
    if (!tried_->taken_before)
      for (const il::RequiredLock& held : tried_->locks)
        lock(il::LockAction::Acquire, held.lock, held.mode, true);
    return; // its result went somewhere: taken as held
  }
  bool true_is_success = may_fail_if_true(*block.getTerminatorCondition()) == tried_->negated;
  unsigned& changed = successors[true_is_success != tried_->taken_before ? 0 : 1];
  il::LockAction action = tried_->taken_before ? il::LockAction::Release : il::LockAction::Acquire;
  il::Block edge;
  for (const il::RequiredLock& held : tried_->locks)
    edge.statements.push_back(
        {location_of(at_, context_.getSourceManager()), il::LockOp{action, held.mode, true, held.lock}});
  edge.successors.push_back(changed);
  changed = unsigned(method_.blocks.size());
  method_.blocks.push_back(std::move(edge));
}

void FunctionLowering::lower_element(const clang::CFGElement& element) {
  if (auto statement = element.getAs<clang::CFGStmt>()) {
    at_ = statement->getStmt()->getBeginLoc();
    visit(statement->getStmt());
  } else if (auto initializer = element.getAs<clang::CFGInitializer>()) {
    at_ = initializer->getInitializer()->getSourceLocation();
    lower_initializer(*initializer->getInitializer());
  } else if (auto end = element.getAs<clang::CFGAutomaticObjDtor>()) {
    at_ = end->getTriggerStmt() ? end->getTriggerStmt()->getEndLoc() : at_;
    end_guard(end->getVarDecl());
    if (const clang::CXXDestructorDecl* destructor = end->getDestructorDecl(context_))
      if (kind_of(end->getVarDecl()->getType()) == TypeKind::User && destructor->isUserProvided())
        if (auto path = scope_.variable(*end->getVarDecl()))
          emit(
              at_,
              il::Call{std::nullopt, unique_name(*destructor), {il::address_of(*path)}, il::CallKind::Plain});
  } else if (auto temporary = element.getAs<clang::CFGTemporaryDtor>()) {
    end_guard(temporary->getBindTemporaryExpr());
  }
}

void FunctionLowering::emit(clang::SourceLocation at, decltype(il::Statement::what) what) {
  bool access = std::holds_alternative<il::Assign>(what) || std::holds_alternative<il::Use>(what);
  if (access && !ignored_.reason(at).empty()) return;
  out_->push_back({location_of(at, context_.getSourceManager()), std::move(what)});
}

bool FunctionLowering::cannot_race(const clang::Expr* expression) const {
  TypeKind kind = kind_of(expression->getType());
  return kind == TypeKind::Synchronised || kind == TypeKind::Lock || kind == TypeKind::Guard;
}

void FunctionLowering::use(const clang::Expr* expression) {
  if (cannot_race(expression)) return;
  std::optional<il::Path> path = paths_.lvalue(expression);
  if (path && (path->root.kind != il::RootKind::Local || has_deref_after(*path, 0)))
    emit(expression->getExprLoc(), il::Use{*path});
}

void FunctionLowering::write(const clang::Expr* target, il::Value value) {
  if (cannot_race(target)) return;
  if (std::optional<il::Path> path = paths_.lvalue(target))
    emit(target->getExprLoc(), il::Assign{*path, std::move(value)});
}

} // namespace footrace::scan::frontend
