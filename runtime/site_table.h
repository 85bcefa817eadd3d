// Names of places: SiteId <-> what it stands for. Records of instrumented modules keep one id for ever, also
// after the module was unloaded (its records and strings are copied first) and when it is loaded again.
// Concurrency: site_id, pc_site and is_instrumented_code take no lock on their common path. Whoever reads
// through a SiteRecord holds site_table_lock(), or the module could be unloaded meanwhile.
#pragma once

#include "abi/site.h"
#include "base/platform.h"
#include "shadow/site_id.h"

namespace footrace {

// Modules may register several times (once per translation unit); the last unregister counts.
// `address` is any address inside the module. True if it was not there before.
bool register_module(const SiteRecord* begin, const SiteRecord* end, uptr address);
void unregister_module(const SiteRecord* begin);

// kNoSite for a record of a module that has not registered, or when all ids are used up.
struct MainSites { // the executable's records, which are looked at first
  uptr begin;
  u64 bytes;
  SiteId first;
};
extern MainSites g_main_sites;
FR_COLD SiteId site_id_of_library(const SiteRecord* record);
FR_INLINE SiteId site_id(const SiteRecord* record) {
  u64 distance = uptr(record) - g_main_sites.begin;
  if (FR_LIKELY(distance < __atomic_load_n(&g_main_sites.bytes, __ATOMIC_ACQUIRE)))
    return g_main_sites.first + SiteId(distance / sizeof(SiteRecord));
  return site_id_of_library(record);
}
const SiteRecord* site_record(SiteId site); // null unless the id is one of a record

// Accesses made by library functions on behalf of instrumented code: the return address into it, and the
// function's name
// ("memcpy", static storage) if known.
SiteId pc_site(uptr pc, SiteKind kind, const char* function = nullptr);
struct PcSite {
  uptr pc;
  const char* function;
  SiteKind kind;
};
const PcSite* pc_site_record(SiteId site); // null unless the id is one of a program counter

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
