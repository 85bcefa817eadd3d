// All functions and classes of a translation unit.
#include "scan/frontend/function.h"
#include "scan/frontend/library.h"
#include "scan/frontend/lower.h"
#include "scan/frontend/names.h"
#include "scan/frontend/slots.h"

#include "clang/AST/ASTContext.h"
#include "clang/AST/Attr.h"
#include "clang/AST/RecursiveASTVisitor.h"

namespace footrace::scan::frontend {

namespace {

class Finder : public clang::RecursiveASTVisitor<Finder> {
public:
  explicit Finder(const clang::SourceManager& sources) : sources_(sources) {}

  bool shouldVisitTemplateInstantiations() const { return true; }
  bool VisitFunctionDecl(clang::FunctionDecl* function) {
    if (function->doesThisDeclarationHaveABody()) add(function);
    return true;
  }
  bool VisitVarDecl(clang::VarDecl* variable) {
    if (variable->isFileVarDecl() && variable->hasInit() && is_users(variable->getLocation()) &&
        !variable->getType()->isDependentType())
      initialised.push_back(variable);
    return true;
  }
  bool VisitLambdaExpr(clang::LambdaExpr* lambda) {
    for (const clang::FunctionDecl* body : bodies_of(*lambda)) add(body);
    return true;
  }
  bool VisitCXXRecordDecl(clang::CXXRecordDecl* record) {
    if (record->isThisDeclarationADefinition() && !record->isDependentContext() && !record->isLambda() &&
        is_users(record->getLocation()))
      records.push_back(record);
    return true;
  }

  std::vector<const clang::FunctionDecl*> functions;
  std::vector<const clang::CXXRecordDecl*> records;
  std::vector<const clang::VarDecl*> initialised;

private:
  bool is_users(clang::SourceLocation at) const { return at.isValid() && !sources_.isInSystemHeader(at); }
  void add(const clang::FunctionDecl* function) {
    if (function->isDependentContext() || function->isDefaulted() || !is_users(function->getLocation()))
      return;
    if (seen_.insert(function->getCanonicalDecl()).second) functions.push_back(function);
  }

  const clang::SourceManager& sources_;
  llvm::DenseSet<const clang::FunctionDecl*> seen_;
};

// GUARDED_BY(mu) of a field: a member of the same object, or a global.
std::optional<il::Path> guard_lock(const clang::Expr* expression) {
  expression = stripped(expression)->IgnoreParenImpCasts();
  if (const auto* name = clang::dyn_cast<clang::DeclRefExpr>(expression))
    return il::Path(il::global(shown_name(*name->getDecl())));
  const auto* member = clang::dyn_cast<clang::MemberExpr>(expression);
  if (!member) return std::nullopt;
  std::optional<il::Path> base = clang::isa<clang::CXXThisExpr>(member->getBase()->IgnoreParenImpCasts())
                                     ? il::Path(il::formal(0, "this")).then(il::deref())
                                     : guard_lock(member->getBase());
  if (!base) return std::nullopt;
  const auto* field = clang::dyn_cast<clang::FieldDecl>(member->getMemberDecl());
  return field ? std::optional(base->dot(field_name(*field))) : std::nullopt;
}

bool is_declared_thread_safe(const clang::CXXRecordDecl& record) {
  for (const auto* annotation : record.specific_attrs<clang::AnnotateAttr>())
    if (annotation->getAnnotation() == "footrace::thread_safe") return true;
  return false;
}

il::Class class_of(const clang::CXXRecordDecl& record, IgnoredLines& ignored) {
  il::Class result;
  result.name = class_name(record);
  for (const clang::CXXBaseSpecifier& base : record.bases())
    if (const clang::CXXRecordDecl* parent = base.getType()->getAsCXXRecordDecl())
      result.bases.push_back(class_name(*parent));
  for (const clang::FieldDecl* field : record.fields()) {
    result.has_lock |= is_lockable(field->getType());
    auto add = [&](const clang::Expr* by, bool pointee) {
      if (auto lock = guard_lock(by))
        result.guards.push_back({field_name(*field), {*lock, il::LockMode::Exclusive}, pointee});
    };
    if (const auto* guarded = field->getAttr<clang::GuardedByAttr>()) add(guarded->getArg(), false);
    if (const auto* guarded = field->getAttr<clang::PtGuardedByAttr>()) add(guarded->getArg(), true);
  }
  result.thread_safe = is_declared_thread_safe(record);
  result.ignored = ignored.reason_of(record);
  return result;
}

// What static initialisers call, they call before there are threads; tables of functions are called by somebody who is not
// seen.
class FunctionsIn : public clang::RecursiveASTVisitor<FunctionsIn> {
public:
  explicit FunctionsIn(il::Method& method) : method_(method) {}
  bool VisitCallExpr(clang::CallExpr* call) {
    called_.insert(call->getCallee()->IgnoreParenImpCasts());
    return true;
  }
  bool VisitDeclRefExpr(clang::DeclRefExpr* name) {
    il::CallKind kind = called_.contains(name) ? il::CallKind::Plain : il::CallKind::Hand;
    if (const auto* function = clang::dyn_cast<clang::FunctionDecl>(name->getDecl()))
      method_.blocks[0].statements.push_back({{}, il::Call{std::nullopt, unique_name(*function), {}, kind}});
    return true;
  }
  bool TraverseLambdaExpr(clang::LambdaExpr*) { return true; }

private:
  il::Method& method_;
  llvm::DenseSet<const clang::Expr*> called_;
};

il::Method static_initialisers(const std::vector<const clang::VarDecl*>& variables,
                               const clang::SourceManager& sources) {
  il::Method method;
  auto main = sources.getFileEntryRefForID(sources.getMainFileID());
  method.name = "static initialisers of " + (main ? main->getName().str() : "");
  method.shown = method.name;
  method.internal = method.startup = true;
  method.blocks.resize(1);
  for (const clang::VarDecl* variable : variables)
    FunctionsIn(method).TraverseStmt(const_cast<clang::Expr*>(variable->getInit()));
  return method;
}

bool has_spawn(const il::Method& method) {
  for (const il::Block& block : method.blocks)
    for (const il::Statement& statement : block.statements)
      if (const auto* call = std::get_if<il::Call>(&statement.what);
          call && call->kind == il::CallKind::Spawn)
        return true;
  return false;
}

} // namespace

il::Program lower(clang::ASTContext& context) {
  Finder finder(context.getSourceManager());
  finder.TraverseDecl(context.getTranslationUnitDecl());
  IgnoredLines ignored(context.getSourceManager());
  Discoveries discoveries;
  il::Program program;
  for (const clang::CXXRecordDecl* record : finder.records)
    program.classes.push_back(class_of(*record, ignored));
  program.slots = slots_of(context);
  std::vector<const clang::FunctionDecl*> lowered;
  for (const clang::FunctionDecl* function : finder.functions)
    if (auto method = FunctionLowering(*function, ignored, discoveries).run()) {
      program.methods.push_back(std::move(*method));
      lowered.push_back(function);
    }
  for (std::size_t i = 0; i < lowered.size(); ++i) {
    il::Method& method = program.methods[i];
    method.thread_entry = discoveries.thread_entries.contains(lowered[i]->getCanonicalDecl());
    // main without threads of its own prepares what others share.
    method.startup = lowered[i]->isMain() && !has_spawn(method);
  }
  for (const auto& [of_class, lock] : discoveries.optional_locks) {
    auto known = std::ranges::find(program.classes, of_class, &il::Class::name);
    if (known != program.classes.end()) known->optional_locks.push_back(lock);
  }
  il::Method tables = static_initialisers(finder.initialised, context.getSourceManager());
  if (!tables.blocks[0].statements.empty()) program.methods.push_back(std::move(tables));
  return program;
}

} // namespace footrace::scan::frontend
