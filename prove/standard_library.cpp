#include "prove/standard_library.h"

#include "prove/replacements.h"
#include "prove/standard_futures.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/Demangle/Demangle.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Module.h"

#include <set>
#include <string>

namespace footrace::prove {
namespace {

// std::latch

void replace_latch(llvm::Function& function, const Name& name) {
  if (name.base != "latch" && name.base != "count_down" && name.base != "wait" &&
      name.base != "arrive_and_wait")
    return;
  Builder builder = begin_again(function);
  llvm::Value* latch = function.getArg(0);
  if (name.base == "latch") call(builder, "std::latch::latch", {latch, function.getArg(1)});
  if (name.base == "count_down" || name.base == "arrive_and_wait")
    call(builder, "std::latch::count_down", {latch, function.getArg(1)});
  if (name.base == "wait" || name.base == "arrive_and_wait") call(builder, "std::latch::wait", {latch});
  finish(builder);
}

// Semaphores. Of several posts by one release only the first can be by who holds it, and there is no third kind.

void release_semaphore(Builder& builder, llvm::Function& function) {
  llvm::Type* number = builder.getInt32Ty();
  llvm::BasicBlock* more = llvm::BasicBlock::Create(function.getContext(), "more", &function);
  llvm::BasicBlock* done = llvm::BasicBlock::Create(function.getContext(), "done", &function);
  call(builder, "sem_post", number, {function.getArg(0)});
  llvm::Value* count = function.getArg(1);
  builder.CreateCondBr(builder.CreateICmpEQ(count, llvm::ConstantInt::get(count->getType(), 1)), done, more);
  builder.SetInsertPoint(more);
  call(builder, "sem_post", number, {function.getArg(0)});
  builder.CreateBr(done);
  builder.SetInsertPoint(done);
}

void replace_semaphore(llvm::Function& function, const Name& name) {
  bool is_known = llvm::is_contained({"__atomic_semaphore", "_M_acquire", "_M_release", "_M_try_acquire"},
                                     llvm::StringRef(name.base));
  if (!is_known || function.arg_size() == 0) return;
  Builder builder = begin_again(function);
  llvm::Value* semaphore = function.getArg(0);
  llvm::Type* number = builder.getInt32Ty();
  if (name.base == "__atomic_semaphore")
    call(builder, "sem_init", number,
         {semaphore, builder.getInt32(0), builder.CreateSExtOrTrunc(function.getArg(1), number)});
  if (name.base == "_M_acquire") call(builder, "sem_wait", number, {semaphore});
  if (name.base == "_M_release") release_semaphore(builder, function);
  if (name.base != "_M_try_acquire") return finish(builder);
  llvm::Value* failed = call(builder, "sem_trywait", number, {semaphore});
  builder.CreateRet(builder.CreateICmpEQ(failed, builder.getInt32(0)));
}

// std::barrier. Arrivals without a wait are not replaced, nor is then the rest of the class.

bool only_arrives_to_wait(llvm::Module& module, const std::string& barrier) {
  for (llvm::Function& function : module) {
    if (function.isDeclaration() || !function.getName().contains("barrier")) continue;
    Name name = name_of(function);
    if (name.scope != barrier || (name.base != "arrive" && name.base != "arrive_and_drop")) continue;
    for (llvm::User* user : function.users()) {
      const auto* by = llvm::dyn_cast<llvm::CallBase>(user);
      if (!by || name_of(*by->getFunction()).base != "arrive_and_wait") return false;
    }
  }
  return true;
}

void replace_barrier(llvm::Function& function, const Name& name) {
  bool is_known = llvm::is_contained({"barrier", "~barrier", "arrive_and_wait"}, llvm::StringRef(name.base));
  bool is_empty = llvm::StringRef(name.scope).contains("__empty_completion");
  if (!is_known || !is_empty || !only_arrives_to_wait(*function.getParent(), name.scope)) return;
  Builder builder = begin_again(function);
  llvm::Value* barrier = function.getArg(0);
  llvm::Type* number = builder.getInt32Ty();
  if (name.base == "barrier")
    call(builder, "pthread_barrier_init", number,
         {barrier, llvm::Constant::getNullValue(builder.getPtrTy()),
          builder.CreateTrunc(function.getArg(1), number)});
  if (name.base == "arrive_and_wait") call(builder, "pthread_barrier_wait", number, {barrier});
  finish(builder);
}

// std::lock: takes all, in some order.

// How to take a lock of a class; empty if that is not known.
std::string lock_function(llvm::Module& module, llvm::StringRef lockable) {
  if (llvm::is_contained(
          {"std::mutex", "std::recursive_mutex", "std::timed_mutex", "std::recursive_timed_mutex"}, lockable))
    return "pthread_mutex_lock";
  if (lockable == "std::shared_mutex" || lockable == "std::shared_timed_mutex")
    return "pthread_rwlock_wrlock";
  const llvm::Function* lock = member_of(module, lockable, "lock");
  return lock ? lock->getName().str() : "";
}

// "A<B, C>&, D&" -> {"A<B, C>", "D"}
llvm::SmallVector<std::string> referenced_types(llvm::StringRef parameters) {
  llvm::SmallVector<std::string> types(1);
  int depth = 0;
  for (char letter : parameters) {
    depth += (letter == '<') - (letter == '>');
    if (letter == ',' && depth == 0)
      types.emplace_back();
    else if (letter != '&' || depth > 0)
      types.back() += letter;
  }
  for (std::string& type : types) type = llvm::StringRef(type).trim().str();
  return types;
}

llvm::SmallVector<std::string> parameter_types(const llvm::Function& function) {
  llvm::ItaniumPartialDemangler demangler;
  const std::string mangled = function.getName().str();
  if (demangler.partialDemangle(mangled.c_str())) return {};
  std::string parameters = taken(demangler.getFunctionParameters(nullptr, nullptr));
  return referenced_types(llvm::StringRef(parameters).drop_front().drop_back());
}

struct TakenLock {
  std::string function;
  bool is_behind_unique_lock;
};

TakenLock how_to_take(llvm::Module& module, llvm::StringRef type) {
  llvm::StringRef lockable = type;
  bool is_behind = lockable.consume_front("std::unique_lock<") && lockable.consume_back(">");
  return {lock_function(module, is_behind ? lockable.trim() : type), is_behind};
}

void take(Builder& builder, const TakenLock& how, llvm::Value* lockable) {
  llvm::Module& module = *builder.GetInsertBlock()->getModule();
  llvm::Value* lock = how.is_behind_unique_lock ? builder.CreateLoad(builder.getPtrTy(), lockable) : lockable;
  const llvm::Function* known = module.getFunction(how.function);
  llvm::Type* result = known ? known->getReturnType() : builder.getInt32Ty();
  call(builder, how.function, result, {lock});
  if (!how.is_behind_unique_lock) return;
  llvm::Value* is_owner = builder.CreatePtrAdd(lockable, builder.getInt64(sizeof(void*)));
  builder.CreateStore(builder.getInt8(1), is_owner);
}

void replace_lock(llvm::Function& function) {
  llvm::Module& module = *function.getParent();
  const llvm::SmallVector<std::string> types = parameter_types(function);
  llvm::SmallVector<TakenLock> locks;
  for (const std::string& type : types) locks.push_back(how_to_take(module, type));
  bool is_known = llvm::none_of(locks, [](const TakenLock& lock) { return lock.function.empty(); });
  if (!is_known || locks.size() != function.arg_size()) return;
  Builder builder = begin_again(function);
  for (unsigned i = 0; i < locks.size(); i++) take(builder, locks[i], function.getArg(i));
  finish(builder);
}

// std::atomic::wait: asks until the value is another one.

// The function object that reads the value is called somewhere below.
llvm::Function* reading_function(llvm::Function& wait) {
  std::set<llvm::Function*> seen;
  llvm::SmallVector<llvm::Function*> work = {&wait};
  while (!work.empty()) {
    llvm::Function* function = work.pop_back_val();
    if (function->isDeclaration() || !seen.insert(function).second) continue;
    bool is_reader = function->getName().contains("4waitE") && function->getName().ends_with("ENKUlvE_clEv");
    if (is_reader && function->arg_size() == 1) return function;
    for (llvm::Instruction& inst : llvm::instructions(*function))
      if (auto* call = llvm::dyn_cast<llvm::CallBase>(&inst))
        if (llvm::Function* callee = call->getCalledFunction()) work.push_back(callee);
  }
  return nullptr;
}

// It is passed in registers, or by its address.
llvm::Value* place_of_closure(Builder& builder, llvm::Function& wait) {
  constexpr unsigned first = 2;
  if (wait.hasParamAttribute(first, llvm::Attribute::ByVal)) return wait.getArg(first);
  llvm::SmallVector<llvm::Type*> types;
  for (unsigned i = first; i < wait.arg_size(); i++) types.push_back(wait.getArg(i)->getType());
  auto* type = llvm::StructType::get(wait.getContext(), types);
  llvm::Value* place = builder.CreateAlloca(type);
  for (unsigned i = first; i < wait.arg_size(); i++)
    builder.CreateStore(wait.getArg(i), builder.CreateStructGEP(type, place, i - first));
  return place;
}

void replace_wait(llvm::Function& function) {
  llvm::Function* reader = function.arg_size() > 2 ? reading_function(function) : nullptr;
  if (!reader || reader->getReturnType() != function.getArg(1)->getType() ||
      !reader->getReturnType()->isIntOrPtrTy())
    return;
  Builder builder = begin_again(function);
  llvm::Value* closure = place_of_closure(builder, function);
  llvm::BasicBlock* again = llvm::BasicBlock::Create(function.getContext(), "again", &function);
  llvm::BasicBlock* done = llvm::BasicBlock::Create(function.getContext(), "done", &function);
  builder.CreateBr(again);
  builder.SetInsertPoint(again);
  llvm::Value* value = builder.CreateCall(reader, {closure});
  builder.CreateCondBr(builder.CreateICmpEQ(value, function.getArg(1)), again, done);
  builder.SetInsertPoint(done);
  builder.CreateRetVoid();
}

// std::condition_variable_any gives the lock back and takes it again; who wakes whom is not asked for.

void replace_wait_any(llvm::Function& function, const Name& name) {
  const bool has_limit = name.base == "wait_until";
  const llvm::SmallVector<std::string> types = parameter_types(function);
  if (types.size() != (has_limit ? 2 : 1)) return; // the others ask a predicate, and call these
  llvm::Function* unlock = member_of(*function.getParent(), types.front(), "unlock");
  llvm::Function* lock = member_of(*function.getParent(), types.front(), "lock");
  if (!unlock || !lock) return;
  Builder builder = begin_again(function);
  builder.CreateCall(unlock, {function.getArg(1)});
  builder.CreateCall(lock, {function.getArg(1)});
  if (!has_limit) return finish(builder);
  builder.CreateRet(call(builder, "__VERIFIER_nondet_int", function.getReturnType(), {}));
}

void replace_condition(llvm::Function& function, const Name& name) {
  if (name.base == "notify_one" || name.base == "notify_all") replace_by_nothing(function);
  if (name.base == "wait" || name.base == "wait_until") replace_wait_any(function, name);
}

// The state of a stop token is there as long as anybody has it, and nobody has its address otherwise.
void replace_stop_state(llvm::Function& function, const Name& name) {
  if (name.base == "_M_release_ownership") replace_by_nothing(function);
}

// Locks with a time limit.

void replace_timed_lock(llvm::Function& function, const Name& name) {
  bool is_shared = llvm::StringRef(name.base).contains("_shared_");
  bool is_readers_lock = name.scope_of_classes == "std::shared_timed_mutex";
  if (!llvm::StringRef(name.base).starts_with("try_lock") ||
      !(llvm::StringRef(name.base).ends_with("_for") || llvm::StringRef(name.base).ends_with("_until")))
    return;
  Builder builder = begin_again(function);
  llvm::StringRef tried = !is_readers_lock ? "pthread_mutex_trylock"
                          : is_shared      ? "pthread_rwlock_tryrdlock"
                                           : "pthread_rwlock_trywrlock";
  llvm::Value* failed = call(builder, tried, builder.getInt32Ty(), {function.getArg(0)});
  builder.CreateRet(builder.CreateICmpEQ(failed, builder.getInt32(0)));
}

bool may_be_replaced(llvm::StringRef scope) {
  return llvm::is_contained(
      {"std::latch", "std::__atomic_semaphore", "std::barrier", "std::__atomic_futex_unsigned"}, scope);
}

void replace(llvm::Function& function) {
  Name name = name_of(function);
  if (name.scope_of_classes == "std::latch") replace_latch(function, name);
  if (name.scope_of_classes == "std::__atomic_semaphore") replace_semaphore(function, name);
  if (name.scope_of_classes == "std::barrier") replace_barrier(function, name);
  if (llvm::is_contained({"std::timed_mutex", "std::recursive_timed_mutex", "std::shared_timed_mutex"},
                         llvm::StringRef(name.scope_of_classes)))
    replace_timed_lock(function, name);
  replace_future(function, name);
  if (name.scope_of_classes == "std::_V2::condition_variable_any") replace_condition(function, name);
  if (name.scope_of_classes == "std::stop_token::_Stop_state_t") replace_stop_state(function, name);
  if (name.scope_of_classes == "std" && name.base == "lock") replace_lock(function);
  if (name.scope_of_classes == "std" && name.base == "__atomic_wait_address_v") replace_wait(function);
}

llvm::SmallVector<llvm::Function*> functions_of_standard_library(llvm::Module& module) {
  llvm::SmallVector<llvm::Function*> found;
  for (llvm::Function& function : module)
    if (!function.isDeclaration() &&
        (function.getName().starts_with("_ZSt") || function.getName().starts_with("_ZNSt") ||
         function.getName().starts_with("_ZNKSt")))
      found.push_back(&function);
  return found;
}

} // namespace

void keep_standard_functions_apart(llvm::Module& module) {
  for (llvm::Function* function : functions_of_standard_library(module))
    if (function->hasFnAttribute(llvm::Attribute::AlwaysInline) &&
        may_be_replaced(name_of(*function).scope_of_classes))
      function->removeFnAttr(llvm::Attribute::AlwaysInline);
}

void replace_standard_functions(llvm::Module& module) {
  for (llvm::Function* function : functions_of_standard_library(module)) replace(*function);
}

} // namespace footrace::prove
