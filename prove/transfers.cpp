#include "prove/transfers.h"

#include <algorithm>

namespace footrace::prove {

// Of the elements that are copied; 0: not known.
static std::uint64_t extent_of(const Range& range, std::uint64_t length) {
  std::uint64_t extent = std::min(length, range.end == unbounded ? unbounded : range.end - range.begin);
  return extent == unbounded ? 0 : extent;
}

TransferId Transfers::create(std::uint64_t length) {
  transfers_.push_back({length, {}, {}});
  return static_cast<TransferId>(transfers_.size() - 1);
}

void Transfers::add_source(TransferId transfer, LocationId begin) {
  begin = memory_.find(begin);
  ObjectId object = memory_.object_of(begin);
  if (!known_sources_.insert({transfer, begin}).second) return;
  sources_[object].push_back({transfer, begin});
  std::vector<LocationId> fields; // reading may make fields
  for (auto [offset, field] : memory_[object].fields) fields.push_back(field);
  for (LocationId field : fields) read({transfer, begin}, field);
}

void Transfers::add_target(TransferId transfer, LocationId target) {
  transfers_[transfer].targets.push_back(target);
  std::vector<std::pair<Shift, NodeId>> parts(transfers_[transfer].parts.begin(),
                                              transfers_[transfer].parts.end());
  for (auto& [distance, part] : parts) write(part, target, distance);
}

void Transfers::see(LocationId field) {
  auto sources = sources_.find(memory_.object_of(field));
  if (sources == sources_.end()) return;
  for (std::size_t i = 0; i < sources->second.size(); i++) read(sources->second[i], field);
}

void Transfers::move(ObjectId from, LocationId to) {
  auto sources = sources_.find(from);
  if (sources == sources_.end()) return;
  std::vector<Source> moved = std::move(sources->second);
  sources_.erase(sources);
  for (const Source& source : moved) add_source(source.transfer, to);
}

void Transfers::read(const Source& source, LocationId field) {
  Transfer& transfer = transfers_[source.transfer];
  const Location& begin = memory_.at(source.begin);
  const Layout& layout = memory_[begin.object].layout;
  std::uint64_t offset = memory_.at(field).offset;
  if (offset <
      begin.offset) { // in a later element of the innermost array around both, or before what is copied
    const auto around = layout.ranges_around(begin.offset);
    const auto common = std::find_if(around.rbegin(), around.rend(),
                                     [&](const Range& range) { return range.contains(offset); });
    if (common == around.rend()) return;
    offset += common->stride;
  }
  std::uint64_t length = offset - begin.offset;
  if (length >= transfer.length) return;
  Shift distance{{static_cast<std::int64_t>(length), 0, 0}};
  // The field stands for one of every element: so does what it is copied to.
  for (const Range& range : layout.ranges_around(memory_.at(field).offset))
    if (transfer.length > range.stride)
      distance.push_back({0, range.stride, extent_of(range, transfer.length), false});
  auto [known, is_new] = transfer.parts.try_emplace(distance, 0);
  if (is_new) known->second = hooks_.create();
  NodeId part = known->second;
  hooks_.copy(memory_.at(field).content, part);
  if (!is_new) return;
  for (std::size_t i = 0; i < transfers_[source.transfer].targets.size(); i++)
    write(part, transfers_[source.transfer].targets[i], distance);
}

void Transfers::write(NodeId part, LocationId target, const Shift& distance) {
  LocationId to = memory_.shifted(target, distance);
  hooks_.copy(part, memory_.at(to).content);
}

} // namespace footrace::prove
