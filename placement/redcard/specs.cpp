#include "placement/redcard/specs.h"

#include "facts/sync.h"
#include "placement/eligible.h"
#include "placement/redcard/available.h"
#include "placement/steps.h"

#include "llvm/ADT/SCCIterator.h"
#include "llvm/Analysis/CallGraph.h"
#include "llvm/Analysis/ScalarEvolution.h"
#include "llvm/Analysis/ScalarEvolutionExpressions.h"
#include "llvm/IR/CFG.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/Module.h"

using namespace llvm;

namespace footrace::redcard {
namespace {

// What the caller passes for a parameter; null if the callee gets a copy, or it is no pointer.
Value* actual(const CallBase& call, const Argument& parameter) {
  if (!parameter.getType()->isPointerTy() || parameter.hasPassPointeeByValueCopyAttr()) return nullptr;
  if (parameter.getArgNo() >= call.arg_size()) return nullptr;
  Value* value = call.getArgOperand(parameter.getArgNo());
  return value->getType()->isPointerTy() ? value : nullptr;
}

// The variable of a specification in the caller's names: θ.
Value* substitute(const Value& variable, const CallBase& call) {
  if (const auto* parameter = dyn_cast<Argument>(&variable)) return actual(call, *parameter);
  return const_cast<Value*>(&variable);
}

const Function* direct_callee(const CallBase& call) {
  const Function* callee = call.getCalledFunction();
  return callee != nullptr && callee->getFunctionType() == call.getFunctionType() ? callee : nullptr;
}

// Neighbours of one variable and kind as one.
void merge(std::vector<SpecPath>& paths) {
  sort(paths, [](const SpecPath& a, const SpecPath& b) {
    return std::tuple(a.variable, a.bytes.kind, a.bytes.begin) <
           std::tuple(b.variable, b.bytes.kind, b.bytes.begin);
  });
  std::vector<SpecPath> merged;
  for (const SpecPath& path : paths) {
    const bool grows = !merged.empty() && merged.back().variable == path.variable &&
                       merged.back().bytes.kind == path.bytes.kind &&
                       merged.back().bytes.end >= path.bytes.begin;
    if (grows)
      merged.back().bytes.end = std::max(merged.back().bytes.end, path.bytes.end);
    else
      merged.push_back(path);
  }
  paths = std::move(merged);
}

bool has_common_bytes(const SpecPath& a, const SpecPath& b) {
  return a.variable == b.variable && a.bytes.begin < b.bytes.end && b.bytes.begin < a.bytes.end;
}

// A function with its contexts Π.
struct Body {
  Body(Function& function, RaceFreedom& race_freedom, const Summaries& summaries,
       const FunctionAnalyses& analyses, const Specs& specs)
      : plan(plan_accesses(function, race_freedom)),
        paths(plan, accesses_with_path(plan, summaries), analyses.scev, analyses.dominators),
        scev(analyses.scev) {
    if (is_beyond_budget(paths, function)) return;
    steps.emplace(plan, paths, summaries, analyses, &specs);
    for (bool changed = true; changed;) {
      changed = false;
      for (BasicBlock* block : steps->blocks()) {
        Context context = join(*block);
        for (const Step& step : steps->of(*block)) step_over(context, step, paths);
        const auto [entry, inserted] = out.try_emplace(block, context);
        changed |= inserted || entry->second != context;
        entry->second = std::move(context);
      }
    }
  }

  Context join(const BasicBlock& block) const {
    if (block.isEntryBlock()) return steps->required();
    Context in(paths.bits(), true);
    for (const BasicBlock* before : predecessors(&block))
      if (const auto found = out.find(before); found != out.end()) if_join(in, found->second);
    if (const PathSet* renamed = paths.killed_on_edge_into(block)) assign(in, *renamed);
    return in;
  }

  Plan plan;
  Paths paths;
  ScalarEvolution& scev;
  std::optional<Steps> steps; // none: beyond the budget
  DenseMap<const BasicBlock*, Context> out;
};

} // namespace

class SpecBuilder {
public:
  SpecBuilder(Specs& specs, const Summaries& summaries, RaceFreedom& race_freedom, GetAnalyses get_analyses,
              Specs::Admits instrumented)
      : specs_(specs), summaries_(summaries), race_freedom_(race_freedom), get_analyses_(get_analyses),
        instrumented_(instrumented) {}

  void build(Module& module) {
    std::vector<Function*> bottom_up;
    CallGraph graph(module);
    for (auto component = scc_begin(&graph); !component.isAtEnd(); ++component)
      for (const CallGraphNode* node : *component)
        if (Function* function = node->getFunction(); function != nullptr && has_placement(*function)) {
          bottom_up.push_back(function);
          if (component.hasCycle()) recursive_.insert(function);
        }
    for (Function* function : bottom_up)
      if (may_ensure(*function)) ensure(*function);
    for (Function* function : reverse(bottom_up)) {
      if (const auto found = required_.find(function); found != required_.end())
        settle(*function, found->second);
      if (calls_candidate(*function)) require_at_calls(*function);
    }
  }

private:
  bool has_placement(const Function& function) const {
    return !function.isDeclaration() && instrumented_(function) && may_place_in(function);
  }
  static bool has_direct_call(const Function& function) {
    return any_of(function.users(), [&](const User* user) {
      const auto* call = dyn_cast<CallBase>(user);
      return call != nullptr && direct_callee(*call) == &function;
    });
  }
  static bool may_ensure(const Function& function) {
    return function.hasExactDefinition() && has_direct_call(function);
  }
  bool may_require(const Function& function) const {
    const auto [entry, inserted] = may_require_.try_emplace(&function, false);
    if (!inserted) return entry->second;
    bool may = function.hasLocalLinkage() && has_placement(function) && !recursive_.contains(&function) &&
               !kill_set_history(summaries_.effects(function)).checks;
    may = may && all_of(function.uses(), [&](const Use& use) {
            const auto* call = dyn_cast<CallBase>(use.getUser());
            return call != nullptr && call->isCallee(&use) && direct_callee(*call) == &function &&
                   has_placement(*call->getFunction());
          });
    return may_require_[&function] = may;
  }
  bool calls_candidate(Function& function) const {
    return any_of(instructions(function), [&](const Instruction& inst) {
      const auto* call = dyn_cast<CallBase>(&inst);
      const Function* callee = call != nullptr ? direct_callee(*call) : nullptr;
      return callee != nullptr && may_require(*callee);
    });
  }

  Body body(Function& function) {
    return Body(function, race_freedom_, summaries_, get_analyses_(function), specs_);
  }

  // Q: the meet of Π over all returns. Callees come first; those of the same component ensure nothing yet.
  void ensure(Function& function) {
    const Body contexts = body(function);
    if (!contexts.steps) return;
    Context all(contexts.paths.bits(), true);
    bool returns = false;
    for (const BasicBlock* block : contexts.steps->blocks()) {
      if (!isa<ReturnInst>(block->getTerminator())) continue;
      if_join(all, contexts.out.find(block)->second);
      returns = true;
    }
    if (!returns) return;
    std::vector<SpecPath>& ensures = specs_.specs_[&function].ensures_paths;
    for (Value* variable : contexts.paths.variables())
      for (const Paths::Interval& bytes :
           contexts.paths.intervals(all, contexts.scev.getSCEV(variable), contexts.scev))
        ensures.push_back({variable, bytes});
    merge(ensures);
  }

  // P, call by call: what the context has there in the names of the callee.
  void require_at_calls(Function& caller) {
    const Body contexts = body(caller);
    for (BasicBlock& block : caller) {
      if (contexts.steps && !contexts.steps->has(block)) continue; // never runs
      std::optional<Context> context;
      if (contexts.steps) context = contexts.join(block);
      for (Instruction& inst : block) {
        const auto* call = dyn_cast<CallBase>(&inst);
        const Function* callee = call != nullptr ? direct_callee(*call) : nullptr;
        if (callee != nullptr && may_require(*callee)) meet(*callee, *call, contexts, context);
        if (!context) continue;
        for (const Step& step : contexts.steps->of(block))
          if (step.inst == &inst) step_over(*context, step, contexts.paths);
      }
    }
  }

  void meet(const Function& callee, const CallBase& call, const Body& contexts,
            const std::optional<Context>& context) {
    std::vector<SpecPath> here;
    if (context) {
      for (const Argument& parameter : callee.args())
        if (Value* value = actual(call, parameter)) add(here, parameter, *value, contexts, *context);
      for (Value* variable : contexts.paths.variables())
        if (isa<GlobalVariable>(variable)) add(here, *variable, *variable, contexts, *context);
    }
    const auto [entry, inserted] = required_.try_emplace(&callee, here);
    if (inserted) return;
    std::vector<SpecPath> both;
    for (const SpecPath& a : entry->second)
      for (const SpecPath& b : here) {
        if (!has_common_bytes(a, b)) continue;
        const bool write = a.bytes.kind == AccessKind::Write && b.bytes.kind == AccessKind::Write;
        both.push_back({a.variable,
                        {std::max(a.bytes.begin, b.bytes.begin), std::min(a.bytes.end, b.bytes.end),
                         write ? AccessKind::Write : AccessKind::Read}});
      }
    entry->second = std::move(both);
  }

  void add(std::vector<SpecPath>& list, const Value& variable, Value& value, const Body& contexts,
           const Context& context) const {
    for (const Paths::Interval& bytes :
         contexts.paths.intervals(context, contexts.scev.getSCEV(&value), contexts.scev))
      list.push_back({&variable, bytes});
    // What the caller requires itself, and may not even access, holds all the time: it never releases.
    const SCEV* address = contexts.scev.getSCEV(&value);
    const int64_t offset = take_constant(address, contexts.scev);
    const auto* base = dyn_cast<SCEVUnknown>(address);
    if (base == nullptr) return;
    for (const SpecPath& path : specs_.of(*contexts.plan.function).requires_paths)
      if (path.variable == base->getValue())
        list.push_back({&variable, {path.bytes.begin - offset, path.bytes.end - offset, path.bytes.kind}});
  }

  void settle(const Function& function, std::vector<SpecPath> paths) {
    // Callers further down the list have not been seen: there are none, or the function would be recursive.
    merge(paths);
    Spec& spec = specs_.specs_[&function];
    erase_if(spec.ensures_paths, [&](const SpecPath& ensured) {
      return any_of(paths, [&](const SpecPath& path) { return has_common_bytes(path, ensured); });
    });
    spec.requires_paths = std::move(paths);
  }

  Specs& specs_;
  const Summaries& summaries_;
  RaceFreedom& race_freedom_;
  GetAnalyses get_analyses_;
  Specs::Admits instrumented_;
  SmallPtrSet<const Function*, 8> recursive_;
  mutable DenseMap<const Function*, bool> may_require_;
  DenseMap<const Function*, std::vector<SpecPath>> required_;
};

Specs::Specs(Module& module, const Summaries& summaries, RaceFreedom& race_freedom, GetAnalyses get_analyses,
             Admits instrumented) {
  SpecBuilder(*this, summaries, race_freedom, get_analyses, instrumented).build(module);
}

const Spec& Specs::of(const Function& function) const {
  static const Spec none;
  const auto found = specs_.find(&function);
  return found == specs_.end() ? none : found->second;
}

PathSet Specs::required(const Function& function, const Paths& paths, ScalarEvolution& scev) const {
  PathSet set(paths.bits());
  for (const SpecPath& path : of(function).requires_paths)
    set |= paths.inside(scev.getSCEV(const_cast<Value*>(path.variable)), path.bytes, scev);
  return set;
}

PathSet Specs::ensured(const CallBase& call, const Paths& paths, ScalarEvolution& scev) const {
  PathSet set(paths.bits());
  const Function* callee = direct_callee(call);
  if (callee == nullptr) return set;
  for (const SpecPath& path : of(*callee).ensures_paths)
    if (Value* value = substitute(*path.variable, call))
      set |= paths.inside(scev.getSCEV(value), path.bytes, scev);
  return set;
}

} // namespace footrace::redcard
