#include "scan/frontend/slots.h"

#include "scan/frontend/names.h"
#include "scan/frontend/paths.h"

#include "clang/AST/ASTContext.h"
#include "clang/AST/RecursiveASTVisitor.h"

#include <set>

namespace footrace::scan::frontend {

namespace {

const clang::FunctionDecl* function_in(const clang::Expr* value) {
  const clang::Expr* named = stripped(value)->IgnoreParenImpCasts();
  if (const auto* unary = clang::dyn_cast<clang::UnaryOperator>(named);
      unary && unary->getOpcode() == clang::UO_AddrOf)
    named = unary->getSubExpr()->IgnoreParens();
  const auto* name = clang::dyn_cast<clang::DeclRefExpr>(named);
  return name ? clang::dyn_cast<clang::FunctionDecl>(name->getDecl()) : nullptr;
}

// A parameter that is a function pointer: p, or *p.
const clang::ParmVarDecl* formal_in(const clang::Expr* value) {
  const clang::Expr* named = stripped(value)->IgnoreParenImpCasts();
  if (const auto* unary = clang::dyn_cast<clang::UnaryOperator>(named);
      unary && unary->getOpcode() == clang::UO_Deref)
    named = stripped(unary->getSubExpr())->IgnoreParenImpCasts();
  const auto* name = clang::dyn_cast<clang::DeclRefExpr>(named);
  const auto* formal = name ? clang::dyn_cast<clang::ParmVarDecl>(name->getDecl()) : nullptr;
  return formal && formal->getType()->isFunctionPointerType() ? formal : nullptr;
}

// The field or global that an assignment sets; null: something else.
const clang::Decl* slot_in(const clang::Expr* target) {
  const clang::Expr* place = stripped(target)->IgnoreParenImpCasts();
  if (const auto* member = clang::dyn_cast<clang::MemberExpr>(place)) return member->getMemberDecl();
  const auto* name = clang::dyn_cast<clang::DeclRefExpr>(place);
  const auto* variable = name ? clang::dyn_cast<clang::VarDecl>(name->getDecl()) : nullptr;
  return variable && variable->hasGlobalStorage() ? variable : nullptr;
}

class SlotFinder : public clang::RecursiveASTVisitor<SlotFinder> {
public:
  explicit SlotFinder(const clang::SourceManager& sources) : sources_(sources) {}

  bool shouldVisitTemplateInstantiations() const { return true; }
  // Declarations of libraries hold none of the user's functions.
  bool TraverseDecl(clang::Decl* decl) {
    bool skip = decl &&
                !clang::isa<clang::TranslationUnitDecl, clang::NamespaceDecl, clang::LinkageSpecDecl>(decl) &&
                sources_.isInSystemHeader(decl->getLocation());
    return skip || RecursiveASTVisitor::TraverseDecl(decl);
  }
  bool VisitCXXMethodDecl(clang::CXXMethodDecl* method) {
    if (!method->isDependentContext()) add_overridden(*method, *method);
    return true;
  }
  bool VisitBinaryOperator(clang::BinaryOperator* assignment) {
    if (assignment->getOpcode() == clang::BO_Assign)
      add_value(slot_in(assignment->getLHS()), assignment->getRHS());
    return true;
  }
  bool VisitVarDecl(clang::VarDecl* variable) {
    if (variable->hasGlobalStorage() && variable->getInit()) add_value(variable, variable->getInit());
    return true;
  }
  bool VisitCXXCtorInitializer(clang::CXXCtorInitializer* initializer) {
    if (initializer->isMemberInitializer() && initializer->getInit())
      add_value(initializer->getMember(), initializer->getInit());
    return true;
  }
  bool VisitInitListExpr(clang::InitListExpr* list) {
    if (!list->isSemanticForm()) list = list->getSemanticForm();
    const auto* record = list ? list->getType()->getAsRecordDecl() : nullptr;
    if (!record || record->isUnion()) return true;
    unsigned i = 0;
    if (const auto* with_bases = clang::dyn_cast<clang::CXXRecordDecl>(record)) i = with_bases->getNumBases();
    for (const clang::FieldDecl* field : record->fields()) {
      if (field->isUnnamedBitField()) continue;
      if (i >= list->getNumInits()) break;
      if (const clang::Expr* value = list->getInit(i++)) add_value(field, value);
    }
    return true;
  }

  std::set<il::Slot> found;

private:
  void add(const clang::Decl* slot, const clang::FunctionDecl* target) {
    if (slot && target) found.insert({unique_name(*slot), unique_name(*target)});
  }
  void add_value(const clang::Decl* slot, const clang::Expr* value) {
    add(slot, function_in(value));
    const clang::ParmVarDecl* formal = formal_in(value);
    const auto* function = formal ? clang::dyn_cast<clang::FunctionDecl>(formal->getDeclContext()) : nullptr;
    if (!slot || !function || function->isDependentContext()) return;
    const auto* method = clang::dyn_cast<clang::CXXMethodDecl>(function);
    unsigned first = method && method->isInstance() ? 1 : 0; // after `this`
    found.insert({unique_name(*slot), unique_name(*function), first + formal->getFunctionScopeIndex()});
  }
  void add_overridden(const clang::CXXMethodDecl& method, const clang::CXXMethodDecl& target) {
    for (const clang::CXXMethodDecl* base : method.overridden_methods()) {
      if (!clang::isa<clang::CXXDestructorDecl>(base)) add(base, &target);
      add_overridden(*base, target);
    }
  }

  const clang::SourceManager& sources_;
};

} // namespace

std::vector<il::Slot> slots_of(clang::ASTContext& context) {
  SlotFinder finder(context.getSourceManager());
  finder.TraverseDecl(context.getTranslationUnitDecl());
  return {finder.found.begin(), finder.found.end()};
}

} // namespace footrace::scan::frontend
