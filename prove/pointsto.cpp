#include "prove/pointsto.h"

#include "llvm/IR/Constants.h"
#include "llvm/IR/DataLayout.h"
#include "llvm/IR/Function.h"
#include "llvm/IR/Module.h"
#include "llvm/IR/Operator.h"

namespace footrace::prove {

// Variables of libc, and what the C++ runtime provides for type information.
static bool is_library_variable(llvm::StringRef name) {
  static constexpr llvm::StringLiteral known[] = {"stdin",
                                                  "stdout",
                                                  "stderr",
                                                  "environ",
                                                  "__environ",
                                                  "optarg",
                                                  "optind",
                                                  "opterr",
                                                  "optopt",
                                                  "__dso_handle",
                                                  "_ZSt7nothrow",
                                                  "timezone",
                                                  "daylight",
                                                  "program_invocation_name",
                                                  "program_invocation_short_name",
                                                  "__libc_single_threaded",
                                                  "__cpu_model"};
  return llvm::is_contained(known, name) || is_standard_stream(name) || name.starts_with("_ZTI") ||
         name.starts_with("_ZTV") || name.starts_with("_ZTS");
}

// Whether the initial value contains an address.
static bool refers_to_memory(const llvm::Constant& value) {
  if (llvm::isa<llvm::ConstantData>(value)) return false;
  if (llvm::isa<llvm::GlobalValue>(value)) return true;
  return llvm::any_of(value.operands(), [](const llvm::Use& operand) {
    const auto* part = llvm::dyn_cast<llvm::Constant>(operand);
    return !part || refers_to_memory(*part);
  });
}

// Numbers that stand for no memory, as -1 and small ones do, are taken for marks.
static bool is_fixed_address(const llvm::Constant& value) {
  constexpr std::int64_t page = 4096;
  const auto* cast = llvm::dyn_cast<llvm::ConstantExpr>(&value);
  const auto* number = cast && cast->getOpcode() == llvm::Instruction::IntToPtr
                           ? llvm::dyn_cast<llvm::ConstantInt>(cast->getOperand(0))
                           : nullptr;
  return number && number->getSExtValue() >= page;
}

// Every set of targets may be as long as the limit: large programs cannot afford long ones.
static std::size_t affordable(std::size_t pool_limit, const llvm::Module& module) {
  constexpr std::size_t large = 50000; // instructions
  std::size_t instructions = 0;
  for (const llvm::Function& function : module) instructions += function.getInstructionCount();
  return instructions > large ? pool_limit / 8 : pool_limit;
}

PointsTo::PointsTo(const llvm::Module& module, const PointsToOptions& options)
    : module_(module), options_(options), contexts_(options.k, options.origin_limit),
      solver_(module.getDataLayout(), options.collapse_arrays, affordable(options.pool_limit, module)) {
  Memory& memory = solver_.memory();
  library_memory_ = library_memory_of(nullptr);
  library_pointer_ = pointer_to(library_memory_);
  verifier_lock_ = memory.location(memory.object(ObjectKind::Verifier, nullptr, main_context, nullptr, 1), 0);
  auto functions = static_cast<std::size_t>(
      llvm::count_if(module, [](const llvm::Function& function) { return !function.isDeclaration(); }));
  for (const llvm::Function& function : module)
    if (function.hasAddressTaken()) address_taken_.push_back(&function);
  contexts_per_function_ =
      std::max<std::size_t>(1, options.instance_budget / std::max<std::size_t>(1, functions));
  constants_ = memory.object(ObjectKind::Constant, nullptr, main_context, nullptr, unbounded);
  memory.shifted(memory.location(constants_, 0), {{0, 1, 0}});
  thread_results_ = solver_.create();
  exceptions_ = solver_.create();
}

std::vector<const llvm::Function*> PointsTo::functions_at(LocationId location, std::size_t arguments) const {
  const Object& object = memory()[memory().object_of(location)];
  if (object.kind == ObjectKind::Function) return {llvm::cast<llvm::Function>(object.site)};
  if (object.kind != ObjectKind::AnyFunction) return {};
  std::vector<const llvm::Function*> fitting;
  llvm::copy_if(address_taken_, std::back_inserter(fitting),
                [&](const llvm::Function* function) { return function->arg_size() <= arguments; });
  return fitting;
}

bool PointsTo::solve() {
  const llvm::Function* main = module_.getFunction("main");
  if (!main || main->isDeclaration()) {
    unmodelled_.insert("there is no function main");
    return true;
  }
  main_ = reach(*main, main_context);
  // argc, argv and the environment come from outside and are nobody else's; variables of libc point there too.
  for (const llvm::Argument& argument : main->args())
    if (argument.getType()->isPointerTy())
      solver_.add_location(node(&argument, main_context), library_memory_of(main));
  while (!pending_.empty()) {
    while (!pending_.empty()) {
      InstanceId next = pending_.back();
      pending_.pop_back();
      generate(next);
    }
    if (!solver_.solve(options_.deadline)) return false;
  }
  solver_.settle();
  return true;
}

InstanceId PointsTo::reach(const llvm::Function& function, ContextId context) {
  auto [found, is_new] =
      instance_ids_.try_emplace({&function, context}, static_cast<InstanceId>(instances_.size()));
  if (is_new) {
    instances_.push_back({&function, context});
    pending_.push_back(found->second);
  }
  return found->second;
}

InstanceId PointsTo::reach_by_call(const llvm::Function& callee, ContextId caller,
                                   const llvm::CallBase& call) {
  ContextId context = contexts_.call(caller, &call);
  if (!instance_ids_.contains({&callee, context}) && ++contexts_of_[&callee] > contexts_per_function_)
    context = contexts_.any_call(caller);
  return reach(callee, context);
}

NodeId PointsTo::pointer_to(LocationId location) {
  NodeId pointer = solver_.create();
  solver_.add_location(pointer, location);
  return pointer;
}

LocationId PointsTo::library_memory_of(const llvm::Value* site) {
  Memory& memory = solver_.memory();
  bool is_new = false;
  ObjectId object = memory.object(ObjectKind::Library, site, main_context, nullptr, unbounded, &is_new);
  LocationId all = memory.shifted(memory.location(object, 0), {{0, 1, 0}});
  if (is_new) solver_.add_location(memory.at(all).content, all);
  return all;
}

NodeId PointsTo::return_node(InstanceId instance) {
  auto [found, is_new] = returns_.try_emplace(instance, 0);
  if (is_new) found->second = solver_.create();
  return returns_[instance];
}

NodeId PointsTo::thread_local_node(const llvm::Value* site, ContextId context, llvm::Type* type) {
  std::uint64_t size = type ? module_.getDataLayout().getTypeAllocSize(type).getFixedValue() : unbounded;
  ObjectId object =
      solver_.memory().object(ObjectKind::ThreadLocal, site, contexts_.root_of(context), type, size);
  return pointer_to(solver_.memory().location(object, 0));
}

NodeId PointsTo::node(const llvm::Value* value, ContextId context) {
  const auto* constant = llvm::dyn_cast<llvm::Constant>(value);
  const auto* global = llvm::dyn_cast<llvm::GlobalVariable>(value);
  if (constant && !(global && global->isThreadLocal())) context = main_context;
  if (auto known = nodes_.find({value, context}); known != nodes_.end()) return known->second;
  NodeId made = constant ? constant_node(constant, context) : solver_.create();
  return nodes_[{value, context}] = made;
}

NodeId PointsTo::constant_node(const llvm::Constant* constant, ContextId context) {
  Memory& memory = solver_.memory();
  if (const auto* function = llvm::dyn_cast<llvm::Function>(constant))
    return pointer_to(
        memory.location(memory.object(ObjectKind::Function, function, main_context, nullptr, 1), 0));
  if (const auto* global = llvm::dyn_cast<llvm::GlobalVariable>(constant)) {
    if (global->isThreadLocal()) return thread_local_node(global, context, global->getValueType());
    return pointer_to(memory.location(global_object(*global, context), 0));
  }
  NodeId made = solver_.create();
  if (is_fixed_address(*constant))
    unmodelled_.insert("memory at an address that the program writes as a number");
  if (llvm::isa<llvm::GlobalIFunc>(constant))
    unmodelled_.insert("the function " + constant->getName().str() + ", which the linker chooses");
  if (const auto* alias = llvm::dyn_cast<llvm::GlobalAlias>(constant)) {
    solver_.add_copy(node(alias->getAliasee(), context), made);
  } else if (const auto* gep = llvm::dyn_cast<llvm::GEPOperator>(constant)) {
    solver_.add_shift(node(gep->getPointerOperand(), context), made,
                      shift_of(*gep, module_.getDataLayout(), false));
  } else {
    for (const llvm::Use& operand : constant->operands())
      if (may_hold_pointer(operand->getType())) solver_.add_copy(node(operand.get(), context), made);
  }
  return made;
}

ObjectId PointsTo::global_object(const llvm::GlobalVariable& global, ContextId) {
  bool is_new = false;
  const llvm::DataLayout& data = module_.getDataLayout();
  llvm::Type* type = global.getValueType();
  std::uint64_t size = type->isSized() ? data.getTypeAllocSize(type).getFixedValue() : unbounded;
  bool is_plain_constant = global.isConstant() && global.hasDefinitiveInitializer() &&
                           !global.isThreadLocal() && !refers_to_memory(*global.getInitializer());
  if (is_plain_constant) return constants_;
  ObjectId object = solver_.memory().object(ObjectKind::Global, &global, main_context, type, size, &is_new);
  if (!is_new) return object;
  if (global.hasInitializer()) {
    initialise(object, 0, global.getInitializer());
  } else {
    // Memory of the library that does not refer back to the program.
    bool is_known = is_library_variable(global.getName());
    if (!is_known) unmodelled_.insert("the variable " + global.getName().str());
    LocationId content = solver_.memory().location(object, 0);
    solver_.add_location(solver_.memory().at(content).content,
                         is_known ? library_memory_of(module_.getFunction("main")) : library_memory_);
  }
  return object;
}

void PointsTo::initialise(ObjectId object, std::uint64_t offset, const llvm::Constant* value) {
  const llvm::DataLayout& data = module_.getDataLayout();
  if (value->isNullValue() || llvm::isa<llvm::ConstantDataSequential, llvm::UndefValue>(value)) return;
  if (const auto* record = llvm::dyn_cast<llvm::ConstantStruct>(value)) {
    const llvm::StructLayout* layout = data.getStructLayout(record->getType());
    for (unsigned i = 0; i < record->getNumOperands(); i++)
      initialise(object, offset + layout->getElementOffset(i), record->getOperand(i));
  } else if (const auto* array = llvm::dyn_cast<llvm::ConstantArray>(value)) {
    std::uint64_t stride = data.getTypeAllocSize(array->getType()->getElementType());
    for (unsigned i = 0; i < array->getNumOperands(); i++)
      initialise(object, offset + i * stride, array->getOperand(i));
  } else if (may_hold_pointer(value->getType())) {
    NodeId from = node(value, main_context);
    LocationId location = solver_.memory().location(object, offset);
    solver_.add_copy(from, solver_.memory().at(location).content);
  }
}

const LocationSet& PointsTo::points_to_in(const llvm::Value* pointer, ContextId context) const {
  static const LocationSet nothing;
  const auto* global = llvm::dyn_cast<llvm::GlobalVariable>(pointer);
  if (llvm::isa<llvm::Constant>(pointer) && !(global && global->isThreadLocal())) context = main_context;
  auto known = nodes_.find({pointer, context});
  return known == nodes_.end() ? nothing : solver_.points_to(known->second);
}

llvm::ArrayRef<InstanceId> PointsTo::callees(InstanceId caller, const llvm::CallBase* site) const {
  auto found = callees_.find({caller, site});
  return found == callees_.end() ? llvm::ArrayRef<InstanceId>() : llvm::ArrayRef<InstanceId>(found->second);
}

llvm::ArrayRef<InstanceId> PointsTo::spawned(InstanceId creator, const llvm::CallBase* site) const {
  auto found = spawned_.find({creator, site});
  return found == spawned_.end() ? llvm::ArrayRef<InstanceId>() : llvm::ArrayRef<InstanceId>(found->second);
}

bool PointsTo::may_spawn_many(InstanceId creator, const llvm::CallBase* site) const {
  if (unknown_calls_.contains({creator, site})) return true;
  return llvm::any_of(library_callees(creator, site), [](const LibraryFunction* function) {
    return function->role == Role::Handler || function->role == Role::HandlerRecord;
  });
}

const LibraryFunction* PointsTo::certain_library_callee(InstanceId caller, const llvm::CallBase* site) const {
  llvm::ArrayRef<const LibraryFunction*> functions = library_callees(caller, site);
  if (functions.size() != 1) return nullptr;
  bool is_direct = library_function(*site) != nullptr; // then what else may run is called back
  return is_direct || callees(caller, site).empty() ? functions[0] : nullptr;
}

bool PointsTo::may_call_back_often(InstanceId caller, const llvm::CallBase* site) const {
  return llvm::any_of(library_callees(caller, site), [](const LibraryFunction* function) {
    return prove::may_call_back_often(function->role);
  });
}

llvm::ArrayRef<const LibraryFunction*> PointsTo::library_callees(InstanceId caller,
                                                                 const llvm::CallBase* site) const {
  auto found = library_callees_.find({caller, site});
  if (found == library_callees_.end()) return {};
  return found->second;
}

} // namespace footrace::prove
