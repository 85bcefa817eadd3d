// Layout of an allocation (glibc's pointer is `base`):
//   alignment <= 16:  base | header 16 | user block
//   larger:           base | padding | header 16 | user block at base + alignment
// glibc keeps its free-list links in the first bytes of a freed chunk, where the header is: a freed block
// therefore has no valid header, and what reports need of it is kept in a ring.
#include "runtime/heap.h"

#include "check/mapping.h"
#include "runtime/access.h"
#include "runtime/recording.h"
#include "runtime/runtime.h"
#include "runtime/unmapping.h"

#include <errno.h>
#include <fcntl.h>
#include <malloc.h>
#include <sys/syscall.h>
#include <sys/uio.h>

extern "C" {
void* __libc_malloc(size_t);
void* __libc_calloc(size_t, size_t);
void* __libc_realloc(void*, size_t);
void* __libc_memalign(size_t, size_t);
void __libc_free(void*);
}

namespace footrace {
namespace {

constexpr u32 kSizeBits = 44;
constexpr u64 kMaxSize = (1ull << kSizeBits) - 1;
constexpr u32 kNoThread = ~0u >> 1;

struct Header {
  u64 size : kSizeBits;
  u64 offset_log : 6; // user block - base, as a power of two
  u64 magic : 14;     // header_magic(user block)
  u32 context;
  u32 thread : 31;
  u32 ours : 1; // tells a header from glibc's chunk size, whose top bit is never set
};
static_assert(sizeof(Header) == 16);

// The top bit is set, as it never is in the links of glibc's free lists, which take the place of the header.
u64 header_magic(uptr block) { return (block * 0x9e37'79b9'7f4a'7c15ull) >> 50 | 1ull << 13; }
Header* header_at(uptr block) { return reinterpret_cast<Header*>(block - sizeof(Header)); }
bool has_header(uptr block) {
  const Header* h = header_at(block);
  return h->ours && h->magic == header_magic(block);
}
uptr base_of(uptr block) { return block - (1ull << header_at(block)->offset_log); }

// glibc's chunk header: the size in the word before `base`, bit 1 set if the chunk was mapped on its own.
// Part of glibc's ABI with debuggers and checkers, and the only way to know without asking dlsym, which
// itself allocates.
u64 chunk_word(uptr base) { return reinterpret_cast<const u64*>(base)[-1]; }
bool is_mapped_chunk(uptr base) { return chunk_word(base) & 2; }
u64 usable_from(uptr block) {
  uptr base = base_of(block);
  return base + (chunk_word(base) & ~7ull) - (is_mapped_chunk(base) ? 16 : 8) - block;
}

// The shadow exists once any thread of the runtime has been seen here.
alignas(64) bool g_shadow_up; // everybody reads it
FR_INLINE bool has_shadow(Thread* t) {
  if (t && FR_UNLIKELY(!g_shadow_up)) __atomic_store_n(&g_shadow_up, true, __ATOMIC_RELEASE);
  return t || __atomic_load_n(&g_shadow_up, __ATOMIC_ACQUIRE);
}

// Blocks too large to be found by looking back in the plane of block starts.
constexpr u64 kLargeBlock = 1 << 20;

class LargeBlocks {
public:
  SpinLock lock; // held with signals put off: callers are in a Critical section

  void add(uptr block) {
    SpinGuard guard(lock);
    if (count_ == capacity_ && !grow()) return; // only the description in a report is lost
    blocks_[count_++] = block;
  }
  void remove(uptr block) {
    SpinGuard guard(lock);
    for (u64 i = count_; i-- > 0;)
      if (blocks_[i] == block) {
        blocks_[i] = blocks_[--count_];
        return;
      }
  }
  uptr find(uptr address) {
    SpinGuard guard(lock);
    for (u64 i = 0; i < count_; ++i)
      if (blocks_[i] <= address && address - blocks_[i] < header_at(blocks_[i])->size) return blocks_[i];
    return 0;
  }

private:
  bool grow() {
    u64 wanted = capacity_ ? capacity_ * 2 : 512;
    uptr memory = map_memory(wanted * sizeof(uptr));
    if (!memory) return false;
    copy_bytes(reinterpret_cast<void*>(memory), blocks_, count_ * sizeof(uptr));
    if (blocks_) unmap_memory(reinterpret_cast<uptr>(blocks_), capacity_ * sizeof(uptr));
    blocks_ = reinterpret_cast<uptr*>(memory), capacity_ = wanted;
    return true;
  }
  uptr* blocks_ = nullptr;
  u64 count_ = 0, capacity_ = 0;
};
LargeBlocks g_large;

// Blocks freed lately, by address: neighbours have neighbouring entries, and those of different threads are far from each other, as their
// memory is. Threads write without looking at each other: an entry of which two have each written a part does not add up, and is taken for lost.
constexpr u64 kFreedEntries = 4096;
struct alignas(32) FreedBlock {
  uptr begin;
  u64 life;   // its size, and behind kSizeBits when it was freed
  u64 origin; // context and thread of the allocation
  u64 sum;
  u64 size() const { return life & kMaxSize; }
  u64 expected_sum() const { return begin ^ (life << 17 | life >> 47) ^ (origin * 0x9e37'79b9'7f4a'7c15ull); }
  bool is_newer_than(const FreedBlock& other) const { // times go round
    return i64((life & ~kMaxSize) - (other.life & ~kMaxSize)) > 0;
  }
};
static_assert(sizeof(FreedBlock) == 32);
FreedBlock g_freed[kFreedEntries];
FreedBlock& freed_entry(uptr block) {
  constexpr u64 kSmallest = 32, kPage = 4096;
  return g_freed[(block / kSmallest ^ (block / kPage * 0x9e37'79b9'7f4a'7c15ull) >> 52) % kFreedEntries];
}

// Tells blocks apart that lay in the same place one after the other. Exact to a few dozen frees of each thread, so that it is rarely written.
alignas(64) u64 g_freed_time;
__thread u32 t_frees;
u64 time_of_free() {
  if (!(++t_frees % 64)) __atomic_fetch_add(&g_freed_time, 1, __ATOMIC_RELAXED);
  return __atomic_load_n(&g_freed_time, __ATOMIC_RELAXED);
}

void remember_freed(uptr block) {
  const Header* h = header_at(block);
  const FreedBlock f = {block, h->size | time_of_free() << kSizeBits, u64(h->context) << 32 | h->thread, 0};
  FreedBlock& entry = freed_entry(block);
  __atomic_store_n(&entry.begin, f.begin, __ATOMIC_RELAXED);
  __atomic_store_n(&entry.life, f.life, __ATOMIC_RELAXED);
  __atomic_store_n(&entry.origin, f.origin, __ATOMIC_RELAXED);
  __atomic_store_n(&entry.sum, f.expected_sum(), __ATOMIC_RELAXED);
}

FreedBlock load_freed(const FreedBlock& entry) {
  return {__atomic_load_n(&entry.begin, __ATOMIC_RELAXED), __atomic_load_n(&entry.life, __ATOMIC_RELAXED),
          __atomic_load_n(&entry.origin, __ATOMIC_RELAXED), __atomic_load_n(&entry.sum, __ATOMIC_RELAXED)};
}

u32 public_number(u32 thread) { return thread == kNoThread ? ~0u : thread; }

bool find_freed(uptr address, HeapBlock* out) {
  FreedBlock newest = {};
  for (const FreedBlock& entry : g_freed) {
    FreedBlock f = load_freed(entry);
    if (f.begin && address - f.begin < max<u64>(f.size(), 1) && f.sum == f.expected_sum() &&
        (!newest.begin || f.is_newer_than(newest)))
      newest = f;
  }
  if (!newest.begin) return false;
  *out = {newest.begin, newest.size(), u32(newest.origin >> 32), public_number(u32(newest.origin)), true};
  return true;
}

// Through a pipe, for sandboxes that forbid process_vm_readv.
bool read_through_pipe(uptr from, void* to, u64 size) {
  int ends[2];
  if (sys(SYS_pipe2, u64(ends), O_CLOEXEC | O_NONBLOCK) < 0) return false;
  bool done = sys(SYS_write, u64(ends[1]), from, size) == i64(size) &&
              sys(SYS_read, u64(ends[0]), u64(to), size) == i64(size);
  sys(SYS_close, u64(ends[0]));
  sys(SYS_close, u64(ends[1]));
  return done;
}

// A mark may outlive its memory, and a report may look at a block that another thread is freeing at this very moment: read through the
// kernel, which answers with an error instead of a fault.
bool read_header(uptr block, Header* out) {
  iovec to = {out, sizeof *out}, from = {header_at(block), sizeof *out};
  i64 n = sys(SYS_process_vm_readv, u64(sys(SYS_getpid)), u64(&to), 1, u64(&from), 1, 0);
  bool done =
      n == i64(sizeof *out) || (n != -EFAULT && read_through_pipe(uptr(header_at(block)), out, sizeof *out));
  return done && out->ours && out->magic == header_magic(block);
}

bool find_live(uptr block, uptr address, HeapBlock* out) {
  Header h;
  if (!block || !read_header(block, &h) || address - block >= max<u64>(h.size, 1)) return false;
  *out = {block, h.size, h.context, public_number(h.thread), false};
  return true;
}

Thread* judged_caller(Thread* t, Caller caller) {
  return t && !t->ignore && is_instrumented_code(caller.pc) ? t : nullptr;
}

// Who allocates a block, and how large it is for the user.
FR_INLINE Header description(Thread* t, Caller caller, uptr block, u64 size, u32 offset_log) {
  u32 context = t ? known_context_at(t->context, caller.pc) : 0;
  if (FR_UNLIKELY(t && !context)) context = context_at(t, caller.pc);
  return {size, offset_log, header_magic(block), context, t && t->record ? t->record->number : kNoThread, 1};
}

// Makes glibc's memory a block: header, start mark, no history.
FR_INLINE void* begin_block(Thread* t, Caller caller, uptr base, u64 size, u32 offset_log) {
  uptr block = base + (1ull << offset_log);
  bool shadowed = has_shadow(t);
  Critical critical(t);
  *header_at(block) = description(t, caller, block, size, offset_log);
  if (!shadowed) return reinterpret_cast<void*>(block);
  const u64 usable = usable_from(block);
  record_range(t, EventKind::Alloc, block, max<u64>(size, 1));
  memory_allocated(
      t, block,
      round_up(size, 8)); // what is behind it belongs to nobody until the block grows (heap_reallocate)
  if (size < kLargeBlock)
    mark_block(block, usable);
  else
    g_large.add(block);
  return reinterpret_cast<void*>(block);
}

void* out_of_memory() {
  errno = ENOMEM;
  return nullptr;
}

// Checks the free and forgets the block's start; glibc may have the memory afterwards.
FR_INLINE void end_block(Thread* t, Caller caller, uptr block) {
  Header& h = *header_at(block);
  uptr base = base_of(block);
  if (has_shadow(t)) {
    u64 usable = usable_from(block);
    Thread* judged = judged_caller(t, caller);
    remember_freed(block);
    if (FR_UNLIKELY(h.size >= kLargeBlock)) {
      Critical critical(t);
      g_large.remove(block);
    }
    if (is_mapped_chunk(base)) {
      check_and_forget(judged, caller, block, usable);
    } else if (judged) {
      check_free(t, caller, block, h.size);
      sync_forget(block, usable);
    } else {
      memory_fresh(block, usable);
    }
  }
  h.magic = ~h.magic;
}

} // namespace

bool heap_find(uptr address, HeapBlock* out) {
  if (!may_have_shadow(address)) return false;
  // Freed blocks keep their marks: the nearest one may not be that of the block.
  const uptr lowest = address > kLargeBlock ? address - kLargeBlock : 0;
  for (uptr at = address, start; (start = find_block(at, at - lowest)) != 0; at = start - 16) {
    if (find_live(start, address, out)) return true;
    if (start < lowest + 16) break;
  }
  return find_live(g_large.find(address), address, out) || find_freed(address, out);
}

void* heap_allocate(Caller caller, u64 size) {
  if (FR_UNLIKELY(size > kMaxSize)) return out_of_memory();
  void* base = __libc_malloc(size + sizeof(Header));
  if (FR_UNLIKELY(!base)) return out_of_memory();
  return begin_block(self(), caller, reinterpret_cast<uptr>(base), size, 4);
}

void* heap_allocate(Caller caller, u64 size, u64 alignment) {
  if (alignment <= 16) return heap_allocate(caller, size);
  if (size > kMaxSize || alignment > kMaxSize) return out_of_memory();
  const u32 offset_log = u32(__builtin_ctzll(alignment));
  void* base = __libc_memalign(alignment, size + (1ull << offset_log));
  if (!base) return out_of_memory();
  return begin_block(self(), caller, reinterpret_cast<uptr>(base), size, offset_log);
}

void* heap_allocate_zeroed(Caller caller, u64 count, u64 size) {
  u64 bytes;
  if (__builtin_mul_overflow(count, size, &bytes) || bytes > kMaxSize) return out_of_memory();
  void* base = __libc_calloc(1, bytes + sizeof(Header));
  if (!base) return out_of_memory();
  Thread* t = self();
  void* block = begin_block(t, caller, reinterpret_cast<uptr>(base), bytes, 4);
  // Zeroing is a write of the caller. Pages that come zeroed from the kernel were written by nobody.
  if (bytes && !is_mapped_chunk(reinterpret_cast<uptr>(base)) && judged_caller(t, caller))
    check_write(t, caller, block, bytes);
  return block;
}

void* heap_reallocate(Caller caller, void* old, u64 size) {
  if (!old) return heap_allocate(caller, size);
  uptr block = reinterpret_cast<uptr>(old);
  if (FR_UNLIKELY(!has_header(block))) return __libc_realloc(old, size);
  if (!size) { // as glibc does
    heap_free(caller, old);
    return nullptr;
  }
  // Growing within what glibc gave, or shrinking by less than half, stays in place: the bytes keep their
  // history.
  Header& h = *header_at(block);
  Thread* t = self();
  u64 old_size = h.size, usable = usable_from(block);
  bool stays_large = (old_size < kLargeBlock) == (size < kLargeBlock);
  if (size <= usable && size >= usable / 2 && stays_large) {
    if (has_shadow(t) && size < old_size) {
      if (judged_caller(t, caller))
        check_free(t, caller, block + size, old_size - size);
      else
        memory_fresh(block + size, old_size - size);
    } else if (has_shadow(t) && size > old_size) {
      memory_fresh(block + old_size, size - old_size);
    }
    Critical critical(t);
    h = description(t, caller, block, size, h.offset_log);
    return old;
  }
  void* moved = heap_allocate(caller, size);
  if (!moved) return nullptr;
  u64 kept = min(old_size, size);
  copy_bytes(moved, old, kept);
  if (kept && judged_caller(t, caller)) check_write(t, caller, moved, kept);
  heap_free(
      caller,
      old); // also covers the read of the old bytes: a free conflicts with whatever a read conflicts with
  return moved;
}

void heap_free(Caller caller, void* block) {
  if (!block) return;
  uptr address = reinterpret_cast<uptr>(block);
  // Not ours: the dynamic loader's first blocks, or an error that glibc explains better.
  const int saved = errno;
  if (FR_LIKELY(has_header(address))) {
    block = reinterpret_cast<void*>(base_of(address));
    end_block(self(), caller, address);
  }
  __libc_free(block);
  errno = saved;
}

u64 heap_usable_size(void* block) {
  uptr address = reinterpret_cast<uptr>(block);
  return block && has_header(address) ? u64(header_at(address)->size) : 0;
}

void heap_start() {
  // By default glibc raises the threshold to the size of every mapped block that is freed, up to 32 MiB:
  // large blocks then stay mapped after free and keep four times their size of shadow alive. With a fixed
  // threshold they are unmapped, shadow and all, and a use after free faults as it may without us. A later
  // mallopt of the program's wins.
  mallopt(M_MMAP_THRESHOLD, int(kLargeBlock));
}

void heap_lock_all() { g_large.lock.lock(); }
void heap_unlock_all() { g_large.lock.unlock(); }

} // namespace footrace
