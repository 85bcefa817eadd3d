// Guards: objects that hold locks for their lifetime, of libraries and of the user's own.
#pragma once

#include "scan/frontend/library.h"

#include "clang/AST/DeclCXX.h"

#include <optional>

namespace footrace::scan::frontend {

enum class GuardMode { Exclusive, Shared };
// Of a library's guard.
GuardMode guard_mode(clang::QualType type);
// What an extra argument of a guard's constructor says.
enum class GuardTag { None, Defer, Adopt, Try };
GuardTag guard_tag(clang::QualType argument);

// A guard, or what has one in it: a pointer or container of the standard library, an object with a guard as its base or member, a closure.
bool holds_guard(clang::QualType type);
// A base or member holds its locks as long as there is the object.
bool holds_guard_for_life(const clang::CXXRecordDecl& record);

// The destructor gives back a lock that the object only refers to.
bool is_users_guard(const clang::CXXRecordDecl& record);
// The user's own guard that does nothing else: this constructor takes the one lock that it is given. In which mode;
// nothing: it is no such guard.
std::optional<GuardMode> plain_guard(const clang::CXXConstructorDecl& constructor);

} // namespace footrace::scan::frontend
