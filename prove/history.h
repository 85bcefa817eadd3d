// What has happened in a thread before a point: events are numbered marks on instructions (when they are done) and on
// edges of the control flow graph. Nothing is ever forgotten.
#pragma once

#include "prove/executions.h"

#include <tuple>

namespace footrace::prove {

using Marks = llvm::SparseBitVector<>;

struct Events {
  std::map<std::pair<InstanceId, const llvm::Instruction*>, Marks> at;
  std::map<std::tuple<InstanceId, const llvm::BasicBlock*, const llvm::BasicBlock*>, Marks> along;
};

class History {
public:
  History(const PointsTo& pointers, Events events);

  // On every way from the start of the thread.
  Marks must_before(InstanceId instance, const llvm::Instruction* inst) const;
  // On some way from the start of the thread.
  Marks may_before(InstanceId instance, const llvm::Instruction* inst) const;

private:
  struct State {
    Marks must, may;
    bool is_reached = false;
  };

  bool flow(InstanceId instance);
  bool flow_through(InstanceId instance, const llvm::BasicBlock& block, State& state);
  void apply(InstanceId instance, const llvm::Instruction& inst, State& state, Way way = Way::Returns) const;
  void solve_entries();
  State at(InstanceId instance, const llvm::Instruction* inst) const;
  static bool join(State& into, const State& from);

  const PointsTo& pointers_;
  Events events_;
  // By instance; an exit, by a return or by an exception, says what the function adds.
  std::vector<State> exits_, thrown_, entries_;
  std::map<std::pair<InstanceId, const llvm::BasicBlock*>, State> blocks_; // since the function was entered
};

} // namespace footrace::prove
