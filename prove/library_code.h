// Library functions that are easier said in code than in letters (prove/library.def): those that walk and relink the nodes of a tree. And what the
// C library knows about threads.
#pragma once

namespace llvm {
class Module;
} // namespace llvm

namespace footrace::prove {

// Gives bodies to the functions that the program uses.
void provide_library_code(llvm::Module& module);

} // namespace footrace::prove
