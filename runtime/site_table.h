// Names of places. What code that is checked hands over is a Site (check/log.h): the address of a record, or a number that pc_site gave. Reports name
// places by SiteId instead: records of instrumented modules keep one id for ever, also after the module was unloaded (its records and strings
// are copied first) and when it is loaded again. When other records take the place of those of a module that is gone, the sites of the old ones
// that logs still hold are renamed, so none is ever resolved to the wrong record.
// Concurrency: pc_site and is_instrumented_code take no lock on their common path. Whoever reads
// through a SiteRecord holds site_table_lock(), or the module could be unloaded meanwhile.
#pragma once

#include "abi/site.h"
#include "base/platform.h"
#include "check/log.h"

namespace footrace {

// The top bit says which table: records of instrumented code, or program counters seen by interceptors.
using SiteId = u32;
constexpr SiteId kNoSite = 0;
constexpr SiteId kPcSiteId = 1u << 31;

// Modules may register several times (once per translation unit); the last unregister counts.
// `address` is any address inside the module. True if it was not there before.
bool register_module(const SiteRecord* begin, const SiteRecord* end, uptr address);
void unregister_module(const SiteRecord* begin);

// kNoSite for a record of a module that has not registered, or when all ids are used up. Not in hot code: it searches.
SiteId site_id(Site site);
const SiteRecord* site_record(SiteId site); // null unless the id is one of a record

// Accesses made by library functions on behalf of instrumented code: the return address into it, and the
// function's name ("memcpy", static storage) if known. 0 when there is no room.
Site pc_site(uptr pc, SiteKind kind, const char* function = nullptr);
struct PcSite {
  uptr pc;
  const char* function;
  SiteKind kind;
};
const PcSite* pc_site_record(SiteId site); // null unless the id is one of a program counter
u32 pc_site_count();                       // they are kPcSiteId | 1, 2, 3...

SpinLock& site_table_lock();

// The access that a check at `check_begin` stands for at the byte `byte`; of several that touch it the first of the check's own kind, which
// is the one that makes the check legitimate. The site itself if it is an access, or if the byte does not decide.
SiteId covered_site(SiteId check, uptr check_begin, uptr byte);
// The same without knowing where the check began: only when all accesses of the check's kind that may touch `byte` are at the same line.
SiteId only_covered_site(SiteId check, uptr byte);
// Where the access of a covered record that touches `byte` begins.
uptr covered_begin(const SiteRecord& covered, uptr check_begin, uptr byte);
// The `index`-th bytes for which a byte of the check is the proxy (placement/proxies.h): a race at `proxy` is one at each of them, by the same
// threads. False: there are no more.
struct ProxiedBytes {
  uptr proxy, begin;
  u64 size;
};
bool proxied_bytes(SiteId check, u32 index, ProxiedBytes* out);
bool covers_others(SiteId site); // the site is a check of several accesses

// Of a record that has a line; null when unknown.
const char* site_file(const SiteRecord& record);
const char* site_function(const SiteRecord& record);
const SiteRecord* site_inlined_at(const SiteRecord& record);

} // namespace footrace
