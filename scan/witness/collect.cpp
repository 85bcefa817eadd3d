#include "scan/witness/collect.h"

#include "scan/frontend/names.h"
#include "scan/witness/recipes.h"

#include "clang/AST/RecursiveASTVisitor.h"

#include <unordered_set>

namespace footrace::scan::witness {
namespace {

// Empty, or why only the program itself can call it.
std::string why_not_callable(const clang::FunctionDecl& function) {
  if (clang::isa<clang::CXXDestructorDecl>(function)) return "it runs only when an object is destroyed";
  if (const auto* method = clang::dyn_cast<clang::CXXMethodDecl>(&function)) {
    if (method->getParent()->isLambda()) return "it is a lambda; write a test that starts it";
    if (method->getAccess() != clang::AS_public)
      return "it is not public; write a test that calls it through a public one";
    if (method->getParent()->isLocalClass()) return "its class is local to a function";
    if (clang::isa<clang::CXXConstructorDecl>(function) && method->getParent()->isAbstract())
      return "its class is abstract";
  }
  if (function.isMain()) return "it is the program itself";
  return "";
}

Passing passing_of(clang::QualType type) {
  if (type->isPointerType()) return Passing::Pointer;
  return type->isLValueReferenceType() ? Passing::Reference : Passing::Copy;
}

class Collector : public clang::RecursiveASTVisitor<Collector> {
public:
  Collector(clang::ASTContext& context, const il::Program& program) : recipes_(context) {
    for (const il::Method& method : program.methods) wanted_.insert(method.name);
  }

  bool shouldVisitTemplateInstantiations() const { return true; }
  bool VisitFunctionDecl(clang::FunctionDecl* function) {
    if (!function->doesThisDeclarationHaveABody() || function->isDependentContext()) return true;
    if (il::Name name = frontend::unique_name(*function); wanted_.erase(name)) add(*function, name);
    return true;
  }

  Facts facts;

private:
  void add(const clang::FunctionDecl& function, il::Name name) {
    CallFacts call;
    call.method = name.text();
    call.missing = why_not_callable(function);
    const auto* method = clang::dyn_cast<clang::CXXMethodDecl>(&function);
    const auto* constructor = clang::dyn_cast<clang::CXXConstructorDecl>(&function);
    call.has_this = method && method->isInstance() && !constructor;
    const std::string scope = function.getLangOpts().CPlusPlus ? "::" : "";
    call.callee = call.has_this ? function.getNameAsString() : scope + frontend::shown_name(function).text();
    if (constructor) // it makes its own object
      call.callee =
          "new " + recipes_.spelled(function.getASTContext().getCanonicalTagType(constructor->getParent()));
    if (call.missing.empty()) {
      for (const clang::ParmVarDecl* parameter : function.parameters()) add_parameter(*parameter, call);
      if (call.has_this) add_object(*method->getParent());
    }
    facts.calls.push_back(std::move(call));
  }

  void add_parameter(const clang::ParmVarDecl& parameter, CallFacts& call) {
    const clang::QualType type = parameter.getType();
    call.parameters.push_back({passing_of(type), recipes_.argument(type)});
    if (const clang::CXXRecordDecl* pointee = type->getPointeeCXXRecordDecl()) add_object(*pointee);
  }

  void add_object(const clang::CXXRecordDecl& record) {
    il::Name name = frontend::class_name(record);
    if (objects_.insert(name).second) facts.objects.push_back({name.text(), recipes_.object(record)});
  }

  Recipes recipes_;
  std::unordered_set<il::Name> wanted_, objects_;
};

} // namespace

Facts collect(clang::ASTContext& context, const il::Program& program) {
  Collector collector(context, program);
  collector.TraverseDecl(context.getTranslationUnitDecl());
  return std::move(collector.facts);
}

} // namespace footrace::scan::witness
