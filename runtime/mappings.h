// The memory of the program: where its shadow may hold anything.
#pragma once

#include "base/types.h"

namespace footrace {

// fn(begin, end) for every mapping of the process that has a shadow. False: nobody knows, nothing was visited.
bool visit_mappings(void (*fn)(void*, uptr begin, uptr end), void* argument);

template <class Fn> bool for_each_mapping(Fn fn) {
  return visit_mappings([](void* f, uptr begin, uptr end) { (*static_cast<Fn*>(f))(begin, end); }, &fn);
}

} // namespace footrace
