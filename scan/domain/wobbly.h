// The component W of the domain: wobbly paths (RacerDX, POPL'19, Definition 4.1, Figure 7 `wobbly`).
// The paper puts into W whatever is read or written, and calls a path unstable when W has a proper prefix of it.
// Two things are told apart here, because the address of x->f->g depends only on x and on what x->f holds:
//   Changed  the path itself may hold another pointer than at entry: everything behind it is unstable;
//   Leaked   its pointer was copied somewhere: whoever has the copy can change what is *behind* the object, not which
//            object it is, so one more pointer must be followed before a path becomes unstable.
// Wobbling::Paper treats Leaked as Changed, which is the rule of the paper. scan/theorem checks both.
#pragma once

#include "scan/domain/substitution.h"
#include "scan/il/il.h"

#include <map>

namespace footrace::scan::domain {

enum class Wobbling { Paper, Refined };
// Independent: a variable may be copied and then changed.
struct Wobble {
  bool leaked = false, changed = false;
  bool operator==(const Wobble&) const = default;
};
inline constexpr Wobble leaked{true, false}, changed{false, true};

class WobblyPaths {
public:
  void add(const il::Path& path, Wobble how); // keeps only what is rooted at formals and globals: fml
  void add(const WobblyPaths& other);
  // Definition 4.1, as Theorem 6.10 uses it: no wobbly proper prefix. In C++ a part of an object cannot be moved away
  // from it, so a prefix only counts if a pointer is followed after it; and of an unknown element nothing is known.
  bool must_be_stable(const il::Path& path, Wobbling wobbling) const;

  const std::map<il::Path, Wobble>& paths() const { return paths_; }
  bool operator==(const WobblyPaths&) const = default;

private:
  bool is_covered(const il::Path& path) const;

  std::map<il::Path, Wobble> paths_; // none that another one covers: recursion would make them without end
};

// Figure 7, `wobbly`, for every statement but calls.
void wobbly(WobblyPaths& paths, const il::Statement& statement);
// Figure 7, the call rule: W_m with actuals for formals, and WB(e1 ... en), the actuals of which one is a prefix of
// another. Refined leaves WB out: what a callee does through either is known in the caller's own words.
void wobbly_call(WobblyPaths& paths, const WobblyPaths& callee, const Substitution& actuals,
                 Wobbling wobbling);
// A thread that was started keeps what it was given, and by any later time (at the latest when it was waited for) it may
// have done all that it does.
void wobbly_spawn(WobblyPaths& paths, const WobblyPaths& callee, const Substitution& actuals,
                  Wobbling wobbling);
// Code that we do not see may copy and change what it is given.
void wobbly_unknown_call(WobblyPaths& paths, const Substitution& actuals);

} // namespace footrace::scan::domain
