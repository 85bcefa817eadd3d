// The blocks that cells with records (shadow/cell.h) refer to: the accesses of a cell whose bytes have different pasts, each as an epoch or set, the
// bytes that it touched, its kind and its site. Small, because tables of bytes and of short numbers have a block for nearly every cell: four
// records fit a cache line.
//
// Invariant: the bytes of two records of one kind are disjoint, and no record is without bytes. A byte that has a Write record and no Read record was
// read by nobody since, or in the writer's epoch only.
//
// Neighbouring cells mostly get equal records: one thread goes over them in one epoch. So blocks are counted, and what a thread makes again and
// again is made once (common blocks). Invariant: a block changes only while its one reference is that of a cell which the changer has locked;
// with a second reference, be it the one of a thread that remembers it, content and generation are fixed.
#pragma once

#include "shadow/cell.h"

namespace footrace {

enum class RecordKind : u32 { Write, Read, AtomicWrite, AtomicRead };

struct RecordBlock {
  u32 generation; // of the current content
  u32 refs;
  u32 count;
  u32 size_class; // never changes
  union {
    RecordBlock* next_free;
    u64 word
        [4]; // of each record: epoch or set | bytes. As many as the capacity says; the sites come behind them.
  };
};
constexpr u32 kRecordClasses = 4;
constexpr u32 kRecordCapacity[kRecordClasses] = {4, 9, 20, 36};
constexpr u32 kMostRecords = 32; // eight bytes of four kinds
constexpr u32 record_capacity(u32 size_class) { return kRecordCapacity[size_class]; }

// A site with the kind of its access.
constexpr u32 tagged_site(RecordKind kind, SiteId site) { return u32(kind) << kSiteBits | site; }
constexpr RecordKind kind_of_tagged(u32 tagged) { return RecordKind(tagged >> kSiteBits); }
constexpr SiteId site_of_tagged(u32 tagged) { return tagged & ((1u << kSiteBits) - 1); }

RecordBlock* record_block_of(u64 w);
u64 word_of(const RecordBlock* b);
FR_INLINE bool is_common(const RecordBlock* b) { return __atomic_load_n(&b->refs, __ATOMIC_ACQUIRE) > 1; }

FR_INLINE u32* record_sites(RecordBlock* b) {
  return reinterpret_cast<u32*>(b->word + record_capacity(b->size_class));
}
// What is read of a block, under the cell's lock or without it. Without it the memory may be in other use by now: the count stays within the capacity, whatever
// it says.
struct RecordView {
  const u64* words;
  const u32* sites;
  u32 count;
  FR_INLINE explicit RecordView(const RecordBlock* b)
      : words(b->word), sites(record_sites(const_cast<RecordBlock*>(b))),
        count(min(__atomic_load_n(&b->count, __ATOMIC_RELAXED), record_capacity(b->size_class))) {}
  FR_INLINE u64 word(u32 i) const { return __atomic_load_n(&words[i], __ATOMIC_RELAXED); }
  FR_INLINE u32 tagged(u32 i) const { return __atomic_load_n(&sites[i], __ATOMIC_RELAXED); }
  FR_INLINE RecordKind kind(u32 i) const { return kind_of_tagged(tagged(i)); }
};
FR_INLINE void set_record(RecordBlock* b, u32 i, u64 word, u32 tagged) {
  __atomic_store_n(&b->word[i], word, __ATOMIC_RELAXED);
  __atomic_store_n(&record_sites(b)[i], tagged, __ATOMIC_RELAXED);
}

// What a block holds, outside of one.
struct Records {
  u64 word[kMostRecords];
  u32 tagged[kMostRecords];
  u32 count = 0;
  void add(RecordKind kind, u64 value, SiteId site, u64 bytes);
};
void records_of_groups(const Groups& groups, Records& out);
void groups_of_records(const RecordBlock* b, Groups& out);

// With one reference, for so many records, which it does not have yet.
RecordBlock* new_record_block(u32 count);
void fill(RecordBlock* b, const Records& records); // takes references to the sets
void release_record_block(RecordBlock* b);         // the last one gives back its sets as well

// A block with these records: a new one, or one like it that the thread has made before.
RecordBlock* block_with(const Records& records);

} // namespace footrace
