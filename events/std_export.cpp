#include "events/std_export.h"

#include "events/text.h"

namespace footrace {
namespace {

constexpr u64 kUnit = 8;

void append_line(const Event& e, const char* operation, const std::string& operand, std::string& text) {
  text +=
      "T" + std::to_string(e.thread) + "|" + operation + "(" + operand + ")|" + std::to_string(e.site) + "\n";
}

void append_units(const Event& e, const char* operation, std::string& text) {
  for (u64 unit = e.target / kUnit; unit <= (e.target + e.extent - 1) / kUnit; ++unit)
    append_line(e, operation, "V" + std::to_string(unit), text);
}

// An operation that orders threads: whoever comes later is ordered after it.
void append_handshake(const Event& e, const std::string& lock, std::string& text) {
  append_line(e, "acq", lock, text);
  append_line(e, "rel", lock, text);
}

} // namespace

void append_std(const Event& e, std::string& text) {
  const std::string number = std::to_string(e.target);
  switch (e.kind) {
  case EventKind::Read:
    return append_units(e, "r", text);
  case EventKind::Write:
  case EventKind::Free:
    return append_units(e, "w", text);
  case EventKind::Acquire:
  case EventKind::Release:
    return append_line(e, name_of(e.kind), "L" + number, text);
  case EventKind::Fork:
  case EventKind::Join:
    return append_line(e, name_of(e.kind), "T" + number, text);
  case EventKind::AcquireShared:
  case EventKind::ReleaseShared:
    return append_handshake(e, "L" + number, text);
  case EventKind::VolatileRead:
  case EventKind::VolatileWrite:
    return append_handshake(e, "LV" + number, text);
  case EventKind::AtomicLoad:
  case EventKind::AtomicStore:
  case EventKind::AtomicRmw:
  case EventKind::AtomicCasFail:
    return append_handshake(e, "LA" + number, text);
  case EventKind::BarrierArrive:
  case EventKind::BarrierLeave:
    return append_handshake(e, "LB" + number + "." + std::to_string(e.extent), text);
  case EventKind::Fence:
    return append_handshake(e, "LF", text);
  case EventKind::Begin:
  case EventKind::End:
    text += "T" + std::to_string(e.thread) + "|" + name_of(e.kind) + "|" + std::to_string(e.site) + "\n";
    return;
  case EventKind::Alloc:
  case EventKind::Exit:
    return;
  }
}

} // namespace footrace
