#include "facts/summaries.h"

#include "facts/callees.h"
#include "facts/imported.h"
#include "facts/loops.h"
#include "facts/sync.h"
#include "models/models.h"

#include "llvm/ADT/PostOrderIterator.h"
#include "llvm/ADT/SCCIterator.h"
#include "llvm/Analysis/CFG.h"
#include "llvm/Analysis/CallGraph.h"
#include "llvm/Analysis/LoopInfo.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/Module.h"

using namespace llvm;

namespace footrace {
namespace {

// What ends inside the function is nothing to its caller: an exception that lands here (it leaves by `resume` if it leaves
// at all), and a setjmp, which only this function is returned to by.
Effects seen_by_caller(const Instruction& inst, Effects effects) {
  if (isa<InvokeInst>(inst)) effects = effects.without(Effect::Throws);
  return effects.without(Effect::ReturnsTwice);
}

bool may_loop_forever(Function& function, GetAnalyses get_analyses) {
  const FunctionAnalyses analyses = get_analyses(function);
  ReversePostOrderTraversal<const Function*> order(&function);
  if (containsIrreducibleCFG<const BasicBlock*>(order, analyses.loops)) return true;
  return any_of(analyses.loops.getLoopsInPreorder(), [&](const Loop* loop) {
    return finiteness(*loop, analyses.scev, analyses.dominators) == Finiteness::Unknown;
  });
}

// A body that may be used: no other definition of the function can be the one that runs, except an equivalent one.
bool has_usable_body(const Function& function) {
  return !function.isDeclaration() && !function.isInterposable() &&
         !function.hasFnAttribute(Attribute::Naked);
}

} // namespace

class SummaryBuilder {
public:
  SummaryBuilder(Summaries& summaries, GetAnalyses get_analyses)
      : summaries_(summaries), get_analyses_(get_analyses) {}

  void build(Module& module) {
    CallGraph graph(module);
    for (Function& function : module)
      if (has_usable_body(function)) add_resolved_edges(graph, function);
    for (auto component = scc_begin(&graph); !component.isAtEnd(); ++component)
      summarise(*component, component.hasCycle());
  }

private:
  using Component = std::vector<CallGraphNode*>;

  // Direct calls are in LLVM's graph; calls through pointers that we can follow, and callbacks, are not.
  void add_resolved_edges(CallGraph& graph, Function& function) {
    CallGraphNode* caller = graph[&function];
    for (Instruction& inst : instructions(function)) {
      auto* call = dyn_cast<CallBase>(&inst);
      if (call == nullptr || inherent_effects(*call)) continue;
      const std::optional<CalleeList> callees = summaries_.callees_->of(*call);
      if (!callees) continue;
      for (const Function* callee : *callees) {
        if (callee != call->getCalledFunction()) add_edge(graph, *caller, *callee);
        const Model* model = callee->isDeclaration() ? find_model(callee->getName()) : nullptr;
        if (model != nullptr && model->may_call_back()) add_callback_edges(graph, *caller, *call, *model);
      }
    }
  }

  void add_callback_edges(CallGraph& graph, CallGraphNode& caller, const CallBase& call, const Model& model) {
    for (unsigned i = 0; i < call.arg_size(); ++i)
      if (model.argument(i) == ArgumentUse::Called)
        for (const Function* callback :
             summaries_.callees_->functions(*call.getArgOperand(i)).value_or(CalleeList()))
          add_edge(graph, caller, *callback);
  }

  static void add_edge(CallGraph& graph, CallGraphNode& from, const Function& to) {
    from.addCalledFunction(nullptr, graph[&to]);
  }

  void summarise(const Component& component, bool recursive) {
    Effects effects = recursive ? Effects(Effect::NoReturn) : Effects::none();
    // Functions of one component reach each other: all have the effects of all. While they are being collected, calls
    // inside the component count for nothing.
    for (const CallGraphNode* node : component)
      if (Function* function = node->getFunction(); function != nullptr && has_usable_body(*function))
        summaries_.summaries_[function] = Effects::none();
    for (const CallGraphNode* node : component)
      if (Function* function = node->getFunction(); function != nullptr && has_usable_body(*function))
        effects |= body_effects(*function);
    for (const CallGraphNode* node : component)
      if (Function* function = node->getFunction(); function != nullptr && has_usable_body(*function))
        summaries_.summaries_[function] =
            function->doesNotThrow() ? effects.without(Effect::Throws) : effects;
  }

  Effects body_effects(Function& function) {
    Effects effects = may_loop_forever(function, get_analyses_) ? Effects(Effect::NoReturn) : Effects::none();
    for (const Instruction& inst : instructions(function))
      if (!isa<UnreachableInst>(inst)) effects |= seen_by_caller(inst, summaries_.effects(inst));
    return effects;
  }

  Summaries& summaries_;
  GetAnalyses get_analyses_;
};

Summaries::Summaries(Module& module, World world, GetAnalyses get_analyses)
    : callees_(std::make_unique<Callees>(module, world)) {
  SummaryBuilder(*this, get_analyses).build(module);
}

Summaries::~Summaries() = default;

Effects Summaries::effects(const Function& function) const { return callee_effects(function, nullptr); }

Effects Summaries::effects(const Instruction& inst) const {
  const auto* call = dyn_cast<CallBase>(&inst);
  if (call == nullptr) return own_effects(inst);
  if (const std::optional<Effects> inherent = inherent_effects(*call)) return *inherent;
  return call_effects(*call);
}

Effects Summaries::call_effects(const CallBase& call) const {
  const std::optional<CalleeList> callees = callees_->of(call);
  Effects effects = callees ? Effects::none() : Effects::unknown();
  for (const Function* callee : callees.value_or(CalleeList())) effects |= callee_effects(*callee, &call);
  if (call.doesNotThrow()) effects = effects.without(Effect::Throws);
  // Only calls that are marked can come back twice: the compiler depends on it too. Anything may have run in between.
  if (!call.hasFnAttr(Attribute::ReturnsTwice)) return effects.without(Effect::ReturnsTwice);
  return effects | Effect::ReturnsTwice | Effect::Acquire | Effect::Release;
}

Effects Summaries::callee_effects(const Function& callee, const CallBase* call) const {
  if (callee.getName().starts_with("__footrace_")) return Effects::none();
  if (has_usable_body(callee)) {
    const auto found = summaries_.find(&callee);
    return found == summaries_.end() ? Effects::unknown() : found->second;
  }
  if (!callee.isDeclaration()) return Effects::unknown();
  if (const std::optional<Effects> noted = noted_effects(callee)) return *noted;
  const Model* model = find_model(callee.getName());
  if (model == nullptr) return Effects::unknown();
  Effects effects = model->effects;
  if (!model->may_call_back()) return effects;
  if (call == nullptr) return Effects::unknown();
  for (unsigned i = 0; i < call->arg_size(); ++i) {
    if (model->argument(i) != ArgumentUse::Called) continue;
    const std::optional<CalleeList> callbacks = callees_->functions(*call->getArgOperand(i));
    if (!callbacks) return Effects::unknown();
    for (const Function* callback : *callbacks) effects |= callee_effects(*callback, nullptr);
  }
  return effects;
}

} // namespace footrace
