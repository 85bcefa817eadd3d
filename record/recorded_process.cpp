#include "record/recorded_process.h"

#include "abi/site.h"

#include <cstring>
#include <sys/mman.h>
#include <unistd.h>

namespace footrace::record {
namespace {

// Entries as check/log.h has them.
constexpr u64 kAddress = (u64(1) << 48) - 1, kPlace = 0x3fff, kLong = 0x3ffe;
constexpr u64 top_of(const RingEntry& e) { return e.what >> 48; }
constexpr u64 size_bits(const RingEntry& e) { return top_of(e) & 0x3fff; }
// 0: read, 1: write; more: atomic, of which there is an event as well.
constexpr u64 kind_bits(const RingEntry& e) { return e.what >> 62; }
constexpr u64 kPcSiteBit = u64(1) << 47;     // a site that is a number of Pcs
constexpr u64 kReturnAddress = u64(1) << 63; // of keys of numbers_

template <class Row> Row row_at(std::string_view rows, u32 i) {
  Row row;
  std::memcpy(&row, rows.data() + i * sizeof row, sizeof row);
  return row;
}

} // namespace

RecordedProcess::RecordedProcess(std::unique_ptr<TraceWriter> writer, std::string program)
    : writer_(std::move(writer)) {
  writer_->program(program);
}

RecordedProcess::~RecordedProcess() {
  if (mapping_) munmap(reinterpret_cast<void*>(mapping_), kMostRings * kRingBytes);
}

bool RecordedProcess::map(int memory) {
  if (mapping_) return close(memory), true;
  void* mapping =
      mmap(nullptr, kMostRings * kRingBytes, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_NORESERVE, memory, 0);
  close(memory);
  if (mapping == MAP_FAILED) return false;
  mapping_ = reinterpret_cast<uptr>(mapping);
  return true;
}

void RecordedProcess::look() {
  for (u32 i = 0; i < rings_.size(); ++i)
    rings_[i].seen = __atomic_load_n(&ring_at(mapping_, i)->written, __ATOMIC_ACQUIRE);
}

// -- Messages

void RecordedProcess::message(std::string_view bytes) {
  RecordingHead head;
  if (bytes.size() < sizeof head) return;
  std::memcpy(&head, bytes.data(), sizeof head);
  const std::string_view rows = bytes.substr(sizeof head);
  switch (head.message) {
  case RecordingMessage::Hello:
    return;
  case RecordingMessage::Contexts:
    return contexts(head, rows);
  case RecordingMessage::Pcs:
    return pcs(head, rows);
  case RecordingMessage::Module: {
    if (rows.size() < sizeof(ModuleRow)) return;
    const auto row = row_at<ModuleRow>(rows, 0);
    const TraceModule module = {std::string(rows.substr(sizeof row)), row.base, row.begin, row.end};
    if (!sites_.add(module)) return;
    writer_->module(module);
    // Sites at these addresses are other ones now.
    for (Known& known : known_) known = {};
    std::erase_if(proxied_,
                  [&](const auto& known) { return known.first - module.begin < module.end - module.begin; });
    std::erase_if(numbers_, [&](const auto& known) {
      return (known.first & ~kReturnAddress) - module.begin < module.end - module.begin;
    });
    return;
  }
  case RecordingMessage::Rings:
    if (mapping_ && head.first <= kMostRings) rings_.resize(max<size_t>(rings_.size(), head.first));
    return;
  case RecordingMessage::Bye:
    bye_ = true;
    return;
  }
}

void RecordedProcess::contexts(const RecordingHead& head, std::string_view rows) {
  for (u32 i = 0; i < head.count && (i + 1) * sizeof(ContextRow) <= rows.size(); ++i) {
    const auto row = row_at<ContextRow>(rows, i);
    auto known = numbers_.find(row.pc | kReturnAddress);
    const u32 site = known != numbers_.end()
                         ? known->second
                         : new_site(row.pc | kReturnAddress, sites_.of_return_address(row.pc));
    writer_->stack(u32(head.first) + i, u32(row.parent), site);
  }
}

void RecordedProcess::pcs(const RecordingHead& head, std::string_view rows) {
  for (u32 i = 0; i < head.count && (i + 1) * sizeof(PcRow) <= rows.size(); ++i) {
    const auto row = row_at<PcRow>(rows, i);
    pcs_.resize(max<size_t>(pcs_.size(), head.first + i));
    pcs_[head.first + i - 1] = {row.pc, row.kind, {row.function, strnlen(row.function, sizeof row.function)}};
  }
}

// -- Names

u32 RecordedProcess::new_site(u64 key, const TraceSite& site) {
  const u32 number = ++last_site_;
  numbers_[key] = number;
  writer_->site(number, site);
  return number;
}

u32 RecordedProcess::site_number(u64 site) {
  if (!site) return 0;
  Known& known = known_[(site / sizeof(SiteRecord) ^ site >> 47) % kKnown];
  if (known.site != site) known = {site, find_site_number(site)};
  return known.number;
}

u32 RecordedProcess::find_site_number(u64 site) {
  if (auto known = numbers_.find(site); known != numbers_.end()) return known->second;
  if (!(site & kPcSiteBit)) {
    if (auto proxied = sites_.proxied_at(site); !proxied.empty()) proxied_[site] = std::move(proxied);
    return new_site(site, sites_.of_record(site));
  }
  const u64 index = (site & ~kPcSiteBit) - 1;
  if (index >= pcs_.size()) return 0;
  return new_site(site, call_of(pcs_[index], sites_.of_return_address(pcs_[index].pc)));
}

// The library function is a frame of its own, in the place that calls it.
TraceSite RecordedProcess::call_of(const PcSite& pc, TraceSite place) const {
  if (!pc.function.empty())
    place.frames.insert(place.frames.begin(), TraceFrame{.function = pc.function, .file = {}, .module = {}});
  return place;
}

// At the end: reading debug information takes long, and the program would wait. The last row of a number counts.
void RecordedProcess::symbolise_calls() {
  for (const auto& [key, number] : numbers_) {
    if (key & kReturnAddress)
      writer_->site(number, sites_.symbolised(key & ~kReturnAddress));
    else if (key & kPcSiteBit)
      writer_->site(number, call_of(pcs_[(key & ~kPcSiteBit) - 1],
                                    sites_.symbolised(pcs_[(key & ~kPcSiteBit) - 1].pc)));
  }
}

// -- Rings

bool RecordedProcess::take() {
  bool was_something = false;
  for (u32 i = 0; i < rings_.size(); ++i) {
    Ring& ring = rings_[i];
    RingHeader& header = *ring_at(mapping_, i);
    u64 at = header.taken;
    while (at < ring.seen) {
      if (header.thread != ring.thread) begin_thread(ring, header);
      const u64 count = take_item(ring, header, at, ring.seen - at);
      if (!count) break;
      at += count;
      was_something = true;
      if (at % 1024 < count)
        __atomic_store_n(&header.taken, at, __ATOMIC_RELEASE); // its thread may be waiting
    }
    __atomic_store_n(&header.taken, at, __ATOMIC_RELEASE);
  }
  return was_something;
}

void RecordedProcess::begin_thread(Ring& ring, const RingHeader& header) {
  ring.thread = header.thread;
  ring.next_index = 0;
  ring.context_at.clear();
  writer_->thread(header.thread, {"", header.os_id});
}

u64 RecordedProcess::take_item(Ring& ring, RingHeader& header, u64 at, u64 available) {
  RingEntry* entries = entries_of(&header);
  auto entry_at = [&](u64 position) -> const RingEntry& { return entries[position % kRingEntries]; };
  const RingEntry entry = entry_at(at);
  if (top_of(entry) == kRingSegment) {
    ring.next_index = entry.where;
    ring.context_at.assign(min<u64>(entry.where, 1 << 16), 0);
    return 1;
  }
  if (top_of(entry) == kRingEvent) {
    if (available < kEventEntries) return 0;
    RingEntry parts[kEventEntries];
    for (u32 i = 0; i < kEventEntries; ++i) parts[i] = entry_at(at + i);
    RingEvent event;
    std::memcpy(&event, parts, sizeof event);
    take_event(ring, event);
    return kEventEntries;
  }
  u64 count = 1;
  u64 context = 0;
  if (top_of(entry) == kPlace) {
    context = entry.what & kAddress;
  } else if (size_bits(entry) == kLong) {
    if (available < 2) return 0;
    take_access(ring, entry, entry_at(at + 1).what);
    count = 2;
  } else {
    take_access(ring, entry, size_bits(entry));
  }
  for (u64 i = 0; i < count && ring.context_at.size() < 1 << 16; ++i) ring.context_at.push_back(context);
  return count;
}

void RecordedProcess::take_access(Ring& ring, const RingEntry& entry, u64 size) {
  if (kind_bits(entry) > 1 || !size) return;
  const u64 site = entry.where & kAddress, place = entry.where >> 48;
  // A free has come as an event.
  if (site & kPcSiteBit && (site & ~kPcSiteBit) - 1 < pcs_.size() &&
      pcs_[(site & ~kPcSiteBit) - 1].kind == u32(SiteKind::Free))
    return;
  Event e;
  e.kind = kind_bits(entry) ? EventKind::Write : EventKind::Read;
  e.target = entry.what & kAddress;
  e.extent = size;
  const u64 context = place < ring.context_at.size() ? ring.context_at[place] : 0;
  put(ring.thread, e, 0, site, context);
  if (!proxied_.empty()) put_proxied(ring.thread, e, site, context);
}

void RecordedProcess::put_proxied(u32 thread, Event e, u64 site, u64 context) {
  auto found = proxied_.find(site);
  if (found == proxied_.end()) return;
  const u64 begin = e.target, size = e.extent;
  for (const ModuleSites::Proxied& p : found->second) {
    if (p.proxy - begin >= size) continue;
    e.target = p.begin;
    e.extent = p.size;
    put(thread, e, 0, p.site, context);
  }
}

void RecordedProcess::take_event(Ring& ring, const RingEvent& event) {
  Event e;
  const u64 kind = event.what & 0xff, order = event.what >> 8 & 0xff;
  if (kind >= kEventKinds || order > u64(MemoryOrder::SeqCst)) return;
  e.kind = EventKind(kind);
  e.order = MemoryOrder(order);
  e.target = event.target;
  e.extent = event.extent;
  put(ring.thread, e, event.stamp, event.site, event.context);
}

void RecordedProcess::put(u32 thread, Event e, u64 stamp, u64 site, u64 context) {
  e.thread = thread;
  e.site = site_number(site);
  e.stack = u32(context);
  writer_->append(e, stamp);
}

void RecordedProcess::finish(std::string_view why) {
  look();
  take();
  symbolise_calls();
  writer_->finish(why);
}

} // namespace footrace::record
