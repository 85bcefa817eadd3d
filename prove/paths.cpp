#include "prove/paths.h"

#include "llvm/IR/Instructions.h"
#include "llvm/IR/Operator.h"

namespace footrace::prove {

Derived Paths::derivation(InstanceId instance, const llvm::Value* pointer, const IsOrigin& is_origin) const {
  Seen seen;
  return derive(instance, pointer, is_origin, seen).value_or(Derived::No);
}

std::optional<Derived> Paths::derive(InstanceId instance, const llvm::Value* pointer,
                                     const IsOrigin& is_origin, Seen& seen) const {
  auto both = [](std::optional<Derived> a, std::optional<Derived> b) {
    if (!a) return b;
    return !b || a == b ? a : Derived::No;
  };
  while (const auto* gep = llvm::dyn_cast<llvm::GEPOperator>(pointer)) {
    if (is_origin(instance, pointer)) return Derived::Directly;
    pointer = gep->getPointerOperand();
  }
  if (is_origin(instance, pointer)) return Derived::Directly;
  if (!seen.insert({instance, pointer}).second) return std::nullopt;
  if (const llvm::Value* same = equalities_.representative(instance, pointer); same != pointer) {
    Seen trial = seen; // what fails here must not count as seen
    std::optional<Derived> derived = derive(instance, same, is_origin, trial);
    if (derived && *derived != Derived::No) return derived;
  }
  if (const auto* load = llvm::dyn_cast<llvm::LoadInst>(pointer)) {
    std::optional<Derived> address = derive(instance, load->getPointerOperand(), is_origin, seen);
    return address && *address != Derived::No ? Derived::ByDereference : address;
  }
  std::optional<Derived> all;
  if (const auto* phi = llvm::dyn_cast<llvm::PHINode>(pointer)) {
    for (const llvm::Value* incoming : phi->incoming_values()) {
      if (llvm::isa<llvm::ConstantPointerNull>(incoming)) continue;
      all = both(all, derive(instance, incoming, is_origin, seen));
    }
    return all;
  }
  if (const auto* choice = llvm::dyn_cast<llvm::SelectInst>(pointer))
    return both(derive(instance, choice->getTrueValue(), is_origin, seen),
                derive(instance, choice->getFalseValue(), is_origin, seen));
  if (const auto* parameter = llvm::dyn_cast<llvm::Argument>(pointer)) {
    for (const Caller& caller : callers_.of(instance)) {
      if (!caller.passes_arguments || parameter->getArgNo() >= caller.site->arg_size()) return Derived::No;
      all = both(all,
                 derive(caller.instance, caller.site->getArgOperand(parameter->getArgNo()), is_origin, seen));
    }
    return callers_.of(instance).empty() ? Derived::No : all;
  }
  return Derived::No;
}

} // namespace footrace::prove
