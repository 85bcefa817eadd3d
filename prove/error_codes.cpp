#include "prove/error_codes.h"

#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/Module.h"

namespace footrace::prove {
namespace {

constexpr const char* comparisons[] = {
    "_ZSteqRKSt10error_codeRKSt15error_condition", // operator==(error_code, error_condition)
    "_ZSteqRKSt15error_conditionRKSt10error_code",
};

// A class that is derived from std::error_category refers to its type, or to its destructor if there are no types.
bool has_own_category(const llvm::Module& module) {
  for (const char* name : {"_ZTINSt3_V214error_categoryE", "_ZNSt3_V214error_categoryD2Ev"})
    if (const llvm::GlobalValue* base = module.getNamedValue(name); base && !base->use_empty()) return true;
  return false;
}

} // namespace

void replace_error_comparisons(llvm::Module& module) {
  if (has_own_category(module)) return;
  for (const char* name : comparisons) {
    llvm::Function* function = module.getFunction(name);
    if (!function || function->isDeclaration()) continue;
    function->deleteBody();
    function->setLinkage(llvm::GlobalValue::InternalLinkage);
    function->setComdat(nullptr);
    llvm::IRBuilder<> builder(llvm::BasicBlock::Create(module.getContext(), "entry", function));
    llvm::FunctionCallee any = module.getOrInsertFunction("__VERIFIER_nondet_bool", builder.getInt1Ty());
    builder.CreateRet(builder.CreateZExtOrTrunc(builder.CreateCall(any), function->getReturnType()));
  }
}

} // namespace footrace::prove
