// Traces as text, one event per line, in the style of the STD format that trace analysers exchange:
// docs/events.md.
#pragma once

#include "events/event.h"

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace footrace {

const char* name_of(EventKind kind);
const char* name_of(MemoryOrder order);

struct ParseError {
  u64 line; // from 1
  std::string reason;
};

// Without the newline.
std::string to_text(const Event& event);
std::string to_text(const std::vector<Event>& trace);

// Appends the events of `text` to `trace`; on an error `trace` holds what came before the line.
std::optional<ParseError> parse_trace(std::string_view text, std::vector<Event>& trace);

} // namespace footrace
