// Sets of concurrent accesses to one location: the vector clock R_x of [FT READ SHARE], with the site of each
// access. A set is immutable, sorted by thread, interned and reference-counted: the thousand words of an
// array that the same threads read in the same epochs share one set, so read-shared data costs no memory of
// its own. A reference is one word, tagged with a reserved tid; it carries a generation so that a stale
// reference is recognised. Concurrency: contents never change while referenced; interning is done under the
// lock of the content's shard.
#pragma once

#include "clocks/vector_clock.h"
#include "shadow/site_id.h"

namespace footrace {

constexpr Tid kSetTag = (1u << kTidBits) - 2;
using SetRef = u64; // kSetTag << 44 | index:26 | generation:10 | 8 zero bits

constexpr bool is_set(u64 word) { return tid_of(word) == kSetTag; }

struct SetEntry {
  Epoch epoch;
  SiteId site;
  u32 reserved;
};

// A new reference to {(a, site_a), (b, site_b)}; the threads differ.
SetRef make_set(SetEntry a, SetEntry b);
// A new reference to `set` with `entry` in place of its thread's; entries that `seen` covers are dropped,
// since whoever conflicts with them conflicts with `entry` too. May give a plain epoch (not a set) when one
// entry is left; then *single_site is its site.
u64 add_to_set(SetRef set, SetEntry entry, const Clock& seen, SiteId* single_site);
void retain_set(SetRef set);
void release_set(SetRef set);
u32 set_size(SetRef set);
const SetEntry* set_entries(SetRef set); // valid while referenced
// True if the set holds exactly this epoch. Needs no reference, but the caller must afterwards find the word
// it took the reference from unchanged.
bool set_contains(SetRef set, Epoch epoch);

u64 sets_in_use();
void set_pool_lock_all();
void set_pool_unlock_all();

} // namespace footrace
