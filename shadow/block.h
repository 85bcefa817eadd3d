// Compressed blocks: one state for 512 bytes of program memory (paper 000, section 4, "Dynamic Array Compression"; SlimState).
//
// Every block has a header in a plane of its own. A cell with two zero words has no state of its own: "ask the header". Headers are
//   coarse  state.W and state.R are the words of each of the block's cells, all of which are zero. Zero: never accessed (virgin).
//   parted  state.W and state.R carry kPartedTag: they name a record (shadow/block_parts.h) of parts, whose cells are zero, and of other cells, which are not.
//   fine    state.W = kFineWord: every cell is non-zero and says all about itself.
//   locked  state.W = kLockedWord: one thread moves the block between the two, or works on a coarse state alone.
// An empty cell of a fine block is {0, kEmptyWord}: its masks are empty, so the rules need not know it.
//
// Transitions, each a function below; docs/shadow.md argues that together they lose and invent nothing:
//   lock_parts, publish_parts                     coarse or parted -> locked -> coarse or parted: some of the cells are accessed
//   refine           coarse or parted -> locked -> fine    bytes of a cell, too many parts, or single cells again and again
//   lock_fine_block  fine   -> locked             all of it is accessed at once: every cell is locked as well
//   compress         locked -> coarse             the cells would all be equal now
//   give_back        locked -> fine               they would not
//   lock_coarse, publish_coarse                   a step on a coarse state that one compare-and-swap cannot make
//   forget_block     any    -> virgin             fresh memory
// Rules of the game: (1) A zero cell changes only while its header is locked, by who locked it, and is never the expected value of a
// compare-and-swap. (2) A non-zero cell is authoritative, whatever the header says. (3) Whoever holds a cell's lock waits for nobody;
// whoever holds a header's lock waits only for cells. So nobody waits in a circle.
#pragma once

#include "shadow/cell.h"

#ifndef FOOTRACE_BLOCK_CELLS
#define FOOTRACE_BLOCK_CELLS 64 // tests/model explores smaller blocks
#endif

namespace footrace {

constexpr u32 kBlockCells = FOOTRACE_BLOCK_CELLS;
constexpr uptr kBlockBytes = kBlockCells * 8;
static_assert((kBlockCells & (kBlockCells - 1)) == 0);

constexpr Tid kFineTag = (1u << kTidBits) - 5;
constexpr u64 kFineWord = u64(kFineTag) << kTidShift;
constexpr Tid kPartedTag = (1u << kTidBits) - 7;
constexpr u64 kPartedWord = u64(kPartedTag) << kTidShift;

struct alignas(32) BlockHeader {
  Cell state;
  u32 sites[2]; // of state.W and state.R, encoded as in the sites plane
  // How the block is used, for guesses only: they change with plain stores and may miss some.
  u16 times_refined; // from an accessed coarse state, since the memory was fresh
  u16 hits;          // of single cells, while their block has none of its own
  u32 reserved;
};
static_assert(sizeof(BlockHeader) == 32);

constexpr uptr kHeaderBase = 0x4900'0000'0000;
constexpr uptr kHeaderSize = (kAppMask + 1) / kBlockBytes * sizeof(BlockHeader);

FR_INLINE uptr block_address(uptr address) { return round_down(address, kBlockBytes); }
FR_INLINE BlockHeader* header_of(uptr address) {
  return reinterpret_cast<BlockHeader*>(kHeaderBase +
                                        (address & kAppMask) / kBlockBytes * sizeof(BlockHeader));
}

enum class BlockState : u8 { Coarse, Parted, Fine, Locked };
constexpr BlockState state_of(u64 header_w) {
  return header_w == kFineWord            ? BlockState::Fine
         : is_locked(header_w)            ? BlockState::Locked
         : tid_of(header_w) == kPartedTag ? BlockState::Parted
                                          : BlockState::Coarse;
}

FR_INLINE Cell load_words(const Cell* cell) {
  u64 w = __atomic_load_n(&cell->W, __ATOMIC_ACQUIRE), r = __atomic_load_n(&cell->R, __ATOMIC_ACQUIRE);
  return {w, r};
}
constexpr bool asks_header(Cell words) { return !(words.W | words.R); }

// Never accessed. If not: it was, or is being changed.
FR_INLINE bool is_virgin(uptr address) { return asks_header(load_words(&header_of(address)->state)); }

// Off: no access makes a block coarse; what was never accessed still costs nothing. Set before or while the program runs.
extern bool g_compress_blocks;

// A block that was refined so often is used in parts: whole accesses no longer compress it. One that is hit in parts so often pays for its
// cells: they hit in line.
constexpr u16 kMostRefined = 4, kMostHits = 64;
FR_INLINE void note_use(u16& count, u16 value) { __atomic_store_n(&count, value, __ATOMIC_RELAXED); }
FR_INLINE bool stays_fine(const BlockHeader* header) {
  return __atomic_load_n(&header->times_refined, __ATOMIC_RELAXED) >= kMostRefined;
}

// What is known about every byte of a coarse block.
struct CoarseState {
  Cell words;
  SiteId w_site, r_site; // kNoSite where there is no epoch
};

// Coarse or parted -> fine. Returns when the block was fine at some moment since the call; the caller looks again.
void refine(uptr block);

// Coarse -> locked. The words are those that the caller has judged; false: they have changed. Fills in the sites.
bool lock_coarse(uptr block, CoarseState& state);
// Locked -> coarse. References to sets go with the words: the header takes over what the caller holds.
void publish_coarse(uptr block, const CoarseState& state);

// Fine -> locked, and every cell locked by the caller. `taken` are the words that the cells had. False: the block is not fine.
bool lock_fine_block(uptr block, Cell (&taken)[kBlockCells]);
// Locked -> coarse: drops what the taken words refer to, empties the cells.
void compress(uptr block, const Cell (&taken)[kBlockCells], const CoarseState& state);
// Locked, cells included -> parted or coarse, as publish_parts; drops what the taken words refer to, empties the cells.
void compress_to_parts(uptr block, const Cell (&taken)[kBlockCells], struct Parts& parts);
// Locked -> fine: the cells become what they were.
void give_back(uptr block, const Cell (&taken)[kBlockCells]);

// The words of a header that the caller has locked: W last, which unlocks it.
void publish_header(BlockHeader* header, u64 w, u64 r);

// Any -> virgin. Gives back what the block referred to.
void forget_block(uptr block);

// Without locks, so only a guess: compressing a fine block after a read could succeed.
bool looks_uniform(uptr block);
// The same for parts, after an access to some of its cells.
bool looks_parted(uptr block, u64 cells, bool write);

// Gives the pages of cells and sites back to the kernel where all blocks of [begin, end) are coarse; never-touched ones cost nothing.
void discard_cells(uptr begin, uptr end);

// For a moment in which nobody changes the block: null, or which of the rules above is broken.
const char* broken_invariant(uptr block);

} // namespace footrace
