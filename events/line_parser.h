// One line of the text form (docs/events.md), for readers of whole texts and of streams. Keeps the names that stand for numbers: memory grows
// with the program's names, not with the trace.
#pragma once

#include "events/event.h"

#include <map>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

namespace footrace {

// Numbers for operands that are names ("x", "V3.f[1]"), apart from the numbers that traces write themselves.
inline constexpr u64 kFirstNamedAddress = u64(1) << 40, kNamedSize = 8;
inline constexpr u64 kFirstNamedObject = u64(1) << 31;
inline constexpr u32 kFirstNamedSite = u32(1) << 31;

// How the text form begins the number of a lock, thread, ...; 0: with nothing.
char letter_of(Operands operands);

class LineParser {
public:
  enum class Found : u8 { Event, Nothing, Error };
  Found parse(std::string_view line, Event& event);
  const std::string& reason() const { return reason_; } // of the error
  // What the trace calls a site that is not a number; null: it is one.
  const std::string* site_name(u32 site) const;

private:
  std::string parse_line(std::string_view line, Event& event);
  std::string parse_site(std::string_view text, u32& site);
  u64 object(std::string_view word, char letter);
  std::string parse_thread(std::string_view word, u32& thread);
  std::string parse_kind(std::string_view word, EventKind& kind);
  std::string parse_order(std::string_view word, MemoryOrder& order);
  std::string parse_range(std::string_view address, std::string_view size, Event& event);
  std::string parse_operands(std::string_view text, Event& event);

  std::string reason_;
  std::unordered_map<std::string, u64> variables_;
  std::map<char, std::unordered_map<std::string, u64>> objects_;
  std::unordered_map<std::string, u32> sites_;
  std::vector<std::string> site_names_;
};

} // namespace footrace
