#include "prove/thread_states.h"

#include "prove/library.h"

#include "llvm/IR/DebugInfoMetadata.h"
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

// Of the vtable of a state: offset to the top, type, two destructors, _M_run.
constexpr unsigned deleting_destructor_slot = 3, run_slot = 4;

llvm::Function* function_in(const llvm::GlobalVariable& vtable, unsigned slot) {
  const auto* tables =
      vtable.hasInitializer() ? llvm::dyn_cast<llvm::ConstantStruct>(vtable.getInitializer()) : nullptr;
  llvm::Constant* function = tables ? tables->getOperand(0)->getAggregateElement(slot) : nullptr;
  return function ? llvm::dyn_cast<llvm::Function>(function->stripPointerCasts()) : nullptr;
}

void end_with_deletion(llvm::Function& run, llvm::Function& destructor) {
  if (run.isDeclaration() || run.arg_size() != 1) return;
  for (llvm::BasicBlock& block : run)
    if (auto* end = llvm::dyn_cast<llvm::ReturnInst>(block.getTerminator())) {
      llvm::IRBuilder<> builder(end);
      llvm::CallInst* deletion = builder.CreateCall(&destructor, {run.getArg(0)});
      // Calls of functions with lines need one.
      if (llvm::DISubprogram* in = run.getSubprogram())
        deletion->setDebugLoc(llvm::DILocation::get(run.getContext(), in->getLine(), 0, in));
    }
}

} // namespace

void delete_thread_states(llvm::Module& module) {
  for (const llvm::GlobalVariable& vtable : module.globals()) {
    if (!vtable.getName().starts_with("_ZTVNSt6thread11_State_impl")) continue;
    llvm::Function *run = function_in(vtable, run_slot),
                   *destructor = function_in(vtable, deleting_destructor_slot);
    if (run && destructor) end_with_deletion(*run, *destructor);
  }
}

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
