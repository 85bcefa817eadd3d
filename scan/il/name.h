// Interned text: fields, variables, functions and files are compared by one pointer and ordered by their text,
// so that results do not depend on the order in which names were met.
#pragma once

#include <compare>
#include <functional>
#include <string>
#include <string_view>

namespace footrace::scan::il {

class Name {
public:
  Name();
  Name(std::string_view text);
  Name(const char* text) : Name(std::string_view(text)) {}
  Name(const std::string& text) : Name(std::string_view(text)) {}

  const std::string& text() const { return *text_; }
  bool empty() const { return text_->empty(); }

  friend bool operator==(Name a, Name b) { return a.text_ == b.text_; }
  friend std::strong_ordering operator<=>(Name a, Name b) {
    if (a.text_ == b.text_) return std::strong_ordering::equal;
    return *a.text_ <=> *b.text_;
  }

private:
  friend struct std::hash<Name>;
  const std::string* text_; // lives as long as the process
};

} // namespace footrace::scan::il

template <> struct std::hash<footrace::scan::il::Name> {
  std::size_t operator()(footrace::scan::il::Name name) const { return std::hash<const void*>()(name.text_); }
};
