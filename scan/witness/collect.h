// One translation unit -> the facts that witnesses of its races need.
#pragma once

#include "scan/il/il.h"
#include "scan/witness/facts.h"

namespace clang {
class ASTContext;
}

namespace footrace::scan::witness {

// Of the functions of `program`, which was lowered from `context`.
Facts collect(clang::ASTContext& context, const il::Program& program);

} // namespace footrace::scan::witness
