#include "instrument/callbacks.h"

#include "llvm/IR/Module.h"

#include <initializer_list>

using namespace llvm;

namespace footrace {
namespace {

enum AbiType : uint8_t { Void, Ptr, I32, I64 };

struct Signature {
  const char* symbol;
  AbiType result;
  std::initializer_list<AbiType> arguments;
  CallingConv::ID convention;
};

const Signature signatures[] = {
#define FR_CALLBACK(symbol, result, ...) {#symbol, result, {__VA_ARGS__}, CallingConv::C},
#define FR_CALLBACK_KEEPING(symbol, result, ...) {#symbol, result, {__VA_ARGS__}, CallingConv::PreserveMost},
#include "abi/callbacks.def"
};

Type* ir_type(AbiType type, LLVMContext& context) {
  switch (type) {
  case Void:
    return Type::getVoidTy(context);
  case Ptr:
    return PointerType::getUnqual(context);
  case I32:
    return Type::getInt32Ty(context);
  case I64:
    return Type::getInt64Ty(context);
  }
  llvm_unreachable("type outside callbacks.def");
}

} // namespace

CallInst* Callbacks::call(IRBuilderBase& at, Callback id, ArrayRef<Value*> arguments) {
  const Signature& signature = signatures[static_cast<unsigned>(id)];
  LLVMContext& context = module_.getContext();
  SmallVector<Type*, 4> types;
  for (AbiType type : signature.arguments) types.push_back(ir_type(type, context));
  auto* function_type = FunctionType::get(ir_type(signature.result, context), types, /*isVarArg=*/false);
  // Nothing but nounwind: to the optimiser an entry point may read, write and synchronise anything, which is
  // what keeps the program's accesses on their side of it.
  AttributeList attributes = AttributeList().addFnAttribute(context, Attribute::NoUnwind);
  // The dynamic linker, asked at the first call, would change registers that the convention keeps.
  if (signature.convention != CallingConv::C)
    attributes = attributes.addFnAttribute(context, Attribute::NonLazyBind);
  FunctionCallee callee = module_.getOrInsertFunction(signature.symbol, function_type, attributes);
  cast<Function>(callee.getCallee())->setCallingConv(signature.convention);
  CallInst* call = at.CreateCall(callee, arguments);
  call->setCallingConv(signature.convention);
  call->setDoesNotThrow();
  return call;
}

} // namespace footrace
