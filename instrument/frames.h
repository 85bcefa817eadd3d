// The shadow call stack: enter at the top of a function, leave on every return, resume where control comes
// back into the frame by another way (a landing pad, a second return of setjmp).
//
// Each call names the frame absolutely, by the stack top that enter gave, so frames that are unwound or
// jumped over need no leave of their own.
#pragma once

#include "instrument/callbacks.h"

namespace footrace {

// True if the function calls code that might look at the shadow stack.
bool has_calls(const llvm::Function& function);

void emit_frame(llvm::Function& function, Callbacks& callbacks);

// For functions that are instrumented before link-time optimisation: inlined there, a function would push its caller's return address a second time, and both it and the
// place of the call would be missing in stacks. (`--lto=link` instruments behind the inliner and needs none of this.)
void keep_out_of_callers(llvm::Function& function);

} // namespace footrace
