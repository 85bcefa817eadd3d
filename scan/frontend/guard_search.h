// Which locks a guard gets that is made elsewhere: by the function that returns it, or by the constructor of the object that it is a part of.
#pragma once

#include "scan/frontend/paths.h"

namespace footrace::scan::frontend {

struct FoundLocks {
  std::vector<il::RequiredLock> locks; // in the words of the function that was looked at
  std::vector<unsigned> passed;        // numbers of parameters whose guard it is
  bool deferred = false;               // not taken yet
  bool unknown = false;                // there may be others
};

// Of the guards that the function returns.
FoundLocks returned_locks(const clang::FunctionDecl& function, unsigned depth = 0);
// Of the guards among the bases and members of the object.
FoundLocks constructed_locks(const clang::CXXConstructorDecl& constructor, unsigned depth = 0);
// Of a guard that is a member, as the constructors of its class give them to it; in the words of any method of the class.
FoundLocks member_locks(const clang::FieldDecl& guard);
// A mutex or a pointer to one.
bool names_lock(const clang::Expr& argument);

} // namespace footrace::scan::frontend
