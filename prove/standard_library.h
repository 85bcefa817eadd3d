// Classes of the C++ standard library that synchronise threads, and whose code is in headers: what their functions mean is said by the standard, and
// harder to see in their code (futexes, pools of waiters, locks tried in turns). Their bodies are replaced by what prove/library.def knows.
#pragma once

namespace llvm {
class Module;
} // namespace llvm

namespace footrace::prove {

// Before anything is inlined, so that they are still there to be replaced.
void keep_standard_functions_apart(llvm::Module& module);
void replace_standard_functions(llvm::Module& module);

} // namespace footrace::prove
