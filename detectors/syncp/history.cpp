#include "detectors/syncp/history.h"

#include <algorithm>

namespace footrace::detectors::syncp {

bool Ideal::add(const Stamp& stamp) {
  if (!stamp.own && !stamp.others) return false;          // nothing
  if (stamp.own && has(stamp.t, stamp.own)) return false; // then all that comes before it is there as well
  if (stamp.others) clock_.join(*stamp.others, counts_);
  if (stamp.own) clock_.set(stamp.t, stamp.own, counts_);
  return true;
}

void LockHistory::acquire(Tid t, bool shared, u64 local, u64 event) {
  if (t >= threads_.size()) threads_.resize(t + 1);
  (shared ? threads_[t].shared : threads_[t].exclusive).push_back({local, event, {}});
}

void LockHistory::release(Tid t, bool shared, const Stamp& stamp) {
  if (t >= threads_.size()) return; // of a lock that was taken before the trace
  auto& sections = shared ? threads_[t].shared : threads_[t].exclusive;
  if (!sections.empty()) sections.back().release = stamp;
}

const Section* LockHistory::last_in(const std::vector<Section>& sections, Tid t, const Ideal& ideal) {
  const auto end = std::upper_bound(sections.begin(), sections.end(), ideal.prefix(t),
                                    [](u64 prefix, const Section& s) { return prefix < s.acquire_local; });
  return end == sections.begin() ? nullptr : &end[-1];
}

bool LockHistory::close(Ideal& ideal) const {
  const Section* last = nullptr; // that excludes all others
  for (Tid t = 0; t < threads_.size(); ++t)
    if (const Section* s = last_in(threads_[t].exclusive, t, ideal);
        s && (!last || s->acquire_event > last->acquire_event))
      last = s;
  if (!last) return false;
  bool grew = false;
  for (Tid t = 0; t < threads_.size(); ++t) {
    if (const Section* s = last_in(threads_[t].exclusive, t, ideal); s && s != last)
      grew |= ideal.add(s->release);
    if (const Section* s = last_in(threads_[t].shared, t, ideal))
      grew |= ideal.add(s->acquire_event < last->acquire_event ? s->release : last->release);
  }
  return grew;
}

u64 LockHistory::memory() const {
  u64 bytes = threads_.capacity() * sizeof(OfThread);
  for (const OfThread& t : threads_)
    bytes += (t.exclusive.capacity() + t.shared.capacity()) * sizeof(Section);
  return bytes;
}

} // namespace footrace::detectors::syncp
