// An operation to measure is a class: its constructor sets the scene, once() is what is measured, and
// held(n) tells whether n calls did what the name says. Operations are registered in a table that both ways
// of measuring use: time by Google Benchmark, instructions by callgrind (instructions.sh).
#pragma once

#include "check/thread_state.h"

#include <benchmark/benchmark.h>

#include <string>
#include <vector>

namespace footrace::micro {

// In memory that was none before, which is zero (check/thread_state.h).
struct NewThread : ThreadState {
  NewThread() : ThreadState() {}
};

struct Operation {
  std::string name;
  u64 instruction_runs; // how often instructions.sh has it run: enough to be exact, few enough to be quick
  void (*time)(benchmark::State&);
  bool (*run)(u64 iterations); // false: it did something else
};

// The function that callgrind counts in: its name is known to instructions.sh.
template <class Op> FR_NOINLINE void measured_loop(Op& op, u64 iterations) {
  for (; iterations; --iterations) op.once();
}

// Rules have warmed up (pools, pages) after a few calls.
template <class Op> u64 warm_up(Op& op) {
  constexpr u64 kCalls = 4;
  for (u64 i = 0; i < kCalls; ++i) op.once();
  return kCalls;
}

template <class Op> void time_operation(benchmark::State& state) {
  Op op;
  u64 calls = warm_up(op);
  for (auto _ : state) op.once();
  if (!op.held(calls + state.iterations())) state.SkipWithError("did not apply the rule it is named after");
}

template <class Op> bool run_operation(u64 iterations) {
  Op op;
  u64 calls = warm_up(op);
  measured_loop(op, iterations);
  return op.held(calls + iterations);
}

using Operations = std::vector<Operation>;
template <class Op> void add(Operations& table, const char* name, u64 instruction_runs) {
  table.push_back({name, instruction_runs, time_operation<Op>, run_operation<Op>});
}

void add_access_operations(Operations& table);
void add_sync_operations(Operations& table);

} // namespace footrace::micro
