// The operand shapes come from FOOTRACE_EVENT_KINDS, so a new kind needs no code here.
#include "events/line_parser.h"

#include "events/text.h"

#include <charconv>
#include <optional>

namespace footrace {
namespace {

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

// Of a file that is no trace it may be anything, of any length.
std::string quoted(std::string_view s) {
  constexpr size_t most = 60;
  std::string text = "'";
  for (unsigned char c : s.substr(0, most)) text += c < ' ' || c > '~' ? '?' : char(c);
  return text + (s.size() > most ? "...'" : "'");
}

} // namespace

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
  case Operands::Block:
    return 'A';
  default:
    return 0;
  }
}

LineParser::Found LineParser::parse(std::string_view line, Event& event) {
  line = trim(line.substr(0, line.find('#')));
  if (line.empty()) return Found::Nothing;
  event = Event();
  reason_ = parse_line(line, event);
  return reason_.empty() ? Found::Event : Found::Error;
}

// THREAD|OPERATION(OPERANDS)|SITE; the parentheses of begin and end may be missing, the site always.
std::string LineParser::parse_line(std::string_view line, Event& event) {
  const auto bar = line.find('|');
  if (bar == line.npos) return "expected THREAD|OPERATION(OPERANDS)|SITE, found " + quoted(line);
  if (auto why = parse_thread(trim(line.substr(0, bar)), event.thread); !why.empty()) return why;
  const auto end = min(line.find('|', bar + 1), line.size());
  const std::string_view operation = trim(line.substr(bar + 1, end - bar - 1));
  const auto open = min(operation.find('('), operation.size());
  if (auto why = parse_kind(trim(operation.substr(0, open)), event.kind); !why.empty()) return why;
  if (open != operation.size() && operation.back() == ')') {
    const auto operands = operation.substr(open + 1, operation.size() - open - 2);
    if (auto why = parse_operands(operands, event); !why.empty()) return why;
  } else if (open != operation.size() || operands_of(event.kind) != Operands::Block) {
    return "expected THREAD|OPERATION(OPERANDS)|SITE, found " + quoted(line);
  }
  return parse_site(line.substr(end), event.site);
}

// "|7", or the name of a place, which gets a number of its own.
std::string LineParser::parse_site(std::string_view text, u32& site) {
  if (text.empty()) return "";
  const auto word = trim(text.substr(1));
  if (text.front() != '|' || word.empty() || word.find('|') != word.npos)
    return "expected |SITE after the operation, found " + quoted(text);
  const auto n = number(word);
  if (n && *n > ~u32(0)) return "expected |SITE with a number of 32 bits or a name, found " + quoted(word);
  if (n) return site = u32(*n), "";
  const auto [found, is_new] = sites_.try_emplace(std::string(word), kFirstNamedSite + u32(sites_.size()));
  if (is_new) site_names_.push_back(found->first);
  return site = found->second, "";
}

const std::string* LineParser::site_name(u32 site) const {
  return site < kFirstNamedSite || site - kFirstNamedSite >= site_names_.size()
             ? nullptr
             : &site_names_[site - kFirstNamedSite];
}

// A number, with or without its letter; any other word is a name and gets a number of its own.
u64 LineParser::object(std::string_view word, char letter) {
  if (auto n = number(word)) return *n;
  if (word.front() == letter)
    if (auto n = number(word.substr(1))) return *n;
  auto& names = objects_[letter];
  return names.try_emplace(std::string(word), kFirstNamedObject + names.size()).first->second;
}

std::string LineParser::parse_thread(std::string_view word, u32& thread) {
  if (word.empty()) return "the thread is missing before '|'";
  u64 n = object(word, 'T');
  if (n > ~u32(0)) return "thread number " + quoted(word) + " does not fit 32 bits";
  thread = u32(n);
  return "";
}

std::string LineParser::parse_kind(std::string_view word, EventKind& kind) {
  for (u32 k = 0; k < kEventKinds; ++k)
    if (word == name_of(EventKind(k))) return kind = EventKind(k), "";
  std::string known;
  for (u32 k = 0; k < kEventKinds; ++k) known += (k ? ", " : "") + std::string(name_of(EventKind(k)));
  return "unknown operation " + quoted(word) + "; known are " + known;
}

std::string LineParser::parse_order(std::string_view word, MemoryOrder& order) {
  for (u32 o = 0; o <= u32(MemoryOrder::SeqCst); ++o)
    if (word == name_of(MemoryOrder(o))) return order = MemoryOrder(o), "";
  return "unknown memory order " + quoted(word) +
         "; use relaxed, consume, acquire, release, acq_rel or seq_cst";
}

std::string LineParser::parse_range(std::string_view address, std::string_view size, Event& event) {
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

std::string LineParser::parse_operands(std::string_view text, Event& event) {
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
  case Operands::Block:
    why = expect(0, 1, "BLOCK");
    if (why.empty() && !words.empty()) event.target = object(word(0), letter_of(operands));
    return why;
  case Operands::Lock:
  case Operands::Var:
    why = expect(1, 1, operands == Operands::Lock ? "LOCK" : "VARIABLE");
    if (why.empty()) event.target = object(word(0), letter_of(operands));
    return why;
  }
  return "unknown operands";
}

} // namespace footrace
