// The memory of the program: where its shadow may hold anything.
#pragma once

#include "base/types.h"

namespace footrace {

// fn(begin, end) for every mapping of the process that has a shadow. False: nobody knows, nothing was visited.
bool visit_mappings(void (*fn)(void*, uptr begin, uptr end), void* argument);

template <class Fn> bool for_each_mapping(Fn fn) {
  return visit_mappings([](void* f, uptr begin, uptr end) { (*static_cast<Fn*>(f))(begin, end); }, &fn);
}

// fn(begin, end) for all memory whose shadow may hold anything. Where the kernel shows which pages were ever touched, that is all there could be: what was
// unmapped behind our back keeps its shadow until it is mapped again, and must not name what means something else by then.
bool visit_shadowed_memory(void (*fn)(void*, uptr begin, uptr end), void* argument);
template <class Fn> bool for_shadowed_memory(Fn fn) {
  return visit_shadowed_memory([](void* f, uptr begin, uptr end) { (*static_cast<Fn*>(f))(begin, end); },
                               &fn);
}

} // namespace footrace
