// Points-to and call graph of the whole program, built together: field-sensitive, inclusion-based, with contexts for
// calls, threads and heap objects (contexts.h). Calls through pointers, virtual calls and member-function pointers
// (which are stored as integers) are resolved as their targets become known.
#pragma once

#include "prove/library.h"
#include "prove/solver.h"

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/MapVector.h"

#include <optional>
#include <set>
#include <string>

namespace llvm {
class BinaryOperator;
class CallBase;
class Constant;
class Function;
class FunctionType;
class GEPOperator;
class GlobalVariable;
class Instruction;
class IntrinsicInst;
class Module;
} // namespace llvm

namespace footrace::prove {

using InstanceId = std::uint32_t;

// A function in a context.
struct Instance {
  const llvm::Function* function;
  ContextId context;
};

struct PointsToOptions {
  unsigned k = 1;
  bool collapse_arrays = false;
  std::size_t instance_budget = 20000; // shared by all functions; beyond it callers are not told apart
  std::size_t origin_limit = 8;        // kinds of threads; beyond it their creators are not told apart
  std::size_t pool_limit =
      256; // targets of one pointer that are told apart; an eighth of it in large programs
  bool trust_unknown_code = false; // it hands out no variable of the program that it was not given
  std::optional<std::chrono::steady_clock::time_point> deadline = std::nullopt;
};

class PointsTo {
public:
  PointsTo(const llvm::Module& module, const PointsToOptions& options);
  bool collapses_arrays() const { return options_.collapse_arrays; }

  // False if time ran out; then nothing below may be used.
  bool solve();

  const LocationSet& points_to_in(const llvm::Value* pointer, ContextId context) const;
  const LocationSet& points_to(const llvm::Value* pointer, InstanceId instance) const {
    return points_to_in(pointer, instances_[instance].context);
  }

  llvm::ArrayRef<Instance> instances() const { return instances_; }
  // Functions of the program that the call may run in the same thread, also from inside a library function.
  llvm::ArrayRef<InstanceId> callees(InstanceId caller, const llvm::CallBase* site) const;
  // First functions of the threads that the call may start.
  llvm::ArrayRef<InstanceId> spawned(InstanceId creator, const llvm::CallBase* site) const;
  // Library functions that the call may run.
  llvm::ArrayRef<const LibraryFunction*> library_callees(InstanceId caller, const llvm::CallBase* site) const;
  // All that are called.
  std::set<const LibraryFunction*> library_functions() const {
    std::set<const LibraryFunction*> all;
    for (const auto& [site, functions] : library_callees_) all.insert(functions.begin(), functions.end());
    return all;
  }
  std::optional<InstanceId> main_instance() const { return main_; }

  OriginId origin_of(InstanceId instance) const { return contexts_.origin_of(instances_[instance].context); }
  const Contexts& contexts() const { return contexts_; }
  const Memory& memory() const { return solver_.memory(); }
  const Solver& solver() const { return solver_; }
  const llvm::Module& module() const { return module_; }
  // What threads return.
  const LocationSet& thread_results() const { return solver_.points_to(thread_results_); }
  LocationId verifier_lock() const { return verifier_lock_; }

  // The library function that the call is certain to run; null if there are several, or others.
  const LibraryFunction* certain_library_callee(InstanceId caller, const llvm::CallBase* site) const;
  // Whether functions that the call may run may run any number of times before it returns.
  bool may_call_back_often(InstanceId caller, const llvm::CallBase* site) const;
  // Whether the call may start any number of threads of each kind: unknown code does, and signals come at any time.
  bool may_spawn_many(InstanceId creator, const llvm::CallBase* site) const;
  // What unknown code was given, and everything reachable from it.
  const LocationSet& known_to_unknown_code() const {
    return solver_.points_to(memory().at(library_memory_).content);
  }

  // What was met and is not modelled, in words. Not empty: nothing is proved.
  const std::set<std::string>& unmodelled() const { return unmodelled_; }

private:
  using Site = std::pair<InstanceId, const llvm::CallBase*>;
  using Nodes = llvm::SmallVector<NodeId, 4>;

  InstanceId reach(const llvm::Function& function, ContextId context);
  InstanceId reach_by_call(const llvm::Function& callee, ContextId caller, const llvm::CallBase& call);
  NodeId node(const llvm::Value* value, ContextId context);
  NodeId constant_node(const llvm::Constant* constant, ContextId context);
  NodeId thread_local_node(const llvm::Value* site, ContextId context, llvm::Type* type);
  NodeId return_node(InstanceId instance);
  NodeId pointer_to(LocationId location);
  // The functions that a location stands for; of any function, those that can be called with so many arguments.
  std::vector<const llvm::Function*> functions_at(LocationId location, std::size_t arguments) const;
  // What the library hands out at this site: one piece of memory, which refers only to itself.
  LocationId library_memory_of(const llvm::Value* site);
  ObjectId global_object(const llvm::GlobalVariable& global, ContextId context);
  void initialise(ObjectId object, std::uint64_t offset, const llvm::Constant* value);

  // pointsto_instructions.cpp
  void generate(InstanceId instance);
  void visit(InstanceId instance, const llvm::Instruction& inst);
  void visit_load(ContextId context, const llvm::Instruction& inst, const llvm::Value* pointer);
  void visit_store(ContextId context, const llvm::Value* value, const llvm::Value* pointer);
  void visit_arithmetic(ContextId context, const llvm::BinaryOperator& inst);
  void visit_sum(ContextId context, const llvm::BinaryOperator& inst);
  void copy_operands(ContextId context, const llvm::Instruction& inst);
  void move_operands(ContextId context, const llvm::Instruction& inst);

  // pointsto_calls.cpp
  void visit_call(InstanceId instance, const llvm::CallBase& call);
  void visit_intrinsic(InstanceId instance, const llvm::IntrinsicInst& call);
  void connect(InstanceId caller, const llvm::CallBase& call, const llvm::Function& callee);
  void connect_any(InstanceId caller, const llvm::CallBase& call);
  void share(InstanceId caller, const llvm::CallBase& call, const llvm::Function& callee);
  void bind(InstanceId callee, const Nodes& arguments);
  LocationId varargs_of(InstanceId callee);
  void bind_varargs(InstanceId callee, const Nodes& arguments);
  void call_back(InstanceId caller, const llvm::CallBase& call, const llvm::Value* function, Nodes arguments);
  void spawn(InstanceId creator, const llvm::CallBase& call, NodeId function, Nodes arguments);
  void handle_signals(InstanceId creator, const llvm::CallBase& call, NodeId function);
  // The context of a thread that runs such a function.
  ContextId thread_context(ContextId creator, const llvm::CallBase& call, LocationId function);
  void spawn_state(InstanceId creator, const llvm::CallBase& call);
  void unknown_call(InstanceId caller, const llvm::CallBase& call, const llvm::Function& callee);
  void hand_out_variables(NodeId result);
  void run_by_unknown_code(InstanceId creator, const llvm::CallBase& call);
  NodeId new_memory(ContextId context, const llvm::CallBase& call);
  NodeId handle_of(ContextId context, const llvm::CallBase& call);
  NodeId interior(NodeId pointer);
  NodeId kernel_pointer();
  LocationId traffic();
  void receive(NodeId buffer);

  // pointsto_library.cpp
  void library(InstanceId caller, const llvm::CallBase& call, const LibraryFunction& function);
  void library_result(ContextId context, const llvm::CallBase& call, const LibraryFunction& function);

  const llvm::Module& module_;
  PointsToOptions options_;
  Contexts contexts_;
  Solver solver_;
  std::vector<Instance> instances_;
  std::map<std::pair<const llvm::Function*, ContextId>, InstanceId> instance_ids_;
  llvm::DenseMap<std::pair<const llvm::Value*, ContextId>, NodeId> nodes_;
  llvm::DenseMap<InstanceId, NodeId> returns_;
  std::map<Site, llvm::SmallVector<InstanceId, 1>> callees_, spawned_;
  std::map<Site, llvm::SmallVector<const LibraryFunction*, 1>> library_callees_;
  // Calls of one type and number of arguments through pointers to any function share their arguments and results.
  struct SharedCalls {
    Nodes arguments;
    NodeId result;
    std::set<InstanceId> callees;
    std::set<Site> callers;
  };
  std::map<std::tuple<OriginId, const llvm::FunctionType*, unsigned>, SharedCalls> shared_calls_;
  std::vector<const llvm::Function*> address_taken_;
  llvm::DenseMap<LocationId, const llvm::CallBase*> handlers_; // where they were first registered
  std::size_t contexts_per_function_ = 0;
  llvm::DenseMap<const llvm::Function*, std::size_t> contexts_of_; // by calls
  std::vector<InstanceId> pending_;
  std::set<std::string> unmodelled_;
  std::set<Site> unknown_calls_;
  std::optional<InstanceId> main_;
  ObjectId constants_ = 0;
  LocationId library_memory_ = 0, verifier_lock_ = 0;
  const llvm::CallBase* first_unknown_call_ = nullptr;
  NodeId library_pointer_ = 0, thread_results_ = 0, exceptions_ = 0;
};

// Address arithmetic of a GEP; `in_loop` makes its constant offset one of any multiple.
Shift shift_of(const llvm::GEPOperator& gep, const llvm::DataLayout& data, bool in_loop);
// Whether a value of this type may hold a pointer, also as an integer.
bool may_hold_pointer(const llvm::Type* type);

} // namespace footrace::prove
