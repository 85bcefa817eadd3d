// One step of the access rules: who accesses, where, and whom to tell. Used for cells and for blocks.
#pragma once

#include "detectors/fasttrack/access.h"
#include "shadow/cell.h"

namespace footrace::fasttrack {

struct Step {
  Step(ThreadState& t, uptr address, SiteId site, ConflictSink sink, void* context)
      : t(t), address(address), site(site), sink(sink), context(context) {}
  Step(const Step&) = delete;
  ~Step() {
    for (u32 i = 0; i < made_count; ++i) release_set(made[i]);
  }

  ThreadState& t;
  uptr address; // of the cell
  SiteId site;
  ConflictSink sink;
  void* context;
  u32 conflicts = 0;
  u64 made[32]; // sets made in this step: one reference each, dropped at its end
  u32 made_count = 0;
  u32 cells = 1;          // from `address` on, that share the history judged: all of a coarse block
  bool may_share = false; // the sets made here will have many references
  bool in_place = false;  // no other bytes have the sets of the history at hand

  void count(Rule rule) { ++t.rule_count[u32(rule)]; }
  u64 keep(u64 word) {
    if (is_set(word)) made[made_count++] = word;
    return word;
  }
  // Tells of every access in `word` (epoch or set) that is not ordered before this one.
  void conflicts_with(u64 word, SiteId word_site, AccessKind kind, u64 mask) {
    if (!word) return;
    if (!is_set(word)) return conflicts_with_one(word, word_site, kind, mask);
    const SetEntry* e = set_entries(word);
    for (u32 i = 0, n = set_size(word); i < n; ++i) conflicts_with_one(e[i].epoch, e[i].site, kind, mask);
  }
  void conflicts_with_one(Epoch previous, SiteId previous_site, AccessKind kind, u64 mask) {
    if (covers(t, previous)) return;
    ++conflicts;
    for (u32 i = 0; i < cells; ++i) sink(context, {address + i * 8, u8(mask), previous, kind, previous_site});
  }
  // word := word plus this access, keeping only what is not ordered before it. Cells that are read together get the same readers;
  // atomic accesses are each location's own.
  enum class Sets { Common, Own };
  void add_to(u64& word, SiteId& word_site, Sets sets) {
    const SetEntry me = {t.epoch, site, 0};
    if (!is_set(word) && (!word || covers(t, word))) {
      word = t.epoch, word_site = site;
      return;
    }
    const u64 from = word;
    SiteId single = site;
    bool common = false;
    SetRef known = sets == Sets::Common ? repeated_set_step(from, word_site, t.epoch, site) : 0;
    if (known) {
      word = known;
    } else if (!is_set(from)) {
      common = sets == Sets::Common && (may_share || may_pay_to_share());
      word = common ? make_set({from, word_site, 0}, me) : make_own_set({from, word_site, 0}, me);
    } else if (in_place && may_own_set(from)) {
      word = add_to_own_set(from, me, t.C, &single);
    } else {
      common = sets == Sets::Common && (may_share || !in_place || may_pay_to_share());
      word = common ? add_to_set(from, me, t.C, &single) : make_own_copy(from, me, t.C, &single);
    }
    keep(word);
    if (common && is_set(word)) remember_set_step(from, word_site, t.epoch, site, word);
    word_site = is_set(word) ? kNoSite : single;
  }
};

// The rule for this kind of access, on bytes that share one history.
void apply(Step& s, History& x, u64 mask, AccessKind kind);

} // namespace footrace::fasttrack
