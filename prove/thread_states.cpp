#include "prove/thread_states.h"

#include "prove/library.h"

#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/Module.h"

namespace footrace::prove {
namespace {

constexpr unsigned state_argument = 1; // after the std::thread

// The thread finds its state in a slot that nobody else has.
void hand_over(llvm::CallBase& call) {
  llvm::Type* pointer = llvm::PointerType::getUnqual(call.getContext());
  llvm::Value* holder = call.getArgOperand(state_argument);
  llvm::IRBuilder<> entry(&*call.getFunction()->getEntryBlock().getFirstNonPHIOrDbgOrAlloca());
  llvm::Value* slot = entry.CreateAlloca(pointer);
  llvm::IRBuilder<> before(&call);
  before.CreateStore(before.CreateLoad(pointer, holder), slot);
  before.CreateStore(llvm::Constant::getNullValue(pointer), holder);
  call.setArgOperand(state_argument, slot);
}

} // namespace

void hand_over_thread_states(llvm::Module& module) {
  for (llvm::Function& function : module) {
    const LibraryFunction* known =
        function.isDeclaration() ? find_library_function(function.getName()) : nullptr;
    if (!known || known->role != Role::SpawnState) continue;
    for (llvm::User* user : llvm::make_early_inc_range(function.users()))
      if (auto* call = llvm::dyn_cast<llvm::CallBase>(user); call && call->getCalledFunction() == &function)
        hand_over(*call);
  }
}

} // namespace footrace::prove
