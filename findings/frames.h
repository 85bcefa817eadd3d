// Which frames of a stack are the user's. Library frames stay in the data; the text report folds them and
// puts the blame on the first line that the user wrote.
#pragma once

#include "findings/finding.h"

namespace footrace::findings {

// Standard library, C library, loader or system header. Unknown counts as the user's: nothing of theirs is
// ever hidden.
bool has_library_code(const StackFrame& frame);

// Our own code between the user's: thread entries, the signal trampoline. It tells the user nothing.
bool has_runtime_code(const StackFrame& frame);

// Index of the innermost frame that is the user's, or 0 when there is none.
std::size_t user_frame(const Stack& stack);
// The same; an intercepted function in front, such as memcpy, is never the user's.
std::size_t user_frame(const Access& access);
bool has_user_frame(const Access& access);

// How many frames remain when what lies below main or the thread's entry is cut off; at least 1 if there is
// any.
std::size_t visible_frames(const Stack& stack);

} // namespace footrace::findings
