// Traces as files: what the writer and the reader share. docs/trace-format.md describes the format; a change of it is a new version.
// A file is a header and blocks. A block has a header of its own and a payload that zstd has compressed by itself: each can be read without the others, so
// a file without its end is good up to its last whole block.
#pragma once

#include "events/event.h"

#include <string>
#include <string_view>

namespace footrace {

constexpr u32 kTraceVersion = 1;
constexpr char kTraceMagic[9] = "footrace";
constexpr u32 kBlockMagic = 0x4b4c4246; // "FBLK"
constexpr u64 kTraceHeaderBytes = 32, kBlockHeaderBytes = 48;
// What a block may expand to: a reader needs no more memory for one, whatever the file says.
constexpr u32 kMostRawBytes = 1 << 20;

// Flags of the file.
constexpr u32 kEveryEventHasStamp = 1; // else only those that has_stamp() says

struct TraceHeader {
  u32 version = kTraceVersion, flags = 0;
};

enum class BlockType : u8 {
  Events = 1,  // of one thread
  Sites = 2,   // number, frames
  Stacks = 3,  // number, number of the caller's stack, site
  Threads = 4, // number, OS's number, name
  Program = 5, // text
  Modules = 6, // path, base, begin, end
  End = 7,     // why the trace is over: text, empty for an ordinary end
};

struct BlockHeader {
  BlockType type = BlockType::Events;
  u32 stored = 0, raw = 0; // bytes of the payload, compressed and not
  u32 thread = 0;          // Events
  u32 items = 0;           // events, sites...
  // Events: the stamps of the first and the last event that has one; 0: none has.  End: the last stamp of all.
  u64 first = 0, last = 0;
};

// Events that the trace orders against those of other threads. Plain accesses need no stamp: they come between two stamped events of their thread, and
// wherever they are put there, what happens before them is the same.
constexpr bool has_stamp(EventKind kind) { return kind != EventKind::Read && kind != EventKind::Write; }

std::string to_bytes(const TraceHeader& header);
std::string to_bytes(const BlockHeader& header);
// Empty, or what is wrong. `bytes` has as many as the header's size.
std::string parse(std::string_view bytes, TraceHeader& header);
std::string parse(std::string_view bytes, BlockHeader& header);

// Numbers of any size, small ones in few bytes; texts with their length before them.
inline char* put_number(char* to, u64 value) { // up to kMostNumberBytes; returns where they end
  for (; value >= 0x80; value >>= 7) *to++ = char(value | 0x80);
  *to++ = char(value);
  return to;
}
constexpr u32 kMostNumberBytes = 10;
void put_number(std::string& to, u64 value);
void put_text(std::string& to, std::string_view text);
constexpr u64 zigzag(u64 difference) { return difference << 1 ^ u64(i64(difference) >> 63); }
constexpr u64 from_zigzag(u64 x) { return x >> 1 ^ (0 - (x & 1)); }

// Takes them out again. After the first that is not there `ok` is false, and everything is 0 or empty.
struct ByteCursor {
  const char *at, *end;
  bool ok = true;
  explicit ByteCursor(std::string_view bytes) : at(bytes.data()), end(at + bytes.size()) {}
  bool is_done() const { return at == end; }
  u8 byte() {
    if (at != end) return u8(*at++);
    ok = false;
    return 0;
  }
  u64 number();
  u32 number32();
  std::string_view text();
};

} // namespace footrace
