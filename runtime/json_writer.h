// Writes one JSON document into memory of its own that grows. Strings may hold any bytes: what is not valid
// UTF-8 becomes
// \u00XX, so that strict parsers accept it.
#pragma once

#include "base/types.h"

namespace footrace {

// Text that grows in pages of its own.
class TextBuffer {
public:
  constexpr TextBuffer() = default;
  ~TextBuffer();
  TextBuffer(const TextBuffer&) = delete;

  void add(char c) {
    if (FR_LIKELY(reserve(1))) data_[size_++] = c;
  }
  void add(const char* text);
  void add(const char* text, u64 size);
  void add_decimal(u64 value);
  void add_hex(u64 value); // 0x...
  void clear() { size_ = 0; }
  const char* data() const { return data_; }
  u64 size() const { return size_; }
  const char* c_str(); // NUL-terminated; "" when out of memory

private:
  bool reserve(u64 more);
  char* data_ = nullptr;
  u64 size_ = 0, capacity_ = 0;
};

class JsonWriter {
public:
  explicit JsonWriter(TextBuffer& out) : out_(out) {}
  void begin_object() { begin('{'); }
  void end_object() { end('}'); }
  void begin_array() { begin('['); }
  void end_array() { end(']'); }
  JsonWriter& key(const char* name);
  void text(const char* value);
  void text(const char* value, u64 size);
  void address(uptr value); // "0x..."
  void number(u64 value);
  void boolean(bool value);

private:
  void begin(char c);
  void end(char c);
  void separate();
  TextBuffer& out_;
  bool first_ = true; // in the innermost object or array
  bool after_key_ = false;
};

} // namespace footrace
