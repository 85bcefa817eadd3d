#include "runtime/json_writer.h"

#include "base/platform.h"

namespace footrace {

TextBuffer::~TextBuffer() {
  if (data_) unmap_memory(uptr(data_), capacity_);
}

bool TextBuffer::reserve(u64 more) {
  if (FR_LIKELY(size_ + more <= capacity_)) return true;
  u64 capacity = round_up(max(capacity_ * 2, size_ + more), 64 << 10);
  uptr bigger = map_memory(capacity);
  if (!bigger) return false;
  if (data_) {
    copy_bytes(reinterpret_cast<void*>(bigger), data_, size_);
    unmap_memory(uptr(data_), capacity_);
  }
  data_ = reinterpret_cast<char*>(bigger);
  capacity_ = capacity;
  return true;
}

void TextBuffer::add(const char* text, u64 size) {
  if (!reserve(size)) return;
  copy_bytes(data_ + size_, text, size);
  size_ += size;
}

void TextBuffer::add(const char* text) { add(text, length_of(text)); }

void TextBuffer::add_decimal(u64 value) {
  char digits[20], *d = digits + sizeof digits;
  do *--d = char('0' + value % 10);
  while (value /= 10);
  add(d, u64(digits + sizeof digits - d));
}

void TextBuffer::add_hex(u64 value) {
  char digits[18], *d = digits + sizeof digits;
  do *--d = "0123456789abcdef"[value & 15];
  while (value >>= 4);
  *--d = 'x';
  *--d = '0';
  add(d, u64(digits + sizeof digits - d));
}

const char* TextBuffer::c_str() {
  if (!reserve(1)) return "";
  data_[size_] = 0;
  return data_;
}

namespace {

// Length of the valid UTF-8 sequence at the start of [s, end), 0 if there is none (RFC 3629: no surrogates,
// no overlongs).
u32 utf8_length(const u8* s, const u8* end) {
  u32 length = s[0] < 0x80 ? 1 : s[0] < 0xc2 ? 0 : s[0] < 0xe0 ? 2 : s[0] < 0xf0 ? 3 : s[0] < 0xf5 ? 4 : 0;
  if (!length || u64(end - s) < length) return 0;
  for (u32 i = 1; i < length; ++i)
    if ((s[i] & 0xc0) != 0x80) return 0;
  if (s[0] == 0xe0 && s[1] < 0xa0) return 0;
  if (s[0] == 0xed && s[1] > 0x9f) return 0;
  if (s[0] == 0xf0 && s[1] < 0x90) return 0;
  if (s[0] == 0xf4 && s[1] > 0x8f) return 0;
  return length;
}

void add_escaped(TextBuffer& out, u8 c) {
  out.add("\\u00");
  out.add("0123456789abcdef"[c >> 4]);
  out.add("0123456789abcdef"[c & 15]);
}

} // namespace

void JsonWriter::separate() {
  if (!first_ && !after_key_) out_.add(',');
  first_ = after_key_ = false;
}

void JsonWriter::begin(char c) {
  separate();
  out_.add(c);
  first_ = true;
}

void JsonWriter::end(char c) {
  out_.add(c);
  first_ = false;
}

JsonWriter& JsonWriter::key(const char* name) {
  text(name);
  out_.add(':');
  after_key_ = true;
  return *this;
}

void JsonWriter::text(const char* value) { text(value, length_of(value)); }

void JsonWriter::text(const char* value, u64 size) {
  separate();
  out_.add('"');
  auto *s = reinterpret_cast<const u8*>(value), *end = s + size;
  while (s < end) {
    u32 length = utf8_length(s, end);
    if (*s == '"' || *s == '\\') out_.add('\\');
    if (!length || *s < 0x20 || *s == 0x7f) {
      add_escaped(out_, *s++);
      continue;
    }
    out_.add(reinterpret_cast<const char*>(s), length);
    s += length;
  }
  out_.add('"');
}

void JsonWriter::address(uptr value) {
  separate();
  out_.add('"');
  out_.add_hex(value);
  out_.add('"');
}

void JsonWriter::number(u64 value) {
  separate();
  out_.add_decimal(value);
}

void JsonWriter::boolean(bool value) {
  separate();
  out_.add(value ? "true" : "false");
}

} // namespace footrace
