#include "detectors/slimstate/slimstate.h"

namespace footrace::detectors {
namespace {

constexpr u64 kSmallestArray = 32, kMostSegments = 16;

bool is_plain(EventKind k) { return k == EventKind::Read || k == EventKind::Write || k == EventKind::Free; }

bool is_equal(const FastTrackState& a, const FastTrackState& b) {
  return a.W == b.W && a.R.epoch == b.R.epoch && a.raced == b.raced && !a.R.is_shared() && !b.R.is_shared() &&
         !a.atomics && !b.atomics;
}

} // namespace

// fn(array or end, begin, end) for each part of the range that lies in one array, or in none.
template <class Fn> void SlimState::for_each_piece(u64 begin, u64 size, Fn fn) {
  for (u64 at = begin, end = begin + size; at < end;) {
    auto next = arrays_.upper_bound(at);
    auto array = next == arrays_.begin() ? arrays_.end() : std::prev(next);
    if (array != arrays_.end() && array->second.end <= at) array = arrays_.end();
    u64 stop = end;
    if (array != arrays_.end())
      stop = min(end, array->second.end);
    else if (next != arrays_.end())
      stop = min(end, next->first);
    fn(array, at, stop);
    at = stop;
  }
}

bool SlimState::judge(State& x, Tid t, AccessKind kind, Verdict& verdict, Warning& warning) {
  ++committed_;
  if (x.raced) return verdict.may_race = true;
  if (rules_.access(x, t, kind, warning.previous)) return true;
  x = State();
  x.raced = true;
  warning.is_deferred = true, warning.thread = sync_.thread(t), warning.kind = kind;
  return false;
}

void SlimState::commit_fine(u64 begin, u64 end, Tid t, AccessKind kind, Verdict& verdict) {
  memory_.for_each(begin, end - begin, [&](State& x, const Bytes& bytes) {
    Warning warning;
    if (judge(x, t, kind, verdict, warning)) return;
    bytes.for_each_run([&](u64 address, u64 size) { verdict.warn(address, size, warning); });
  });
}

void SlimState::split(Array& array, u64 at) {
  auto next = array.segments.upper_bound(at);
  if (next == array.segments.begin()) return;
  const auto segment = std::prev(next);
  if (segment->first == at || segment->second.end <= at) return;
  array.segments.emplace(at, Segment{segment->second.end, segment->second.state});
  segment->second.end = at;
}

// Where a footprint began and ended.
void SlimState::join_neighbours(Array& array, u64 begin, u64 end) {
  auto segment = array.segments.lower_bound(begin);
  if (segment != array.segments.begin()) --segment;
  while (segment != array.segments.end() && segment->first <= end) {
    const auto next = std::next(segment);
    if (next == array.segments.end()) return;
    if (is_equal(segment->second.state, next->second.state)) {
      segment->second.end = next->second.end;
      array.segments.erase(next);
    } else {
      segment = next;
    }
  }
}

// To fine mode.
void SlimState::refine(Arrays::iterator at) {
  Array& array = at->second;
  const auto put = [&](u64 begin, u64 end, const State& state) {
    memory_.for_each(begin, end - begin, [&](State& x, const Bytes&) { x = state; });
  };
  for (const auto& [begin, segment] : array.segments) put(begin, segment.end, segment.state);
  for (u64 i = 0; array.element && at->first + i * array.element < array.end; ++i)
    put(at->first + i * array.element, at->first + (i + 1) * array.element,
        array.residues[i % array.residues.size()]);
  array.segments.clear(), array.residues.clear();
  array.element = 0, array.is_fine = true;
  ++refined_;
}

void SlimState::commit_range(Arrays::iterator at, u64 begin, u64 end, Tid t, AccessKind kind,
                             Verdict& verdict) {
  Array& array = at->second;
  if (array.element) refine(at);
  if (array.is_fine) return commit_fine(begin, end, t, kind, verdict);
  split(array, begin);
  split(array, end);
  for (auto s = array.segments.lower_bound(begin); s != array.segments.end() && s->first < end; ++s) {
    Warning warning;
    if (!judge(s->second.state, t, kind, verdict, warning))
      verdict.warn(s->first, s->second.end - s->first, warning);
  }
  join_neighbours(array, begin, end);
  if (array.segments.size() > kMostSegments) refine(at);
}

// Every n-th element of the whole array, or in strided mode all of it. False: this footprint is not like that.
bool SlimState::commit_strided(Arrays::iterator at, const slimstate::Ranges& ranges, Tid t, AccessKind kind,
                               Verdict& verdict) {
  Array& array = at->second;
  const u64 begin = at->first;
  const bool is_whole = array.element && ranges.has(begin, array.end);
  const auto s = ranges.strided();
  if (!is_whole) {
    const bool fits = s.count >= 2 && s.stride % s.size == 0 && (s.begin - begin) % s.size == 0 &&
                      (array.end - begin) % s.size == 0 && s.begin - begin < s.stride &&
                      s.begin + s.count * s.stride >= array.end;
    if (!fits) return false;
    if (array.element ? array.element != s.size || array.residues.size() != s.stride / s.size
                      : array.segments.size() != 1)
      return false;
    if (!array.element) { // one state until now
      array.element = s.size;
      array.residues.assign(s.stride / s.size, array.segments.begin()->second.state);
      array.segments.clear();
    }
  }
  ++strided_;
  const u64 count = array.residues.size();
  for (u64 r = 0; r < count; ++r) {
    if (!is_whole && r != (s.begin - begin) / s.size % count) continue;
    Warning warning;
    if (judge(array.residues[r], t, kind, verdict, warning)) continue;
    for (u64 a = begin + r * array.element; a < array.end; a += count * array.element)
      verdict.warn(a, array.element, warning);
  }
  return true;
}

void SlimState::commit(Arrays::iterator array, const slimstate::Ranges& ranges, Tid t, AccessKind kind,
                       Verdict& verdict) {
  if (!array->second.is_fine && commit_strided(array, ranges, t, kind, verdict)) return;
  ranges.for_each([&](u64 begin, u64 end) { commit_range(array, begin, end, t, kind, verdict); });
}

void SlimState::commit(Arrays::iterator array, Tid t, Verdict& verdict) {
  const auto found = array->second.footprints.find(t);
  if (found == array->second.footprints.end()) return;
  const Footprint footprint = std::move(found->second);
  array->second.footprints.erase(found);
  const size_t warnings = verdict.warnings.size();
  if (!footprint.read.is_empty()) commit(array, footprint.read, t, AccessKind::Read, verdict);
  if (!footprint.written.is_empty()) commit(array, footprint.written, t, AccessKind::Write, verdict);
  array->second.has_raced |= verdict.warnings.size() != warnings;
}

void SlimState::commit_all(Tid t, Verdict& verdict) {
  const auto touched = touched_.find(t);
  if (touched == touched_.end()) return;
  for (u64 begin : touched->second)
    if (const auto array = arrays_.find(begin); array != arrays_.end()) commit(array, t, verdict);
  touched->second.clear();
}

void SlimState::access(const Event& e, Tid t, Verdict& verdict) {
  const AccessKind kind = kind_of(e.kind);
  const size_t before = verdict.warnings.size();
  for_each_piece(e.target, e.extent, [&](Arrays::iterator array, u64 begin, u64 end) {
    if (array == arrays_.end()) return commit_fine(begin, end, t, kind, verdict);
    if (!is_plain(e.kind)) { // the thread has no footprint: this event has committed it
      if (!array->second.is_fine) refine(array);
      return commit_fine(begin, end, t, kind, verdict);
    }
    verdict.may_race |= array->second.has_raced;
    const auto [footprint, is_new] = array->second.footprints.try_emplace(t);
    if (is_new) touched_[t].push_back(array->first);
    (kind == AccessKind::Write ? footprint->second.written : footprint->second.read).add(begin, end);
  });
  for (size_t i = before; i < verdict.warnings.size(); ++i)
    verdict.warnings[i].is_deferred = false; // said at once
}

// What is left of an array when a part of it begins a new life.
void SlimState::leave_array(Arrays::iterator array, u64 begin, u64 end) {
  if (array->first < begin || array->second.end > end) {
    if (!array->second.is_fine) refine(array);
  }
  arrays_.erase(array);
}

void SlimState::allocate(const Event& e, Verdict& verdict) {
  const u64 begin = e.target, end = e.target + e.extent;
  auto array = arrays_.upper_bound(begin);
  if (array != arrays_.begin() && std::prev(array)->second.end > begin) --array;
  while (array != arrays_.end() && array->first < end) {
    while (!array->second.footprints.empty()) commit(array, array->second.footprints.begin()->first, verdict);
    const auto next = std::next(array);
    leave_array(array, begin, end);
    array = next;
  }
  memory_.reset(begin, e.extent);
  const bool is_ours = partition_.shards == 1 ||
                       (partition_.owns(begin) && begin / Partition::kBlock == (end - 1) / Partition::kBlock);
  if (e.extent < kSmallestArray || !is_ours) return;
  Array& fresh = arrays_[begin];
  fresh.end = end;
  fresh.segments.emplace(begin, Segment{end, {}});
}

void SlimState::step(const Event& e, Verdict& verdict) {
  if (!is_plain(e.kind) && e.kind != EventKind::Alloc) {
    Event nothing = e;
    nothing.kind = EventKind::Exit;
    commit_all(sync_.before(nothing), verdict);
    if (e.kind == EventKind::Join) { // also of a thread that ends here
      nothing.thread = u32(e.target);
      commit_all(sync_.before(nothing), verdict);
    }
  }
  const Tid t = sync_.before(e);
  if (e.kind == EventKind::Alloc)
    allocate(e, verdict);
  else if (has_access(e.kind))
    access(e, t, verdict);
  sync_.after(e, t);
}

void SlimState::finish(Verdict& verdict) {
  for (const auto& [t, arrays] : touched_) commit_all(t, verdict);
}

Cost SlimState::cost() const {
  u64 bytes = sync_.memory() + memory_.memory();
  for (const auto& [begin, array] : arrays_) {
    bytes +=
        sizeof array + array.segments.size() * (sizeof(Segment) + 40) + array.residues.size() * sizeof(State);
    for (const auto& [at, segment] : array.segments) bytes += segment.state.bytes();
    for (const State& state : array.residues) bytes += state.bytes();
    for (const auto& [t, footprint] : array.footprints)
      bytes += footprint.read.bytes() + footprint.written.bytes();
  }
  auto rules = rules_.counts();
  rules.insert(rules.end(), {{"commit", committed_}, {"strided", strided_}, {"refined", refined_}});
  return {sync_.counts().allocated, sync_.counts().operations, bytes, std::move(rules)};
}

} // namespace footrace::detectors
