#include "scan/witness/recipes.h"

#include "scan/frontend/names.h"

#include "clang/AST/DeclTemplate.h"
#include "clang/AST/QualTypeNames.h"
#include "llvm/ADT/STLExtras.h"

namespace footrace::scan::witness {
namespace {

constexpr unsigned kMaxDepth = 4;

Expression text(std::string text) { return {std::move(text), ""}; }
Expression missing(std::string why) { return {"", std::move(why)}; }

// A name that code outside of the class may write.
bool may_be_named(const clang::Decl* declaration) {
  for (; declaration; declaration = clang::dyn_cast<clang::Decl>(declaration->getDeclContext())) {
    if (declaration->getAccess() == clang::AS_private || declaration->getAccess() == clang::AS_protected)
      return false;
    if (clang::isa<clang::FunctionDecl>(declaration->getDeclContext())) return false;
    if (clang::isa<clang::TranslationUnitDecl>(declaration->getDeclContext())) return true;
  }
  return true;
}

clang::QualType first_argument(const clang::CXXRecordDecl& record) {
  const auto* instance = clang::dyn_cast<clang::ClassTemplateSpecializationDecl>(&record);
  if (!instance || instance->getTemplateArgs().size() == 0) return {};
  const clang::TemplateArgument& argument = instance->getTemplateArgs()[0];
  return argument.getKind() == clang::TemplateArgument::Type ? argument.getAsType() : clang::QualType();
}

unsigned required_parameters(const clang::FunctionDecl& function) {
  return function.getMinRequiredArguments();
}

} // namespace

Recipes::Recipes(const clang::ASTContext& context) : context_(context), policy_(context.getLangOpts()) {
  policy_.SuppressUnwrittenScope = true;
  policy_.SuppressInlineNamespace =
      llvm::to_underlying(clang::PrintingPolicy::SuppressInlineNamespaceMode::All);
}

std::string Recipes::spelled(clang::QualType type) const {
  if (!context_.getLangOpts().CPlusPlus) return type.getUnqualifiedType().getAsString(policy_);
  return clang::TypeName::getFullyQualifiedName(type.getUnqualifiedType(), context_, policy_);
}

Expression Recipes::argument(clang::QualType type) {
  if (type->isLValueReferenceType()) {
    Expression made = pointer(type->getPointeeType());
    // The function may keep the reference: what it refers to must stay.
    return made.missing.empty() ? text("*" + made.text) : made;
  }
  return value(type.getNonReferenceType());
}

Expression Recipes::value(clang::QualType type) {
  type = type.getCanonicalType().getUnqualifiedType();
  if (type->isBooleanType()) return text("footrace_number != 0");
  if (type->isNullPtrType()) return text("nullptr");
  if (!context_.getLangOpts().CPlusPlus) return c_value(type);
  if (const auto* enumeration = type->getAs<clang::EnumType>()) {
    if (!may_be_named(enumeration->getDecl())) return missing("'" + spelled(type) + "' is not public");
    return text("static_cast<" + spelled(type) + ">(0)");
  }
  if (type->isIntegerType()) return text("footrace_number");
  if (type->isFloatingType()) return text("1.0");
  if (type->isPointerType()) {
    clang::QualType pointee = type->getPointeeType();
    if (const auto* called = pointee->getAs<clang::FunctionProtoType>()) return function(*called);
    return pointer(pointee);
  }
  const clang::CXXRecordDecl* record = type->getAsCXXRecordDecl();
  if (!record) return missing("'" + spelled(type) + "' is not a type that a value is made up for");
  bool known = false;
  Expression made = library_value(*record, type, known);
  return known ? made : constructed(*record, spelled(type));
}

// Objects are zero: a test in C knows no more about them.
Expression Recipes::c_value(clang::QualType type) {
  if (type->isArithmeticType() || type->isEnumeralType()) return text("footrace_number");
  if (!type->isPointerType())
    return type->isRecordType()
               ? text("(" + spelled(type) + "){0}")
               : missing("'" + spelled(type) + "' is not a type that a value is made up for");
  const clang::QualType pointee = type->getPointeeType();
  if (pointee->isFunctionType()) return missing("a function that it is given is not made up in C");
  if (pointee->isCharType() && pointee.isConstQualified()) return text("\"text\"");
  if (pointee->isVoidType() || pointee->isCharType()) return text("calloc(64, 1)");
  if (pointee->isIncompleteType()) return missing("'" + spelled(pointee) + "' is only declared");
  return text("calloc(1, sizeof(" + spelled(pointee) + "))");
}

// What the general rule would make, and make useless: empty strings, empty functions, null pointers.
Expression Recipes::library_value(const clang::CXXRecordDecl& record, clang::QualType type, bool& known) {
  const std::string name = frontend::plain_name(record);
  known = true;
  if (name == "std::basic_string" || name == "std::basic_string_view")
    if (clang::QualType character = first_argument(record); !character.isNull() && character->isCharType())
      return text(spelled(type) + "(\"text\")");
  if (name == "std::unique_ptr" || name == "std::shared_ptr") {
    clang::QualType pointee = first_argument(record);
    if (pointee.isNull() || pointee->isArrayType()) return missing("'" + spelled(type) + "' is not made up");
    Expression made = pointer(pointee);
    return made.missing.empty() ? text(spelled(type) + "(" + made.text + ")") : made;
  }
  if (name == "std::function")
    if (clang::QualType called = first_argument(record); !called.isNull())
      if (const auto* signature = called->getAs<clang::FunctionProtoType>()) return function(*signature);
  known = false;
  return {};
}

Expression Recipes::function(const clang::FunctionProtoType& signature) {
  std::string parameters;
  for (clang::QualType type : signature.param_types())
    parameters += (parameters.empty() ? "" : ", ") + spelled(type);
  const std::string head = "[](" + parameters + ")"; // without captures it is a function pointer as well
  clang::QualType result = signature.getReturnType();
  if (result->isVoidType()) return text(head + " {}");
  Expression made = argument(result);
  if (!made.missing.empty()) return made;
  return text(head + " -> " + spelled(result) + " { [[maybe_unused]] const int footrace_number = 1; return " +
              made.text + "; }");
}

Expression Recipes::pointer(clang::QualType pointee) {
  const bool constant = pointee.isConstQualified();
  pointee = pointee.getCanonicalType().getUnqualifiedType();
  if (pointee->isVoidType() || (pointee->isCharType() && !constant)) return text("new char[64]()");
  if (pointee->isCharType()) return text("\"text\"");
  const clang::CXXRecordDecl* record = pointee->getAsCXXRecordDecl();
  bool known = false;
  Expression made;
  if (record) made = library_value(*record, pointee, known);
  if (record && !known) return object(*record);
  if (!known) made = value(pointee);
  if (!made.missing.empty()) return made;
  return text("new " + spelled(pointee) + "(" + made.text + ")");
}

Expression Recipes::object(const clang::CXXRecordDecl& declared) {
  const std::string type = spelled(context_.getCanonicalTagType(&declared));
  const clang::CXXRecordDecl* record = declared.getDefinition();
  if (!record) return missing("'" + type + "' is only declared");
  Expression made = constructed(*record, type);
  if (made.missing.empty()) return text("new " + made.text);
  Expression other = from_factory(*record, type);
  return other.missing.empty() ? other : made;
}

Expression Recipes::constructed(const clang::CXXRecordDecl& record, const std::string& type) {
  if (!record.hasDefinition()) return missing("'" + type + "' is only declared");
  if (record.isLambda()) return missing("a lambda has no name");
  if (!may_be_named(&record)) return missing("'" + type + "' is not public");
  if (record.isAbstract()) return missing("'" + type + "' is abstract");
  if (depth_ >= kMaxDepth) return missing("making '" + type + "' takes too many other objects");
  if (record.needsImplicitDefaultConstructor()) return text(type + "()");

  std::vector<const clang::CXXConstructorDecl*> all;
  for (const clang::CXXConstructorDecl* constructor : record.ctors())
    if (!constructor->isCopyOrMoveConstructor() && !constructor->isDeleted() &&
        constructor->getAccess() == clang::AS_public)
      all.push_back(constructor);
  if (all.empty()) return missing("'" + type + "' has no public constructor");
  const auto order = [](const clang::CXXConstructorDecl* constructor) {
    return std::pair(required_parameters(*constructor), constructor->getLocation().getRawEncoding());
  };
  llvm::sort(all, [&](const auto* a, const auto* b) { return order(a) < order(b); });
  Expression why;
  for (const clang::CXXConstructorDecl* constructor : all) {
    Expression given = arguments(*constructor);
    if (given.missing.empty()) return text(type + "(" + given.text + ")");
    if (why.missing.empty())
      why =
          missing("the constructor of '" + type + "' takes something that cannot be made: " + given.missing);
  }
  return why;
}

Expression Recipes::from_factory(const clang::CXXRecordDecl& record, const std::string& type) {
  if (!may_be_named(&record)) return missing("'" + type + "' is not public");
  for (const clang::CXXMethodDecl* method : record.methods()) {
    if (!method->isStatic() || method->getAccess() != clang::AS_public || method->isDeleted()) continue;
    clang::QualType result = method->getReturnType();
    const clang::CXXRecordDecl* pointee = result->getPointeeCXXRecordDecl();
    const bool direct = pointee && pointee->getCanonicalDecl() == record.getCanonicalDecl();
    if (!direct || result->isRValueReferenceType()) continue;
    Expression given = arguments(*method);
    if (!given.missing.empty()) continue;
    return text(std::string(result->isReferenceType() ? "&" : "") + type + "::" + method->getNameAsString() +
                "(" + given.text + ")");
  }
  return missing("'" + type + "' has no function that returns one");
}

Expression Recipes::arguments(const clang::FunctionDecl& function) {
  std::string all;
  ++depth_;
  for (const clang::ParmVarDecl* parameter :
       function.parameters().take_front(required_parameters(function))) {
    Expression made = argument(parameter->getType());
    if (!made.missing.empty()) {
      --depth_;
      return made;
    }
    all += (all.empty() ? "" : ", ") + made.text;
  }
  --depth_;
  return text(all);
}

} // namespace footrace::scan::witness
