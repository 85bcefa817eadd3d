#include "events/trace_format.h"

#include <cstring>

namespace footrace {
namespace {

// Numbers lie in the file with their lowest byte first, whatever the machine.
void put_fixed(std::string& to, u64 value, u32 bytes) {
  for (; bytes; --bytes, value >>= 8) to += char(value);
}
u64 take_fixed(std::string_view from, u64 at, u32 bytes) {
  u64 value = 0;
  for (u32 i = 0; i < bytes; ++i) value |= u64(u8(from[at + i])) << 8 * i;
  return value;
}

// FNV-1a of a header's bytes before its last four.
u32 checksum(std::string_view bytes) {
  u32 sum = 0x811c9dc5;
  for (char c : bytes) sum = (sum ^ u8(c)) * 0x01000193;
  return sum;
}
void put_checksum(std::string& header, u64 size) {
  header.resize(size - 4);
  put_fixed(header, checksum(header), 4);
}
bool has_right_checksum(std::string_view header) {
  const u64 sum_at = header.size() - 4;
  return take_fixed(header, sum_at, 4) == checksum(header.substr(0, sum_at));
}

} // namespace

std::string to_bytes(const TraceHeader& header) {
  std::string bytes = kTraceMagic;
  put_fixed(bytes, header.version, 4);
  put_fixed(bytes, header.flags, 4);
  put_checksum(bytes, kTraceHeaderBytes);
  return bytes;
}

std::string parse(std::string_view bytes, TraceHeader& header) {
  if (!bytes.starts_with(kTraceMagic))
    return "this is no trace of 'footrace record': the file does not begin with 'footrace'";
  header.version = u32(take_fixed(bytes, 8, 4));
  header.flags = u32(take_fixed(bytes, 12, 4));
  if (header.version > kTraceVersion && header.version < 1 << 16)
    return "format version " + std::to_string(header.version) +
           " is of a newer Footrace; this one reads version " + std::to_string(kTraceVersion) +
           ": use the newer one, or record again";
  if (header.version != kTraceVersion || !has_right_checksum(bytes)) return "the file's header is damaged";
  if (header.flags & ~kEveryEventHasStamp)
    return "the file's header has flags that this version does not have";
  return "";
}

std::string to_bytes(const BlockHeader& header) {
  std::string bytes;
  put_fixed(bytes, kBlockMagic, 4);
  put_fixed(bytes, u64(header.type), 4);
  for (u32 field : {header.stored, header.raw, header.thread, header.items}) put_fixed(bytes, field, 4);
  put_fixed(bytes, header.first, 8);
  put_fixed(bytes, header.last, 8);
  put_checksum(bytes, kBlockHeaderBytes);
  return bytes;
}

std::string parse(std::string_view bytes, BlockHeader& header) {
  if (take_fixed(bytes, 0, 4) != kBlockMagic || !has_right_checksum(bytes))
    return "the block's header is damaged";
  const u64 type = take_fixed(bytes, 4, 4);
  if (type < u64(BlockType::Events) || type > u64(BlockType::End))
    return "block type " + std::to_string(type) + " is unknown";
  header = {BlockType(type),
            u32(take_fixed(bytes, 8, 4)),
            u32(take_fixed(bytes, 12, 4)),
            u32(take_fixed(bytes, 16, 4)),
            u32(take_fixed(bytes, 20, 4)),
            take_fixed(bytes, 24, 8),
            take_fixed(bytes, 32, 8)};
  if (header.raw > kMostRawBytes)
    return "a block of " + std::to_string(header.raw) + " bytes is larger than " +
           std::to_string(kMostRawBytes);
  if ((header.type == BlockType::Events && (header.last < header.first || !header.first != !header.last)) ||
      header.items > header.raw)
    return "the block's header does not add up";
  return "";
}

void put_number(std::string& to, u64 value) {
  char bytes[kMostNumberBytes];
  to.append(bytes, size_t(put_number(bytes, value) - bytes));
}

void put_text(std::string& to, std::string_view text) {
  put_number(to, text.size());
  to += text;
}

u64 ByteCursor::number() {
  u64 value = 0;
  for (u32 shift = 0; shift < 64; shift += 7) {
    const u64 part = byte();
    if (shift == 63 && part > 1) break;
    value |= (part & 0x7f) << shift;
    if (part < 0x80) return ok ? value : 0;
  }
  ok = false;
  return 0;
}

u32 ByteCursor::number32() {
  const u64 value = number();
  if (value <= ~u32(0)) return u32(value);
  ok = false;
  return 0;
}

std::string_view ByteCursor::text() {
  const u64 size = number();
  if (size > u64(end - at)) ok = false;
  if (!ok) return {};
  at += size;
  return {at - size, size};
}

} // namespace footrace
