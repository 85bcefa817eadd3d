// A whole program as one LLVM module, in the form that the analyses of this folder expect.
//
// C and C++ are compiled without any pass of the optimiser, so that every access of the source is there (the optimiser may drop or merge
// accesses that race); what must be lowered before anybody can look at it (coroutines, functions that are always inlined) is lowered here.
#pragma once

#include "facts/proofs.h"

#include "llvm/IR/LLVMContext.h"
#include "llvm/IR/Module.h"
#include "llvm/Support/Error.h"

#include <memory>
#include <set>
#include <string>
#include <vector>

namespace footrace::prove {

struct Program {
  std::unique_ptr<llvm::LLVMContext> context; // outlives the module
  std::unique_ptr<llvm::Module> module;
  std::vector<FunctionProof>
      functions; // with all accesses of each; which of them are race-free is for the proof to say
  std::set<std::string> files;              // source files, absolute
  std::vector<std::string> code_without_ir; // functions of the program that are in no module
};

struct CompileRequest {
  std::string clang;                  // the clang 22 that compiles C and C++
  std::vector<std::string> arguments; // -I, -D, -std=...
  std::string runtime_archive = {};   // code that executables may hold without its module; empty: none
};

// Whether the file is C or C++ to be compiled, by its name.
bool is_source(llvm::StringRef file);
// The command that makes bitcode of a source file.
std::vector<std::string> compile_command(const std::string& file, const std::string& output,
                                         const CompileRequest& request);

// Reads, compiles and links sources, bitcode (.bc), assembly (.ll), and objects, archives and executables that carry their modules. Of an
// archive only the members that the rest needs are taken. The result is not prepared yet.
llvm::Expected<Program> load_program(const std::vector<std::string>& files, const CompileRequest& request);

// From LLVM assembly, for tests.
llvm::Expected<Program> parse_program(const std::string& assembly);

} // namespace footrace::prove
