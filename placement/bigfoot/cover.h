// Which accesses a placed check stands for: from the positions of check(C) to a plan.
//
// An access that was already checked when it runs is covered by the checks that reach it; any other by the first checks
// behind it, on every path, that have its bytes.
#pragma once

#include "placement/bigfoot/contexts.h"
#include "placement/reach.h"

#include "llvm/Analysis/PostDominators.h"

namespace footrace::bigfoot {

class Cover {
public:
  Cover(Plan& plan, const Steps& steps, const Paths& paths, const Contexts& contexts,
        const FunctionAnalyses& analyses);

  // What more must be left to the accesses themselves: nothing, if all reports are exact.
  OwnChecks wanted() const;

  // Adds the checks to the plan, and to every access that has a path the checks that cover it.
  void write();

private:
  // One run of a check(C): what becomes one check of the plan.
  struct Candidate {
    unsigned placed;
    Paths::Run run;
    std::vector<unsigned> covers = {};                  // accesses behind which it is the first check
    std::vector<unsigned> reaches = {};                 // accesses that it has checked already
    llvm::SmallVector<unsigned, 0> before_release = {}; // of what it covers, what a release may follow
    PathSet ahead = {};                                 // what it checks for accesses behind it only
    bool across_back_edge = false;                      // it stands for accesses of several iterations
    bool settled = false;
    bool dropped = false;                 // a peer stands for it
    std::optional<unsigned> own = {};     // it becomes the own check of this access
    llvm::Instruction* hoisted = nullptr; // it moves before this access
  };
  using Peers = llvm::SmallVector<unsigned, 2>;

  void index();
  void index_own(llvm::BasicBlock& block, unsigned step, unsigned access);
  void find_covers(unsigned access);
  void settle(unsigned candidate);
  bool are_peers(const Peers& peers) const;
  bool runs_as_often(const llvm::BasicBlock& block, const llvm::BasicBlock& other) const;
  bool may_move_to(const llvm::Instruction& inst, const Peers& peers) const;
  std::pair<unsigned, unsigned> order_of(const Candidate& candidate) const;
  bool may_run_before(const Candidate& first, const Candidate& second) const;
  bool must_pass(const llvm::Instruction& inst, const Peers& peers) const;
  std::optional<unsigned> own_access(const Peers& peers) const;
  llvm::Instruction* first_access(const Peers& peers) const;
  Position position(const PlacedCheck& placed) const;
  Rule rule_of(unsigned access) const;
  void add_check(const Candidate& candidate);

  // names.cpp
  PathSet name(const Candidate& candidate, std::vector<unsigned>& names) const;
  void want_exact(const Candidate& candidate, OwnChecks& more) const;
  bool has_many_places(unsigned access) const;
  bool must_share_span(unsigned access, const Candidate& candidate) const;
  bool are_copies(unsigned access, unsigned other) const;
  bool must_be_copies(unsigned access, const PathSet& bytes, const Candidate& candidate) const;
  bool must_come_before(unsigned access, const Candidate& candidate) const;
  bool must_come_after(unsigned access, const Candidate& candidate) const;
  const llvm::PostDominatorTree& post_dominators() const;

  Plan& plan_;
  const Steps& steps_;
  const Paths& paths_;
  const Contexts& contexts_;
  FunctionAnalyses analyses_;
  Reach reach_;
  bool is_reducible_;
  std::vector<PlacedCheck> placed_;
  std::vector<Candidate> candidates_;
  std::vector<Peers> covered_by_; // per access: the candidates behind it
  std::vector<Peers> reached_by_; // per access: the candidates that have checked it already
  llvm::BitVector elsewhere_;     // accesses that a caller or a callee has checked some bytes of
  mutable std::optional<llvm::PostDominatorTree> post_dominators_;
};

} // namespace footrace::bigfoot
