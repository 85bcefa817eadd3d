// theta: actuals for formals (RacerDX, POPL'19, Figure 7, the call rule).
#pragma once

#include "scan/il/il.h"

#include <optional>
#include <vector>

namespace footrace::scan::domain {

// actuals[i] stands for formal i.
using Substitution = std::vector<il::Value>;

const il::Value& actual_of(const Substitution& actuals, const il::Root& root);

// The callee's path in the caller's words; nothing if the caller has no words for it.
std::optional<il::Path> substitute(const il::Path& path, const Substitution& actuals);
il::Value substitute(const il::Value& value, const Substitution& actuals);

} // namespace footrace::scan::domain
