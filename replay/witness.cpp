#include "replay/witness.h"

#include <algorithm>

namespace footrace::replay {

using namespace detectors;

namespace {

constexpr u64 kNotNamed = ~u64(0);

bool overlaps(const Event& e, u64 address, u64 size) {
  return e.target < address + size && address < e.target + e.extent;
}

} // namespace

Witnesses::Witnesses(std::vector<Report> reports) {
  for (const Report& report : reports) {
    const Warning& w = report.warning;
    for (u64 granule = w.address / 8; granule <= (w.address + w.size - 1) / 8; ++granule) watched_[granule];
    if (w.previous.event != kNotNamed) named_[w.previous.event];
    races_.push_back({report, {}, {}, {}});
  }
}

template <class Fn> void Witnesses::for_each_watched(const Event& e, Fn fn) {
  for (auto at = watched_.lower_bound(e.target / 8);
       at != watched_.end() && at->first <= (e.target + e.extent - 1) / 8; ++at)
    fn(at->second);
}

void HeldByThreads::step(const Event& e) {
  if (operands_of(e.kind) != Operands::Lock) return;
  auto& locks = held_[e.thread];
  if (e.kind == EventKind::Acquire || e.kind == EventKind::AcquireShared) {
    locks.push_back({e.target, e.kind == EventKind::AcquireShared, e});
    return;
  }
  const auto last =
      std::find_if(locks.rbegin(), locks.rend(), [&](const Held& h) { return h.lock == e.target; });
  if (last != locks.rend()) locks.erase(std::next(last).base());
}

void step(ThreadLives& lives, const Event& e) {
  lives[e.thread];
  if (e.kind == EventKind::Fork) lives[u32(e.target)].fork = e;
  if (e.kind == EventKind::Join) lives[u32(e.target)].finished = true;
  if (e.kind == EventKind::Exit) lives[e.thread].finished = true;
}

// Memory: one access for each thread, kind and range of a watched granule.
void Witnesses::remember(const Step& step) {
  for_each_watched(step.event, [&](Granule& granule) {
    const Event& e = step.event;
    const auto same = std::find_if(granule.begin(), granule.end(), [&](const Witnessed& w) {
      const Event& f = w.step.event;
      return f.thread == e.thread && kind_of(f.kind) == kind_of(e.kind) && f.target == e.target &&
             f.extent == e.extent;
    });
    if (same != granule.end()) granule.erase(same);
    granule.push_back({step, held_.of(e.thread)}); // by event
  });
}

void Witnesses::remember_block(const Event& e) {
  if (e.kind == EventKind::Free) {
    if (const auto block = blocks_.find(e.target); block != blocks_.end()) block->second.freed = true;
    return;
  }
  bool is_watched = false;
  for_each_watched(e, [&](Granule& granule) {
    is_watched = true;
    std::erase_if(granule, [&](const Witnessed& w) { // of an earlier life, if all of it is
      return w.step.event.target >= e.target &&
             w.step.event.target + w.step.event.extent <= e.target + e.extent;
    });
  });
  auto block = blocks_.lower_bound(e.target);
  if (block != blocks_.begin() && std::prev(block)->second.begin + std::prev(block)->second.size > e.target)
    --block;
  while (block != blocks_.end() && block->first < e.target + e.extent) block = blocks_.erase(block);
  if (is_watched) blocks_[e.target] = {e.target, e.extent, e};
}

const Witnessed* Witnesses::find_earlier(const Report& report) const {
  const Warning& w = report.warning;
  if (w.previous.event != kNotNamed) return &named_.at(w.previous.event);
  const AccessKind kind = kind_of(report.event.kind);
  const Witnessed *last = nullptr, *conflicting = nullptr;
  for (u64 number = w.address / 8; number <= (w.address + w.size - 1) / 8; ++number)
    for (const Witnessed& candidate : watched_.at(number)) {
      const Event& e = candidate.step.event;
      if (!overlaps(e, w.address, w.size)) continue;
      if (w.previous.has_thread ? e.thread != w.previous.thread : e.thread == report.event.thread) continue;
      if (w.previous.has_kind && kind_of(e.kind) != w.previous.kind) continue;
      if (!last || candidate.step.index > last->step.index) last = &candidate;
      if (may_conflict(kind_of(e.kind), kind) &&
          (!conflicting || candidate.step.index > conflicting->step.index))
        conflicting = &candidate;
    }
  return conflicting ? conflicting : last;
}

// The access that a deferred warning is about.
const Witnessed* Witnesses::find_deferred(const Report& report) const {
  const Warning& w = report.warning;
  const Witnessed* last = nullptr;
  for (u64 number = w.address / 8; number <= (w.address + w.size - 1) / 8; ++number)
    for (const Witnessed& candidate : watched_.at(number)) {
      const Event& e = candidate.step.event;
      if (overlaps(e, w.address, w.size) && e.thread == w.thread && kind_of(e.kind) == w.kind &&
          (!last || candidate.step.index > last->step.index))
        last = &candidate;
    }
  return last;
}

void Witnesses::resolve(Race& race) {
  if (race.report.warning.is_deferred) return resolve_deferred(race);
  race.locks = held_.of(race.report.event.thread);
  if (const Witnessed* earlier = find_earlier(race.report)) race.earlier = *earlier;
  resolve_block(race);
}

// Which access came later, the trace says.
void Witnesses::resolve_deferred(Race& race) {
  const Witnessed* own = find_deferred(race.report);
  if (!own) return;
  race.report.event = own->step.event; // so that the other one is another thread's
  const Witnessed* other = find_earlier(race.report);
  if (other && other->step.index > own->step.index) std::swap(own, other);
  race.report.index = own->step.index, race.report.event = own->step.event;
  race.locks = own->locks;
  if (other) race.earlier = *other;
  resolve_block(race);
}

void Witnesses::resolve_block(Race& race) {
  auto block = blocks_.upper_bound(race.report.warning.address);
  if (block == blocks_.begin()) return;
  --block;
  if (race.report.warning.address < block->second.begin + block->second.size) race.block = block->second;
}

bool Witnesses::read(EventSource& source) {
  size_t next = 0;
  u64 index = 0;
  for (Event e; source.next(e); ++index) {
    step(threads_, e);
    held_.step(e);
    for (; next < races_.size() && races_[next].report.index == index; ++next) resolve(races_[next]);
    if (const auto named = named_.find(index); named != named_.end())
      named->second = {{index, e}, held_.of(e.thread)};
    if (e.kind == EventKind::Alloc || e.kind == EventKind::Free) remember_block(e);
    if (has_access(e.kind)) remember({index, e});
  }
  for (; next < races_.size(); ++next) resolve(races_[next]); // put off to the end
  return !source.error();
}

} // namespace footrace::replay
