// Code in the stacks of a finding that is not instrumented: what it orders by atomics of its own is not seen, so the finding may be due to that. The report says
// so itself, with what to do, because the reader cannot know.
#pragma once

#include "findings/finding.h"
#include "findings/symbolizer.h"

namespace footrace::findings {

// Adds to the explanation of a finding; nothing if all code is instrumented, or of the C and C++ libraries, which are modelled.
void explain_foreign_code(Finding& finding, Symbolizer& symbolizer);

} // namespace footrace::findings
