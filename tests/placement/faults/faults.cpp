// Breaks a placement on purpose, after the checks are in: what the validator must find. A plugin of its own, loaded after ours.
//   -placement-fault=drop        the check is gone
//   -placement-fault=past-sync   the check is made after the next call that synchronises
//   -placement-fault=before-sync the check is made before the last call that synchronises
//   -placement-fault=widen       the check takes one more element
//   -placement-fault=weaken      a write check becomes a read check
//   -placement-fault=unproxy     the check does not stand for one of the things for which it is the proxy
// -placement-fault-number=N says which: the N-th check of the module to which the fault can be done. The line of what was done is printed; if there
// are fewer such checks nothing is.
#include "llvm/IR/DebugLoc.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/Module.h"
#include "llvm/Passes/PassBuilder.h"
#include "llvm/Plugins/PassPlugin.h"
#include "llvm/Support/CommandLine.h"
#include "llvm/Support/raw_ostream.h"

using namespace llvm;

namespace {

cl::opt<std::string> fault("placement-fault", cl::desc("How to break the placement"));
cl::opt<unsigned> number("placement-fault-number", cl::desc("Which check to break"), cl::init(0));

StringRef callee_name(const Instruction& instruction) {
  const auto* call = dyn_cast<CallInst>(&instruction);
  const Function* callee = call ? call->getCalledFunction() : nullptr;
  return callee ? callee->getName() : "";
}

// A plain check that is not the second half of a note; address arithmetic may stand between the halves.
bool is_check(const Instruction& instruction) {
  const StringRef name = callee_name(instruction);
  if (!name.starts_with("__footrace_read") && !name.starts_with("__footrace_write")) return false;
  const Instruction* previous = instruction.getPrevNode();
  while (previous && !isa<CallInst>(previous)) previous = previous->getPrevNode();
  return !previous || callee_name(*previous) != "__footrace_note_access";
}

bool is_lock_operation(const Instruction& instruction) {
  const StringRef name = callee_name(instruction);
  return name == "pthread_mutex_lock" || name == "pthread_mutex_unlock";
}

// The lock operation of the block after the check; null: there is none.
Instruction* next_sync(CallInst& check) {
  Instruction* next = check.getNextNode();
  while (next && !is_lock_operation(*next)) next = next->getNextNode();
  return next;
}

// The one before it, unless the check needs something that is made in between.
Instruction* previous_sync(CallInst& check) {
  Instruction* previous = check.getPrevNode();
  while (previous && !is_lock_operation(*previous)) previous = previous->getPrevNode();
  if (!previous) return nullptr;
  for (const Value* operand : check.operands()) {
    const auto* made = dyn_cast<Instruction>(operand);
    if (made && made->getParent() == check.getParent() && !made->comesBefore(previous)) return nullptr;
  }
  return previous;
}

FunctionCallee entry_point(Module& module, const Twine& name, FunctionType* type) {
  return module.getOrInsertFunction(name.str(), type);
}

// read4(p, site) becomes read_range(p, 8, site); ranges and strides get one element more.
void widen(CallInst& check) {
  StringRef name = callee_name(check);
  IRBuilder<> at(&check);
  if (name.ends_with("_range") || name.ends_with("_strided")) {
    const unsigned count = name.ends_with("_range") ? 1 : 3;
    check.setArgOperand(count, at.CreateAdd(check.getArgOperand(count), at.getInt64(1)));
    return;
  }
  unsigned size = 0;
  const bool read = name.consume_front("__footrace_read");
  if (!read) name.consume_front("__footrace_write");
  if (name.getAsInteger(10, size)) return;
  Type* pointer = at.getPtrTy();
  auto* type = FunctionType::get(at.getVoidTy(), {pointer, at.getInt64Ty(), pointer}, false);
  at.CreateCall(
      entry_point(*check.getModule(), read ? "__footrace_read_range" : "__footrace_write_range", type),
      {check.getArgOperand(0), at.getInt64(2 * size), check.getArgOperand(1)});
  check.eraseFromParent();
}

void weaken(CallInst& check) {
  StringRef name = callee_name(check);
  name.consume_front("__footrace_write");
  check.setCalledFunction(entry_point(*check.getModule(), "__footrace_read" + name, check.getFunctionType()));
}

// The note behind the check that says what it stands for; null: it stands for itself.
CallInst* proxied_note(CallInst& check) {
  auto* next = dyn_cast_or_null<CallInst>(check.getNextNode());
  if (!next || callee_name(*next) != "__footrace_note_access") return nullptr;
  const auto* note = dyn_cast<ConstantInt>(next->getArgOperand(0));
  return note && note->equalsInt(2) ? next : nullptr;
}

void unproxy(CallInst& check) {
  CallInst* note = proxied_note(check);
  note->getNextNode()->eraseFromParent();
  note->eraseFromParent();
}

bool may_do_fault(CallInst& check) {
  const StringRef name = callee_name(check);
  const bool lanes = name.contains("masked") || name.contains("gather") || name.contains("scatter");
  if (fault == "past-sync") return next_sync(check);
  if (fault == "before-sync") return previous_sync(check);
  if (fault == "widen") return !lanes;
  if (fault == "weaken") return !lanes && name.starts_with("__footrace_write");
  if (fault == "unproxy") return proxied_note(check) != nullptr;
  return fault == "drop";
}

void do_fault(CallInst& check) {
  if (fault == "past-sync") check.moveAfter(next_sync(check));
  if (fault == "before-sync") check.moveBefore(previous_sync(check)->getIterator());
  if (fault == "widen") widen(check);
  if (fault == "weaken") weaken(check);
  if (fault == "unproxy") unproxy(check);
  if (fault == "drop") check.eraseFromParent();
}

struct PlantFault : PassInfoMixin<PlantFault> {
  static bool isRequired() { return true; }
  PreservedAnalyses run(Module& module, ModuleAnalysisManager&) {
    unsigned left = number;
    for (Function& function : module)
      for (BasicBlock& block : function)
        for (Instruction& instruction : block) {
          auto* call = dyn_cast<CallInst>(&instruction);
          if (!call || !is_check(*call) || !may_do_fault(*call) || left-- > 0) continue;
          errs() << "fault " << fault << ": " << callee_name(*call) << " of line "
                 << (call->getDebugLoc() ? call->getDebugLoc().getLine() : 0) << " in " << function.getName()
                 << '\n';
          do_fault(*call);
          return PreservedAnalyses::none();
        }
    return PreservedAnalyses::all();
  }
};

} // namespace

extern "C" LLVM_ATTRIBUTE_WEAK __attribute__((visibility("default"))) PassPluginLibraryInfo
llvmGetPassPluginInfo() {
  return {LLVM_PLUGIN_API_VERSION, "placement-faults", "1", [](PassBuilder& builder) {
            builder.registerOptimizerLastEPCallback([](ModulePassManager& passes, OptimizationLevel,
                                                       ThinOrFullLTOPhase) { passes.addPass(PlantFault()); });
          }};
}
