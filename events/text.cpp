// Grammar and meaning: docs/events.md. The operand shapes come from FOOTRACE_EVENT_KINDS, so a new kind needs
// no code here.
#include "events/text.h"

#include "events/line_parser.h"

#include <charconv>

namespace footrace {
namespace {

constexpr const char* kKindNames[] = {
#define X(kind, text, operands) text,
    FOOTRACE_EVENT_KINDS(X)
#undef X
};
constexpr const char* kOrderNames[] = {"relaxed", "consume", "acquire", "release", "acq_rel", "seq_cst"};

std::string hex(u64 value) {
  char digits[17];
  auto end = std::to_chars(digits, digits + sizeof digits, value, 16).ptr;
  return "0x" + std::string(digits, end);
}

} // namespace

const char* name_of(EventKind kind) { return kKindNames[u32(kind)]; }
const char* name_of(MemoryOrder order) { return kOrderNames[u32(order)]; }

std::string to_text(const Event& e) {
  std::string text = "T" + std::to_string(e.thread) + "|" + name_of(e.kind) + "(";
  Operands operands = operands_of(e.kind);
  if (has_range(e.kind))
    text += hex(e.target) + "," + std::to_string(e.extent);
  else if (char letter = letter_of(operands))
    text += letter + std::to_string(e.target);
  if (operands == Operands::Barrier) text += "," + std::to_string(e.extent);
  if (has_order(e.kind)) text += std::string(has_range(e.kind) ? "," : "") + name_of(e.order);
  text += ")";
  if (e.site) text += "|" + std::to_string(e.site);
  return text;
}

std::string to_text(const std::vector<Event>& trace) {
  std::string text;
  for (const Event& e : trace) text += to_text(e) + "\n";
  return text;
}

std::optional<ParseError> parse_trace(std::string_view text, std::vector<Event>& trace) {
  LineParser parser;
  u64 line = 1;
  for (size_t at = 0; at < text.size(); ++line) {
    const size_t end = min(text.find('\n', at), text.size());
    Event event;
    switch (parser.parse(text.substr(at, end - at), event)) {
    case LineParser::Found::Event:
      trace.push_back(event);
      break;
    case LineParser::Found::Nothing:
      break;
    case LineParser::Found::Error:
      return ParseError{line, parser.reason()};
    }
    at = end + 1;
  }
  return std::nullopt;
}

} // namespace footrace
