// The construction of the True Positives Theorem (RacerDX, POPL'19, Section 6): from a report to an execution that races.
// The initial state is that of Lemma B.7: both threads see the racy path, which is acyclic and disconnected; everything
// else is elsewhere. Each thread is sent along the shortest way to its access (Lemma 5.6 promises one); one runs until its
// access is next, then the other (proof of Theorem 6.10). Where both hold (different) locks there, all interleavings of
// the two runs are searched.
#pragma once

#include "scan/theorem/semantics.h"

#include <string>
#include <vector>

namespace footrace::scan::theorem {

// A claim of the analysis: these two methods, called at the same time, race on this path.
struct Claim {
  const il::Method* a = nullptr;
  const il::Method* b = nullptr;
  il::Path a_path, b_path; // the same steps; roots: formals that are given one object, or the same global
  bool a_writes = false, b_writes = false;
  bool a_holds = false, b_holds = false; // some lock
  bool operator==(const Claim&) const = default;
  auto operator<=>(const Claim&) const = default;
};

// The way of one thread to its access: the calls, outermost first, and the access itself.
using Route = std::vector<il::Location>;

struct Routes {
  Route a, b;
};

std::string describe(const Claim& claim);

// Definition 3.6: an execution after which both threads' next statements touch one address, one of them writing.
bool find_race(const il::Program& program, const Claim& claim, const Routes& routes);

} // namespace footrace::scan::theorem
