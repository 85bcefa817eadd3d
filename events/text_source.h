// The text form of traces (docs/events.md), also as other tools write it, as a stream: one buffer, whatever the length of the trace.
#pragma once

#include "events/line_parser.h"
#include "events/source.h"

#include <memory>

namespace footrace {

class TextSource final : public EventSource {
public:
  // Reads the open descriptor, which becomes its own, under the name that errors have.
  TextSource(int descriptor, std::string name);
  ~TextSource() override;

  bool next(Event& event) override;
  bool may_merge_reads() const override { return false; }
  // Names like "account.cpp:12:5" or "Bank.run:12" are taken apart; any other is the function's.
  const TraceSite* site(u32 number) const override;

private:
  bool next_line(std::string_view& line);
  bool refill();

  int descriptor_;
  std::string name_;
  LineParser parser_;
  std::string buffer_;
  size_t at_ = 0; // of the next line in the buffer
  bool is_over_ = false;
  u64 line_ = 0;
  mutable TraceSite site_;
};

} // namespace footrace
