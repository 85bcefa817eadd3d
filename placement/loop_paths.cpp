#include "placement/loop_paths.h"

#include "llvm/Analysis/LoopInfo.h"

using namespace llvm;

namespace footrace {

DenseMap<const BasicBlock*, PathSet> loop_invariant_paths(const Steps& steps, const Paths& paths,
                                                          const LoopInfo& loops, InLoop spans) {
  DenseMap<const BasicBlock*, PathSet> found;
  for (const Loop* loop : loops.getLoopsInPreorder()) {
    PathSet accessed(paths.bits()), defined(paths.bits());
    bool releases = false;
    for (const BasicBlock* block : loop->blocks()) {
      if (!steps.has(*block)) continue;
      if (const PathSet* renamed = paths.killed_on_edge_into(*block)) defined |= *renamed;
      for (const Step& step : steps.of(*block)) {
        releases |= step.effects.may_release();
        for (const unsigned access : step.accesses) accessed |= paths.of(access);
        if (step.defines != nullptr) defined |= *step.defines;
      }
    }
    if (releases && spans == InLoop::OneSpan) continue;
    accessed.reset(defined);
    found[loop->getHeader()] = std::move(accessed);
  }
  return found;
}

} // namespace footrace
