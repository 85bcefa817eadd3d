#include "tests/placement/validator/precise_checks.h"

namespace footrace::validation {

void ThreadValidator::step(const Event& event) {
  current_ = &event;
  current_waits_ = false;
  switch (event.type) {
  case EventType::Access:
  case EventType::Check:
  case EventType::Proxied:
    if (event.type != EventType::Proxied) ++(event.type == EventType::Access ? accesses_ : checks_);
    for (u64 i = 0; i < event.elements.count; i++)
      for (u64 j = 0; j < event.elements.size; j++) {
        u64 address = event.elements.address + i * u64(event.elements.stride) + j;
        Byte& b = byte(address);
        const size_t waiting = waiting_.size();
        if (event.type == EventType::Access)
          access(b, event.write, event.must_be_covered);
        else
          check(b, event.write);
        if (waiting != waiting_.size() || current_waits_) touched_.push_back(address);
      }
    return;
  case EventType::Acquire:
    return end_span("the acquire '" + std::string(event.name) + "'");
  case EventType::Release:
    ++span_;
    return;
  case EventType::Forget:
    return forget(event.elements.address, event.elements.size);
  case EventType::End:
    ended_ = true;
    return;
  case EventType::None:
    return;
  }
}

void ThreadValidator::finish() {
  if (ended_) end_span("the end of the thread");
}

void ThreadValidator::access(Byte& b, bool write, bool must_be_covered) {
  b.access = span_;
  b.unfounded_read = 0;
  if (write) {
    b.write = span_;
    b.unfounded_write = 0;
  }
  if (!must_be_covered) return;
  const bool covered = (write ? b.write_check : b.read_check) == span_;
  if (covered) return;
  const Before before = b.read_check == span_ ? Before::OnlyReadCheck
                        : b.read_check != 0   ? Before::PastRelease
                                              : Before::Nothing;
  wait(write ? b.uncovered_write : b.uncovered_read, before);
}

void ThreadValidator::check(Byte& b, bool write) {
  b.read_check = span_;
  b.uncovered_read = 0;
  if (write) {
    b.write_check = span_;
    b.uncovered_write = 0;
  }
  const bool legitimate = (write ? b.write : b.access) == span_;
  if (legitimate) return;
  const Before before = b.access == span_ ? Before::OnlyReads
                        : b.access != 0   ? Before::PastRelease
                                          : Before::Nothing;
  wait(write ? b.unfounded_write : b.unfounded_read, before);
}

// The first event that waits at a byte speaks for later ones of its kind: what helps it helps them, and the other way round.
void ThreadValidator::wait(u32& slot, Before before) {
  if (slot != 0) return;
  if (!current_waits_) waiting_.push_back({*current_, before, 0});
  current_waits_ = true;
  slot = u32(waiting_.size());
}

void ThreadValidator::give_up(u64 address, u32& slot, const std::string& ended_by) {
  if (slot == 0) return;
  Waiting& waiting = waiting_[slot - 1];
  slot = 0;
  if (waiting.violation == 0) {
    violations_.push_back({thread_, waiting.event, address, 0, waiting.before, ended_by});
    waiting.violation = violations_.size();
  }
  Violation& violation = violations_[waiting.violation - 1];
  if (address < violation.first) violation.first = address;
  violation.bytes++;
}

void ThreadValidator::give_up(u64 address, Byte& b, const std::string& ended_by) {
  for (u32* slot : {&b.uncovered_read, &b.uncovered_write, &b.unfounded_read, &b.unfounded_write})
    give_up(address, *slot, ended_by);
}

void ThreadValidator::end_span(const std::string& ended_by) {
  for (u64 address : touched_) {
    auto page = pages_.find(address / kPage);
    if (page != pages_.end()) give_up(address, page->second.bytes[address % kPage], ended_by);
  }
  touched_.clear();
  waiting_.clear();
}

void ThreadValidator::forget(u64 address, u64 size) {
  const auto forget_in = [&](u64 number, Page& page) {
    for (u64 i = 0; i < kPage; i++) {
      const u64 at = number * kPage + i;
      if (at - address >= size) continue;
      give_up(at, page.bytes[i], "the allocation or release of the memory");
      page.bytes[i] = {};
    }
  };
  const u64 first = address / kPage, last = (address + size - 1) / kPage;
  if (last - first > pages_.size()) {
    for (auto& [number, page] : pages_)
      if (number >= first && number <= last) forget_in(number, page);
    return;
  }
  for (u64 number = first; number <= last; number++)
    if (auto page = pages_.find(number); page != pages_.end()) forget_in(number, page->second);
}

} // namespace footrace::validation
