// C++ -> the intermediate language: every function of one translation unit that has a body in the user's code.
// What the standard library and other lock libraries mean is in library.h; code in system headers is not lowered.
#pragma once

#include "scan/il/il.h"

namespace clang {
class ASTContext;
}

namespace footrace::scan::frontend {

il::Program lower(clang::ASTContext& context);

} // namespace footrace::scan::frontend
