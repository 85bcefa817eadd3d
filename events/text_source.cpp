#include "events/text_source.h"

#include <cerrno>
#include <charconv>
#include <cstring>
#include <unistd.h>

namespace footrace {
namespace {

constexpr size_t kChunk = 1 << 16, kLongestLine = 1 << 16;

// "name:12" -> "name", 12. Nothing changes if there is no number behind a colon.
u32 take_number(std::string& text) {
  const auto colon = text.rfind(':');
  u32 number = 0;
  if (colon == 0 || colon == text.npos) return 0;
  const char *begin = text.data() + colon + 1, *end = text.data() + text.size();
  if (auto [stop, error] = std::from_chars(begin, end, number);
      begin == end || stop != end || error != std::errc())
    return 0;
  text.resize(colon);
  return number;
}

} // namespace

TextSource::TextSource(int descriptor, std::string name) : descriptor_(descriptor), name_(std::move(name)) {}
TextSource::~TextSource() { close(descriptor_); }

bool TextSource::refill() {
  if (is_over_) return false;
  buffer_.erase(0, at_);
  at_ = 0;
  const size_t before = buffer_.size();
  buffer_.resize(before + kChunk);
  ssize_t got;
  do got = read(descriptor_, buffer_.data() + before, kChunk);
  while (got < 0 && errno == EINTR);
  buffer_.resize(before + size_t(max<ssize_t>(got, 0)));
  if (got < 0) fail(name_, std::string("cannot be read: ") + std::strerror(errno));
  is_over_ = got <= 0;
  return got > 0;
}

bool TextSource::next_line(std::string_view& line) {
  size_t searched = at_;
  for (;;) {
    const size_t end = buffer_.find('\n', searched);
    if (end != buffer_.npos) {
      line = std::string_view(buffer_).substr(at_, end - at_);
      at_ = end + 1;
      return ++line_;
    }
    const size_t length = buffer_.size() - at_;
    if (length > kLongestLine)
      return fail(name_ + ":" + std::to_string(line_ + 1),
                  "the line is longer than " + std::to_string(kLongestLine) + " bytes; is this a trace?");
    if (!refill()) break;
    searched = at_ + length;
  }
  if (error() || at_ == buffer_.size()) return false;
  line = std::string_view(buffer_).substr(at_); // the last one, without its end
  at_ = buffer_.size();
  return ++line_;
}

bool TextSource::next(Event& event) {
  if (error()) return false;
  for (std::string_view line; next_line(line);) {
    const auto found = parser_.parse(line, event);
    if (found == LineParser::Found::Event) return true;
    if (found == LineParser::Found::Error) return fail(name_ + ":" + std::to_string(line_), parser_.reason());
  }
  return false;
}

const TraceSite* TextSource::site(u32 number) const {
  const std::string* name = parser_.site_name(number);
  if (!name) return nullptr;
  TraceFrame frame;
  std::string rest = *name;
  const u32 last = take_number(rest), before = last ? take_number(rest) : 0;
  frame.line = before ? before : last, frame.column = before ? last : 0;
  (last ? frame.file : frame.function) = rest;
  site_.frames = {frame};
  return &site_;
}

} // namespace footrace
