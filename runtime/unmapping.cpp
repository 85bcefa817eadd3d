#include "runtime/unmapping.h"

#include "check/arrays.h"
#include "check/touched_pages.h"
#include "runtime/runtime.h"

namespace footrace {

void check_and_forget(Thread* t, Caller caller, uptr address, u64 size) {
  if (t && size) {
    // A program may map a terabyte and use a page of it: only blocks whose header was ever written can hold an access.
    uptr first = block_address(address), headers = reinterpret_cast<uptr>(header_of(address));
    uptr headers_end = reinterpret_cast<uptr>(header_of(address + size - 1)) + sizeof(u64);
    for_each_touched(headers, headers_end, [=](uptr from, uptr to) {
      uptr begin = max(address, first + (from - headers) / sizeof(u64) * kBlockBytes);
      uptr end = min(address + size, first + (to - headers) / sizeof(u64) * kBlockBytes);
      check_free(t, caller, begin, end - begin);
    });
  }
  memory_gone(address, size);
}

} // namespace footrace
