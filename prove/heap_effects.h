// The type and effect system of prove/effects on LLVM IR: K of the whole program, its closure, and disjoint
// reachability of abstract objects.
//
// SSA values are the variables. A value that the rules know nothing about may be any object that it may point to, made
// in any iteration of the loops around that object's allocation.
#pragma once

#include "prove/addresses.h"
#include "prove/effects/disjoint.h"
#include "prove/executions.h"

namespace footrace::prove {

class HeapEffects {
public:
  HeapEffects(const PointsTo& pointers, const Executions& executions, const Equalities& equalities,
              Shapes& shapes);

  // Objects of `object` are reachable from at most one of two distinct objects of `owners`.
  bool has_disjoint_reachability(ObjectId object, const std::set<ObjectId>& owners) const;
  const effects::Effects& effects() const { return effects_; }

private:
  using Types = std::map<const llvm::Value*, effects::MaybeType>;

  effects::LoopId loop_id(InstanceId instance, const llvm::Loop* loop);
  std::set<effects::LoopId> active_loops(InstanceId instance, const llvm::Instruction& inst);
  Types type_values(InstanceId instance);
  effects::MaybeType type_of(InstanceId instance, const llvm::Instruction& inst, const Types& types);
  effects::MaybeType type_of_use(InstanceId instance, const llvm::Value* value, const llvm::BasicBlock* use,
                                 const Types& types);
  std::vector<effects::Type> possible_types(InstanceId instance, const llvm::Value* value,
                                            const effects::MaybeType& type);
  effects::Type any_iteration(ObjectId object);
  void collect(InstanceId instance);
  void store(InstanceId instance, const llvm::Value* pointer, const llvm::Value* value,
             const llvm::BasicBlock* block, const Types& types);
  void cover_points_to_graph();

  const PointsTo& pointers_;
  const Executions& executions_;
  const Equalities& equalities_;
  Shapes& shapes_;
  std::map<std::pair<InstanceId, const llvm::Loop*>, effects::LoopId> loop_ids_;
  effects::Effects effects_;
  std::optional<effects::Effects> closed_;
};

} // namespace footrace::prove
