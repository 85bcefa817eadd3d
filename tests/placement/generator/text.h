// Building lines of source text.
#pragma once

#include <sstream>
#include <string>

namespace footrace::placement_fuzz {

template <class... Parts> std::string cat(const Parts&... parts) {
  std::ostringstream out;
  (out << ... << parts);
  return out.str();
}

// Source text with indentation that follows the braces.
class Text {
public:
  template <class... Parts> void line(const Parts&... parts) {
    const std::string text = cat(parts...);
    if (!text.empty() && text.front() == '}') depth_--;
    for (int i = 0; i < depth_; i++) out_ += "  ";
    out_ += text;
    out_ += '\n';
    if (!text.empty() && text.back() == '{') depth_++;
  }
  const std::string& str() const { return out_; }

private:
  std::string out_;
  int depth_ = 0;
};

} // namespace footrace::placement_fuzz
