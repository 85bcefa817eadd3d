// Tools for giving functions of the C++ library other bodies.
#pragma once

#include "llvm/ADT/ArrayRef.h"
#include "llvm/IR/IRBuilder.h"

#include <string>

namespace llvm {
class Module;
} // namespace llvm

namespace footrace::prove {

using Builder = llvm::IRBuilder<>;

struct Name {
  std::string scope, base;      // "std::barrier<F>", "arrive_and_wait"
  std::string scope_of_classes; // without template arguments: "std::barrier"
};
Name name_of(const llvm::Function& function);
// The function of this scope and name; null if there is none.
llvm::Function* member_of(llvm::Module& module, llvm::StringRef scope, llvm::StringRef base);
// Text that the demangler has allocated.
std::string taken(char* text);

llvm::Value* call(Builder& builder, llvm::StringRef function, llvm::Type* result,
                  llvm::ArrayRef<llvm::Value*> arguments);
void call(Builder& builder, llvm::StringRef function, llvm::ArrayRef<llvm::Value*> arguments);

// A new body, which `finish` ends.
Builder begin_again(llvm::Function& function);
void finish(Builder& builder);
void replace_by_nothing(llvm::Function& function);

} // namespace footrace::prove
