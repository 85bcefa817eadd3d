#include "instrument/frames.h"

#include "llvm/IR/DebugInfoMetadata.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/IntrinsicInst.h"

using namespace llvm;

namespace footrace {

bool has_calls(const Function& function) {
  for (const Instruction& inst : instructions(function)) {
    const auto* call = dyn_cast<CallBase>(&inst);
    if (call != nullptr && !isa<IntrinsicInst>(call) && !call->isInlineAsm()) return true;
  }
  return false;
}

namespace {

// A library that is given one of the program's functions may call it back.
bool may_call_back(const CallBase& call) {
  const Function* callee = call.getCalledFunction();
  if (callee == nullptr || !callee->isDeclaration() || callee->isIntrinsic() || call.isMustTailCall() ||
      call.doesNotReturn())
    return false;
  return any_of(call.args(),
                [](const Use& argument) { return isa<Function>(argument->stripPointerCasts()); });
}

// Where control goes on after the call.
Instruction* after(CallBase& call) {
  if (auto* invoke = dyn_cast<InvokeInst>(&call)) return &*invoke->getNormalDest()->getFirstInsertionPt();
  return call.getNextNode();
}

} // namespace

void emit_frame(Function& function, Callbacks& callbacks) {
  // The resume and destroy parts of a coroutine are not made yet: they would restore the stack of whichever
  // thread started it.
  if (function.isPresplitCoroutine()) return;

  SmallVector<Instruction*, 8> leaves, resumes;
  SmallVector<CallBase*, 8> callbacks_out;
  for (BasicBlock& block : function) {
    if (auto* landing = block.getLandingPadInst()) resumes.push_back(landing->getNextNode());
    if (isa<ReturnInst>(block.getTerminator())) {
      Instruction* tail = block.getTerminatingMustTailCall();
      leaves.push_back(tail != nullptr ? tail : block.getTerminator());
    }
    for (Instruction& inst : block) {
      auto* call = dyn_cast<CallBase>(&inst);
      if (call == nullptr || call->isMustTailCall()) continue;
      const bool calls_out = may_call_back(*call);
      if (calls_out) callbacks_out.push_back(call);
      if (calls_out || call->hasFnAttr(Attribute::ReturnsTwice)) resumes.push_back(after(*call));
    }
  }

  // Line 0: these calls belong to no line of the program.
  DebugLoc nowhere;
  if (DISubprogram* subprogram = function.getSubprogram())
    nowhere = DILocation::get(function.getContext(), 0, 0, subprogram);
  IRBuilder<> at(&*function.getEntryBlock().getFirstNonPHIOrDbgOrAlloca());
  at.SetCurrentDebugLocation(nowhere);
  Value* caller = at.CreateIntrinsic(at.getPtrTy(), Intrinsic::returnaddress, {at.getInt32(0)});
  Value* previous = callbacks.call(at, Callback::__footrace_enter, {caller});
  const auto restore = [&](ArrayRef<Instruction*> places, Callback callback) {
    for (Instruction* place : places) {
      at.SetInsertPoint(place);
      at.SetCurrentDebugLocation(nowhere);
      callbacks.call(at, callback, {previous});
    }
  };
  for (CallBase* call : callbacks_out) {
    at.SetInsertPoint(call); // with the call's own line: it becomes a frame of the stack
    callbacks.call(at, Callback::__footrace_call_out, {previous});
  }
  restore(resumes, Callback::__footrace_resume);
  restore(leaves, Callback::__footrace_leave);
}

void keep_out_of_callers(Function& function) {
  if (!function.hasFnAttribute(Attribute::AlwaysInline)) function.addFnAttr(Attribute::NoInline);
}

} // namespace footrace
