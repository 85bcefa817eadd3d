// May happen in parallel (paper 001, section 5.1.1): the structure of threads, blind to locks, flow- and
// context-sensitive.
//
// live(p) are the threads that the thread at point p, or its descendants, may have created and that may still run.
// Two threads may run together if one is live where the other, or an ancestor of it, is created. A thread and its
// descendant may also do so at the points of the former where the latter is live.
#pragma once

#include "prove/joins.h"

namespace footrace::prove {

using OriginSet = llvm::SparseBitVector<>;

// The start routine's argument at the place of creation; null if it is not one value of the creator.
const llvm::Value* argument_of(const PointsTo& pointers, const Spawn& spawn);

class Threads {
public:
  Threads(const PointsTo& pointers, const Joins& joins, const Executions& executions);

  // Before the instruction.
  OriginSet live(InstanceId instance, const llvm::Instruction* inst) const;
  bool may_happen_in_parallel(const Access& a, const Access& b) const;
  // Two threads, or two of one kind, at any of their points.
  bool may_run_together(OriginId a, OriginId b) const { return together_.contains({a, b}); }
  // The function that creates the thread may itself run again.
  bool may_be_created_again(const Spawn& spawn) const {
    return executions_.may_run_again(spawn.creator) || pointers_.may_spawn_many(spawn.creator, spawn.site);
  }
  // Each thread is given an object that was allocated for it.
  bool is_given_own_object(OriginId origin) const;
  const OriginSet& descendants(OriginId origin) const { return descendants_[origin]; }
  llvm::ArrayRef<Spawn> creations(OriginId origin) const { return creations_[origin]; }

private:
  // What a piece of code does to the set of live threads: it ends some for certain and may leave others running.
  struct Effect {
    OriginSet created, ended;
    bool is_reached = false;
  };

  OriginSet find_exiting() const; // threads that may end elsewhere than at the end of their first function
  void collect_creations();
  void solve_effects();
  void solve_entries();
  void find_pairs();
  bool flow(InstanceId instance);
  bool flow_through(InstanceId instance, const llvm::BasicBlock& block, Effect& state);
  void enter_block(InstanceId instance, const llvm::BasicBlock* block, Effect& state) const;
  void apply(InstanceId instance, const llvm::Instruction& inst, Effect& state, Way way = Way::Returns) const;
  void end(OriginId origin, Effect& state) const;
  static bool join(Effect& into, const Effect& from);
  Effect at(InstanceId instance, const llvm::Instruction* inst) const;
  bool may_be_reached(const Access& access) const;

  const PointsTo& pointers_;
  const Joins& joins_;
  const Executions& executions_;
  std::vector<OriginSet> descendants_;  // by origin, also those of descendants
  std::vector<OriginSet> left_running_; // by origin: descendants that may outlive it
  std::vector<std::vector<Spawn>> creations_;
  std::vector<Effect> exits_, thrown_; // by instance: when it returns, and when an exception leaves it
  std::map<std::pair<InstanceId, const llvm::BasicBlock*>, Effect> blocks_;
  std::vector<OriginSet> entries_; // by instance: live when it is called
  std::set<std::pair<OriginId, OriginId>> together_;
  mutable std::map<std::pair<InstanceId, const llvm::Instruction*>, bool>
      reached_; // what may_be_reached said
};

} // namespace footrace::prove
