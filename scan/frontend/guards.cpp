#include "scan/frontend/guards.h"

#include "scan/frontend/names.h"

#include "clang/AST/DeclTemplate.h"
#include "clang/AST/ExprCXX.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringSwitch.h"

namespace footrace::scan::frontend {

namespace {

const clang::CXXRecordDecl* record_of(clang::QualType type) {
  return type.getNonReferenceType().getCanonicalType()->getAsCXXRecordDecl();
}

// A pointer or reference to a lock.
bool refers_to_lock(clang::QualType type) {
  return (type->isPointerType() || type->isReferenceType()) && is_lockable(type->getPointeeType());
}

// m_ of m_, *m_, &m_ where m_ is a member that refers to a lock, or a parameter that does.
bool names_referred_lock(const clang::Expr* expression) {
  expression = expression->IgnoreParenImpCasts();
  if (const auto* unary = clang::dyn_cast<clang::UnaryOperator>(expression))
    expression = unary->getSubExpr()->IgnoreParenImpCasts();
  if (const auto* member = clang::dyn_cast<clang::MemberExpr>(expression))
    return refers_to_lock(member->getMemberDecl()->getType());
  const auto* name = clang::dyn_cast<clang::DeclRefExpr>(expression);
  return name && refers_to_lock(name->getDecl()->getType());
}

// m_.unlock(), m_->unlock(), pthread_mutex_unlock(m_); of anything else: none.
LockCall done_with_referred_lock(const clang::Stmt& statement) {
  const auto* call = clang::dyn_cast<clang::CallExpr>(&statement);
  const clang::FunctionDecl* callee = call ? call->getDirectCallee() : nullptr;
  if (!callee || !callee->getDeclName().isIdentifier()) return LockCall::None;
  if (const auto* of_object = clang::dyn_cast<clang::CXXMemberCallExpr>(call))
    return names_referred_lock(of_object->getImplicitObjectArgument()) ? lock_call(callee->getName())
                                                                       : LockCall::None;
  bool named = call->getNumArgs() > 0 && names_referred_lock(call->getArg(0));
  return named ? lock_function(callee->getName()) : LockCall::None;
}

// What is done with the lock in this code, first.
LockCall first_done(const clang::Stmt* code) {
  if (!code) return LockCall::None;
  if (LockCall done = done_with_referred_lock(*code); done != LockCall::None) return done;
  for (const clang::Stmt* part : code->children())
    if (LockCall done = first_done(part); done != LockCall::None) return done;
  return LockCall::None;
}

const clang::Stmt* code_of(const clang::FunctionDecl* function) {
  const clang::FunctionDecl* defined = nullptr;
  return function && function->hasBody(defined) ? defined->getBody() : nullptr;
}

// Nothing but constructors and the destructor: there is no other way to take the lock or to give it back.
bool has_only_its_lifetime(const clang::CXXRecordDecl& record) {
  return llvm::all_of(record.methods(), [](const clang::CXXMethodDecl* method) {
    return method->isDeleted() || !method->isUserProvided() ||
           clang::isa<clang::CXXConstructorDecl, clang::CXXDestructorDecl>(method);
  });
}

constexpr unsigned kDeepest = 4; // a guard in a pair in a container

bool keeps_its_arguments(llvm::StringRef name) {
  return llvm::StringSwitch<bool>(name)
      .Cases({"std::unique_ptr", "std::shared_ptr", "std::optional", "std::tuple", "std::pair"}, true)
      .Cases({"std::variant", "std::vector", "std::deque", "std::list", "std::array"}, true)
      .Cases({"std::map", "std::unordered_map", "std::stack", "boost::optional"}, true)
      .Default(false);
}

bool holds_guard(clang::QualType type, unsigned depth);

bool holds_guard(const clang::TemplateArgument& argument, unsigned depth) {
  if (argument.getKind() == clang::TemplateArgument::Type) return holds_guard(argument.getAsType(), depth);
  return argument.getKind() == clang::TemplateArgument::Pack &&
         llvm::any_of(argument.pack_elements(),
                      [&](const clang::TemplateArgument& part) { return holds_guard(part, depth); });
}

bool holds_guard(clang::QualType type, unsigned depth) {
  if (type.isNull() || depth > kDeepest) return false;
  if (type->isPointerType()) return depth == 0 && kind_of(type->getPointeeType()) == TypeKind::Guard;
  const clang::CXXRecordDecl* record = record_of(type);
  if (!record || !record->hasDefinition()) return false;
  TypeKind kind = kind_of(type);
  if (kind == TypeKind::Guard) return true;
  if (const auto* made = clang::dyn_cast<clang::ClassTemplateSpecializationDecl>(record);
      made && keeps_its_arguments(plain_name(*record)))
    return llvm::any_of(made->getTemplateArgs().asArray(), [&](const clang::TemplateArgument& argument) {
      return holds_guard(argument, depth + 1);
    });
  if (kind != TypeKind::User) return false;
  auto in_field = [&](const clang::FieldDecl* field) {
    return !field->getType()->isReferenceType() && !field->getType()->isPointerType() &&
           holds_guard(field->getType(), depth + 1);
  };
  auto in_base = [&](const clang::CXXBaseSpecifier& base) { return holds_guard(base.getType(), depth + 1); };
  return llvm::any_of(record->fields(), in_field) || llvm::any_of(record->bases(), in_base);
}

bool is_held_for_life(clang::QualType type) {
  const clang::CXXRecordDecl* record = record_of(type);
  std::string name = record ? plain_name(*record) : "";
  return !type->isReferenceType() &&
         (name == "std::lock_guard" || name == "std::scoped_lock" || name == "boost::lock_guard");
}

} // namespace

bool holds_guard(clang::QualType type) { return holds_guard(type, 0); }

bool holds_guard_for_life(const clang::CXXRecordDecl& record) {
  return record.hasDefinition() &&
         (llvm::any_of(record.fields(),
                       [](const auto* field) { return is_held_for_life(field->getType()); }) ||
          llvm::any_of(record.bases(), [](const auto& base) { return is_held_for_life(base.getType()); }));
}

GuardMode guard_mode(clang::QualType type) {
  if (type.isNull()) return GuardMode::Exclusive;
  const clang::CXXRecordDecl* record = record_of(type);
  if (!record) return GuardMode::Exclusive;
  std::string name = plain_name(*record);
  bool shared = name == "std::shared_lock" || name == "absl::ReaderMutexLock" ||
                name == "boost::shared_lock" || name == "boost::shared_lock_guard" || name == "QReadLocker";
  return shared ? GuardMode::Shared : GuardMode::Exclusive;
}

GuardTag guard_tag(clang::QualType argument) {
  const clang::CXXRecordDecl* record = record_of(argument);
  if (!record) return GuardTag::None;
  return llvm::StringSwitch<GuardTag>(record->getName())
      .Case("defer_lock_t", GuardTag::Defer)
      .Case("adopt_lock_t", GuardTag::Adopt)
      .Case("try_to_lock_t", GuardTag::Try)
      .Default(GuardTag::None);
}

bool is_users_guard(const clang::CXXRecordDecl& record) {
  LockCall done = record.hasDefinition() ? first_done(code_of(record.getDestructor())) : LockCall::None;
  return done == LockCall::Unlock || done == LockCall::UnlockShared;
}

std::optional<GuardMode> plain_guard(const clang::CXXConstructorDecl& constructor) {
  const clang::CXXRecordDecl& record = *constructor.getParent();
  auto is_lock = [](const clang::ParmVarDecl* formal) { return refers_to_lock(formal->getType()); };
  if (!is_users_guard(record) || !has_only_its_lifetime(record) || record.getNumBases() != 0 ||
      llvm::count_if(constructor.parameters(), is_lock) != 1)
    return std::nullopt;
  switch (first_done(code_of(&constructor))) {
  case LockCall::Lock:
    return GuardMode::Exclusive;
  case LockCall::LockShared:
    return GuardMode::Shared;
  default:
    return std::nullopt;
  }
}

} // namespace footrace::scan::frontend
