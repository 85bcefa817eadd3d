#include "shadow/touched_pages.h"

#include <sys/syscall.h>
#include <sys/sysinfo.h>

namespace footrace {

namespace {
// With swap, "not resident" does not mean "never touched".
bool machine_has_swap() {
  struct sysinfo info = {};
  return sys(SYS_sysinfo, u64(&info)) < 0 || info.totalswap != 0;
}
} // namespace

void visit_touched_pages(uptr begin, uptr end, void (*fn)(void*, uptr, uptr), void* argument) {
  constexpr uptr kPage = 4096, kBatch = 512;
  if (end - begin < 16 * kPage || machine_has_swap()) return fn(argument, begin, end);
  u8 resident[kBatch];
  for (uptr page = round_down(begin, kPage); page < end; page += kBatch * kPage) {
    uptr pages = min<uptr>(kBatch, (round_up(end, kPage) - page) / kPage);
    bool known = sys(SYS_mincore, page, pages * kPage, u64(resident)) >= 0;
    for (uptr i = 0; i < pages; ++i)
      if (!known || (resident[i] & 1))
        fn(argument, max(begin, page + i * kPage), min(end, page + (i + 1) * kPage));
  }
}

} // namespace footrace
