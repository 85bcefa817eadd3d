// A whole program as one LLVM module, in the form that the analyses of this folder expect.
//
// C and C++ are compiled with -O0, so that every access of the source is there (the optimiser may drop or merge
// accesses that race), and then only local variables whose address is not taken become registers.
#pragma once

#include "llvm/IR/LLVMContext.h"
#include "llvm/IR/Module.h"
#include "llvm/Support/Error.h"

#include <memory>
#include <string>
#include <vector>

namespace footrace::prove {

struct Program {
  std::unique_ptr<llvm::LLVMContext> context; // outlives the module
  std::unique_ptr<llvm::Module> module;
};

struct CompileRequest {
  std::string clang;                  // the clang 22 that compiles C and C++
  std::vector<std::string> arguments; // -I, -D, -std=...
};

// Reads, compiles and links .c, .cpp, .ll and .bc files; the result is not prepared yet.
llvm::Expected<Program> load_program(const std::vector<std::string>& files, const CompileRequest& request);

// From LLVM assembly, for tests.
llvm::Expected<Program> parse_program(const std::string& assembly);

} // namespace footrace::prove
