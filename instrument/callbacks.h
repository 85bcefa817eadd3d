// Declarations of the runtime's entry points, made from abi/callbacks.def when they are first used.
#pragma once

#include "llvm/ADT/ArrayRef.h"
#include "llvm/IR/IRBuilder.h"

namespace footrace {

enum class Callback : uint8_t {
#define FR_CALLBACK(symbol, ...) symbol,
#include "abi/callbacks.def"
};

class Callbacks {
public:
  explicit Callbacks(llvm::Module& module) : module_(module) {}
  llvm::CallInst* call(llvm::IRBuilderBase& at, Callback id, llvm::ArrayRef<llvm::Value*> arguments);

private:
  llvm::Module& module_;
};

} // namespace footrace
