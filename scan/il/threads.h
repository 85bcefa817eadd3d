// Threads in the words of who starts them: spawn f(&n, this) becomes a method of its own, with the formals of the method that starts
// it, whose only statement is the call f(&n, this). What the thread does to those formals can then be compared with what
// others do to them. Variables of the starter that its threads are given become globals: they are shared.
#pragma once

#include "scan/il/il.h"

namespace footrace::scan::il {

// After resolve_dispatch().
void expose_threads(Program& program);
// Of a variable of a method that starts threads, which they know: that method. Empty: another variable.
Name frame_of(const Root& root);
inline bool is_frame_variable(const Root& root) { return !frame_of(root).empty(); }

} // namespace footrace::scan::il
