#include "tests/model/shadow.h"

#include "check/sync_rules.h"
#include "tests/model/explorer.h"

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <map>

extern "C" void __wrap__ZN8footrace9yield_cpuEv() { footrace::model::wait(); }

namespace footrace::model {

using fasttrack::FourWords;

namespace {

alignas(4096) char g_memory[4096];

// Sets and words of bytes by number: every thread has the same ones in every run.
constexpr u32 kFirstNumber = 1 << 16, kLines = 256, kFours = 256;
constexpr uptr kSets = kSetBase + kFirstNumber * sizeof(ReaderSet),
               kSetBytes = kThreads * kLines * sizeof(ReaderSet);
constexpr uptr kFoursAt = kBytesBase + kFirstNumber * sizeof(FourWords);

ThreadState g_threads[kThreads];
bool g_uses_freed;
bool g_is_busy[kThreads], g_has_begun[kThreads], g_has_ended[kThreads]; // busy: inside of an access
u64 g_visited[kThreads]; // granules whose R the access has looked at
bool g_is_quick[kThreads];

Word* words_of(u64 cell) {
  return reinterpret_cast<Word*>(cell_of(base() + cell * 8));
} // W_lo, W_hi, R_lo, R_hi
u64& header(u64 block) { return *header_of(base() + block * kBlockBytes); }

enum class Place : u8 { None, W, R, Header, Entry };
Place place_of(const volatile void* p, u64 size) {
  const uptr at = reinterpret_cast<uptr>(p);
  if (at - reinterpret_cast<uptr>(words_of(0)) < kCells * 16) return at % 16 < 8 ? Place::W : Place::R;
  if (at - reinterpret_cast<uptr>(&header(0)) < kHeaders * 8) return Place::Header;
  if (at - kSets < kSetBytes && size == 8) return Place::Entry;
  return Place::None;
}

bool is_locked(Word w) { return w.is_reference() && w.is_locked(); }

// The same state may have sets and words of bytes with other numbers, since attempts that failed have used some up. So they are called by who has
// put them into the shadow, and by how many others that thread had put there.
struct Names {
  std::map<u32, u64> sets, fours; // by number
  std::map<u32, Word> set_at_line;
  u64 given[kThreads + 1] = {};
} g_names;

u64 name_in(const std::map<u32, u64>& names, u32 number) {
  const auto found = names.find(number);
  return found == names.end() ? 0 : found->second;
}
bool give_name(std::map<u32, u64>& names, u32 number) {
  if (names.count(number)) return false;
  const u64 by = u64(current_thread() + 1);
  names[number] = by << 32 | ++g_names.given[by];
  return true;
}
void name_set(Word w) {
  if (!w.is_set() || !give_name(g_names.sets, w.index())) return;
  for (u32 line = 0; line * 8 < set_of(w).capacity; ++line)
    g_names.set_at_line[w.index() + line] = w.unlocked();
}
void name_word(Word w) {
  name_set(w);
  if (!w.is_bytes() || w.is_locked()) return;
  give_name(g_names.fours, w.index());
  for (u32 i = 0; i < 4; ++i) name_set(fasttrack::word_of_byte(w, i));
}

u64 meaning_of_set(Word w) {
  const u64 name = name_in(g_names.sets, w.index());
  u64 hash = mix(name, u64(w.kind()) << 1 | is_locked(w));
  if (name && w.kind() == Reference::CommonSet) return hash; // it never changes
  const ReaderSet& s = set_of(w);
  for (u32 i = 0; i < s.capacity && s.entry[i]; ++i) hash = mix(hash, s.entry[i]);
  return mix(hash, s.capacity);
}
u64 meaning_of(Word w) {
  if (w.is_set()) return meaning_of_set(w);
  if (!w.is_bytes() || w.is_locked()) return w.raw;
  u64 hash = name_in(g_names.fours, w.index());
  for (u32 i = 0; i < 4; ++i) {
    const Word of_byte = fasttrack::word_of_byte(w, i);
    hash = mix(hash, of_byte.is_set() ? meaning_of_set(of_byte) : of_byte.raw);
  }
  return hash;
}
u64 meaning_at(Place place, u64 size, u64 value) {
  const bool is_word = place == Place::W || place == Place::R;
  if (is_word && size == 4) return meaning_of(low_word(value));
  if (is_word) return mix(meaning_of(low_word(value)), meaning_of(high_word(value)));
  if (place == Place::Header) return mix(u32(value), meaning_of(high_word(value)));
  return value;
}

// Who has locked what: the R of a granule, by its address, or a header.
std::map<uptr, int> g_owner;
std::map<uptr, Word> g_before_lock; // what the R was
// Whether a locked header was swept: then a thread that has met it before may still take a zero cell, and who brings the block back to one past finds it taken.
std::map<uptr, bool> g_was_swept;
bool owns(uptr p) {
  const auto found = g_owner.find(p);
  return found != g_owner.end() && found->second == current_thread();
}
uptr header_of_cell_word(uptr p) {
  return reinterpret_cast<uptr>(header_of(base() + (p - reinterpret_cast<uptr>(words_of(0))) / 16 * 8));
}
ThreadState& me() { return state_in_run(size_t(current_thread())); }
bool is_mine(u64 size, u64 value) { return value == (size == 8 ? me().both : me().epoch.raw); }

// The set that has the entry, if it was in the shadow.
Word set_with_entry(uptr p) {
  const auto at = g_names.set_at_line.find(u32((p - kSetBase) / sizeof(ReaderSet)));
  return at == g_names.set_at_line.end() ? Word() : at->second;
}
// Of a set of one byte: the thread has locked the granule that has it.
bool owns_set_of_byte(uptr p) {
  const Word set = set_with_entry(p);
  if (!set.is_set() || set.kind() != Reference::ByteSet) return false;
  for (const auto& [r, owner] : g_owner)
    if (const Word before = g_before_lock[r]; owner == current_thread() && before.is_bytes())
      for (u32 i = 0; i < 4; ++i)
        if (fasttrack::word_of_byte(before, i) == set) return true;
  return false;
}
// A store, other than a compare-and-swap.
//   W of a granule   the thread's epoch, or nothing (fresh memory): a write of all bytes, which is done when R is swapped; else who has locked the granule or
//                    its header
//   R of a granule   who has locked it, or a zero one's header
//   header           who has locked it
//   entry            of a set of one byte, who has locked the granule: it may only come from an earlier epoch of the thread
void check_store(Place place, uptr p, u64 size, u64 value) {
  if (g_uses_freed) return;
  switch (place) {
  case Place::None:
    return;
  case Place::Entry: {
    if (!owns_set_of_byte(p)) return fail("an entry was stored without comparing");
    const SetEntry before(*reinterpret_cast<const u64*>(p));
    if (SetEntry(value).epoch() != me().epoch) fail("an entry of another thread was made");
    if (!covers(me(), before.epoch()) || before.kind() != SetEntry(value).kind())
      fail("an entry that is not ordered was replaced");
    return;
  }
  case Place::Header:
    if (!owns(p) || value == kLockedBlock) fail("a header was stored by one who has not locked it");
    g_owner.erase(p);
    return;
  case Place::W:
    if (!value || is_mine(size, value) || owns(header_of_cell_word(p))) return;
    for (u64 i = 0; i < size; i += 4)
      if (!owns(p + 8 + i)) fail("W was stored by one who has not locked R");
    return;
  case Place::R:
    for (u64 i = 0; i < size; i += 4) {
      const bool fills = Word(*reinterpret_cast<u32*>(p + i)).asks_header() && owns(header_of_cell_word(p));
      if (!fills && !owns(p + i)) fail("R was stored by one who has not locked it");
      if (!is_locked(Word(u32(value >> i * 8)))) g_owner.erase(p + i);
    }
  }
}

void check_swap(Place place, uptr p, u64 size, u64 expected, u64 value) {
  if (g_uses_freed) return;
  switch (place) {
  case Place::None:
    return;
  case Place::W:
    return fail("W was swapped");
  case Place::Header:
    if (expected == kLockedBlock) fail("a locked header was swapped");
    if (value == kLockedBlock) g_owner[p] = current_thread(), g_was_swept[p] = expected == kSweptBlock;
    return;
  case Place::Entry: {
    const Word set = set_with_entry(p);
    if (!set.is_set() || set.kind() == Reference::CommonSet) fail("an entry of a common set was changed");
    if (set.kind() == Reference::ByteSet) fail("an entry of a set of one byte was swapped");
    if (SetEntry(value).epoch() != me().epoch) fail("an entry of another thread was made");
    if (!covers(me(), SetEntry(expected).epoch())) fail("an entry that is not ordered was replaced");
    return;
  }
  case Place::R:
    for (u64 i = 0; i < size; i += 4) {
      if (is_locked(Word(u32(expected >> i * 8)))) fail("a locked R was swapped");
      const u64 head = *reinterpret_cast<u64*>(header_of_cell_word(p));
      const bool is_getting_coarse = head == kLockedBlock && g_was_swept[header_of_cell_word(p)];
      if (!expected && !is_fine(head) && !is_getting_coarse && !owns(header_of_cell_word(p)))
        fail("a zero cell was changed without its header");
      const bool gives = Word(u32(value >> i * 8)) == Word(Reference::Header, 0);
      if (expected && Word(u32(expected >> i * 8)).asks_header())
        fail("a cell that asks the header was swapped");
      if (gives && !owns(header_of_cell_word(p))) fail("a cell asks a header that is not locked");
      if (is_locked(Word(u32(value >> i * 8))))
        g_owner[p + i] = current_thread(), g_before_lock[p + i] = Word(u32(expected >> i * 8));
    }
  }
}

// Entries of common sets never change: when they are loaded does not matter.
bool is_watched(Place place, uptr p) {
  if (current_thread() < 0 || place == Place::None) return false;
  if (place != Place::Entry) return true;
  const Word set = set_with_entry(p);
  return set.is_set() && set.kind() != Reference::CommonSet;
}

// The first entry of a set, unless the set is so large that the size of its copies is kept of the scan as well.
bool starts_scan(const volatile void* p) {
  const auto* entry = const_cast<const u64*>(static_cast<const volatile u64*>(p));
  return reinterpret_cast<uptr>(p) % sizeof(ReaderSet) == sizeof(u64) && !entry[3];
}

// Whether another thread may change the entry from now on. If not, it does not matter when it is loaded.
bool may_change(const volatile void* p) {
  const SetEntry e(*static_cast<const volatile u64*>(p));
  for (Tid tid = kRun; tid < kProbe; ++tid) {
    if (g_has_ended[tid] || tid == me().tid()) continue;
    if (!g_has_begun[tid] || !e || tid_of(e.epoch()) == tid || covers(state_of(tid), e.epoch())) return true;
  }
  return false;
}

} // namespace

// What interleave.h calls.
void before_load(const volatile void* p, u64 size) {
  const Place place = place_of(p, size);
  if (!is_watched(place, reinterpret_cast<uptr>(p))) return;
  if (place != Place::Entry && g_is_quick[current_thread()]) return step();
  if (place == Place::R) {
    const u64 word = (reinterpret_cast<uptr>(p) - reinterpret_cast<uptr>(words_of(0))) / 4,
              granule = word / 4 * 2 + word % 2;
    const u64 granules = (size == 8 ? 3ull : 1ull) << granule;
    u64& visited = g_visited[current_thread()];
    observed_no_more(p, !(visited & granules));
    visited |= granules;
  } else if (place == Place::Header) {
    observed_no_more(p, false);
  } else if (place == Place::Entry) {
    if (owns_set_of_byte(reinterpret_cast<uptr>(p))) return;
    if (starts_scan(p) && !g_is_quick[current_thread()]) begin_scan();
    if (!may_change(p)) return;
  }
  step();
}
void after_load(const volatile void* p, u64 size, u64 value) {
  const Place place = place_of(p, size);
  if (!is_watched(place, reinterpret_cast<uptr>(p))) return;
  if (place == Place::Entry && !g_is_quick[current_thread()])
    observed_in_scan(p, value);
  else
    observed(p, meaning_at(place, size, value));
  note("load", p, value, 0);
}

void before_store(const volatile void* p, u64 size, u64 value) {
  const Place place = place_of(p, size);
  if (!is_watched(place, reinterpret_cast<uptr>(p))) return;
  step();
  if (place == Place::W || place == Place::R)
    for (u64 i = 0; i < size; i += 4) name_word(Word(u32(value >> i * 8)));
  check_store(place, reinterpret_cast<uptr>(p), size, value);
}
void after_store(const volatile void* p, u64 size, u64 value) {
  if (!is_watched(place_of(p, size), reinterpret_cast<uptr>(p))) return;
  note("store", p, value, 0);
  wrote(p);
}

void before_swap(const volatile void* p, u64 size, u64, u64) {
  if (is_watched(place_of(p, size), reinterpret_cast<uptr>(p))) step();
}
void after_swap(const volatile void* p, u64 size, u64 expected, u64 value, bool done) {
  const Place place = place_of(p, size);
  if (!is_watched(place, reinterpret_cast<uptr>(p))) return;
  note(done ? "swap" : "swap failed", p, expected, value);
  if (!done) return observed(p, 0);
  check_swap(place, reinterpret_cast<uptr>(p), size, expected, value);
  if (place == Place::R)
    for (u64 i = 0; i < size; i += 4) name_word(Word(u32(value >> i * 8)));
  if (place == Place::Header) name_word(high_word(value));
  observed(p, mix(1, meaning_at(place, size, value)));
  wrote(p);
}

uptr base() { return reinterpret_cast<uptr>(g_memory); }
ThreadState& state_of(Tid tid) { return g_threads[tid]; }
void begin_access(size_t thread, u64 what) {
  g_is_busy[kRun + thread] = true;
  g_visited[thread] = 0;
  begin_access(what);
}
void begin_quick(size_t thread) { g_is_quick[thread] = true; }
void end_quick(size_t thread) { g_is_quick[thread] = false; }
void end_access(size_t thread) { g_is_busy[kRun + thread] = false; }
void begin_thread(size_t thread) { g_has_begun[kRun + thread] = true; }
void end_thread(size_t thread) { g_has_ended[kRun + thread] = true; }

ThreadState& new_thread(Tid tid) {
  ThreadState& t = g_threads[tid];
  g_is_busy[tid] = g_has_begun[tid] = false;
  g_has_ended[tid] = tid < kRun || tid >= kProbe;
  t.own_words = InLine();
  fasttrack::initial(t, tid, 1);
  t.known = 0;
  t.sets = {kFirstNumber + tid * kLines, kFirstNumber + (tid + 1) * kLines};
  t.bytes = {kFirstNumber + tid * kFours, kFirstNumber + (tid + 1) * kFours};
  return t;
}

// Only the shadow of this memory is mapped: with small blocks the whole plane of headers would be in the way of others.
void clear_shadow(bool uses_freed) {
  g_uses_freed = uses_freed;
  static const bool done = [] {
    auto map = [](uptr p, uptr size) {
      const uptr at = round_down(p, 4096);
      return map_memory(round_up(p + size - at, 4096), at) != 0;
    };
    return map(reinterpret_cast<uptr>(words_of(0)), kCells * 16) &&
           map(reinterpret_cast<uptr>(&header(0)), kHeaders * 8) && map(kSets, kSetBytes) &&
           map(reinterpret_cast<uptr>(block_word(base())), 8) &&
           map(kFoursAt, kThreads * kFours * sizeof(FourWords));
  }();
  if (!done) std::fprintf(stderr, "model: cannot map the shadow\n"), std::exit(1);
  std::memset(words_of(0), 0, kCells * 16);
  std::memset(&header(0), 0, kHeaders * 8);
  g_owner.clear();
  g_names = Names();
  g_before_lock.clear();
  g_was_swept.clear();
  forget_common_sets();
  fasttrack::forget_four_words();
  for (bool& has_ended : g_has_ended) has_ended = true; // until new_thread
}

void end_of_setup() {
  for (u64 i = 0; i < kCells * 4; ++i) name_word(words_of(0)[i]);
  for (u64 i = 0; i < kHeaders; ++i) name_word(high_word(header(i)));
}

u64 fingerprint_of_shadow() {
  u64 hash = 0;
  for (u64 i = 0; i < kCells; ++i) {
    const Word* w = words_of(i);
    for (u64 k = 0; k < 4; ++k) hash = mix(hash, meaning_of(w[k]));
  }
  for (u64 i = 0; i < kHeaders; ++i) hash = mix(hash, meaning_at(Place::Header, 8, header(i)));
  return hash;
}

u64 fingerprint_of(const ThreadState& t) {
  u64 hash = t.known;
  for (const ReadMemo& memo : t.memo)
    if (memo.epoch == t.epoch)
      hash = mix(mix(mix(hash, meaning_of(memo.before)), meaning_of(memo.after)), memo.is_quick);
  for (const BytesMemo& memo : t.bytes_memo)
    if (memo.epoch == t.epoch)
      hash = mix(mix(mix(hash, meaning_of(memo.before)), meaning_of(memo.after)),
                 memo.mask << 1 | memo.is_ordered);
  u64 known_sets = 0; // in whatever order
  for (u64 known : t.known_set)
    if (u32(known) == t.epoch.raw)
      known_sets += mix(name_in(g_names.sets, low_word(known >> 32).index()), known >> 60);
  for (u64 left = t.waiting.used; left; left &= left - 1) {
    const WaitingGranule& g = t.waiting.slot[__builtin_ctzll(left)];
    hash = mix(mix(hash, g.granule), g.read << 4 | g.written);
  }
  for (const BlockHits& hits : t.block_hits)
    if (hits.hits) hash = mix(mix(hash, hits.block), hits.hits);
  return mix(hash, known_sets);
}

namespace {

// "Look at R only": whoever is ordered after R is ordered after W, unless one of the two is not done yet.
bool stands_for_W(Word w, Word r) {
  if (w.is_none() || w == r || r.is_reference()) return true;
  if (g_is_busy[tid_of(w.epoch())]) return true;
  return !r.is_none() && (covers(state_of(tid_of(r.epoch())), w) || g_is_busy[tid_of(r.epoch())]);
}

} // namespace

std::string broken_invariant(const std::function<bool(u64 byte)>& is_told) {
  if (g_uses_freed) return "";
  std::map<u32, u64> named; // own sets, and by which granule
  for (u64 granule = 0; granule < kCells * 2; ++granule) {
    const Word w = words_of(granule / 2)[granule % 2], r = words_of(granule / 2)[2 + granule % 2];
    const u64 head = header(granule * kGranule / kBlockBytes);
    if (!r.asks_header() && (head == kVirginBlock || is_coarse(head)))
      return "a cell of a coarse block has a state of its own";
    if (!r.is_none() && r.asks_header() && (head == kVirginBlock || is_fine(head)))
      return "a cell asks a header that knows nothing";
    const auto is_of_another = [&](Word set, u64 byte = 0) {
      if (!set.is_set() || set.kind() == Reference::CommonSet) return false;
      const u64 unit = set.kind() == Reference::CellSet   ? granule / 2
                       : set.kind() == Reference::ByteSet ? granule * kGranule + byte
                                                          : granule;
      return named.emplace(set.index(), unit).first->second != unit;
    };
    if (r.is_set() && r.kind() == Reference::ByteSet) return "a set of one byte is a granule's";
    if (is_of_another(r)) return "an own set has two owners";
    if (is_locked(r)) continue;
    if (r.is_none() && !w.is_none() && (w.is_bytes() || !g_is_busy[tid_of(w.epoch())]) && is_fine(head))
      return "a granule of which nothing is known was written";
    for (u64 i = 0; i < kGranule; ++i) {
      const Word of_w = fasttrack::word_of_byte(w, u32(i)), of_r = fasttrack::word_of_byte(r, u32(i));
      if (r.is_bytes() && is_of_another(of_r, i)) return "an own set of a byte has two owners";
      if (!r.is_none() && !stands_for_W(of_w, of_r) && !is_told(granule * 4 + i))
        return "R does not stand for W";
    }
  }
  return "";
}

std::string name_of(const volatile void* p) {
  const uptr at = reinterpret_cast<uptr>(p);
  const auto text = [](auto... parts) {
    char name[32];
    std::snprintf(name, sizeof name, parts...);
    return std::string(name);
  };
  switch (place_of(p, 8)) {
  case Place::W:
  case Place::R:
    return text("cell%u.%s", u32((at - reinterpret_cast<uptr>(words_of(0))) / 16),
                at % 16 == 0   ? "W"
                : at % 16 == 4 ? "W_hi"
                : at % 16 == 8 ? "R"
                               : "R_hi");
  case Place::Header:
    return text("header%u", u32((at - reinterpret_cast<uptr>(&header(0))) / 8));
  case Place::Entry: {
    const auto found = g_names.set_at_line.find(u32((at - kSetBase) / sizeof(ReaderSet)));
    if (found == g_names.set_at_line.end()) return "a set";
    return text("set%x[%u]", found->second.raw,
                u32((at - reinterpret_cast<uptr>(&set_of(found->second))) / 8 - 1));
  }
  default:
    return text("%p", const_cast<void*>(p));
  }
}

} // namespace footrace::model
