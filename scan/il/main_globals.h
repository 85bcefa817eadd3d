// Globals of the main thread. In a program that has its main function and names the entry of every thread, a global that no thread and
// no function for others to call can reach is the main thread's alone: it cannot race, and need not be carried from callee to caller.
// A program of 300,000 lines has few that are not of this kind.
#pragma once

#include "scan/il/il.h"

namespace footrace::scan::il {

// After expose_threads(). They get a name by which may_be_shared() knows them; reports do not show it.
void set_main_globals_apart(Program& program);
// The program has its main function and names the entry of every thread: what no thread reaches is the main thread's.
bool has_all_threads(const Program& program);

} // namespace footrace::scan::il
