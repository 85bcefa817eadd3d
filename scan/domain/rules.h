// The rules of the abstract semantics (RacerDX, POPL'19, Figure 7) as a table, so that a test can put a wrong rule in
// the place of a right one and see that the theorem's test notices.
#pragma once

#include "scan/domain/summary.h"

namespace footrace::scan::domain {

struct Rules {
  void (*wobbly)(WobblyPaths&, const il::Statement&) = domain::wobbly;
  void (*locking)(LockState&, const il::Statement&) = domain::locking;
  void (*wobbly_call)(WobblyPaths&, const WobblyPaths&, const Substitution&, Wobbling) = domain::wobbly_call;
  void (*wobbly_spawn)(WobblyPaths&, const WobblyPaths&, const Substitution&,
                       Wobbling) = domain::wobbly_spawn;
  void (*wobbly_unknown_call)(WobblyPaths&, const Substitution&) = domain::wobbly_unknown_call;
  LockState (*add)(const LockState&, const LockState&) = domain::add;
  LockState (*join)(const LockState&, const LockState&) = domain::join;
  Touched (*touched_by)(const il::Statement&) = domain::touched_by;
  std::optional<il::Path> (*substitute)(const il::Path&, const Substitution&) = domain::substitute;
  bool (*must_be_stable)(const WobblyPaths&, const il::Path&,
                         Wobbling) = [](const WobblyPaths& wobbly, const il::Path& path, Wobbling wobbling) {
    return wobbly.must_be_stable(path, wobbling);
  };
  bool (*may_hold_together)(const LockState&, const LockState&,
                            const SharedRoots&) = domain::may_hold_together;
};

} // namespace footrace::scan::domain
