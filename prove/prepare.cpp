#include "prove/prepare.h"

#include "prove/error_codes.h"
#include "prove/function_managers.h"
#include "prove/future_states.h"
#include "prove/library.h"
#include "prove/library_code.h"
#include "prove/member_pointers.h"
#include "prove/shared_mappings.h"
#include "prove/shared_owners.h"
#include "prove/standard_library.h"
#include "prove/thread_owners.h"
#include "prove/thread_states.h"

#include "llvm/ADT/PostOrderIterator.h"
#include "llvm/ADT/SCCIterator.h"
#include "llvm/Analysis/CallGraph.h"
#include "llvm/Analysis/ConstantFolding.h"
#include "llvm/Analysis/ValueTracking.h"
#include "llvm/IR/Dominators.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/Module.h"
#include "llvm/Passes/PassBuilder.h"
#include "llvm/Transforms/Scalar/SROA.h"
#include "llvm/Transforms/Utils/Cloning.h"
#include "llvm/Transforms/Utils/Local.h"
#include "llvm/Transforms/Utils/LoopSimplify.h"

#include <algorithm>
#include <map>
#include <tuple>
#include <vector>

namespace footrace::prove {
namespace {

constexpr llvm::StringLiteral atomic_function_prefix = "__VERIFIER_atomic_";

void run_on_functions(llvm::Module& module, llvm::FunctionPassManager passes) {
  llvm::LoopAnalysisManager loops;
  llvm::FunctionAnalysisManager functions;
  llvm::CGSCCAnalysisManager components;
  llvm::ModuleAnalysisManager modules;
  llvm::PassBuilder builder;
  builder.registerModuleAnalyses(modules);
  builder.registerCGSCCAnalyses(components);
  builder.registerFunctionAnalyses(functions);
  builder.registerLoopAnalyses(loops);
  builder.crossRegisterProxies(loops, functions, components, modules);
  llvm::ModulePassManager manager;
  manager.addPass(llvm::createModuleToFunctionPassAdaptor(std::move(passes)));
  manager.run(module, modules);
}

void promote_locals(llvm::Module& module) {
  llvm::FunctionPassManager passes;
  passes.addPass(llvm::SROAPass(llvm::SROAOptions::PreserveCFG));
  run_on_functions(module, std::move(passes));
}

void simplify_loops(llvm::Module& module) {
  llvm::FunctionPassManager passes;
  passes.addPass(llvm::LoopSimplifyPass());
  run_on_functions(module, std::move(passes));
}

// Constants only: a branch on an undefined value may go either way, as an uninitialised variable does in practice.
void resolve_constant_branches(llvm::Function& function) {
  const llvm::DataLayout& layout = function.getParent()->getDataLayout();
  bool changed = true;
  while (changed) {
    changed = false;
    for (llvm::Instruction& inst : llvm::make_early_inc_range(llvm::instructions(function))) {
      if (inst.mayReadOrWriteMemory() || inst.isTerminator() || llvm::isa<llvm::AllocaInst>(inst)) continue;
      llvm::Constant* value = llvm::ConstantFoldInstruction(&inst, layout);
      if (!value || !llvm::isa<llvm::ConstantInt>(value)) continue;
      inst.replaceAllUsesWith(value);
      inst.eraseFromParent();
      changed = true;
    }
    for (llvm::BasicBlock& block : function)
      changed |= llvm::ConstantFoldTerminator(&block, /*DeleteDeadConditions=*/false);
    changed |= llvm::removeUnreachableBlocks(function);
  }
}

// A member of a record in registers is what was put there: points-to does not tell the members of such a record apart.
void forward_members(llvm::Function& function) {
  for (llvm::Instruction& inst : llvm::make_early_inc_range(llvm::instructions(function))) {
    auto* member = llvm::dyn_cast<llvm::ExtractValueInst>(&inst);
    llvm::Value* value =
        member ? llvm::FindInsertedValue(member->getAggregateOperand(), member->getIndices()) : nullptr;
    if (!value) continue;
    member->replaceAllUsesWith(value);
    member->eraseFromParent();
  }
}

// Computations that give the same value become one, so that equal addresses have one name. Reads of memory stay.
void name_equal_values(llvm::Function& function) {
  llvm::DominatorTree dominators(function);
  std::map<std::pair<unsigned, const llvm::Value*>, llvm::SmallVector<llvm::Instruction*, 2>> known;
  for (llvm::BasicBlock* block : llvm::ReversePostOrderTraversal<llvm::Function*>(&function))
    for (llvm::Instruction& inst : llvm::make_early_inc_range(*block)) {
      bool is_pure =
          llvm::isa<llvm::GetElementPtrInst, llvm::CastInst, llvm::BinaryOperator, llvm::CmpInst>(inst);
      if (!is_pure) continue;
      auto& candidates = known[{inst.getOpcode(), inst.getOperand(0)}];
      auto same = llvm::find_if(candidates, [&](llvm::Instruction* other) {
        return other->isIdenticalToWhenDefined(&inst) && dominators.dominates(other, &inst);
      });
      if (same == candidates.end()) {
        candidates.push_back(&inst);
        continue;
      }
      inst.replaceAllUsesWith(*same);
      inst.eraseFromParent();
    }
}

unsigned size_of(const llvm::Function& function) {
  unsigned size = 0;
  for (const llvm::Instruction& inst : llvm::instructions(function)) size += !inst.isDebugOrPseudoInst();
  return size;
}

bool has_address_of_block(const llvm::Function& function) {
  for (const llvm::BasicBlock& block : function)
    if (block.hasAddressTaken()) return true;
  return false;
}

class Inliner {
public:
  Inliner(llvm::Module& module, const PrepareOptions& options) : module_(module), options_(options) {}

  void run() {
    llvm::CallGraph graph(module_);
    std::vector<llvm::Function*> bottom_up;
    for (auto component = llvm::scc_begin(&graph); !component.isAtEnd(); ++component)
      for (llvm::CallGraphNode* node : *component) {
        llvm::Function* function = node->getFunction();
        if (!function || function->isDeclaration()) continue;
        if (component.hasCycle()) recursive_.insert(function);
        bottom_up.push_back(function);
      }
    for (llvm::Function* function : bottom_up) inline_into(*function);
  }

private:
  bool may_inline(const llvm::Function& callee) const {
    return !callee.isDeclaration() && !recursive_.contains(&callee) && !callee.isVarArg() &&
           !callee.hasFnAttribute(llvm::Attribute::ReturnsTwice) && !has_address_of_block(callee) &&
           !callee.getName().starts_with(atomic_function_prefix) &&
           !is_destructor_of_threads(callee.getName()) && !handle_in_destroyed(callee.getName()) &&
           !is_count_of_owners(callee.getName()) && size_of(callee) <= options_.inline_limit;
  }

  void inline_into(llvm::Function& caller) {
    unsigned size = size_of(caller);
    llvm::SmallVector<llvm::CallBase*> calls;
    for (llvm::Instruction& inst : llvm::instructions(caller))
      if (auto* call = llvm::dyn_cast<llvm::CallBase>(&inst)) calls.push_back(call);
    for (llvm::CallBase* call : calls) {
      llvm::Function* callee = call->getCalledFunction();
      if (!callee || callee == &caller || !may_inline(*callee) || size > options_.caller_limit) continue;
      if (callee->getFunctionType() != call->getFunctionType()) continue;
      size += size_of(*callee);
      llvm::InlineFunctionInfo info;
      llvm::InlineFunction(*call, info);
    }
  }

  llvm::Module& module_;
  PrepareOptions options_;
  llvm::SmallPtrSet<const llvm::Function*, 16> recursive_;
};

// Initialisers of global variables, in the order in which they run.
std::vector<llvm::Function*> initialisers(llvm::Module& module) {
  std::vector<std::tuple<std::uint64_t, unsigned, llvm::Function*>> found; // priority, position
  const llvm::GlobalVariable* list = module.getGlobalVariable("llvm.global_ctors");
  const auto* entries = list ? llvm::dyn_cast<llvm::ConstantArray>(list->getInitializer()) : nullptr;
  for (unsigned i = 0; entries && i < entries->getNumOperands(); i++) {
    const auto* entry = llvm::cast<llvm::ConstantStruct>(entries->getOperand(i));
    auto* function = llvm::dyn_cast<llvm::Function>(entry->getOperand(1)->stripPointerCasts());
    if (function)
      found.push_back({llvm::cast<llvm::ConstantInt>(entry->getOperand(0))->getZExtValue(), i, function});
  }
  std::ranges::sort(found);
  std::vector<llvm::Function*> ordered;
  for (auto& [priority, position, function] : found) ordered.push_back(function);
  return ordered;
}

// The name of the unknown code that runs the functions of a program without main: it is what is listed as not modelled.
constexpr llvm::StringLiteral no_main = "there is no function main";

// Any function that others can call may run at any time, more than once.
void make_main(llvm::Module& module) {
  llvm::SmallVector<llvm::Value*> functions;
  for (llvm::Function& function : module)
    if (!function.isDeclaration() && !function.hasLocalLinkage() && !function.isIntrinsic())
      functions.push_back(&function);
  llvm::LLVMContext& context = module.getContext();
  if (llvm::Function* declared = module.getFunction("main")) declared->setName("main.declared");
  auto* main = llvm::Function::Create(llvm::FunctionType::get(llvm::Type::getInt32Ty(context), false),
                                      llvm::GlobalValue::ExternalLinkage, "main", module);
  llvm::IRBuilder<> builder(llvm::BasicBlock::Create(context, "entry", main));
  llvm::FunctionCallee users =
      module.getOrInsertFunction(no_main, llvm::FunctionType::get(builder.getVoidTy(), /*isVarArg=*/true));
  builder.CreateCall(users, functions);
  builder.CreateRet(builder.getInt32(0));
}

// Calls that register a function to be run at the end, with the argument that it is given (null: none).
llvm::SmallVector<llvm::CallBase*> registrations(const llvm::Module& module) {
  llvm::SmallVector<llvm::CallBase*> found;
  for (const char* name : {"__cxa_atexit", "atexit"})
    if (llvm::Function* registration = module.getFunction(name);
        registration && registration->isDeclaration())
      for (llvm::User* user : registration->users())
        if (auto* call = llvm::dyn_cast<llvm::CallBase>(user);
            call && call->getCalledFunction() == registration &&
            llvm::all_of(call->args(), [](const llvm::Use& use) { return llvm::isa<llvm::Constant>(use); }))
          found.push_back(call);
  return found;
}

void run_registered(llvm::Instruction* before, llvm::ArrayRef<llvm::CallBase*> registered) {
  llvm::IRBuilder<> builder(before);
  for (llvm::CallBase* call : registered) {
    bool has_argument = call->arg_size() > 1; // __cxa_atexit
    llvm::SmallVector<llvm::Value*, 1> arguments;
    if (has_argument) arguments.push_back(call->getArgOperand(1));
    llvm::SmallVector<llvm::Type*, 1> types(arguments.size(), builder.getPtrTy());
    builder.CreateCall(llvm::FunctionType::get(builder.getVoidTy(), types, /*isVarArg=*/false),
                       call->getArgOperand(0), arguments);
  }
}

// At the end of main, and wherever a thread ends the program. What is registered later runs all the same, and in any order.
void run_at_exit(llvm::Module& module, llvm::Function& main) {
  llvm::SmallVector<llvm::CallBase*> registered = registrations(module);
  if (registered.empty()) return;
  for (llvm::BasicBlock& block : main)
    if (llvm::isa<llvm::ReturnInst>(block.getTerminator())) run_registered(block.getTerminator(), registered);
  llvm::Function* exit = module.getFunction("exit");
  if (!exit || !exit->isDeclaration()) return;
  for (llvm::User* user : exit->users())
    if (auto* call = llvm::dyn_cast<llvm::CallBase>(user); call && call->getCalledFunction() == exit)
      run_registered(call, registered);
}

// What is left of the registrations is not modelled.
void drop_registrations(llvm::Module& module) {
  for (llvm::CallBase* call : registrations(module)) {
    call->replaceAllUsesWith(llvm::Constant::getNullValue(call->getType()));
    if (auto* invoke = llvm::dyn_cast<llvm::InvokeInst>(call))
      llvm::changeToCall(invoke)->eraseFromParent();
    else
      call->eraseFromParent();
  }
}

// main begins with the initialisers and ends with the destructors of global variables.
void complete_main(llvm::Module& module) {
  llvm::Function* main = module.getFunction("main");
  if (!main || main->isDeclaration()) {
    make_main(module);
    main = module.getFunction("main");
  }
  llvm::IRBuilder<> builder(&*main->getEntryBlock().getFirstNonPHIOrDbgOrAlloca());
  for (llvm::Function* function : initialisers(module))
    builder.CreateCall(function->getFunctionType(), function);
  run_at_exit(module, *main);
  drop_registrations(module);
}

void guard_atomic_function(llvm::Function& function) {
  llvm::Module& module = *function.getParent();
  llvm::FunctionType* type = llvm::FunctionType::get(llvm::Type::getVoidTy(module.getContext()), false);
  llvm::FunctionCallee begin = module.getOrInsertFunction("__VERIFIER_atomic_begin", type);
  llvm::FunctionCallee end = module.getOrInsertFunction("__VERIFIER_atomic_end", type);
  llvm::IRBuilder<> builder(&*function.getEntryBlock().getFirstInsertionPt());
  builder.CreateCall(begin);
  for (llvm::BasicBlock& block : function)
    if (llvm::isa<llvm::ReturnInst>(block.getTerminator())) {
      builder.SetInsertPoint(block.getTerminator());
      builder.CreateCall(end);
    }
}

void guard_atomic_functions(llvm::Module& module) {
  for (llvm::Function& function : module)
    if (!function.isDeclaration() && function.getName().starts_with(atomic_function_prefix))
      guard_atomic_function(function);
}

// Larger than what any of these functions keeps.
constexpr std::uint64_t library_state_size = 4096;

llvm::GlobalVariable& library_state_variable(llvm::Module& module, const std::string& name) {
  if (llvm::GlobalVariable* known = module.getNamedGlobal(name)) return *known;
  llvm::Type* type = llvm::ArrayType::get(llvm::Type::getInt8Ty(module.getContext()), library_state_size);
  return *new llvm::GlobalVariable(module, type, /*isConstant=*/false, llvm::GlobalValue::InternalLinkage,
                                   llvm::Constant::getNullValue(type), name);
}

// Last, so that nothing takes the accesses for dead ones.
void expose_library_state(llvm::Module& module) {
  for (llvm::Function& function : module) {
    std::string state = function.isDeclaration() ? library_state(function.getName()) : "";
    if (state.empty()) continue;
    for (llvm::User* user : function.users()) {
      auto* call = llvm::dyn_cast<llvm::CallBase>(user);
      if (!call || call->getCalledFunction() != &function) continue;
      llvm::IRBuilder<> builder(call);
      llvm::GlobalVariable& variable = library_state_variable(module, state);
      if (only_reads_state(function.getName()))
        builder.CreateLoad(builder.getInt64Ty(), &variable);
      else
        builder.CreateMemSet(&variable, builder.getInt8(0), library_state_size, llvm::MaybeAlign());
    }
  }
}

} // namespace

void prepare(llvm::Module& module, const PrepareOptions& options) {
  simplify_member_calls(module);
  complete_main(module);
  guard_atomic_functions(module);
  replace_standard_functions(module);
  replace_error_comparisons(module);
  merge_shared_mappings(module);
  mark_future_code(module);
  split_managers(module);
  provide_library_code(module);
  hand_over_thread_states(module);
  delete_thread_states(module);
  promote_locals(module);
  for (llvm::Function& function : module)
    if (!function.isDeclaration()) resolve_constant_branches(function);
  Inliner(module, options).run();
  promote_locals(module);
  for (llvm::Function& function : module)
    if (!function.isDeclaration()) resolve_constant_branches(function);
  for (llvm::Function& function : module)
    if (!function.isDeclaration()) {
      forward_members(function);
      name_equal_values(function);
    }
  simplify_loops(module);
  expose_library_state(module);
}

} // namespace footrace::prove
