#include "detectors/velodrome/graph.h"

#include <algorithm>

namespace footrace::detectors::velodrome {

Ref Graph::add(bool is_block, const Event& begin, u64 index) {
  u32 number = u32(at_.size());
  if (free_.empty())
    at_.emplace_back();
  else
    number = free_.back(), free_.pop_back();
  Transaction& t = at_[number];
  ++t.generation;
  t.incoming = 0, t.is_open = true, t.is_block = is_block, t.is_reported = false, t.begin = begin,
  t.begin_index = index;
  return {number, t.generation};
}

void Graph::close(Ref r) {
  if (!is_alive(r)) return;
  at_[r.number].is_open = false;
  if (!at_[r.number].incoming) collect(r.number);
}

// Without recursion: chains are as long as the trace allows.
void Graph::collect(u32 number) {
  std::vector<u32> gone = {number};
  while (!gone.empty()) {
    const u32 n = gone.back();
    gone.pop_back();
    ++at_[n].generation;
    ++collected_;
    for (u32 s : at_[n].successors)
      if (--at_[s].incoming == 0 && !at_[s].is_open) gone.push_back(s);
    at_[n].successors.clear();
    free_.push_back(n);
  }
}

bool Graph::find_path(u32 from, u32 to, std::vector<u32>& path) {
  struct Place {
    u32 number;
    size_t next;
  };
  ++marks_;
  std::vector<Place> stack = {{from, 0}};
  at_[from].mark = marks_;
  while (!stack.empty()) {
    Place& p = stack.back();
    if (p.number == to) {
      for (const Place& on_path : stack) path.push_back(on_path.number);
      return true;
    }
    const auto& successors = at_[p.number].successors;
    if (p.next == successors.size()) {
      stack.pop_back();
      continue;
    }
    const u32 next = successors[p.next++];
    if (at_[next].mark == marks_) continue;
    at_[next].mark = marks_;
    stack.push_back({next, 0});
  }
  return false;
}

bool Graph::order(Ref from, Ref to, std::vector<Ref>& cycle) {
  if (!is_alive(from) || from == to) return true;
  Transaction& source = at_[from.number];
  if (std::find(source.successors.begin(), source.successors.end(), to.number) != source.successors.end())
    return true;
  std::vector<u32> path;
  if (find_path(to.number, from.number, path)) {
    for (u32 n : path) cycle.push_back({n, at_[n].generation});
    return false;
  }
  source.successors.push_back(to.number);
  ++at_[to.number].incoming;
  ++edges_;
  return true;
}

u64 Graph::memory() const {
  u64 bytes = at_.capacity() * sizeof(Transaction);
  for (const Transaction& t : at_) bytes += t.successors.capacity() * sizeof(u32);
  return bytes;
}

} // namespace footrace::detectors::velodrome
