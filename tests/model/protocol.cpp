#include "tests/model/protocol.h"

#include "shadow/block_parts.h"
#include "shadow/open_set.h"

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <map>
#include <memory>

extern "C" void __wrap__ZN8footrace9yield_cpuEv() { footrace::model::wait(); }
extern "C" footrace::i64 __wrap__ZN8footrace6now_msEv() { // every look at the clock is an hour later
  static footrace::i64 now;
  return now += 3'600'000;
}

namespace footrace::model {

using fasttrack::AccessKind;
using fasttrack::Conflict;
using fasttrack::ThreadState;

namespace {

constexpr u64 kBytes = kBlockBytes;
alignas(4096) char g_memory[4096];
uptr base() { return reinterpret_cast<uptr>(g_memory); }

// Of the memory above only: with small blocks the plane of headers reaches beyond its place.
bool is_cell_word(uptr p) { return p - reinterpret_cast<uptr>(cell_of(base())) < sizeof g_memory * 2; }
bool is_cell_site(uptr p) { return p - reinterpret_cast<uptr>(sites_of(base())) < sizeof g_memory; }
bool is_in_header(uptr p) {
  return p - reinterpret_cast<uptr>(header_of(base())) < sizeof g_memory / kBlockBytes * sizeof(BlockHeader);
}
bool is_header_word(uptr p) { return is_in_header(p) && p % sizeof(BlockHeader) < sizeof(Cell); }
bool is_state_word(uptr p) { return is_cell_word(p) || is_header_word(p); }

std::map<uptr, int> g_owner; // who has locked the cell or header

uptr header_address_of_cell(uptr cell) {
  uptr address = ((cell - kCellBase) >> 1) | (base() & ~kAppMask);
  return reinterpret_cast<uptr>(header_of(address));
}

bool owns(uptr state) {
  auto found = g_owner.find(state);
  return found != g_owner.end() && found->second == current_thread();
}

// The life of an opening is a number that differs from run to run: how many there were at this place in this one does not.
std::map<uptr, u32> g_first_life;
u64 meaning_of_tagged(const volatile void* p, u64 tagged) {
  const u32 life = u32(tagged >> 32);
  if (!life) return tagged;
  const u32 first = g_first_life.emplace(reinterpret_cast<uptr>(p), life).first->second;
  return u64(life - first + 1) << 32 | u32(tagged);
}

// Group blocks and sets are named by index and generation, which differ from run to run: what they say does not.
u64 meaning_of(u64 word) {
  u64 hash = 0;
  auto add_set = [&](u64 w) {
    hash = mix(hash, mask_of(w));
    for (u32 i = 0, n = set_size(epoch_bits(w)); i < n; ++i) {
      const Cell* e = reinterpret_cast<const Cell*>(&set_entries(epoch_bits(w))[i]);
      hash = mix(mix(hash, e->W), meaning_of_tagged(&e->R, e->R));
    }
  };
  if (is_set(word)) {
    add_set(word);
    return hash;
  }
  if (!has_records(word)) return word;
  Groups groups;
  take_apart(nullptr, word, 0, 0, groups);
  for (u32 i = 0; i < groups.count; ++i) {
    const History& h = groups.group[i].history;
    hash = mix(mix(hash, groups.group[i].mask), h.W);
    for (u64 w : {h.R, h.AW, h.AR})
      if (is_set(w))
        add_set(w);
      else
        hash = mix(hash, w);
    for (SiteId s : {h.w_site, h.r_site, h.aw_site, h.ar_site}) hash = mix(hash, s);
  }
  return hash;
}

// A header that names a record of parts, locked or not: what the record says.
u64 meaning_of_parts(const Cell& header) {
  Parts parts;
  copy_parts(header, parts);
  u64 hash = mix(parts.own, parts.count);
  for (u32 i = 0; i < parts.count; ++i) {
    const Part& p = parts.part[i];
    hash = mix(mix(mix(hash, p.cells), p.W), meaning_of(p.R));
    hash = mix(mix(hash, p.w_site), p.r_site);
  }
  return hash;
}
bool names_parts(u64 word) { return tid_of(word) == kPartedTag; }

struct Thread {
  ThreadState state;
  Accesses accesses;
};

class Checker {
public:
  explicit Checker(const Plan& plan) : plan_(plan) { map_planes(); }

  Scenario scenario() {
    Scenario s;
    for (size_t i = 0; i < plan_.threads.size(); ++i)
      s.threads.push_back([this, i] {
        for (u32 k = 0; k < plan_.threads[i].size(); ++k) {
          begin_access(k);
          make(*threads_[i], plan_.threads[i][k], site(i, k));
        }
      });
    s.setup = [this] { setup(); };
    s.fingerprint = [this] { return fingerprint(); };
    s.at_write = at_write;
    s.at_end = [this] { return at_end(); };
    return s;
  }

private:
  static constexpr Tid kMain = 1, kEarlier = 2, kFirst = 5, kProbe = 9;

  // Only the shadow of this memory: with small blocks the whole plane of headers would be in the way of others.
  static void map_planes() {
    static bool done = [] {
      auto map = [](const void* p, uptr size) {
        uptr at = round_down(reinterpret_cast<uptr>(p), 4096);
        return map_memory(round_up(reinterpret_cast<uptr>(p) + size - at, 4096), at) != 0;
      };
      uptr size = sizeof g_memory;
      return map(cell_of(base()), size * 2) && map(sites_of(base()), size) &&
             map(header_of(base()), size / kBlockBytes * sizeof(BlockHeader));
    }();
    if (!done) std::fprintf(stderr, "model: cannot map the shadow\n"), std::exit(1);
  }

  static SiteId site(size_t thread, u32 index) { return SiteId(16 + thread * 4 + index); }

  void make(ThreadState& t, const Access& a, SiteId site) {
    fasttrack::access(t, base() + a.offset, a.size, a.kind, site, collect, this);
  }
  static void collect(void* self, const Conflict& c) {
    auto& told = static_cast<Checker*>(self)->told_;
    for (u32 byte = 0; byte < 8; ++byte)
      if (c.bytes >> byte & 1) told[c.cell_address - base() + byte].push_back(c.previous);
  }

  static std::unique_ptr<ThreadState> new_thread(Tid tid) {
    auto t = std::make_unique<ThreadState>();
    fasttrack::initial(*t, tid, 1);
    return t;
  }

  void setup() {
    g_owner.clear();
    g_first_life.clear();
    for (uptr block = base(); block < base() + kBytes; block += kBlockBytes)
      header_of(block)->times_refined = header_of(block)->hits = 0;
    g_compress_blocks = true;
    // What the code keeps per OS thread would make runs differ.
    release_cell_caches();
    t_share_credit = plan_.may_share_sets ? kMostShareCredit : 0;
    t_share_tries = 0;
    told_.clear();
    threads_.clear();
    auto main = new_thread(kMain);
    for (const Access& a : plan_.before) make(*main, a, 1);
    for (u32 i = 0; i < plan_.earlier.size(); ++i) {
      auto child = new_thread(kEarlier + i);
      fasttrack::fork(*main, *child);
      make(*child, plan_.earlier[i], 2 + i);
      fasttrack::join(*main, child->C);
    }
    for (u32 i = 0; i < plan_.threads.size(); ++i) {
      threads_.push_back(new_thread(kFirst + i));
      fasttrack::fork(*main, *threads_.back());
    }
    for (u32 round = 0; round < plan_.rounds; ++round)
      for (auto& thread : threads_) {
        for (const Access& a : plan_.first) make(*thread, a, 4);
        if (!plan_.first.empty()) fasttrack::tick(*thread);
      }
  }

  u64 fingerprint() const {
    u64 hash = 0;
    for (uptr at = base(); at < base() + kBytes; at += 8) {
      hash = mix(mix(hash, meaning_of(cell_of(at)->W)), meaning_of(cell_of(at)->R));
      hash = mix(hash, *sites_of(at));
    }
    for (uptr at = base(); at < base() + kBytes; at += kBlockBytes) {
      const BlockHeader* h = header_of(at);
      hash = mix(hash, names_parts(h->state.W) ? kPartedWord : meaning_of(h->state.W));
      hash = mix(hash, names_parts(h->state.R) ? meaning_of_parts(h->state) : meaning_of(h->state.R));
      hash = mix(mix(hash, h->sites[0]), h->sites[1]);
    }
    for (auto& [byte, previous] : told_)
      for (Epoch e : previous) hash = mix(mix(hash, byte), e);
    return hash;
  }

  static std::string at_write() {
    for (uptr block = base(); block < base() + kBytes; block += kBlockBytes) {
      const Cell header = header_of(block)->state;
      const BlockState state = state_of(header.W);
      if (state == BlockState::Locked) continue;
      if (state == BlockState::Parted && !names_parts(header.R)) return "a parted block names no record";
      const u64 own = state == BlockState::Fine     ? kAllCells
                      : state == BlockState::Parted ? own_cells(header)
                                                    : 0;
      for (u32 i = 0; i < kBlockCells; ++i) {
        const bool zero = asks_header(*cell_of(block + i * 8)), has_own = own >> i & 1;
        if (!has_own && !zero) return "a cell of a coarse block has a state of its own";
        if (has_own && zero) return "a cell of a fine block has none";
      }
    }
    return "";
  }

  static bool conflict(const Access& a, const Access& b) {
    auto writes = [](const Access& x) { return fasttrack::may_write(x.kind); };
    return (writes(a) || writes(b)) && !(fasttrack::is_atomic(a.kind) && fasttrack::is_atomic(b.kind));
  }
  static bool touches(const Access& a, u64 byte) { return byte - a.offset < a.size; }

  // The threads whose accesses nobody has replaced, if the byte has no race; all that touch it otherwise.
  struct Expectation {
    bool racy = false, touched = false;
    std::vector<Epoch> kept; // without a race: these must still be known
  };
  Expectation expect(u64 byte) const {
    Expectation e;
    for (const Access& a : plan_.before) e.touched |= touches(a, byte);
    for (const Access& a : plan_.earlier) e.touched |= touches(a, byte);
    for (const Access& a : plan_.first) e.touched |= touches(a, byte);
    for (size_t i = 0; i < threads_.size(); ++i)
      for (const Access& a : plan_.threads[i])
        if (touches(a, byte)) {
          e.touched = true;
          if (e.kept.empty() || e.kept.back() != threads_[i]->epoch) e.kept.push_back(threads_[i]->epoch);
          for (size_t j = 0; j < i; ++j)
            for (const Access& b : plan_.threads[j]) e.racy |= touches(b, byte) && conflict(a, b);
          for (const Access& b : plan_.first) // the other threads'
            e.racy |= threads_.size() > 1 && touches(b, byte) && conflict(a, b);
        }
    return e;
  }

  std::string at_end() {
    std::string failure;
    for (uptr block = base(); block < base() + kBytes; block += kBlockBytes)
      if (const char* broken = broken_invariant(block)) failure = broken;
    auto told = std::move(told_);
    told_.clear();
    auto probe = new_thread(kProbe);
    make(*probe, {0, u32(kBytes), AccessKind::Write}, 3);
    for (u64 byte = 0; byte < kBytes && failure.empty(); ++byte) {
      Expectation expected = expect(byte);
      auto at = " at byte " + std::to_string(byte);
      const auto& found = told_[byte];
      if (expected.racy && !told.count(byte)) failure = "a race was lost" + at;
      if (!expected.racy && told.count(byte)) failure = "a race was invented" + at;
      if (expected.touched != !found.empty()) failure = "the last access met the wrong history" + at;
      for (Epoch e : expected.kept)
        if (!expected.racy && std::find(found.begin(), found.end(), e) == found.end())
          failure = "an update was lost" + at;
    }
    fasttrack::forget(base(), kBytes);
    return failure;
  }

  const Plan& plan_;
  std::vector<std::unique_ptr<ThreadState>> threads_;
  std::map<u64, std::vector<Epoch>> told_; // per byte: the previous accesses that a check told of
};

} // namespace

// What interleave.h calls.
void before_load(const volatile void* p, u64 size);
void after_load(const volatile void* p, u64 size, u64 value);
void before_store(const volatile void* p, u64 size, u64 value);
void after_store(const volatile void* p, u64 size, u64 value);
void before_swap(const volatile void* cell);
void after_swap(const volatile void* cell, u64 old_w, u64 old_r, u64 w, u64 r, bool done);

namespace {

bool is_site_word(uptr p) { return is_cell_site(p) || (is_in_header(p) && !is_header_word(p)); }
uptr state_of_site(uptr p) {
  if (is_in_header(p)) return round_down(p, sizeof(BlockHeader));
  return kCellBase + (round_down(p, 8) - kSiteBase) * 2;
}
// Of sets only the words of entries: the counts of references change under locks at which nobody may be stopped.
bool is_watched(const volatile void* p, u64 size) {
  uptr at = reinterpret_cast<uptr>(p);
  return current_thread() >= 0 &&
         (is_state_word(at) || is_site_word(at) || is_in_part_records(at) || (size >= 8 && is_in_sets(at)));
}
u64 meaning_at(const volatile void* p, u64 value) {
  const uptr at = reinterpret_cast<uptr>(p);
  if (is_header_word(at) && names_parts(value)) {
    const Cell& header = *reinterpret_cast<Cell*>(round_down(at, 16));
    return names_parts(header.R) ? meaning_of_parts(header) : kPartedWord;
  }
  if (is_in_part_records(at)) return is_set(value) ? meaning_of(value) : value;
  if (is_in_sets(at)) return at % 16 ? meaning_of_tagged(p, value) : value;
  return is_state_word(reinterpret_cast<uptr>(p)) ? meaning_of(value) : value;
}

// Whether it matters to others just when this store happens. Not if its cell is locked by this thread and it is not the unlocking store:
// they wait for that one whatever they find in R or in the site, and R alone answers only same-epoch tests, as it did before.
bool may_be_met(uptr at) {
  if (is_in_part_records(at) || is_in_sets(at)) return true; // by who reads it without the lock
  if (is_site_word(at)) return !owns(state_of_site(at));
  return at % 16 == 0 || !owns(at - 8);
}

// Who locks a zero cell has its header's lock; everything else that is stored is stored by who holds the lock.
void check_store(uptr at, u64 value) {
  uptr state = round_down(at, 16);
  bool is_w = at == state;
  if (is_w && is_locked(value) && is_cell_word(at)) {
    if (!asks_header(*reinterpret_cast<Cell*>(state)) || !owns(header_address_of_cell(state)))
      fail("a cell was locked by a store, without the header's lock");
    g_owner[state] = current_thread();
    return;
  }
  if (!owns(state)) fail("a word was stored without its lock");
  if (is_w) g_owner.erase(state);
}

} // namespace

// Sites are looked at together with the state that they belong to.
void before_load(const volatile void* p, u64 size) {
  const uptr at = reinterpret_cast<uptr>(p);
  if (!is_watched(p, size) || is_site_word(at)) return;
  about_to_load(p, __builtin_return_address(0));
  step();
}
void after_load(const volatile void* p, u64 size, u64 value) {
  if (!is_watched(p, size)) return;
  observed(p, meaning_at(p, value));
  note("load", p, value, 0);
}

void before_store(const volatile void* p, u64 size, u64 value) {
  if (!is_watched(p, size)) return;
  uptr at = reinterpret_cast<uptr>(p);
  if (may_be_met(at)) step();
  if (is_state_word(at)) check_store(at, value);
}
void after_store(const volatile void* p, u64 size, u64 value) {
  if (!is_watched(p, size)) return;
  note("store", p, value, 0);
  wrote(p);
}

void before_swap(const volatile void* cell) {
  if (is_watched(cell, 16)) step();
}
void after_swap(const volatile void* cell, u64 old_w, u64 old_r, u64 w, u64 r, bool done) {
  if (!is_watched(cell, 16)) return;
  uptr at = reinterpret_cast<uptr>(cell);
  observed(cell, done);
  note(done ? "swap" : "swap failed", cell, w, r);
  if (!done) return;
  if (is_locked(old_w)) fail("a compare-and-swap took a locked word");
  if (is_cell_word(at) && !(old_w | old_r)) fail("a zero cell was changed without its header");
  if (is_locked(w)) g_owner[at] = current_thread();
  wrote(cell);
}

std::string to_text(const Access& a) {
  static const char* names[] = {"read", "write", "atomic read", "atomic write"};
  return std::string(names[u32(a.kind)]) + " [" + std::to_string(a.offset) + ", +" + std::to_string(a.size) +
         ")";
}

std::string to_text(const Plan& plan) {
  std::string text;
  auto add = [&](const char* name, const Accesses& list) {
    text += name;
    for (const Access& a : list) text += " " + to_text(a) + ";";
  };
  add("before:", plan.before);
  add(" earlier:", plan.earlier);
  if (!plan.first.empty()) add(" each thread first:", plan.first);
  for (const Accesses& t : plan.threads) add(" thread:", t);
  return text;
}

Outcome check(const Plan& plan, u64 most_runs) {
  Checker checker(plan);
  release_cell_caches();
  const u64 sets = sets_in_use(), blocks = record_blocks_in_use(), parts = part_records_in_use();
  Outcome outcome = explore(checker.scenario(), most_runs);
  release_cell_caches();
  if (outcome.failure.empty() &&
      (sets_in_use() != sets || record_blocks_in_use() != blocks || part_records_in_use() != parts))
    outcome.failure = "sets, groups or parts are still in use";
  return outcome;
}

} // namespace footrace::model
