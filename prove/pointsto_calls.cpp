// Constraints of calls: functions of the program, library functions, new threads.
#include "prove/function_managers.h"
#include "prove/pointsto.h"

#include "llvm/IR/Constants.h"
#include "llvm/IR/DataLayout.h"
#include "llvm/IR/InlineAsm.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/Module.h"
#include "llvm/IR/Operator.h"

namespace footrace::prove {
namespace {

template <class List, class Item> bool add_once(List& list, const Item& item) {
  if (llvm::is_contained(list, item)) return false;
  list.push_back(item);
  return true;
}

// An allocation that is used as a record of exactly its size is that record.
llvm::Type* type_of_allocation(const llvm::CallBase& call, std::uint64_t size, const llvm::DataLayout& data) {
  for (const llvm::User* user : call.users())
    if (const auto* gep = llvm::dyn_cast<llvm::GetElementPtrInst>(user)) {
      llvm::Type* type = gep->getSourceElementType();
      if (llvm::isa<llvm::StructType>(type) && type->isSized() && data.getTypeAllocSize(type) == size)
        return type;
    }
  return nullptr;
}

std::uint64_t size_of_allocation(const llvm::CallBase& call) {
  std::uint64_t size = 1;
  llvm::StringRef name = call.getCalledFunction() ? call.getCalledFunction()->getName() : "";
  unsigned sizes = name == "calloc" ? 2 : 1;
  bool is_second = name == "aligned_alloc" || name == "memalign" || name.starts_with("mmap");
  unsigned first = is_second ? 1 : 0;
  for (unsigned i = first; i < first + sizes; i++) {
    const auto* length =
        i < call.arg_size() ? llvm::dyn_cast<llvm::ConstantInt>(call.getArgOperand(i)) : nullptr;
    if (!length) return unbounded;
    size *= length->getZExtValue();
  }
  return size;
}

// In the same kind of register.
bool are_passed_alike(const llvm::Type* a, const llvm::Type* b) {
  auto is_general = [](const llvm::Type* type) { return type->isIntegerTy() || type->isPointerTy(); };
  return a == b || (is_general(a) && is_general(b));
}

// A call through a pointer to a function of another type is undefined (C17 6.5.2.2): programs do get away with
// arguments that are left over, and with results that nobody looks at.
bool may_be_called(const llvm::Function& callee, const llvm::CallBase& call) {
  if (callee.arg_size() > call.arg_size()) return false;
  for (unsigned i = 0; i < callee.arg_size(); i++)
    if (!are_passed_alike(callee.getArg(i)->getType(), call.getArgOperand(i)->getType())) return false;
  return true;
}

constexpr std::size_t handler_arguments = 3;       // of sa_sigaction
constexpr std::uint64_t va_list_areas[] = {8, 16}; // x86-64: overflow area, register save area
constexpr std::int64_t state_run_slot = 16; // of _M_run behind the address point of a thread state's vtable

} // namespace

void PointsTo::visit_call(InstanceId instance, const llvm::CallBase& call) {
  ContextId context = instances_[instance].context;
  if (const auto* intrinsic = llvm::dyn_cast<llvm::IntrinsicInst>(&call))
    return visit_intrinsic(instance, *intrinsic);
  if (const auto* assembly = llvm::dyn_cast<llvm::InlineAsm>(call.getCalledOperand())) {
    if (!assembly->getAsmString().empty())
      unmodelled_.insert("inline assembly in " + call.getFunction()->getName().str());
    return;
  }
  for (const llvm::Use& argument : call.args())
    if (may_hold_pointer(argument->getType())) node(argument.get(), context);
  if (const auto* callee =
          llvm::dyn_cast<llvm::Function>(call.getCalledOperand()->stripPointerCastsAndAliases()))
    return connect(instance, call, *callee);
  solver_.listen(node(call.getCalledOperand(), context), [this, instance, &call](LocationId location) {
    const Object& object = memory()[memory().object_of(location)];
    if (object.kind == ObjectKind::AnyFunction) {
      connect_any(instance, call);
    } else if (object.kind == ObjectKind::Function) {
      const auto& callee = *llvm::cast<llvm::Function>(object.site);
      if (may_be_called(callee, call)) connect(instance, call, callee);
    } else if (object.kind == ObjectKind::Library)
      unmodelled_.insert("a call through a pointer that comes from unknown code, in " +
                         call.getFunction()->getName().str());
  });
}

void PointsTo::connect(InstanceId caller, const llvm::CallBase& call, const llvm::Function& callee) {
  ContextId context = instances_[caller].context;
  if (callee.isDeclaration()) {
    const LibraryFunction* known = find_library_function(callee.getName());
    if (!known) return unknown_call(caller, call, callee);
    if (!library_state(callee.getName()).empty() && call.getCalledFunction() != &callee)
      unmodelled_.insert("a call of " + callee.getName().str() + " through a pointer");
    if (add_once(library_callees_[{caller, &call}], known)) library(caller, call, *known);
    return;
  }
  InstanceId target = reach_by_call(called_part(callee, call), context, call);
  if (!add_once(callees_[{caller, &call}], target)) return;
  Nodes arguments;
  for (const llvm::Use& argument : call.args()) arguments.push_back(node(argument.get(), context));
  bind(target, arguments);
  for (unsigned i = static_cast<unsigned>(callee.arg_size()); callee.isVarArg() && i < call.arg_size(); i++)
    if (call.isByValArgument(i)) solver_.add_copy_of_memory(pointer_to(varargs_of(target)), arguments[i]);
  if (may_hold_pointer(call.getType())) solver_.add_copy(return_node(target), node(&call, context));
}

void PointsTo::connect_any(InstanceId caller, const llvm::CallBase& call) {
  for (const llvm::Function* callee : address_taken_)
    if (may_be_called(*callee, call))
      callee->isDeclaration() ? connect(caller, call, *callee) : share(caller, call, *callee);
}

// c calls of f functions cost c + f copies of each argument.
void PointsTo::share(InstanceId caller, const llvm::CallBase& call, const llvm::Function& callee) {
  ContextId context = instances_[caller].context;
  auto [known, is_new] =
      shared_calls_.try_emplace({contexts_.origin_of(context), call.getFunctionType(), call.arg_size()});
  SharedCalls& shared = known->second;
  if (is_new) {
    shared.result = solver_.create();
    for (unsigned i = 0; i < call.arg_size(); i++) shared.arguments.push_back(solver_.create());
  }
  if (shared.callers.insert({caller, &call}).second) {
    for (unsigned i = 0; i < call.arg_size(); i++)
      solver_.add_copy(node(call.getArgOperand(i), context), shared.arguments[i]);
    if (may_hold_pointer(call.getType())) solver_.add_copy(shared.result, node(&call, context));
  }
  InstanceId target = reach(callee, contexts_.any_call(context));
  add_once(callees_[{caller, &call}], target);
  if (!shared.callees.insert(target).second) return;
  bind(target, shared.arguments);
  solver_.add_copy(return_node(target), shared.result);
}

void PointsTo::bind(InstanceId callee, const Nodes& arguments) {
  const llvm::Function& function = *instances_[callee].function;
  ContextId context = instances_[callee].context;
  for (unsigned i = 0; i < arguments.size() && i < function.arg_size(); i++)
    if (may_hold_pointer(function.getArg(i)->getType()))
      solver_.add_copy(arguments[i], node(function.getArg(i), context));
  if (function.isVarArg() && arguments.size() > function.arg_size()) bind_varargs(callee, arguments);
}

// All variable arguments of the instance.
LocationId PointsTo::varargs_of(InstanceId callee) {
  Memory& memory = solver_.memory();
  ObjectId area = memory.object(ObjectKind::Varargs, instances_[callee].function, instances_[callee].context,
                                nullptr, unbounded);
  return memory.shifted(memory.location(area, 0), {{0, 1, 0}});
}

void PointsTo::bind_varargs(InstanceId callee, const Nodes& arguments) {
  for (std::size_t i = instances_[callee].function->arg_size(); i < arguments.size(); i++)
    solver_.add_copy(arguments[i], memory().at(varargs_of(callee)).content);
}

void PointsTo::visit_intrinsic(InstanceId instance, const llvm::IntrinsicInst& call) {
  ContextId context = instances_[instance].context;
  switch (call.getIntrinsicID()) {
  case llvm::Intrinsic::memcpy:
  case llvm::Intrinsic::memcpy_inline:
  case llvm::Intrinsic::memmove: {
    const auto* length = llvm::dyn_cast<llvm::ConstantInt>(call.getArgOperand(2));
    solver_.add_copy_of_memory(node(call.getArgOperand(0), context), node(call.getArgOperand(1), context),
                               length ? length->getZExtValue() : unbounded);
    break;
  }
  case llvm::Intrinsic::ptrmask:
    move_operands(context, call);
    break;
  case llvm::Intrinsic::vacopy:
    solver_.add_copy_of_memory(node(call.getArgOperand(0), context), node(call.getArgOperand(1), context));
    break;
  case llvm::Intrinsic::memset:
    node(call.getArgOperand(0), context);
    break;
  case llvm::Intrinsic::vastart: {
    NodeId pointer = pointer_to(varargs_of(instance));
    for (std::uint64_t offset : va_list_areas)
      solver_.add_store(node(call.getArgOperand(0), context), pointer, offset);
    break;
  }
  default:
    copy_operands(context, call);
    break;
  }
}

// Functions that unknown code knows may run as threads from this call on, with any argument that it knows.
void PointsTo::run_by_unknown_code(InstanceId creator, const llvm::CallBase& call) {
  NodeId known = memory().at(library_memory_).content;
  if (!first_unknown_call_) {
    first_unknown_call_ = &call;
    solver_.add_copy_of_memory(library_pointer_, known); // also what it reaches through what it was given
  }
  solver_.listen(known, [this, creator, &call, known](LocationId location) {
    // One kind of thread for each function, whoever made it known.
    for (const llvm::Function* entry : functions_at(location, unbounded)) {
      if (entry->isDeclaration()) continue;
      InstanceId target = reach(*entry, contexts_.has_many_origins()
                                            ? contexts_.spawn(main_context, first_unknown_call_, nullptr)
                                            : thread_context(main_context, *first_unknown_call_, location));
      if (add_once(spawned_[{creator, &call}], target)) bind(target, Nodes(entry->arg_size(), known));
    }
  });
}

// Unknown code can name every variable with external linkage.
void PointsTo::hand_out_variables(NodeId result) {
  if (options_.trust_unknown_code) return;
  for (const llvm::GlobalVariable& global : module_.globals())
    if (!global.isDeclaration() && !global.hasLocalLinkage() && !global.isConstant() &&
        !global.isThreadLocal() && !global.getName().starts_with("llvm."))
      solver_.add_copy(node(&global, main_context), result);
}

void PointsTo::unknown_call(InstanceId caller, const llvm::CallBase& call, const llvm::Function& callee) {
  ContextId context = instances_[caller].context;
  bool is_described = callee.getName().contains(' '); // see complete_main
  unmodelled_.insert((is_described ? "" : "the function ") + callee.getName().str());
  if (!unknown_calls_.insert({caller, &call}).second) return;
  for (const llvm::Use& argument : call.args())
    if (may_hold_pointer(argument->getType())) {
      NodeId passed = node(argument.get(), context);
      solver_.add_store(library_pointer_, passed);
      solver_.add_store(passed, library_pointer_); // it may leave its own pointers there
    }
  if (may_hold_pointer(call.getType())) {
    solver_.add_copy(memory().at(library_memory_).content, node(&call, context));
    if (call.getType()->isPointerTy()) hand_out_variables(node(&call, context));
  }
  run_by_unknown_code(caller, call);
}

NodeId PointsTo::new_memory(ContextId context, const llvm::CallBase& call) {
  Memory& memory = solver_.memory();
  std::uint64_t size = size_of_allocation(call);
  llvm::Type* type = type_of_allocation(call, size, module_.getDataLayout());
  return pointer_to(memory.location(memory.object(ObjectKind::Heap, &call, context, type, size), 0));
}

NodeId PointsTo::handle_of(ContextId context, const llvm::CallBase& call) {
  Memory& memory = solver_.memory();
  return pointer_to(memory.location(memory.object(ObjectKind::Thread, &call, context, nullptr, 1), 0));
}

// What the kernel keeps for the program: any number of records, found again by any thread.
NodeId PointsTo::kernel_pointer() { return pointer_to(library_memory_of(module_.getFunction("epoll_ctl"))); }

// Whoever reads from any descriptor may get what was written to any.
LocationId PointsTo::traffic() {
  Memory& memory = solver_.memory();
  ObjectId bytes = memory.object(ObjectKind::Traffic, nullptr, main_context, nullptr, unbounded);
  return memory.shifted(memory.location(bytes, 0), {{0, 1, 0}});
}

// If there is an address among the bytes it may be anywhere in the buffer; if not, the members of the buffer's object
// stay apart.
void PointsTo::receive(NodeId buffer) {
  solver_.listen(memory().at(traffic()).content, [this, buffer, is_done = false](LocationId) mutable {
    if (!is_done) solver_.add_copy_of_memory(buffer, pointer_to(traffic()));
    is_done = true;
  });
}

NodeId PointsTo::interior(NodeId pointer) {
  NodeId made = solver_.create();
  solver_.add_shift(pointer, made, {{0, 1, 0}});
  return made;
}

void PointsTo::call_back(InstanceId caller, const llvm::CallBase& call, const llvm::Value* function,
                         Nodes arguments) {
  solver_.listen(node(function, instances_[caller].context),
                 [this, caller, &call, arguments](LocationId location) {
                   for (const llvm::Function* callee : functions_at(location, arguments.size())) {
                     if (callee->isDeclaration()) {
                       if (!find_library_function(callee->getName()))
                         unmodelled_.insert("the function " + callee->getName().str());
                       continue;
                     }
                     InstanceId target = reach_by_call(*callee, instances_[caller].context, call);
                     if (add_once(callees_[{caller, &call}], target)) bind(target, arguments);
                   }
                 });
}

ContextId PointsTo::thread_context(ContextId creator, const llvm::CallBase& call, LocationId function) {
  const Object& object = memory()[memory().object_of(function)];
  bool is_single = object.kind == ObjectKind::Function;
  return contexts_.spawn(creator, &call, is_single ? llvm::cast<llvm::Function>(object.site) : nullptr);
}

void PointsTo::spawn(InstanceId creator, const llvm::CallBase& call, NodeId function, Nodes arguments) {
  solver_.listen(function, [this, creator, &call, arguments](LocationId location) {
    const Object& object = memory()[memory().object_of(location)];
    if (object.kind == ObjectKind::Library) unmodelled_.insert("a thread that unknown code runs");
    for (const llvm::Function* entry : functions_at(location, arguments.size())) {
      if (entry->isDeclaration()) {
        unmodelled_.insert("the function " + entry->getName().str());
        continue;
      }
      InstanceId target = reach(*entry, thread_context(instances_[creator].context, call, location));
      if (!add_once(spawned_[{creator, &call}], target)) continue;
      bind(target, arguments);
      solver_.add_copy(return_node(target), thread_results_);
    }
  });
}

// One kind of thread for each handler, whoever registers it.
void PointsTo::handle_signals(InstanceId creator, const llvm::CallBase& call, NodeId function) {
  solver_.listen(function, [this, creator, &call](LocationId location) {
    const llvm::CallBase* first = handlers_.try_emplace(location, &call).first->second;
    for (const llvm::Function* handler : functions_at(location, handler_arguments)) {
      if (handler->isDeclaration()) {
        unmodelled_.insert("the function " + handler->getName().str());
        continue;
      }
      InstanceId target = reach(*handler, thread_context(main_context, *first, location));
      add_once(spawned_[{creator, &call}], target);
    }
  });
}

void PointsTo::spawn_state(InstanceId creator, const llvm::CallBase& call) {
  ContextId context = instances_[creator].context;
  NodeId state = solver_.create(), vtable = solver_.create(), slot = solver_.create(), run = solver_.create();
  solver_.add_load(node(call.getArgOperand(1), context), state);
  solver_.add_load(state, vtable);
  solver_.add_shift(vtable, slot, {{state_run_slot, 0, 0}});
  solver_.add_load(slot, run);
  spawn(creator, call, run, {state});
}

} // namespace footrace::prove
