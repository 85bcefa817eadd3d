// Parts of a block: sets of cells, anywhere in it, that would all hold the same words and sites. Between one state for all cells (coarse) and
// one for each (fine): the ends of rows, every second element, the fields that an array of objects has at equal places (the block-based and
// strided modes of paper 000, section 4, in one form).
//
// A parted header names a record of up to kMostParts parts, and of the cells that have words of their own (because there was no room for a part of
// theirs); all other cells are zero. Zero cells in no part were never accessed.
// Invariant: parts are disjoint and not empty, none is the whole block, each says something, of whole cells only, no two the same.
// Concurrency: a record changes only while its header is locked. Its generation differs with every content that a header has shown, so
// that who reads it without the lock knows by the unchanged header that what it read belonged together; records stay records for ever.
#pragma once

#include "shadow/block.h"

namespace footrace {

#ifndef FOOTRACE_MOST_PARTS
#define FOOTRACE_MOST_PARTS 7 // tests need less to have too many
#endif
constexpr u32 kMostParts = FOOTRACE_MOST_PARTS;
constexpr u64 kAllCells = kBlockCells == 64 ? ~0ull : (1ull << kBlockCells) - 1;

struct Part {
  u64 cells; // bit i: cell i of the block
  u64 W, R;
  SiteId w_site, r_site;

  CoarseState state() const { return {{W, R}, w_site, r_site}; }
  bool same_state(const Part& o) const {
    return W == o.W && R == o.R && w_site == o.w_site && r_site == o.r_site;
  }
};
constexpr Part part_of(u64 cells, const CoarseState& s) {
  return {cells, s.words.W, s.words.R, s.w_site, s.r_site};
}

// Parts on their way into or out of a block; each has a reference of its own to the set in R.
struct Parts {
  static constexpr u32 kRoom = 2 * kMostParts + 1; // every part split, and one for cells that were in none
  Part part[kRoom];
  u32 count = 0;
  u64 own = 0; // cells with words of their own

  void add(const Part& p) { part[count++] = p; }
  u64 cells() const {
    u64 all = 0;
    for (u32 i = 0; i < count; ++i) all |= part[i].cells;
    return all;
  }
};

// The cells from `from` to `to`, both in one block and multiples of 8.
FR_INLINE u64 cells_between(uptr from, uptr to) {
  u64 count = (to - from) / 8;
  return (count == 64 ? ~0ull : (1ull << count) - 1) << (from % kBlockBytes / 8);
}

// Coarse or parted -> locked. `words` are what the caller has seen; false: they have changed. The references of `out` stay the block's.
bool lock_parts(uptr block, Cell words, Parts& out);
// Locked -> the smallest of virgin, coarse, parted and fine. Takes over the references of `parts`; those of `before`, which lock_parts has given,
// are dropped. Parts for which there is no room become cells with words of their own: the smallest first.
void publish_parts(uptr block, Cell words, const Parts& before, Parts& parts);
// Locked -> what it was.
void unlock_parts(uptr block, Cell words);

// Makes one of parts with the same state.
void join_equal(Parts& parts);
void retain_part(const Part& p);
void release_part(const Part& p);

// Without the lock: of a parted header that held these words, the cells whose state says that `epoch` has read (or written) them. No cells if
// the header has changed since.
u64 cells_with_epoch(const BlockHeader* header, Cell words, Epoch epoch, bool write);

// These cells become as if never accessed, but for those that are left: they have words of their own.
u64 forget_cells(uptr block, u64 cells);

// Of a cell whose header the caller has locked.
void materialise_part(uptr block, const Part& p);

// For block.cpp: the parts of a parted header that the caller has locked, or that nobody changes.
void copy_parts(Cell words, Parts& out);
u64 own_cells(Cell words);
void free_parts(Cell words);

u64 part_records_in_use();
void part_pool_lock_all();
void part_pool_unlock_all();
bool is_in_part_records(uptr address); // for tests/model

} // namespace footrace
