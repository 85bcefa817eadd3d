// Walks only those pages of a plane that were ever touched: untouched ones are all zero, and large ranges are
// mostly such.
#pragma once

#include "base/platform.h"

namespace footrace {

// fn(from, to) for the stretches of [begin, end) that may hold something, from low to high addresses.
void visit_touched_pages(uptr begin, uptr end, void (*fn)(void*, uptr from, uptr to), void* argument);

// Ranges of any size take time in proportion to what was touched in them.
bool can_scan_pages();

template <class Fn> void for_each_touched(uptr begin, uptr end, Fn fn) {
  visit_touched_pages(begin, end, [](void* f, uptr from, uptr to) { (*static_cast<Fn*>(f))(from, to); }, &fn);
}

} // namespace footrace
