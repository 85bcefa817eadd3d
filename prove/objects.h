// Objects, archives and executables that carry their LLVM modules (footrace c++ -fprove).
#pragma once

#include "llvm/IR/Module.h"
#include "llvm/Support/Error.h"
#include "llvm/Support/MemoryBufferRef.h"

#include <memory>
#include <set>
#include <string>
#include <vector>

namespace footrace::prove {

struct CarriedObject {
  std::vector<std::unique_ptr<llvm::Module>> modules;
  std::vector<std::string> code_without_ir; // functions that none of the modules has
};

bool has_object_format(llvm::StringRef contents);  // an object file, an executable or a shared library
bool has_archive_format(llvm::StringRef contents); // of ar

// `known_code`: functions that need no module, because they are known not to access the program's memory.
llvm::Expected<CarriedObject> read_object(llvm::MemoryBufferRef buffer, llvm::LLVMContext& context,
                                          const std::set<std::string>& known_code);
// The objects of an archive; which of them the program needs is up to the caller.
llvm::Expected<std::vector<CarriedObject>> read_archive(llvm::MemoryBufferRef buffer,
                                                        llvm::LLVMContext& context,
                                                        const std::set<std::string>& known_code);

// The names of all functions that the objects of an archive define.
llvm::Expected<std::set<std::string>> functions_of_archive(const std::string& file);

} // namespace footrace::prove
