#include "scan/frontend/function.h"

#include "scan/frontend/conditions.h"
#include "scan/frontend/guards.h"
#include "scan/frontend/library.h"
#include "scan/frontend/names.h"

#include "clang/AST/ASTContext.h"
#include "clang/AST/Attr.h"
#include "clang/AST/DeclTemplate.h"
#include "clang/Analysis/Analyses/PostOrderCFGView.h"

#include <map>

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

// Who overrides what is not public is called as that is, whatever it says itself.
il::Visibility visibility_of(const clang::FunctionDecl& function) {
  il::Visibility visibility = function.getAccess() == clang::AS_private     ? il::Visibility::Private
                              : function.getAccess() == clang::AS_protected ? il::Visibility::Protected
                                                                            : il::Visibility::Public;
  if (const auto* method = clang::dyn_cast<clang::CXXMethodDecl>(&function))
    for (const clang::CXXMethodDecl* overridden : method->overridden_methods())
      visibility = std::max(visibility, visibility_of(*overridden));
  return visibility;
}

const clang::CXXRecordDecl* enclosing_class(const clang::DeclContext* context) {
  for (; context; context = context->getParent()) {
    const auto* record = clang::dyn_cast<clang::CXXRecordDecl>(context);
    if (record && !record->isLambda()) return record;
  }
  return nullptr;
}

// Where both ways out of a condition lead: ids go down in the order of the source.
const clang::CFGBlock* first_common(const clang::CFGBlock& branch) {
  std::map<unsigned, const clang::CFGBlock*> reached[2];
  unsigned side = 0;
  for (const clang::CFGBlock::AdjacentBlock& start : branch.succs()) {
    std::vector<const clang::CFGBlock*> work = {start.getReachableBlock()};
    while (!work.empty()) {
      const clang::CFGBlock* block = work.back();
      work.pop_back();
      if (!block || block->getBlockID() >= branch.getBlockID()) continue;
      if (!reached[side].emplace(block->getBlockID(), block).second) continue;
      for (const clang::CFGBlock::AdjacentBlock& next : block->succs())
        work.push_back(next.getReachableBlock());
    }
    ++side;
  }
  for (auto entry = reached[0].rbegin(); entry != reached[0].rend(); ++entry)
    if (reached[1].contains(entry->first)) return entry->second;
  return nullptr;
}

// Declarations come before their uses, guards before their ends: a block comes after what it is reached from, but for the heads of
// loops. Ids do not tell: those of the cases of a switch are above that of the block which chooses.
std::vector<const clang::CFGBlock*> in_order_of_control(const clang::CFG& cfg) {
  const clang::PostOrderCFGView view(&cfg);
  std::vector<const clang::CFGBlock*> order(view.begin(), view.end());
  const llvm::DenseSet<const clang::CFGBlock*> reached(order.begin(), order.end());
  for (const clang::CFGBlock* block : cfg)
    if (!reached.contains(block)) order.push_back(block);
  return order;
}

// if constexpr (...), if consteval: the other branch is not part of the program.
std::optional<unsigned> only_branch(const clang::CFGBlock& block, const clang::ASTContext& context) {
  const auto* choice = clang::dyn_cast_or_null<clang::IfStmt>(block.getTerminatorStmt());
  if (!choice) return std::nullopt;
  if (choice->isConsteval()) return choice->isNegatedConsteval() ? 0 : 1;
  if (!choice->isConstexpr() || choice->getCond()->isValueDependent()) return std::nullopt;
  bool holds = false;
  if (!choice->getCond()->EvaluateAsBooleanCondition(holds, context)) return std::nullopt;
  return holds ? 0 : 1;
}

// Of a plain or a smart pointer; null: neither.
clang::QualType pointee_of(clang::QualType type) {
  if (type->isPointerType()) return type->getPointeeType();
  const auto* record =
      clang::dyn_cast_or_null<clang::ClassTemplateSpecializationDecl>(type->getAsCXXRecordDecl());
  bool smart = record && kind_of(type) == TypeKind::Pointer && record->getTemplateArgs().size() > 0 &&
               record->getTemplateArgs()[0].getKind() == clang::TemplateArgument::Type;
  return smart ? record->getTemplateArgs()[0].getAsType() : clang::QualType();
}

} // namespace

FunctionLowering::FunctionLowering(const clang::FunctionDecl& function, IgnoredLines& ignored,
                                   Discoveries& discoveries)
    : function_(function), context_(function.getASTContext()), ignored_(ignored), discoveries_(discoveries),
      scope_(function), paths_(scope_, &ignored_), tries_(*function.getBody()) {}

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
  // What a lock does with its own fields is its own business.
  const clang::QualType type = of_class ? context_.getCanonicalTagType(of_class) : clang::QualType();
  const bool named = function_.getDeclName().isIdentifier();
  bool of_lock =
      of_class && (kind_of(type) == TypeKind::Lock || is_users_guard(*of_class) ||
                   (named && lock_call(function_.getName()) != LockCall::None && is_lockable(type)));
  // What is moved from is about to go.
  const auto* constructor = clang::dyn_cast<clang::CXXConstructorDecl>(&function_);
  method_.internal = closure || of_lock || (constructor && constructor->isMoveConstructor());
  method_.required = required_locks(function_);
  method_.ignored = ignored_.reason_of(function_);
  if (method_.ignored.empty() && of_class) method_.ignored = ignored_.reason_of(*of_class);
}

std::optional<il::Method> FunctionLowering::run() {
  clang::Stmt* body = function_.getBody();
  std::unique_ptr<clang::CFG> cfg = clang::CFG::buildCFG(&function_, body, &context_, cfg_options());
  if (!cfg) return std::nullopt;
  describe_method();
  lower_guard_formals();
  find_owners(*body);
  if (const auto* constructor = clang::dyn_cast<clang::CXXConstructorDecl>(&function_))
    for (const clang::CXXCtorInitializer* part : constructor->inits())
      if (part->getInit()) find_owners(*part->getInit());
  lower_blocks(*cfg);
  return std::move(method_);
}

// Block ids count down from the entry; our entry is block 0.
void FunctionLowering::lower_blocks(const clang::CFG& cfg) {
  unsigned count = cfg.getNumBlockIDs();
  auto number = [&](const clang::CFGBlock& block) {
    return cfg.getEntry().getBlockID() - block.getBlockID();
  };
  for (const clang::CFGBlock* block : cfg)
    for (const clang::CFGElement& element : *block)
      if (auto statement = element.getAs<clang::CFGStmt>()) elements_.insert(statement->getStmt());
  method_.blocks.resize(count);
  find_handlers(cfg);
  for (const clang::CFGBlock* block : in_order_of_control(cfg)) {
    here_ = number(*block);
    std::vector<il::Statement> statements;
    out_ = &statements;
    in_try_ = false;
    block_ = block;
    merge_guards(*block);
    tried_.reset();
    seen_.reset();
    awaited_.reset();
    for (const il::Path& lock_of_none : releases_.lookup(block))
      lock(il::LockAction::Release, lock_of_none, il::LockMode::Exclusive, true);
    for (const clang::CFGElement& element : *block) {
      may_throw(element);
      lower_element(element);
      note_threads(element);
    }
    if (!guards_.empty()) guards_after_[block] = guards_;
    std::vector<unsigned> successors;
    for (const clang::CFGBlock::AdjacentBlock& next : block->succs())
      if (const clang::CFGBlock* target =
              next.getReachableBlock() ? next.getReachableBlock() : next.getPossiblyUnreachableBlock())
        successors.push_back(number(*target));
    if (std::optional<unsigned> only = only_branch(*block, context_); only && successors.size() == 2)
      successors = {successors[*only]};
    // A call that never returns: the end of the method is not reached, so the block leads nowhere but to itself.
    if (block->hasNoReturnElement()) successors = {here_};
    lower_unwinding(*block, successors);
    lower_try_lock(*block, successors);
    lower_seen(successors);
    lower_awaited(successors);
    lower_optional_lock(*block, successors);
    lower_roles(*block, successors);
    method_.blocks[here_].statements = std::move(statements);
    method_.blocks[here_].successors = std::move(successors);
  }
  lower_handlers_alone();
}

const clang::CFGBlock* FunctionLowering::meet_of(const clang::CFGBlock& block) {
  if (!ends_) ends_ = std::make_unique<clang::CFGPostDomTree>(block.getParent());
  const auto* node = ends_->getBase().getNode(const_cast<clang::CFGBlock*>(&block));
  return node && node->getIDom() ? node->getIDom()->getBlock() : nullptr;
}

// if (m.try_lock()): the lock is held on one of the two ways only.
void FunctionLowering::lower_try_lock(const clang::CFGBlock& block, std::vector<unsigned>& successors) {
  if (!tried_) return;
  const clang::Expr* condition = condition_of(block);
  bool branches = successors.size() == 2 && condition &&
                  !clang::isa_and_nonnull<clang::SwitchStmt>(block.getTerminatorStmt());
  if (!branches) {
    if (!tried_->taken_before)
      for (const il::RequiredLock& held : tried_->locks)
        lock(il::LockAction::Acquire, held.lock, held.mode, true);
    return; // its result went somewhere: taken as held
  }
  bool true_is_success =
      tried_->if_true.value_or(comparison_of(condition, context_).is_zero() == tried_->negated);
  unsigned& changed = successors[true_is_success != tried_->taken_before ? 0 : 1];
  il::LockAction action = tried_->taken_before ? il::LockAction::Release : il::LockAction::Acquire;
  std::vector<decltype(il::Statement::what)> statements;
  for (const il::RequiredLock& held : tried_->locks)
    statements.push_back(il::LockOp{action, held.mode, true, held.lock});
  changed = edge_to(changed, std::move(statements));
}

unsigned FunctionLowering::edge_to(unsigned successor,
                                   std::vector<decltype(il::Statement::what)> statements) {
  il::Block edge;
  for (auto& what : statements)
    edge.statements.push_back({location_of(at_, context_.getSourceManager()), std::move(what)});
  edge.successors.push_back(successor);
  method_.blocks.push_back(std::move(edge));
  return unsigned(method_.blocks.size() - 1);
}

// if (mutex_) { lock; f(); } else f(): an object without its lock is not shared, so the other way counts as locked, up to
// where the two meet.
void FunctionLowering::lower_optional_lock(const clang::CFGBlock& block, std::vector<unsigned>& successors) {
  const clang::Expr* condition = condition_of(block);
  if (!condition || successors.size() != 2 || block.succ_size() != 2) return;
  std::optional<il::Path> lock = tested_lock(condition);
  const clang::CFGBlock* meet = lock ? first_common(block) : nullptr;
  if (!meet) return;
  unsigned null_branch = comparison_of(condition, context_).is_zero() ? 0 : 1;
  successors[null_branch] = edge_to(
      successors[null_branch], {il::LockOp{il::LockAction::Acquire, il::LockMode::Exclusive, true, *lock}});
  releases_[meet].push_back(*lock);
}

// The lock behind a pointer that is compared with nullptr.
std::optional<il::Path> FunctionLowering::tested_lock(const clang::Expr* condition) {
  const clang::Expr* pointer = stripped(condition)->IgnoreParenImpCasts();
  if (const auto* unary = clang::dyn_cast<clang::UnaryOperator>(pointer);
      unary && unary->getOpcode() == clang::UO_LNot)
    return tested_lock(unary->getSubExpr());
  if (const auto* binary = clang::dyn_cast<clang::BinaryOperator>(pointer);
      binary && binary->isEqualityOp() &&
      binary->getRHS()->isNullPointerConstant(context_, clang::Expr::NPC_ValueDependentIsNotNull))
    return tested_lock(binary->getLHS());
  if (const auto* call = clang::dyn_cast<clang::CXXMemberCallExpr>(pointer);
      call && clang::isa_and_nonnull<clang::CXXConversionDecl>(call->getDirectCallee()))
    pointer = stripped(call->getImplicitObjectArgument());
  clang::QualType target = pointee_of(pointer->getType());
  if (target.isNull() || !is_lockable(target)) return std::nullopt;
  std::optional<il::Path> place = paths_.lvalue(pointer);
  return place ? std::optional(place->then(il::deref())) : std::nullopt;
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
    end_variable(*end->getVarDecl());
  } else if (auto temporary = element.getAs<clang::CFGTemporaryDtor>()) {
    end_temporary(*temporary->getBindTemporaryExpr());
  }
}

void FunctionLowering::end_variable(const clang::VarDecl& variable) {
  clang::QualType type = variable.getType();
  bool has_end = kind_of(type) == TypeKind::User && holds_guard(type); // of its own, before that of its guard
  if (guards_.contains(&variable) && !has_end) return end_guard(&variable);
  if (must_wait_at_end(variable)) wait_for_threads(at_);
  const clang::CXXRecordDecl* record = type->getAsCXXRecordDecl();
  const clang::CXXDestructorDecl* destructor =
      record && record->hasDefinition() ? record->getDestructor() : nullptr;
  if (!destructor || kind_of(type) != TypeKind::User || !destructor->isUserProvided())
    return end_guard(&variable);
  if (auto path = scope_.variable(variable))
    emit(at_, il::Call{std::nullopt, unique_name(*destructor), {il::address_of(*path)}, il::CallKind::Plain});
  end_guard(&variable);
}

void FunctionLowering::emit(clang::SourceLocation at, decltype(il::Statement::what) what) {
  bool access = std::holds_alternative<il::Assign>(what) || std::holds_alternative<il::Use>(what);
  if (access && !ignored_.reason(at).empty()) return;
  out_->push_back({location_of(at, context_.getSourceManager()), std::move(what)});
}

bool FunctionLowering::cannot_race(const clang::Expr* expression) {
  TypeKind kind = kind_of(expression->getType());
  return kind == TypeKind::Synchronised || kind == TypeKind::Lock || kind == TypeKind::Guard ||
         paths_.is_ignored(expression);
}

// Of a local variable, or a part of it: a closure has a reference to it, or its address was taken.
bool FunctionLowering::is_known_to_others(const clang::Expr* expression) const {
  expression = stripped(expression);
  while (const auto* member = clang::dyn_cast_or_null<clang::MemberExpr>(expression)) {
    if (member->isArrow()) return false;
    expression = stripped(member->getBase());
  }
  const auto* name = clang::dyn_cast_or_null<clang::DeclRefExpr>(expression);
  return name && known_to_others_.contains(name->getDecl());
}

// b ? x : y: either (A6).
static const clang::ConditionalOperator* choice_in(const clang::Expr* expression) {
  return clang::dyn_cast_or_null<clang::ConditionalOperator>(stripped(expression));
}

void FunctionLowering::use(const clang::Expr* expression) {
  if (const clang::ConditionalOperator* choice = choice_in(expression)) {
    use(choice->getTrueExpr());
    return use(choice->getFalseExpr());
  }
  if (cannot_race(expression)) return;
  std::optional<il::Path> path = paths_.lvalue(expression);
  if (path &&
      (path->root.kind != il::RootKind::Local || has_deref_after(*path, 0) || is_known_to_others(expression)))
    emit(expression->getExprLoc(), il::Use{*path});
}

void FunctionLowering::write(const clang::Expr* target, il::Value value) {
  if (const clang::ConditionalOperator* choice = choice_in(target)) {
    write(choice->getTrueExpr(), value);
    return write(choice->getFalseExpr(), value);
  }
  if (cannot_race(target)) return;
  if (std::optional<il::Path> path = paths_.lvalue(target))
    emit(target->getExprLoc(), il::Assign{*path, std::move(value)});
}

} // namespace footrace::scan::frontend
