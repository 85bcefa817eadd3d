// The part of the abstract state that depends on the place in a method: locks held, what locals stand for, and (in
// RacerD's domain) what is owned. W and A only grow, so they are collected once this has settled.
#pragma once

#include "scan/domain/rules.h"

#include <functional>
#include <map>
#include <optional>

namespace footrace::scan::domain {

// Locals that hold a copy of a shared pointer: t := x->f; t->g := y is an access to x->f->g. Nothing is assumed about
// x->f afterwards: if it may change, W has it and x->f->g is not stable.
class Aliases {
public:
  il::Path resolve(const il::Path& path) const;
  il::Value resolve(const il::Value& value) const;
  // `value` is already resolved.
  void bind(const il::Root& local, const il::Value& value);
  bool operator==(const Aliases&) const = default;
  friend Aliases join(const Aliases& a, const Aliases& b);

private:
  std::map<il::Root, il::Value> known_;
};

struct FlowState {
  LockState locks;
  LockHistory history;         // of the locks
  bool joined = false;         // threads were waited for, on some path
  bool joined_here = false;    // by this method itself: a loop over threads, or if (joinable()), on some path
  bool joined_by_call = false; // by a callee that does so, on every path
  bool waited = false;         // at a condition variable, on some path
  Flags received;              // atomics that were looked at, on some path
  Window window;               // between setting an atomic and looking at it
  Aliases aliases;
  Ownership ownership;
  bool operator==(const FlowState&) const = default;

  bool has_ended_threads() const { return joined_here || joined_by_call; }
};

// Summary of a callee; nothing: unknown code.
using FindSummary = std::function<const Summary*(il::Name)>;

// The statement with every path in terms of formals and globals where that is known.
il::Statement resolved(const il::Statement& statement, const Aliases& aliases);

// [[C1; C2]]# = [[C2]]# after [[C1]]#, branches joined, loops to the least fixed point.
// One state per block, at its start; nothing for a block that is not reached.
std::vector<std::optional<FlowState>> flow(const il::Method& method, const Options& options,
                                           const Rules& rules, const FindSummary& find);
// A call of something that never returns: what follows is not reached.
bool must_end_here(const il::Statement& statement, const FindSummary& find);
// Of a method that never returns: it does not go round for ever either, all its ways end in something that is declared never to return:
// exit(), abort(), or what ends so.
bool must_end_program(const il::Method& method, const FindSummary& find);
// The call of such a method, which is declared never to return.
bool is_last_of_program(const il::Block& block, unsigned number, std::size_t statement,
                        const FindSummary& find);
// One statement, already resolved.
void step(FlowState& state, const il::Statement& statement, const Rules& rules, const FindSummary& find);
// The callee's locks in the caller's words; a lock that only the callee can name becomes unknown_lock().
LockState in_caller(const LockState& inner, const Substitution& actuals, const Rules& rules);
LockHistory in_caller(const LockHistory& inner, const Substitution& actuals, const Rules& rules);
FlowState entry_state(const il::Method& method, const Options& options);

} // namespace footrace::scan::domain
