// SiteId: 24 bits that name where an access was made, small enough to sit in the shadow.
// Two top bits say which table: records of instrumented code, program counters seen by interceptors, or
// combinations (several accesses of one epoch to different bytes of one cell).
#pragma once

#include "base/types.h"

namespace footrace {

using SiteId = u32;
constexpr u32 kSiteBits = 24;
constexpr SiteId kNoSite = 0;
constexpr SiteId kPcSite = 1u << 22;
constexpr SiteId kComboSite = 2u << 22;
constexpr SiteId kSiteTable = 3u << 22;
constexpr SiteId kSiteIndex = (1u << 22) - 1;

// The table of combinations: eight sites, one per byte of a cell.
SiteId
combine_sites(const SiteId (&per_byte)[8]); // kNoSite when the table is full: the caller expands the cell
SiteId site_of_byte(SiteId site, u32 byte); // the site itself unless it is a combination

// For fork.
void site_pool_lock_all();
void site_pool_unlock_all();

} // namespace footrace
