// Statements and expressions: what they read and write, and where pointers go.
#include "scan/frontend/function.h"
#include "scan/frontend/guards.h"
#include "scan/frontend/library.h"
#include "scan/frontend/names.h"

#include "clang/AST/ASTContext.h"
#include "clang/AST/ExprConcepts.h"

namespace footrace::scan::frontend {

namespace {

bool holds_pointer(clang::QualType type) {
  return type->isPointerType() || kind_of(type) == TypeKind::Pointer;
}

const clang::CXXConstructExpr* construction(const clang::Expr* expression) {
  return clang::dyn_cast_or_null<clang::CXXConstructExpr>(expression ? stripped(expression) : nullptr);
}

// (void)f()
const clang::Expr* without_void(const clang::Expr* expression) {
  const auto* cast = clang::dyn_cast<clang::CastExpr>(expression);
  return cast && cast->getCastKind() == clang::CK_ToVoid ? stripped(cast->getSubExpr()) : expression;
}

// x of x = y; null: no assignment.
const clang::Expr* assigned_in(const clang::Stmt& statement) {
  if (const auto* binary = clang::dyn_cast<clang::BinaryOperator>(&statement))
    return binary->isAssignmentOp() ? binary->getLHS() : nullptr;
  const auto* call = clang::dyn_cast<clang::CXXOperatorCallExpr>(&statement);
  return call && call->getOperator() == clang::OO_Equal ? call->getArg(0) : nullptr;
}

// Not what a loop begins with.
bool is_repeated(const clang::Stmt& statement, const clang::Stmt& child) {
  if (const auto* loop = clang::dyn_cast<clang::ForStmt>(&statement)) return &child != loop->getInit();
  if (const auto* loop = clang::dyn_cast<clang::CXXForRangeStmt>(&statement))
    return &child == loop->getBody() || &child == loop->getLoopVarStmt();
  return clang::isa<clang::WhileStmt, clang::DoStmt>(statement);
}

bool is_condition(const clang::Stmt& statement, const clang::Stmt* child) {
  if (const auto* choice = clang::dyn_cast<clang::IfStmt>(&statement)) return child == choice->getCond();
  if (const auto* loop = clang::dyn_cast<clang::ForStmt>(&statement)) return child == loop->getCond();
  if (const auto* loop = clang::dyn_cast<clang::WhileStmt>(&statement)) return child == loop->getCond();
  return false;
}

} // namespace

// sizeof(x = 1), noexcept(f()): never run.
static bool is_not_run(const clang::Stmt& statement) {
  if (const auto* type = clang::dyn_cast<clang::CXXTypeidExpr>(&statement))
    return !type->isPotentiallyEvaluated();
  if (const auto* call = clang::dyn_cast<clang::CallExpr>(&statement))
    return call->getBuiltinCallee() == clang::Builtin::BI__builtin_assume;
  return clang::isa<clang::UnaryExprOrTypeTraitExpr, clang::CXXNoexceptExpr, clang::RequiresExpr>(statement);
}

void FunctionLowering::find_not_run(const clang::Stmt& statement) {
  not_run_.insert(&statement);
  for (const clang::Stmt* part : statement.children())
    if (part) find_not_run(*part);
}

void FunctionLowering::find_owners(const clang::Stmt& statement) {
  if (is_not_run(statement)) return find_not_run(statement);
  find_futures(statement);
  if (const auto* declarations = clang::dyn_cast<clang::DeclStmt>(&statement))
    for (const clang::Decl* decl : declarations->decls())
      if (const auto* variable = clang::dyn_cast<clang::VarDecl>(decl)) {
        if (loops_ > 0) scope_.put_in_loop(*variable);
        if (const auto* made = construction(variable->getInit())) owned_.insert(made);
      }
  if (const auto* allocation = clang::dyn_cast<clang::CXXNewExpr>(&statement))
    if (const clang::CXXConstructExpr* made = allocation->getConstructExpr()) owned_.insert(made);
  if (const clang::Expr* target = assigned_in(statement))
    if (const auto* name = clang::dyn_cast<clang::DeclRefExpr>(stripped(target)))
      reassigned_.insert(name->getDecl());
  if (const auto* temporary = clang::dyn_cast<clang::CXXBindTemporaryExpr>(&statement))
    if (const auto* made = construction(temporary)) temporaries_.insert(made);
  if (const auto* unary = clang::dyn_cast<clang::UnaryOperator>(&statement);
      unary && unary->getOpcode() == clang::UO_AddrOf)
    if (const auto* name = clang::dyn_cast<clang::DeclRefExpr>(stripped(unary->getSubExpr())))
      known_to_others_.insert(name->getDecl());
  if (const auto* call = clang::dyn_cast<clang::CallExpr>(&statement);
      call && call->getNumArgs() == 1 && kind_of(call->getType()) == TypeKind::Pointer) // std::ref(x)
    if (const auto* name = clang::dyn_cast<clang::DeclRefExpr>(stripped(call->getArg(0))))
      known_to_others_.insert(name->getDecl());
  if (const auto* lambda = clang::dyn_cast<clang::LambdaExpr>(&statement)) {
    for (const clang::LambdaCapture& capture : lambda->captures())
      if (capture.capturesVariable() && capture.getCaptureKind() == clang::LCK_ByRef)
        known_to_others_.insert(capture.getCapturedVar());
    for (const clang::Expr* init : lambda->capture_inits())
      if (init) find_owners(*init);
    return;
  }
  bool is_sequence =
      clang::isa<clang::CompoundStmt, clang::IfStmt, clang::ForStmt, clang::WhileStmt>(statement);
  for (const clang::Stmt* child : statement.children()) {
    if (!child) continue;
    const auto* expression = clang::dyn_cast<clang::Expr>(child);
    if (is_sequence && expression && !is_condition(statement, child))
      discarded_.insert(without_void(stripped(expression)));
    const bool repeated = is_repeated(statement, *child);
    loops_ += repeated;
    find_owners(*child);
    loops_ -= repeated;
  }
}

void FunctionLowering::visit_part(const clang::Stmt* part) {
  if (part && !elements_.contains(part)) visit(part);
}

void FunctionLowering::visit_children(const clang::Stmt& statement) {
  for (const clang::Stmt* child : statement.children()) visit_part(child);
}

void FunctionLowering::visit(const clang::Stmt* statement) {
  if (not_run_.contains(statement)) return;
  if (const auto* declarations = clang::dyn_cast<clang::DeclStmt>(statement)) return lower(*declarations);
  if (const auto* leave = clang::dyn_cast<clang::ReturnStmt>(statement)) return lower(*leave);
  if (const auto* binary = clang::dyn_cast<clang::BinaryOperator>(statement);
      binary && binary->isAssignmentOp())
    return lower(*binary);
  if (const auto* unary = clang::dyn_cast<clang::UnaryOperator>(statement)) {
    if (unary->isIncrementDecrementOp()) return lower(*unary);
    if (unary->getOpcode() == clang::UO_AddrOf) return visit_place(unary->getSubExpr());
    if (unary->getOpcode() == clang::UO_Deref) return visit_place(unary);
    return visit_children(*unary);
  }
  if (const auto* cast = clang::dyn_cast<clang::CastExpr>(statement)) {
    if (cast->getCastKind() == clang::CK_FunctionToPointerDecay)
      return hand_over(cast->getSubExpr(), nullptr);
    if (cast->getCastKind() != clang::CK_LValueToRValue) return visit_part(cast->getSubExpr());
    visit_place(cast->getSubExpr());
    return use(cast->getSubExpr());
  }
  if (const auto* call = clang::dyn_cast<clang::CallExpr>(statement)) {
    lower(*call);
    return lower_returned_guard(*call);
  }
  if (const auto* atomic = clang::dyn_cast<clang::AtomicExpr>(statement)) return lower(*atomic);
  if (const auto* made = clang::dyn_cast<clang::CXXConstructExpr>(statement)) {
    if (!owned_.contains(made)) lower(*made, il::fresh());
    return;
  }
  if (const auto* allocation = clang::dyn_cast<clang::CXXNewExpr>(statement)) {
    const clang::CXXConstructExpr* made = allocation->getConstructExpr();
    if (!made) return;
    lower(*made, il::fresh());
    Guarded held;
    if (holds_guard(made->getType())) take_guard(made, held);
    if (!held.locks.empty()) guards_[allocation] = std::move(held);
    return;
  }
  if (const auto* deletion = clang::dyn_cast<clang::CXXDeleteExpr>(statement)) return lower(*deletion);
  if (const auto* lambda = clang::dyn_cast<clang::LambdaExpr>(statement))
    return lower_captured_guards(*lambda); // its body is a method of its own
  if (clang::isa<clang::MemberExpr, clang::ArraySubscriptExpr, clang::DeclRefExpr>(statement))
    return visit_place(clang::cast<clang::Expr>(statement));
  visit_children(*statement);
}

void FunctionLowering::visit_place(const clang::Expr* expression) {
  const clang::Expr* place = stripped(expression);
  if (!place || elements_.contains(place)) return;
  if (const auto* member = clang::dyn_cast<clang::MemberExpr>(place))
    return member->isArrow() ? visit_value(member->getBase()) : visit_place(member->getBase());
  if (const auto* access = clang::dyn_cast<clang::ArraySubscriptExpr>(place)) {
    visit_part(access->getIdx());
    return visit_value(access->getBase());
  }
  if (const auto* unary = clang::dyn_cast<clang::UnaryOperator>(place);
      unary && unary->getOpcode() == clang::UO_Deref)
    return visit_value(unary->getSubExpr());
  if (clang::isa<clang::DeclRefExpr>(place)) return hand_over(place, nullptr);
  visit_part(place);
}

void FunctionLowering::visit_value(const clang::Expr* expression) {
  const clang::Expr* value = stripped(expression);
  if (!value || elements_.contains(value)) return;
  const auto* cast = clang::dyn_cast<clang::CastExpr>(value);
  bool loads = cast && (cast->getCastKind() == clang::CK_LValueToRValue ||
                        cast->getCastKind() == clang::CK_ArrayToPointerDecay);
  if (loads) return visit_place(cast->getSubExpr());
  if (value->isGLValue()) return visit_place(value);
  visit_part(value);
}

void FunctionLowering::lower(const clang::DeclStmt& declarations) {
  for (const clang::Decl* decl : declarations.decls())
    if (const auto* variable = clang::dyn_cast<clang::VarDecl>(decl)) lower(*variable);
}

void FunctionLowering::lower(const clang::VarDecl& variable) {
  lower_variable(variable);
  bind_guard(variable);
}

void FunctionLowering::lower_variable(const clang::VarDecl& variable) {
  const clang::Expr* init = variable.getInit();
  // Static variables are initialised once, and others wait for it.
  if (!init || variable.hasGlobalStorage()) return;
  clang::QualType type = variable.getType();
  if (const clang::LambdaExpr* lambda = reassigned_.contains(&variable) ? nullptr : lambda_of(init))
    closures_[&variable] = lambda;
  if (type->isReferenceType()) {
    visit_place(init);
    std::optional<il::Path> path = paths_.lvalue(init);
    if (path && path->root.kind != il::RootKind::Local)
      scope_.bind(variable, *path);
    else if (path) // what a local stands for may change while the reference stays
      emit(init->getExprLoc(), il::Assign{il::Path(scope_.variable(variable)->root), il::address_of(*path)});
    return;
  }
  const auto* made = construction(init);
  TypeKind kind = kind_of(type);
  if (made && kind == TypeKind::Guard && lower_guard(*made, &variable)) return;
  if (made && kind == TypeKind::User && lower_plain_guard(*made, &variable)) return;
  if (holds_pointer(type)) {
    visit_value(init);
    if (made && kind == TypeKind::Pointer)
      for (const clang::Expr* argument : made->arguments()) visit_value(argument);
    if (auto path = scope_.variable(variable))
      emit(init->getExprLoc(), il::Assign{*path, paths_.rvalue(init)});
    return;
  }
  std::optional<il::Path> path = scope_.variable(variable);
  if (made) return lower(*made, path ? il::address_of(*path) : il::fresh());
  visit_part(init);
}

void FunctionLowering::lower(const clang::BinaryOperator& assignment) {
  const clang::Expr *target = assignment.getLHS(), *source = assignment.getRHS();
  bool pointer = assignment.getOpcode() == clang::BO_Assign && holds_pointer(target->getType());
  if (pointer)
    visit_value(source);
  else
    visit_part(source);
  visit_place(target);
  if (assignment.isCompoundAssignmentOp()) use(target);
  write(target, pointer ? paths_.rvalue(source) : il::nothing());
}

void FunctionLowering::lower(const clang::UnaryOperator& step) {
  visit_place(step.getSubExpr());
  use(step.getSubExpr());
  write(step.getSubExpr(), il::nothing());
}

void FunctionLowering::lower(const clang::ReturnStmt& leave) {
  const clang::Expr* value = leave.getRetValue();
  if (!value) return;
  clang::QualType type = function_.getReturnType();
  if (type->isReferenceType()) {
    visit_place(value);
    std::optional<il::Path> path = paths_.lvalue(value);
    return emit(value->getExprLoc(), il::Return{path ? il::address_of(*path) : il::nothing()});
  }
  if (holds_pointer(type)) {
    visit_value(value);
    emit(value->getExprLoc(), il::Return{paths_.rvalue(value)});
    if (holds_guard(type)) end_returned(value);
    return;
  }
  visit_part(value);
  if (holds_guard(type)) end_returned(value);
}

// The caller has it from here on; a variable ends here as every other.
void FunctionLowering::end_returned(const clang::Expr* value) {
  end_guard(stripped(value));
  if (const auto* parts = clang::dyn_cast<clang::InitListExpr>(stripped(value)))
    for (const clang::Expr* part : parts->inits()) end_returned(part);
}

void FunctionLowering::lower(const clang::CXXDeleteExpr& deletion) {
  visit_part(deletion.getArgument());
  if (holds_guard(deletion.getArgument()->getType())) end_guard(guard_of(deletion.getArgument()));
}

void FunctionLowering::lower_initializer(const clang::CXXCtorInitializer& initializer) {
  const clang::Expr* init = initializer.getInit();
  if (!init) return;
  if (const auto* def = clang::dyn_cast<clang::CXXDefaultInitExpr>(init)) init = def->getExpr();
  const auto* made = construction(init);
  if (!made) {
    visit_part(init);
    return bind_guard(initializer);
  }
  il::Path object = scope_.this_pointer().then(il::deref());
  if (initializer.isMemberInitializer()) object = object.dot(field_name(*initializer.getMember()));
  lower(*made, il::address_of(object));
  bind_guard(initializer);
}

} // namespace footrace::scan::frontend
