// Grammar and meaning: docs/events.md. The operand shapes come from FOOTRACE_EVENT_KINDS, so a new kind needs
// no code here.
#include "events/text.h"

#include <charconv>
#include <map>

namespace footrace {
namespace {

constexpr const char* kKindNames[] = {
#define X(kind, text, operands) text,
    FOOTRACE_EVENT_KINDS(X)
#undef X
};
constexpr const char* kOrderNames[] = {"relaxed", "consume", "acquire", "release", "acq_rel", "seq_cst"};

// Numbers for operands that are names ("x", "V3.f[1]"), apart from the numbers that traces write themselves.
constexpr u64 kFirstNamedAddress = u64(1) << 40, kNamedSize = 8;
constexpr u64 kFirstNamedObject = u64(1) << 31;

char letter_of(Operands operands) {
  switch (operands) {
  case Operands::Lock:
    return 'L';
  case Operands::Var:
    return 'V';
  case Operands::Barrier:
    return 'B';
  case Operands::Thread:
    return 'T';
  default:
    return 0;
  }
}

std::string hex(u64 value) {
  char digits[17];
  auto end = std::to_chars(digits, digits + sizeof digits, value, 16).ptr;
  return "0x" + std::string(digits, end);
}

std::string_view trim(std::string_view s) {
  while (!s.empty() && (s.front() == ' ' || s.front() == '\t')) s.remove_prefix(1);
  while (!s.empty() && (s.back() == ' ' || s.back() == '\t' || s.back() == '\r')) s.remove_suffix(1);
  return s;
}

std::optional<u64> number(std::string_view s) {
  int base = 10;
  if (s.starts_with("0x")) s.remove_prefix(2), base = 16;
  u64 value = 0;
  auto [end, error] = std::from_chars(s.data(), s.data() + s.size(), value, base);
  if (s.empty() || error != std::errc() || end != s.data() + s.size()) return std::nullopt;
  return value;
}

std::string quoted(std::string_view s) { return "'" + std::string(s) + "'"; }

class Parser {
public:
  explicit Parser(std::vector<Event>& trace) : trace_(trace) {}

  // Empty when the line was understood.
  std::string parse_line(std::string_view line) {
    line = trim(line.substr(0, line.find('#')));
    if (line.empty()) return "";
    auto bar = line.find('|'), open = line.find('('), close = line.rfind(')');
    if (bar == line.npos || open == line.npos || close == line.npos || open < bar || close < open)
      return "expected THREAD|OPERATION(OPERANDS)|SITE, found " + quoted(line);
    Event event;
    if (auto why = parse_thread(trim(line.substr(0, bar)), event.thread); !why.empty()) return why;
    if (auto why = parse_kind(trim(line.substr(bar + 1, open - bar - 1)), event.kind); !why.empty())
      return why;
    if (auto why = parse_operands(line.substr(open + 1, close - open - 1), event); !why.empty()) return why;
    if (auto rest = trim(line.substr(close + 1)); !rest.empty()) {
      auto site = rest.front() == '|' ? number(trim(rest.substr(1))) : std::nullopt;
      if (!site || *site > ~u32(0))
        return "expected |SITE with a 32-bit number after ')', found " + quoted(rest);
      event.site = u32(*site);
    }
    trace_.push_back(event);
    return "";
  }

private:
  // A number, with or without its letter; any other word is a name and gets a number of its own.
  u64 object(std::string_view word, char letter) {
    if (auto n = number(word)) return *n;
    if (word.front() == letter)
      if (auto n = number(word.substr(1))) return *n;
    auto& names = objects_[letter];
    return names.try_emplace(std::string(word), kFirstNamedObject + names.size()).first->second;
  }

  std::string parse_thread(std::string_view word, u32& thread) {
    if (word.empty()) return "the thread is missing before '|'";
    u64 n = object(word, 'T');
    if (n > ~u32(0)) return "thread number " + quoted(word) + " does not fit 32 bits";
    thread = u32(n);
    return "";
  }

  std::string parse_kind(std::string_view word, EventKind& kind) {
    for (u32 k = 0; k < kEventKinds; ++k)
      if (word == kKindNames[k]) return kind = EventKind(k), "";
    std::string known;
    for (const char* name : kKindNames) known += std::string(known.empty() ? "" : ", ") + name;
    return "unknown operation " + quoted(word) + "; known are " + known;
  }

  std::string parse_order(std::string_view word, MemoryOrder& order) {
    for (u32 o = 0; o < std::size(kOrderNames); ++o)
      if (word == kOrderNames[o]) return order = MemoryOrder(o), "";
    return "unknown memory order " + quoted(word) +
           "; use relaxed, consume, acquire, release, acq_rel or seq_cst";
  }

  std::string parse_range(std::string_view address, std::string_view size, Event& event) {
    if (auto n = number(address)) {
      auto bytes = number(size);
      if (!bytes || *bytes == 0) return "expected a size in bytes after the address, found " + quoted(size);
      if (*n + *bytes < *n) return "the range wraps around the end of memory";
      event.target = *n, event.extent = *bytes;
      return "";
    }
    auto bytes = size.empty() ? std::optional<u64>(kNamedSize) : number(size);
    if (!bytes || *bytes == 0 || *bytes > kNamedSize)
      return "a named variable has 1 to 8 bytes, found the size " + quoted(size);
    event.target =
        variables_.try_emplace(std::string(address), kFirstNamedAddress + kNamedSize * variables_.size())
            .first->second;
    event.extent = *bytes;
    return "";
  }

  std::string parse_operands(std::string_view text, Event& event) {
    std::vector<std::string_view> words;
    if (!trim(text).empty())
      for (size_t at = 0; at <= text.size();) {
        size_t comma = min(text.find(',', at), text.size());
        words.push_back(trim(text.substr(at, comma - at)));
        if (words.back().empty()) return "an operand is missing in (" + std::string(text) + ")";
        at = comma + 1;
      }
    auto word = [&](size_t i) { return i < words.size() ? words[i] : std::string_view(); };
    auto expect = [&](size_t least, size_t most, const char* what) {
      if (words.size() >= least && words.size() <= most) return std::string();
      return std::string("expected (") + what + ") after " + name_of(event.kind) + ", found (" +
             std::string(text) + ")";
    };
    std::string why;
    Operands operands = operands_of(event.kind);
    switch (operands) {
    case Operands::None:
      return expect(0, 0, "");
    case Operands::Range:
      why = expect(1, 2, "ADDRESS, SIZE");
      return why.empty() ? parse_range(word(0), word(1), event) : why;
    case Operands::Atomic:
      why = expect(3, 3, "ADDRESS, SIZE, ORDER");
      if (why.empty()) why = parse_range(word(0), word(1), event);
      return why.empty() ? parse_order(word(2), event.order) : why;
    case Operands::Order:
      why = expect(1, 1, "ORDER");
      return why.empty() ? parse_order(word(0), event.order) : why;
    case Operands::Barrier: {
      if (why = expect(2, 2, "BARRIER, GENERATION"); !why.empty()) return why;
      auto generation = number(word(1));
      if (!generation) return "expected a generation number, found " + quoted(word(1));
      event.target = object(word(0), 'B'), event.extent = *generation;
      return "";
    }
    case Operands::Thread: {
      if (why = expect(1, 1, "THREAD"); !why.empty()) return why;
      u32 thread = 0;
      why = parse_thread(word(0), thread);
      event.target = thread;
      return why;
    }
    case Operands::Lock:
    case Operands::Var:
      why = expect(1, 1, operands == Operands::Lock ? "LOCK" : "VARIABLE");
      if (why.empty()) event.target = object(word(0), letter_of(operands));
      return why;
    }
    return "unknown operands";
  }

  std::vector<Event>& trace_;
  std::map<std::string, u64> variables_;
  std::map<char, std::map<std::string, u64>> objects_;
};

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
  Parser parser(trace);
  u64 line = 1;
  for (size_t at = 0; at < text.size(); ++line) {
    size_t end = min(text.find('\n', at), text.size());
    if (auto why = parser.parse_line(text.substr(at, end - at)); !why.empty()) return ParseError{line, why};
    at = end + 1;
  }
  return std::nullopt;
}

} // namespace footrace
