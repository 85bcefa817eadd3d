// Comparing std::error_code asks its category by a virtual function. The categories of the standard library say nothing about memory.
#pragma once

namespace llvm {
class Module;
} // namespace llvm

namespace footrace::prove {

// Comparisons have any result. Nothing is replaced if the program has a category of its own, whose functions then run.
void replace_error_comparisons(llvm::Module& module);

} // namespace footrace::prove
