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
SiteId site_id(const SiteRecord* record);
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

// Following the self-relative offsets of a record; null when unknown.
const char* site_file(const SiteRecord& record);
const char* site_function(const SiteRecord& record);
const SiteRecord* site_inlined_at(const SiteRecord& record);

} // namespace footrace
