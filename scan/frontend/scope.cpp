#include "scan/frontend/library.h"
#include "scan/frontend/names.h"
#include "scan/frontend/paths.h"

#include "clang/AST/ASTContext.h"
#include "llvm/Support/Path.h"

namespace footrace::scan::frontend {

namespace {

il::Name pointee_class(clang::QualType type) {
  clang::QualType target = type->isReferenceType() ? type.getNonReferenceType()
                           : type->isPointerType() ? type->getPointeeType()
                                                   : clang::QualType();
  if (target.isNull()) return {};
  // In C it has no kind: what is no lock and nothing that threads meet at is the user's.
  const clang::RecordDecl* record = target->getAsRecordDecl();
  const TypeKind kind = kind_of(target);
  const bool users = kind == TypeKind::User || (kind == TypeKind::Scalar && record);
  return users && record ? class_name(*record) : il::Name();
}

// A parameter of class type is a copy: the callee's own.
// What can be called is only called: whose copy it is does not matter.
bool has_own_object(clang::QualType type) {
  return !type->isReferenceType() && type->isRecordType() && !holds_callable(type);
}

bool cannot_race(const clang::VarDecl& variable) {
  return variable.getTLSKind() != clang::VarDecl::TLS_None || variable.isConstexpr();
}

// Equal in every translation unit for one variable, and only for one.
il::Name global_name(const clang::VarDecl& variable) {
  std::string name = shown_name(variable).text();
  if (const auto* function = clang::dyn_cast<clang::FunctionDecl>(variable.getDeclContext()))
    return shown_name(*function).text() + "()::" + name;
  if (variable.isExternallyVisible()) return name;
  il::Location at = location_of(variable.getLocation(), variable.getASTContext().getSourceManager());
  return name + " of " + llvm::sys::path::filename(at.file.text()).str();
}

} // namespace

Scope::Scope(const clang::FunctionDecl& function) : function_(function) {
  const auto* method = clang::dyn_cast<clang::CXXMethodDecl>(&function);
  const clang::CXXRecordDecl* closure =
      method && method->getParent()->isLambda() ? method->getParent() : nullptr;
  if (method && method->isInstance() && !closure) {
    has_this_ = true;
    formals_.push_back({"this", class_name(*method->getParent())});
  }
  if (closure) add_captures(*closure);
  for (const clang::ParmVarDecl* parameter : function.parameters()) {
    clang::QualType type = parameter->getType();
    parameters_[parameter] = {unsigned(formals_.size()), type->isReferenceType()};
    formals_.push_back({parameter->getNameAsString(), pointee_class(type)});
  }
}

// A closure's body is a function of what it captures: `this` first, then the variables, then the parameters.
void Scope::add_captures(const clang::CXXRecordDecl& closure) {
  for (const clang::LambdaCapture& capture : closure.captures()) {
    if (!capture.capturesThis()) continue;
    has_this_ = true;
    const auto* outer = clang::dyn_cast_or_null<clang::CXXRecordDecl>(closure.getEnclosingNamespaceContext());
    formals_.push_back({"this", outer ? class_name(*outer) : il::Name()});
  }
  for (const clang::LambdaCapture& capture : closure.captures()) {
    if (!capture.capturesVariable()) continue;
    const auto* variable = clang::dyn_cast<clang::VarDecl>(capture.getCapturedVar());
    if (!variable) continue;
    bool by_reference = capture.getCaptureKind() == clang::LCK_ByRef;
    parameters_[variable] = {unsigned(formals_.size()), by_reference};
    formals_.push_back({variable->getNameAsString(), {}});
  }
}

il::Root Scope::result_of(const clang::Expr& call) {
  unsigned number = results_.try_emplace(&call, unsigned(results_.size() + 1)).first->second;
  return il::local("%" + std::to_string(number));
}

std::optional<il::Root> Scope::formal(const clang::VarDecl& variable) const {
  auto parameter = parameters_.find(&variable);
  if (parameter == parameters_.end()) return std::nullopt;
  return il::formal(parameter->second.index, variable.getNameAsString());
}

std::optional<il::Path> Scope::variable(const clang::VarDecl& variable) const {
  if (auto known = references_.find(&variable); known != references_.end()) return known->second;
  if (auto parameter = parameters_.find(&variable); parameter != parameters_.end()) {
    il::Path path(il::formal(parameter->second.index, variable.getNameAsString()));
    if (parameter->second.by_reference) return path.then(il::deref());
    if (!has_own_object(variable.getType()) || kind_of(variable.getType()) == TypeKind::Pointer) return path;
    return il::Path(il::local(variable.getNameAsString() + "#copy")); // not the formal of that name
  }
  if (cannot_race(variable)) return std::nullopt;
  // The place tells variables of one name apart.
  std::string name = variable.getNameAsString();
  il::Path path = variable.hasGlobalStorage()
                      ? il::Path(il::global(global_name(variable)))
                      : il::Path(il::variable(name, variable.getLocation().getRawEncoding(),
                                              in_loops_.contains(&variable)));
  return variable.getType()->isReferenceType() ? path.then(il::deref()) : path;
}

} // namespace footrace::scan::frontend
