// Constraints of library functions: what their letters, results and roles say.
#include "prove/formats.h"
#include "prove/pointsto.h"

#include "llvm/IR/Constants.h"
#include "llvm/IR/InstrTypes.h"
#include "llvm/IR/Module.h"

#include <sys/syscall.h>

namespace footrace::prove {
namespace {

// A futex is read atomically.
bool is_harmless_system_call(const llvm::CallBase& call) {
  const auto* number = call.arg_size() ? llvm::dyn_cast<llvm::ConstantInt>(call.getArgOperand(0)) : nullptr;
  return number && llvm::is_contained({SYS_futex, SYS_gettid, SYS_getpid, SYS_sched_yield},
                                      static_cast<long>(number->getSExtValue()));
}

unsigned first_argument(const LibraryFunction& function, char letter) {
  return static_cast<unsigned>(function.letters.find(letter));
}

constexpr std::uint64_t glob_paths_offset = 8; // of gl_pathv in glob_t

} // namespace

void PointsTo::library_result(ContextId context, const llvm::CallBase& call,
                              const LibraryFunction& function) {
  if (!may_hold_pointer(call.getType())) return;
  NodeId result = node(&call, context);
  auto argument = [&](unsigned index) { return node(call.getArgOperand(index), context); };
  switch (function.result) {
  case 'n':
    solver_.add_copy(new_memory(context, call), result);
    break;
  case 's':
    solver_.add_location(
        result, library_memory_of(module_.getFunction(function.name == "getenv" ? "main" : function.name)));
    if (const llvm::GlobalVariable* state = module_.getNamedGlobal(library_state(function.name)))
      solver_.add_copy(node(state, context), result);
    break;
  case 't':
    solver_.add_copy(thread_local_node(call.getCalledFunction(), context, nullptr), result);
    break;
  case '0':
  case '1':
  case '2':
  case '3':
    solver_.add_copy(argument(static_cast<unsigned>(function.result - '0')), result);
    break;
  case 'a':
  case 'b':
    solver_.add_copy(interior(argument(static_cast<unsigned>(function.result - 'a'))), result);
    break;
  default:
    break;
  }
}

void PointsTo::library(InstanceId caller, const llvm::CallBase& call, const LibraryFunction& function) {
  ContextId context = instances_[caller].context;
  auto argument = [&](unsigned index) { return node(call.getArgOperand(index), context); };
  library_result(context, call, function);
  for (CopiedArguments copy : copied_arguments(function.role))
    solver_.add_copy_of_memory(argument(copy.to), argument(copy.from));
  Memory& memory = solver_.memory();
  switch (function.role) {
  case Role::Spawn: {
    solver_.add_store(argument(0), handle_of(context, call));
    unsigned routine = start_routine_argument(function);
    spawn(caller, call, argument(routine), {argument(routine + 1)});
    break;
  }
  case Role::SpawnState:
    solver_.add_store(argument(0), handle_of(context, call));
    spawn_state(caller, call);
    break;
  case Role::Handler:
    handle_signals(caller, call, argument(1));
    break;
  case Role::HandlerRecord: {
    NodeId handler = solver_.create();
    solver_.add_load(argument(1), handler);
    handle_signals(caller, call, handler);
    break;
  }
  case Role::Join:
    solver_.add_store(argument(1), thread_results_);
    break;
  case Role::Exit:
    if (call.arg_size()) solver_.add_copy(argument(0), thread_results_);
    if (module_.getFunction("__gxx_personality_v0"))
      unmodelled_.insert("destructors that " + function.name.str() + " runs");
    break;
  case Role::Once:
    call_back(caller, call, call.getArgOperand(1), {});
    break;
  case Role::KeyCreate:
    if (!llvm::isa<llvm::ConstantPointerNull>(call.getArgOperand(1)))
      unmodelled_.insert("destructors of thread-specific data");
    break;
  case Role::SetSpecific:
  case Role::GetSpecific: {
    ObjectId data =
        memory.object(ObjectKind::Specific, nullptr, contexts_.root_of(context), nullptr, unbounded);
    NodeId content = memory.at(memory.location(data, 0)).content;
    if (function.role == Role::SetSpecific)
      solver_.add_copy(argument(1), content);
    else
      solver_.add_copy(content, node(&call, context));
    break;
  }
  case Role::AllocateInto:
    solver_.add_store(argument(0), new_memory(context, call));
    break;
  case Role::AllocateRecords: {
    NodeId records = new_memory(context, call);
    solver_.add_store(interior(records), records);
    solver_.add_store(argument(3), records, function.name.starts_with("glob") ? glob_paths_offset : 0);
    break;
  }
  case Role::Reallocate:
    solver_.add_copy_of_memory(node(&call, context), argument(0));
    break;
  case Role::Cursor:
    solver_.add_store(argument(1), interior(argument(0)));
    break;
  case Role::Sort:
    call_back(caller, call, call.getArgOperand(3), {interior(argument(0)), interior(argument(0))});
    break;
  case Role::Search:
    call_back(caller, call, call.getArgOperand(4), {argument(0), interior(argument(1))});
    break;
  case Role::Register:
    solver_.add_copy_of_memory(kernel_pointer(), argument(3));
    break;
  case Role::Retrieve:
    solver_.add_copy_of_memory(argument(1), kernel_pointer());
    break;
  case Role::Send:
    solver_.add_copy_of_memory(pointer_to(traffic()), argument(first_argument(function, 'r')));
    break;
  case Role::Receive:
    receive(argument(first_argument(function, 'w')));
    break;
  case Role::Scan:
    if (may_read_addresses(call)) unmodelled_.insert("an address that is read as text");
    break;
  case Role::KeepBuffer:
    if (!llvm::isa<llvm::ConstantPointerNull>(call.getArgOperand(1)))
      unmodelled_.insert("a buffer that is given to " + function.name.str());
    break;
  case Role::SystemCall:
    if (!is_harmless_system_call(call)) unmodelled_.insert("the function " + function.name.str());
    break;
  case Role::Unmodelled:
    unmodelled_.insert("the function " + function.name.str());
    break;
  case Role::Callback:
    unmodelled_.insert("functions registered with " + function.name.str());
    break;
  default:
    break;
  }
  if (function.name == "__cxa_throw") solver_.add_copy(argument(0), exceptions_);
}

} // namespace footrace::prove
