#include "prove/standard_futures.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Module.h"
#include "llvm/Transforms/Utils/Local.h"

#include <optional>

namespace footrace::prove {
namespace {

// The thread is the first member that the function finds at its object.
void replace_join_of_async(llvm::Function& function) {
  std::optional<std::int64_t> place;
  const llvm::DataLayout& data = function.getParent()->getDataLayout();
  for (const llvm::Instruction& inst : llvm::instructions(function))
    if (const auto* member = llvm::dyn_cast<llvm::GetElementPtrInst>(&inst)) {
      llvm::APInt offset(64, 0);
      if (member->accumulateConstantOffset(data, offset) && !(place && *place <= offset.getSExtValue()))
        place = offset.getSExtValue();
    }
  if (!place || *place == 0) return;
  Builder builder = begin_again(function);
  llvm::Value* thread =
      builder.CreatePtrAdd(function.getArg(0), builder.getInt64(static_cast<std::uint64_t>(*place)));
  // It can be joined, so that nothing is thrown.
  llvm::cast<llvm::CallBase>(call(builder, "_ZNSt6thread4joinEv", builder.getVoidTy(), {thread}))
      ->setDoesNotThrow();
  finish(builder);
}

// Whether a result is there is a number that is zero until one thread has stored it: as good as a semaphore.

void replace_readiness(llvm::Function& function, const Name& name) {
  const llvm::StringRef base = name.base;
  const bool is_start = base.starts_with("__atomic_futex_unsigned"), is_set = base == "_M_store_notify_all",
             is_wait = base == "_M_load_when_equal",
             is_asked =
                 base == "_M_load" || base == "_M_load_when_equal_for" || base == "_M_load_when_equal_until";
  if (!is_start && !is_set && !is_wait && !is_asked) return;
  Builder builder = begin_again(function);
  llvm::Value* status = function.getArg(0);
  llvm::Type* number = builder.getInt32Ty();
  if (is_start) call(builder, "sem_init", number, {status, builder.getInt32(0), function.getArg(1)});
  if (is_set) call(builder, "sem_post", number, {status});
  if (is_wait) call(builder, "sem_wait", number, {status});
  if (!is_asked) return finish(builder);
  llvm::Value* is_ready =
      builder.CreateICmpEQ(call(builder, "sem_trywait", number, {status}), builder.getInt32(0));
  builder.CreateRet(builder.CreateZExt(is_ready, function.getReturnType()));
}

// The first of those that set the result does it, and the others wait for him: as under a lock.

constexpr std::uint64_t status_offset = 16, once_offset = 24; // of std::__future_base::_State_baseV2

void replace_setting(llvm::Function& function, const Name& name) {
  llvm::Function* set = member_of(*function.getParent(), name.scope, "_M_do_set");
  if (!set || set->arg_size() != 3 || function.arg_size() != 3) return;
  Builder builder = begin_again(function);
  auto member = [&](std::uint64_t offset) {
    return builder.CreatePtrAdd(function.getArg(0), builder.getInt64(offset));
  };
  llvm::BasicBlock* ready = llvm::BasicBlock::Create(function.getContext(), "ready", &function);
  llvm::BasicBlock* failed = llvm::BasicBlock::Create(function.getContext(), "failed", &function);
  llvm::BasicBlock* too_late = llvm::BasicBlock::Create(function.getContext(), "too_late", &function);
  llvm::BasicBlock* done = llvm::BasicBlock::Create(function.getContext(), "done", &function);
  llvm::Value* was_set = builder.CreateAlloca(builder.getInt8Ty());
  builder.CreateStore(builder.getInt8(0), was_set);
  call(builder, "pthread_mutex_lock", builder.getInt32Ty(), {member(once_offset)});
  builder.CreateCall(set, {function.getArg(0), function.getArg(1), was_set});
  call(builder, "pthread_mutex_unlock", builder.getInt32Ty(), {member(once_offset)});
  llvm::Value* is_set =
      builder.CreateICmpNE(builder.CreateLoad(builder.getInt8Ty(), was_set), builder.getInt8(0));
  builder.CreateCondBr(is_set, ready, failed);
  builder.SetInsertPoint(ready);
  call(builder, "sem_post", builder.getInt32Ty(), {member(status_offset)});
  builder.CreateBr(done);
  builder.SetInsertPoint(failed);
  llvm::Value* ignores = function.getArg(2);
  builder.CreateCondBr(builder.CreateICmpNE(ignores, llvm::Constant::getNullValue(ignores->getType())), done,
                       too_late);
  builder.SetInsertPoint(too_late);
  call(builder, "_ZSt20__throw_future_errori", {builder.getInt32(0)});
  builder.CreateUnreachable();
  builder.SetInsertPoint(done);
  finish(builder);
}

// std::async starts a thread, or leaves the work to who asks for the result. A thread that begins at the call and is joined where the result
// is asked for does it at any time between the two: it stands for both, but for variables that each thread has for itself.

constexpr std::uint64_t deferred_policy = 2; // std::launch::deferred alone
constexpr unsigned policy_argument = 1;      // after the place of the future

bool has_thread_local_variables(const llvm::Module& module) {
  for (const char* name : {"pthread_setspecific", "tss_set"})
    if (module.getFunction(name)) return true;
  return llvm::any_of(module.globals(), [](const llvm::GlobalVariable& variable) {
    return variable.isThreadLocal() && !variable.getName().starts_with("_ZSt");
  });
}

// The policy that all calls name; nothing if it is not known.
std::optional<std::uint64_t> policy_of(const llvm::Function& async) {
  std::optional<std::uint64_t> policy;
  for (const llvm::Use& use : async.uses()) {
    const auto* call = llvm::dyn_cast<llvm::CallBase>(use.getUser());
    const llvm::Value* given = call && call->isCallee(&use) ? call->getArgOperand(policy_argument) : nullptr;
    const auto* number = llvm::dyn_cast_or_null<llvm::ConstantInt>(given);
    if (!number || (policy && *policy != number->getZExtValue())) return std::nullopt;
    policy = number->getZExtValue();
  }
  return policy;
}

// Control does not get to calls that make such a state.
void cut_states(llvm::Function& async, const llvm::Twine& state) {
  llvm::SmallVector<llvm::CallBase*> calls;
  for (llvm::Instruction& inst : llvm::instructions(async))
    if (auto* call = llvm::dyn_cast<llvm::CallBase>(&inst))
      if (const llvm::Function* made = call->getCalledFunction();
          made && made->getName().starts_with(("_ZSt11make_sharedINSt13__future_base" + state).str()))
        calls.push_back(call);
  for (llvm::CallBase* call : calls) llvm::changeToUnreachable(call);
}

void choose_policy(llvm::Function& async) {
  const std::optional<std::uint64_t> policy = policy_of(async);
  if (policy == deferred_policy)
    cut_states(async, "17_Async_state_impl");
  else if (!has_thread_local_variables(*async.getParent()))
    cut_states(async, "15_Deferred_state");
}

// To use a future without a state is undefined ([futures.unique.future]); that the library throws then need not be followed.
void drop_checks(llvm::Function& function) {
  llvm::SmallVector<llvm::CallInst*> checks;
  for (llvm::Instruction& inst : llvm::instructions(function))
    if (auto* call = llvm::dyn_cast<llvm::CallInst>(&inst))
      if (const llvm::Function* callee = call->getCalledFunction();
          callee && callee->getName().starts_with("_ZNSt13__future_base13_State_baseV28_S_checkI"))
        checks.push_back(call);
  for (llvm::CallInst* check : checks) check->eraseFromParent();
}

// Only promises and packaged tasks have states that nobody has to complete. Without them, who waits is never at one.
bool has_promises(const llvm::Module& module) {
  return llvm::any_of(module.global_values(), [](const llvm::GlobalValue& value) {
    llvm::StringRef name = value.getName();
    bool is_table_of_state = name.starts_with("_ZTVSt") && name.contains("_Sp_counted_") &&
                             name.contains("13__future_base13_State_baseV2"); // what an optimiser leaves
    return is_table_of_state || name.starts_with("_ZNSt7promiseI") ||
           name.starts_with("_ZNSt13packaged_taskI") ||
           name.starts_with("_ZTVNSt13__future_base11_Task_stateI");
  });
}

void replace_completion(llvm::Function& function) {
  if (has_promises(*function.getParent())) return;
  Builder builder = begin_again(function);
  builder.CreateUnreachable();
}

// The state has had its thread from the beginning: whether it is still to be joined or was joined before, it has ended then.
void join_in_destructor(llvm::Function& destructor) {
  llvm::Function* joinable = destructor.getParent()->getFunction("_ZNKSt6thread8joinableEv");
  if (!joinable) return;
  for (llvm::User* user : joinable->users())
    if (auto* call = llvm::dyn_cast<llvm::CallBase>(user); call && call->getFunction() == &destructor)
      call->replaceAllUsesWith(llvm::Constant::getAllOnesValue(call->getType()));
}

} // namespace

void replace_future(llvm::Function& function, const Name& name) {
  if (name.scope_of_classes == "std::__future_base::_State_baseV2" && name.base == "_M_set_result")
    replace_setting(function, name);
  if (name.scope_of_classes == "std::__future_base::_State_baseV2" && name.base == "_M_complete_async")
    replace_completion(function);
  if (name.scope_of_classes == "std::__atomic_futex_unsigned") replace_readiness(function, name);
  if (name.scope_of_classes == "std::future_error" && name.base == "future_error")
    replace_by_nothing(function);
  if (name.scope_of_classes == "std::__basic_future") drop_checks(function);
  if (name.scope_of_classes == "std" && name.base == "async" && function.arg_size() > policy_argument)
    choose_policy(function);
  if (name.scope_of_classes == "std::__future_base::_Async_state_impl" && name.base == "~_Async_state_impl")
    join_in_destructor(function);
  if (name.scope_of_classes == "std::__future_base::_Async_state_commonV2" && name.base == "_M_join")
    replace_join_of_async(function);
}

} // namespace footrace::prove
