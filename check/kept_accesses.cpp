#include "check/kept_accesses.h"

#include "base/platform.h"
#include "check/step.h"

namespace footrace {

namespace {

constexpr u32 kLengths[] = {9, 13, 17, 21, 25, 29}; // of stretches, as powers of two
static_assert(1ull << 29 == kMostBytesKept);
constexpr u64 kFirstSweep = 64 << 10; // fewer entries than this are not worth one

KeptAccess* g_kept; // g_most of them; the oldest first
u32* g_chains;      // index + 1 of the latest entry
u64 g_most, g_mapped, g_count, g_next_sweep, g_chain_mask;
LogCounts g_counts;

// Neighbouring stretches have neighbouring chains: memory is walked through.
u32& chain_of(u32 length, uptr stretch) {
  const u64 far = (stretch >> 6 ^ u64(length) << 40) * 0x9e37'79b9'7f4a'7c15ull;
  return g_chains[((far >> 32) << 6 | (stretch & 63)) & g_chain_mask];
}
u32& chain_of(const KeptAccess& a) {
  for (u32 length : kLengths)
    if (a.size() <= 1ull << length) return chain_of(length, a.address >> length);
  __builtin_unreachable();
}

void link(u64 index) {
  u32& chain = chain_of(g_kept[index]);
  g_kept[index].next = chain;
  chain = u32(index + 1);
}

bool map_table() {
  if (g_kept) return true;
  u64 chains = 1 << 12;
  while (chains < g_most) chains *= 2;
  const u64 bytes = g_most * sizeof(KeptAccess);
  const uptr memory = map_memory(bytes + chains * sizeof(u32));
  if (!memory) return false;
  g_kept = reinterpret_cast<KeptAccess*>(memory);
  g_chains = reinterpret_cast<u32*>(memory + bytes);
  g_chain_mask = chains - 1;
  g_mapped = g_most;
  g_next_sweep = min(kFirstSweep, g_most);
  return true;
}

void drop_oldest(u64 count) {
  for (u64 i = count; i < g_count; ++i) g_kept[i - count] = g_kept[i];
  g_count -= count;
  g_counts.dropped += count;
}

// Fewer entries than three quarters of the most are left.
void sweep() {
  constexpr u64 kAhead = 16;
  for (u64 i = 0; i < g_count; ++i) chain_of(g_kept[i]) = 0;
  u64 left = 0;
  for (u64 i = 0; i < g_count; ++i) {
    if (i + kAhead < g_count) __builtin_prefetch(cell_of(g_kept[i + kAhead].address));
    if (is_named(g_kept[i])) g_kept[left++] = g_kept[i];
  }
  g_counts.swept += g_count - left;
  g_count = left;
  if (g_count > g_most / 4 * 3) drop_oldest(g_count - g_most / 2);
  for (u64 i = 0; i < g_count; ++i) link(i);
  g_next_sweep = min(max(2 * g_count, kFirstSweep), g_most);
}

void add(const KeptAccess& a) {
  if (FR_UNLIKELY(g_count >= g_next_sweep)) sweep();
  g_kept[g_count] = a;
  link(g_count++);
}

} // namespace

bool is_named(const KeptAccess& a) { return fasttrack::still_names(a.address, a.size(), a.epoch); }

void limit_kept(u64 most) {
  if (g_kept && most <= g_mapped && most) {
    for (u64 i = 0; i < g_count; ++i) chain_of(g_kept[i]) = 0;
    if (g_count > most) {
      drop_oldest(g_count - most);
      discard_pages(uptr(g_kept + most), (g_mapped - most) * sizeof(KeptAccess));
    }
    for (u64 i = 0; i < g_count; ++i) link(i);
    g_next_sweep = min(max(2 * g_count, kFirstSweep), most);
  } else if (g_kept) {
    unmap_memory(uptr(g_kept), g_mapped * sizeof(KeptAccess) + (g_chain_mask + 1) * sizeof(u32));
    g_kept = nullptr;
    g_count = 0;
  }
  g_most = most;
}

void keep_accesses(const KeptAccess* list, u32 count) {
  if (!g_most || !map_table()) return;
  g_counts.kept += count;
  for (u32 i = 0; i < count; ++i) add(list[i]);
}

void find_kept(WantedAccess& wanted) {
  if (!g_kept) return;
  // From the latest to the oldest: of the chains that may have it, always the one whose entry is the latest.
  constexpr u32 kChains = 2 * sizeof kLengths / sizeof *kLengths;
  u32 at[kChains], count = 0;
  for (u32 length : kLengths) {
    const uptr stretch = wanted.byte >> length;
    at[count++] = chain_of(length, stretch);
    at[count++] = chain_of(length, stretch - 1);
  }
  for (;;) {
    u32 latest = 0;
    for (u32 i = 1; i < kChains; ++i)
      if (at[i] > at[latest]) latest = i;
    if (!at[latest] || wanted.is_found()) return;
    const KeptAccess& a = g_kept[at[latest] - 1];
    if (a.epoch == wanted.epoch) wanted.offer({a.address, a.size(), a.kind(), a.site, a.context, a.locks});
    at[latest] = a.next;
  }
}

void visit_kept(void (*fn)(void*, KeptAccess&), void* argument) {
  for (u64 i = 0; i < g_count; ++i) fn(argument, g_kept[i]);
}

void add_kept_counts(LogCounts& counts) {
  counts = g_counts;
  counts.kept_now = g_count;
}

} // namespace footrace
