// What __footrace_note_access says about the plain check that follows it, in builds that validate the placement of checks.
#pragma once

#include "base/types.h"

namespace footrace {

enum class AccessNote : u32 {
  CannotRace = 0, // an access of the program that was shown not to race
  MayRace = 1,    // an access of the program that must be covered by a check
  Proxied =
      2, // bytes that the check before it stands for; `stride` is the distance from there to the bytes that are checked for them
};

} // namespace footrace
