#include "scan/frontend/paths.h"

#include "scan/frontend/library.h"
#include "scan/frontend/names.h"

#include "clang/AST/ASTContext.h"

namespace footrace::scan::frontend {

namespace {

bool keeps_the_object(const clang::CastExpr& cast) {
  switch (cast.getCastKind()) {
  case clang::CK_NoOp:
  case clang::CK_DerivedToBase:
  case clang::CK_UncheckedDerivedToBase:
  case clang::CK_BaseToDerived:
  case clang::CK_Dynamic:
  case clang::CK_BitCast:
  case clang::CK_ConstructorConversion:
  case clang::CK_UserDefinedConversion:
  case clang::CK_LValueBitCast:
    return true;
  default:
    return false;
  }
}

il::Step index_step(const clang::Expr& index, const clang::ASTContext& context) {
  clang::Expr::EvalResult result;
  if (!index.isValueDependent() && index.EvaluateAsInt(result, context))
    return il::field("[" + llvm::toString(result.Val.getInt(), 10) + "]");
  return il::element();
}

// std::get<1>(x): one of several that are told apart, as x.second is of a pair; by its type: any.
il::Path part_of(const il::Path& content, const clang::FunctionDecl& get) {
  const clang::TemplateArgumentList* arguments = get.getTemplateSpecializationArgs();
  if (!arguments || arguments->size() == 0 ||
      arguments->get(0).getKind() != clang::TemplateArgument::Integral)
    return content;
  const std::string number = llvm::toString(arguments->get(0).getAsIntegral(), 10);
  const clang::CXXRecordDecl* whole =
      get.getNumParams() == 1 ? get.getParamDecl(0)->getType().getNonReferenceType()->getAsCXXRecordDecl()
                              : nullptr;
  if (whole && plain_name(*whole) == "std::pair")
    for (const clang::FieldDecl* field : whole->fields())
      if (field->getName() == (number == "0" ? "first" : "second")) return content.dot(field_name(*field));
  return content.dot("[" + number + "]");
}

} // namespace

llvm::StringRef method_name(const clang::CallExpr& call) {
  const clang::FunctionDecl* callee = call.getDirectCallee();
  if (!callee) return "";
  if (callee->getDeclName().isIdentifier()) return callee->getName();
  switch (callee->getOverloadedOperator()) {
  case clang::OO_Subscript:
    return "operator[]";
  case clang::OO_Star:
    return "operator*";
  case clang::OO_Arrow:
    return "operator->";
  default:
    return "";
  }
}

const clang::Expr* stripped(const clang::Expr* expression) {
  while (expression) {
    const clang::Expr* before = expression;
    expression = expression->IgnoreParens();
    if (const auto* full = clang::dyn_cast<clang::FullExpr>(expression)) expression = full->getSubExpr();
    if (const auto* temporary = clang::dyn_cast<clang::CXXBindTemporaryExpr>(expression))
      expression = temporary->getSubExpr();
    if (const auto* materialized = clang::dyn_cast<clang::MaterializeTemporaryExpr>(expression))
      expression = materialized->getSubExpr();
    if (const auto* def = clang::dyn_cast<clang::CXXDefaultArgExpr>(expression)) expression = def->getExpr();
    if (const auto* cast = clang::dyn_cast<clang::CastExpr>(expression); cast && keeps_the_object(*cast))
      expression = cast->getSubExpr();
    if (expression == before) break;
  }
  return expression;
}

const clang::Expr* object_of(const clang::CallExpr& call) {
  if (const auto* member = clang::dyn_cast<clang::CXXMemberCallExpr>(&call))
    return member->getImplicitObjectArgument();
  const auto* method = clang::dyn_cast_or_null<clang::CXXMethodDecl>(call.getDirectCallee());
  if (clang::isa<clang::CXXOperatorCallExpr>(call) && method && method->isInstance() && call.getNumArgs() > 0)
    return call.getArg(0);
  return nullptr;
}

bool gives_pointer(const clang::CallExpr& call) {
  return call.isGLValue() || call.getType()->isPointerType() || kind_of(call.getType()) == TypeKind::Pointer;
}

std::vector<const clang::Expr*> arguments_of(const clang::CallExpr& call) {
  std::vector<const clang::Expr*> arguments(call.arg_begin(), call.arg_end());
  bool object_first = clang::isa<clang::CXXOperatorCallExpr>(call) && object_of(call);
  if (object_first) arguments.erase(arguments.begin());
  return arguments;
}

static clang::QualType object_type(const clang::CallExpr& call) {
  const clang::Expr* object = object_of(call);
  if (!object) return {};
  clang::QualType type = object->getType();
  return type->isPointerType() ? type->getPointeeType() : type;
}

TypeKind object_kind(const clang::CallExpr& call) {
  clang::QualType type = object_type(call);
  return type.isNull() ? TypeKind::Scalar : kind_of(type);
}

static bool has_numbered_elements(const clang::CallExpr& call) {
  const clang::CXXRecordDecl* record = object_type(call)->getAsCXXRecordDecl();
  const std::string name = record ? plain_name(*record) : "";
  return name == "std::array" || name == "std::vector" || name == "std::deque";
}

bool is_on_lockable(const clang::CallExpr& call) {
  clang::QualType type = object_type(call);
  return !type.isNull() && is_lockable(type);
}

std::optional<il::Path> Paths::object(const clang::CallExpr& call) {
  const clang::Expr* object = object_of(call);
  if (!object) return std::nullopt;
  return object->getType()->isPointerType() ? behind(rvalue(object)) : lvalue(object);
}

std::optional<il::Path> behind(const il::Value& pointer) {
  if (pointer.kind == il::ValueKind::Path) return pointer.path.then(il::deref());
  if (pointer.kind == il::ValueKind::Address) return pointer.path;
  return std::nullopt;
}

std::optional<il::Path> Paths::member(const clang::MemberExpr& expression) {
  if (const auto* variable = clang::dyn_cast<clang::VarDecl>(expression.getMemberDecl()))
    return scope_.variable(*variable); // static member
  const auto* field = clang::dyn_cast<clang::FieldDecl>(expression.getMemberDecl());
  if (!field) return std::nullopt;
  const clang::Expr* base = expression.getBase();
  std::optional<il::Path> object = expression.isArrow() ? behind(rvalue(base)) : lvalue(base);
  if (!object) return std::nullopt;
  // A part of a library object: pair.first.
  if (!expression.isArrow() && kind_of(base->getType()) == TypeKind::Value)
    object = object->then(il::content());
  if (!field->getDeclName().isEmpty()) object = object->dot(field_name(*field));
  return field->getType()->isReferenceType() ? object->then(il::deref()) : *object;
}

// (&a[2])[1]: another element of the same array, or of what is no array.
static std::optional<il::Path> beside(il::Path place) {
  const bool element = !place.steps.empty() && (place.steps.back().kind == il::StepKind::Element ||
                                                place.steps.back().field.text().starts_with("["));
  if (!element) return std::nullopt;
  place.steps.back() = il::element();
  return place;
}

std::optional<il::Path> Paths::subscript(const clang::ArraySubscriptExpr& expression) {
  const clang::Expr* base = stripped(expression.getBase());
  std::optional<il::Path> array;
  const auto* decay = clang::dyn_cast<clang::CastExpr>(base);
  if (decay && decay->getCastKind() == clang::CK_ArrayToPointerDecay)
    array = lvalue(decay->getSubExpr());
  else if (const il::Value pointer = rvalue(base); pointer.kind == il::ValueKind::Address)
    return beside(pointer.path);
  else
    array = behind(pointer);
  if (!array) return std::nullopt;
  return array->then(index_step(*expression.getIdx(), scope_.function().getASTContext()));
}

std::optional<il::Path> Paths::returned_reference(const clang::CallExpr& call) {
  if (const clang::FunctionDecl* callee = call.getDirectCallee(); callee && call.getNumArgs() > 0) {
    if (function_kind(*callee) == FunctionKind::PassThrough) return lvalue(call.getArg(0));
    if (plain_name(*callee) == "std::get") {
      std::optional<il::Path> whole = lvalue(call.getArg(0));
      return whole ? std::optional(part_of(whole->then(il::content()), *callee)) : std::nullopt;
    }
  }
  TypeKind kind = object_kind(call);
  if (kind == TypeKind::Pointer || kind == TypeKind::Value) {
    std::optional<il::Path> holder = object(call);
    if (!holder) return std::nullopt;
    if (kind == TypeKind::Pointer) {
      il::Path target = holder->then(il::deref());
      return method_name(call) == "operator[]" ? target.then(il::element()) : target;
    }
    il::Path content = holder->then(il::content());
    if (!selects_element(method_name(call))) return content;
    // v[1], v.at(1), of what is not looked up by a key.
    const std::vector<const clang::Expr*> arguments = arguments_of(call);
    const bool numbered =
        arguments.size() == 1 && arguments[0]->getType()->isIntegerType() && has_numbered_elements(call);
    return content.then(numbered ? index_step(*arguments[0], scope_.function().getASTContext())
                                 : il::element());
  }
  return il::Path(scope_.result_of(call)).then(il::deref());
}

il::Value Paths::returned_value(const clang::CallExpr& call) {
  const clang::FunctionDecl* callee = call.getDirectCallee();
  FunctionKind kind = callee ? function_kind(*callee) : FunctionKind::Other;
  if (kind == FunctionKind::MakePointer) return il::fresh();
  if (kind == FunctionKind::AddressOf && call.getNumArgs() == 1) {
    std::optional<il::Path> path = lvalue(call.getArg(0));
    return path ? il::address_of(*path) : il::nothing();
  }
  if (callee && is_pointer_to_this(*callee))
    if (std::optional<il::Path> self = object(call)) return il::address_of(*self);
  if (kind == FunctionKind::PassThrough && kind_of(call.getType()) == TypeKind::Pointer &&
      kind_of(call.getArg(0)->getType()) != TypeKind::Pointer) { // std::ref(x)
    std::optional<il::Path> path = lvalue(call.getArg(0));
    return path ? il::address_of(*path) : il::nothing();
  }
  if (kind == FunctionKind::PassThrough && call.getNumArgs() > 0) return rvalue(call.getArg(0));
  TypeKind on = object_kind(call);
  if (on == TypeKind::Pointer) {
    std::optional<il::Path> holder = object(call); // get(), operator->(): the pointer that is held
    return holder ? il::value_of(*holder) : il::nothing();
  }
  if (on == TypeKind::Value) {
    std::optional<il::Path> holder = object(call);
    bool inside = holder && call.getType()->isPointerType() && method_name(call) == "operator->";
    return inside ? il::address_of(holder->then(il::content())) : il::nothing();
  }
  if (on == TypeKind::Synchronised) return il::nothing();
  return il::value_of(il::Path(scope_.result_of(call)));
}

bool Paths::is_ignored(const clang::Expr* expression) {
  if (!ignored_) return false;
  for (expression = stripped(expression); expression;) {
    if (const auto* name = clang::dyn_cast<clang::DeclRefExpr>(expression)) {
      const auto* variable = clang::dyn_cast<clang::VarDecl>(name->getDecl());
      return variable && variable->hasGlobalStorage() && !ignored_->reason_of(*variable).empty();
    }
    if (const auto* access = clang::dyn_cast<clang::ArraySubscriptExpr>(expression)) {
      const auto* decay = clang::dyn_cast<clang::CastExpr>(stripped(access->getBase()));
      if (!decay || decay->getCastKind() != clang::CK_ArrayToPointerDecay) return false;
      expression = stripped(decay->getSubExpr());
      continue;
    }
    const auto* access = clang::dyn_cast<clang::MemberExpr>(expression);
    if (!access) return false;
    if (!ignored_->reason_of(*access->getMemberDecl()).empty()) return true;
    if (access->isArrow()) return false;
    expression = stripped(access->getBase());
  }
  return false;
}

std::optional<il::Path> Paths::lvalue(const clang::Expr* expression) {
  expression = stripped(expression);
  if (!expression) return std::nullopt;
  // Pointers, locks and objects with locks in them lead to what is not ignored.
  if (TypeKind kind = kind_of(expression->getType());
      kind == TypeKind::Value || (kind == TypeKind::Scalar && expression->getType()->isArithmeticType()))
    if (is_ignored(expression)) return std::nullopt;
  if (const auto* name = clang::dyn_cast<clang::DeclRefExpr>(expression)) {
    if (const auto* binding = clang::dyn_cast<clang::BindingDecl>(name->getDecl())) // auto& [a, b] = x
      return binding->getBinding() ? lvalue(binding->getBinding()) : std::nullopt;
    const auto* variable = clang::dyn_cast<clang::VarDecl>(name->getDecl());
    return variable ? scope_.variable(*variable) : std::nullopt;
  }
  if (const auto* access = clang::dyn_cast<clang::MemberExpr>(expression)) return member(*access);
  if (const auto* access = clang::dyn_cast<clang::ArraySubscriptExpr>(expression)) return subscript(*access);
  if (const auto* unary = clang::dyn_cast<clang::UnaryOperator>(expression)) {
    if (unary->getOpcode() == clang::UO_Deref) return behind(rvalue(unary->getSubExpr()));
    if (unary->isPrefix() && unary->isIncrementDecrementOp()) return lvalue(unary->getSubExpr());
    return std::nullopt;
  }
  if (const auto* binary = clang::dyn_cast<clang::BinaryOperator>(expression)) {
    if (binary->isAssignmentOp()) return lvalue(binary->getLHS());
    return binary->getOpcode() == clang::BO_Comma ? lvalue(binary->getRHS()) : std::nullopt;
  }
  if (const auto* call = clang::dyn_cast<clang::CallExpr>(expression)) {
    if (call->isGLValue()) return returned_reference(*call);
    return std::nullopt;
  }
  return std::nullopt;
}

il::Value Paths::rvalue(const clang::Expr* expression) {
  expression = stripped(expression);
  if (!expression) return il::nothing();
  if (clang::isa<clang::CXXThisExpr>(expression)) return il::value_of(scope_.this_pointer());
  if (clang::isa<clang::CXXNewExpr>(expression)) return il::fresh();
  if (const auto* cast = clang::dyn_cast<clang::CastExpr>(expression)) {
    std::optional<il::Path> path = lvalue(cast->getSubExpr());
    if (cast->getCastKind() == clang::CK_LValueToRValue) return path ? il::value_of(*path) : il::nothing();
    if (cast->getCastKind() == clang::CK_ArrayToPointerDecay)
      return path ? il::address_of(path->then(il::element())) : il::nothing();
    return il::nothing();
  }
  if (const auto* unary = clang::dyn_cast<clang::UnaryOperator>(expression)) {
    if (unary->getOpcode() != clang::UO_AddrOf) return il::nothing();
    std::optional<il::Path> path = lvalue(unary->getSubExpr());
    return path ? il::address_of(*path) : il::nothing();
  }
  if (const auto* call = clang::dyn_cast<clang::CallExpr>(expression)) {
    if (!call->isGLValue()) return returned_value(*call);
    std::optional<il::Path> path = returned_reference(*call);
    return path ? il::value_of(*path) : il::nothing();
  }
  if (expression->isGLValue() && kind_of(expression->getType()) == TypeKind::Pointer) {
    std::optional<il::Path> path = lvalue(expression);
    return path ? il::value_of(*path) : il::nothing();
  }
  if (const auto* made = clang::dyn_cast<clang::CXXConstructExpr>(expression))
    if (kind_of(made->getType()) == TypeKind::Pointer && made->getNumArgs() > 0)
      return rvalue(made->getArg(0));
  return il::nothing();
}

il::Value Paths::argument(const clang::Expr* expression, clang::QualType type) {
  if (type->isReferenceType()) {
    std::optional<il::Path> path = lvalue(expression);
    if (path) return il::address_of(*path);
    return stripped(expression)->isGLValue() ? il::nothing() : il::fresh(); // a temporary is the callee's
  }
  if (type->isPointerType() || kind_of(type) == TypeKind::Pointer) return rvalue(expression);
  return il::nothing();
}

std::vector<il::Value> captured_values(const clang::LambdaExpr& lambda, Paths& paths, Scope& scope) {
  std::vector<il::Value> values;
  for (const clang::LambdaCapture& capture : lambda.captures())
    if (capture.capturesThis())
      values.push_back(capture.getCaptureKind() == clang::LCK_StarThis ? il::fresh()
                                                                       : il::value_of(scope.this_pointer()));
  for (const clang::LambdaCapture& capture : lambda.captures()) {
    if (!capture.capturesVariable()) continue;
    const auto* variable = clang::dyn_cast<clang::VarDecl>(capture.getCapturedVar());
    if (!variable) continue;
    if (variable->isInitCapture()) { // [self = this], [&r = x]
      values.push_back(paths.argument(variable->getInit(), variable->getType()));
      continue;
    }
    std::optional<il::Path> path = scope.variable(*variable);
    bool pointer = variable->getType()->isPointerType() ||
                   kind_of(variable->getType()) == TypeKind::Pointer || holds_callable(variable->getType());
    if (!path)
      values.push_back(il::nothing());
    else if (capture.getCaptureKind() == clang::LCK_ByRef)
      values.push_back(il::address_of(*path));
    else
      values.push_back(pointer ? il::value_of(*path) : il::nothing());
  }
  return values;
}

} // namespace footrace::scan::frontend
