#include "runtime/unmapping.h"

#include "runtime/runtime.h"
#include "shadow/mapping.h"
#include "shadow/touched_pages.h"

namespace footrace {

void check_and_forget(Thread* t, Caller caller, uptr address, u64 size) {
  if (t && size) {
    // A program may map a terabyte and use a page of it: only cells that were ever written can hold an
    // access.
    uptr cells = reinterpret_cast<uptr>(cell_of(address));
    for_each_touched(cells, cells + size * 2, [=](uptr from, uptr to) {
      check_free(t, caller, address + (from - cells) / 2, (to - from) / 2);
    });
  }
  memory_gone(address, size);
}

} // namespace footrace
