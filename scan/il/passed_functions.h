// Functions that start what they are passed: void start(void* (*run)(void*), void* data) { pthread_create(&t, 0, run, data); }
// Whoever calls such a function starts the thread. What is passed by others, who are not seen, stays unknown.
#pragma once

#include "scan/il/il.h"

#include <unordered_map>

namespace footrace::scan::il {

// Makes the start a statement of the caller, where the call is: once, or in a loop if the function starts several, and
// followed by a wait if the function waits for them. `bodies`: the methods of the program.
void expose_passed_functions(Program& program, const std::unordered_map<Name, Method>& bodies);

} // namespace footrace::scan::il
