// Who knows which pages were touched: the page tables. PAGEMAP_SCAN (Linux 6.7) walks them and steps over
// holes of any size at once; mincore writes one byte per page, so a hole costs time in proportion, and it
// cannot tell a page in swap from one that never was.
#include "check/touched_pages.h"

#include <fcntl.h>
#include <sys/syscall.h>
#include <sys/sysinfo.h>

namespace footrace {
namespace {

constexpr uptr kPage = 4096;

using Visit = void (*)(void*, uptr, uptr);

// As in <linux/fs.h> of the kernels that have it.
struct PageRegion {
  u64 begin, end, categories;
};
struct ScanArguments {
  u64 size, flags, begin, end, walk_end, regions, region_count, max_pages, inverted, all_of, any_of, returned;
};
static_assert(sizeof(ScanArguments) == 96);
constexpr u64 kPagemapScan = 0xc060'6610, kPresent = 1 << 3, kSwapped = 1 << 4;

// Returns the address up to which it has come: `end`, unless the kernel cannot do it. The descriptor is not
// kept: the program closes what it does not know, and in a child of fork it would speak of the parent.
uptr scan_page_tables(uptr begin, uptr end, Visit fn, void* argument) {
  i64 fd = sys(SYS_openat, u64(AT_FDCWD), u64("/proc/self/pagemap"), O_RDONLY | O_CLOEXEC);
  if (fd < 0) return begin;
  PageRegion found[32];
  uptr at = begin;
  while (at < end) {
    ScanArguments scan = {sizeof scan,
                          0,
                          at,
                          end,
                          0,
                          u64(found),
                          sizeof found / sizeof *found,
                          0,
                          0,
                          0,
                          kPresent | kSwapped,
                          kPresent | kSwapped};
    i64 count = sys(SYS_ioctl, u64(fd), kPagemapScan, u64(&scan));
    if (count < 0 || scan.walk_end <= at) break;
    for (i64 i = 0; i < count; ++i) fn(argument, found[i].begin, found[i].end);
    at = scan.walk_end;
  }
  sys(SYS_close, u64(fd));
  return min(at, end);
}

void ask_for_residence(uptr begin, uptr end, Visit fn, void* argument) {
  constexpr uptr kBatch = 2048;
  alignas(8) u8 resident[kBatch];
  for (uptr first = begin; first < end; first += kBatch * kPage) {
    uptr pages = min(kBatch, (end - first) / kPage);
    if (sys(SYS_mincore, first, pages * kPage, u64(resident)) < 0) {
      fn(argument, first, first + pages * kPage);
      continue;
    }
    for (uptr i = 0; i < pages;) {
      if (i % 8 == 0 && i + 8 <= pages && !*reinterpret_cast<const u64*>(resident + i)) {
        i += 8;
        continue;
      }
      if (resident[i] & 1) fn(argument, first + i * kPage, first + (i + 1) * kPage);
      ++i;
    }
  }
}

// With swap, "not resident" does not mean "never touched".
bool machine_has_swap() {
  struct sysinfo info = {};
  return sys(SYS_sysinfo, u64(&info)) < 0 || info.totalswap != 0;
}

} // namespace

bool can_scan_pages() {
  alignas(kPage) static char page[kPage];
  const uptr begin = reinterpret_cast<uptr>(page);
  return scan_page_tables(begin, begin + kPage, [](void*, uptr, uptr) {}, nullptr) == begin + kPage;
}

void visit_touched_pages(uptr begin, uptr end, Visit fn, void* argument) {
  constexpr uptr kSmall = 16 * kPage, kLarge = 64u << 20;
  uptr first = round_up(begin, kPage), last = round_down(end, kPage);
  if (end - begin < kSmall) return fn(argument, begin, end);
  if (begin < first) fn(argument, begin, first);
  bool has_swap = machine_has_swap();
  uptr at = first;
  if (has_swap || last - first > kLarge) at = scan_page_tables(first, last, fn, argument);
  if (at < last) {
    if (has_swap)
      fn(argument, at, last);
    else
      ask_for_residence(at, last, fn, argument);
  }
  if (last < end) fn(argument, last, end);
}

} // namespace footrace
