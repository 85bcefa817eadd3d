// How an object carries its own unoptimised LLVM module for `footrace prove`: as bitcode in a section that is not loaded into memory. Linkers
// concatenate the sections of their objects, so each module comes with its length.
#pragma once

#include "llvm/ADT/StringRef.h"

#include <vector>

namespace llvm {
class Module;
} // namespace llvm

namespace footrace {

// The name that clang gives its command lines (-fembed-bitcode=marker): LLVM loads no section of this name, and neither linkers nor archivers take
// what is in it for the code to link, as they do with ".llvmbc".
inline constexpr llvm::StringLiteral embedded_ir_section = ".llvmcmd";

// Puts the module, as it is now, into itself.
void embed_ir(llvm::Module& module);

// The bitcode of each module in the contents of a section; what others put there is passed over.
std::vector<llvm::StringRef> embedded_modules(llvm::StringRef section);

} // namespace footrace
