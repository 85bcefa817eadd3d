#include "prove/replacements.h"

#include "llvm/Demangle/Demangle.h"
#include "llvm/IR/Module.h"

#include <cstdlib>
#include <memory>

namespace footrace::prove {
namespace {

std::string without_template_arguments(llvm::StringRef text) {
  std::string left;
  unsigned depth = 0;
  for (char letter : text) {
    if (letter == '>' && depth > 0)
      depth--;
    else if (letter == '<')
      depth++;
    else if (depth == 0)
      left += letter;
  }
  return left;
}

} // namespace

std::string taken(char* text) {
  std::unique_ptr<char, decltype(&std::free)> owned(text, &std::free);
  return text ? text : "";
}

Name name_of(const llvm::Function& function) {
  llvm::ItaniumPartialDemangler demangler;
  const std::string mangled = function.getName().str(); // the demangler keeps pointers into it
  if (demangler.partialDemangle(mangled.c_str()) || !demangler.isFunction()) return {};
  Name name;
  name.scope = taken(demangler.getFunctionDeclContextName(nullptr, nullptr));
  name.base = taken(demangler.getFunctionBaseName(nullptr, nullptr));
  name.scope_of_classes = without_template_arguments(name.scope);
  return name;
}

llvm::Value* call(Builder& builder, llvm::StringRef function, llvm::Type* result,
                  llvm::ArrayRef<llvm::Value*> arguments) {
  llvm::SmallVector<llvm::Type*> types;
  for (llvm::Value* argument : arguments) types.push_back(argument->getType());
  llvm::Module& module = *builder.GetInsertBlock()->getModule();
  return builder.CreateCall(
      module.getOrInsertFunction(function, llvm::FunctionType::get(result, types, /*isVarArg=*/false)),
      arguments);
}

void call(Builder& builder, llvm::StringRef function, llvm::ArrayRef<llvm::Value*> arguments) {
  call(builder, function, builder.getVoidTy(), arguments);
}

Builder begin_again(llvm::Function& function) {
  function.deleteBody(); // makes the linkage external
  function.setLinkage(llvm::GlobalValue::InternalLinkage);
  function.setComdat(nullptr);
  return Builder(llvm::BasicBlock::Create(function.getContext(), "entry", &function));
}

void finish(Builder& builder) {
  llvm::Type* result = builder.GetInsertBlock()->getParent()->getReturnType();
  if (result->isVoidTy())
    builder.CreateRetVoid();
  else
    builder.CreateRet(llvm::Constant::getNullValue(result));
}

llvm::Function* member_of(llvm::Module& module, llvm::StringRef scope, llvm::StringRef base) {
  for (llvm::Function& function : module)
    if (Name name = name_of(function); name.base == base && name.scope == scope) return &function;
  return nullptr;
}

void replace_by_nothing(llvm::Function& function) {
  Builder builder = begin_again(function);
  finish(builder);
}

} // namespace footrace::prove
