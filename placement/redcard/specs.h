// Method specifications of RedCard (ECOOP'13, Fig. 4, [CALL] and [METHOD]): requires P ensures Q modifies K.
//
//   requires  what every caller has accessed in the span of the call: the function needs no checks of it
//   ensures   what the function has accessed since its last release whichever way it returns: it has been checked by then, so its caller needs no
//             check of it, neither behind the call nor (if the call has no effects) for what is pending
//   modifies  facts/summaries.h: ALL if the function may release. No fact about the contents of memory is kept, so fields and ARRAY have no part.
// Paths are bytes from a parameter or a global variable.
//
// Invariant: nobody relies on who relies on him. A function requires only if it never releases, and ensures nothing that it requires: that was
// checked further out, where it stays available behind the call anyway.
// requires: functions of local linkage whose every use is a call that we see. ensures: functions whose definition here is the one that runs;
// of several equivalent ones (ODR) the linker may take one without checks.
#pragma once

#include "facts/escape.h"
#include "facts/summaries.h"
#include "placement/paths.h"

namespace llvm {
class CallBase;
} // namespace llvm

namespace footrace::redcard {

// Bytes from a parameter of the function or from a global variable.
struct SpecPath {
  const llvm::Value* variable = nullptr;
  Paths::Interval bytes = {};
};

struct Spec {
  std::vector<SpecPath> requires_paths = {};
  std::vector<SpecPath> ensures_paths = {};
};

class Specs {
public:
  using Admits = llvm::function_ref<bool(const llvm::Function&)>;

  // `instrumented` says which functions get their checks by this placement.
  Specs(llvm::Module& module, const Summaries& summaries, RaceFreedom& race_freedom, GetAnalyses get_analyses,
        Admits instrumented);

  const Spec& of(const llvm::Function& function) const;

  // [METHOD]: P in the names of the function itself.
  PathSet required(const llvm::Function& function, const Paths& paths, llvm::ScalarEvolution& scev) const;
  // [CALL]: θ(Q), in the names of the caller.
  PathSet ensured(const llvm::CallBase& call, const Paths& paths, llvm::ScalarEvolution& scev) const;

private:
  friend class SpecBuilder;
  llvm::DenseMap<const llvm::Function*, Spec> specs_;
};

} // namespace footrace::redcard
