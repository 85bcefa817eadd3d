// Construction in memory that is already there: `new (Place{memory}) T()`. The form of <new> belongs to
// libstdc++, which freestanding code does not include; the type of its own lets both meet in one source.
#pragma once

#include "base/types.h"

namespace footrace {

struct Place {
  void* memory;
};

} // namespace footrace

inline void* operator new(decltype(sizeof 0), footrace::Place place) noexcept { return place.memory; }
