// What library functions read and write of the memory that their arguments point to: data, in uses.def. The runtime generates its interceptors from
// the table; whoever else wants to know includes it as well.
//
//   FR_USES(Result::Pointer, fgets, 3, written(0).string())
//
// is a function of three arguments, whose result is a pointer that is null on failure, and which then has written a string at its first argument.
// Reads are made whether the function succeeds or not, writes only if it does. A null pointer is left alone.
#pragma once

#include "base/types.h"

namespace footrace {

enum class Result : u8 {
  Nothing, // void, or a value that does not tell: what is written is written always
  Pointer, // null: failed
  Zero,    // int, anything but 0: failed
  Count,   // int, negative: failed
  Size,    // ssize_t, negative: failed
  True,    // int, 0 or negative: failed
};

struct MemoryUse {
  enum class Kind : u8 { None, Read, Written, Both };
  enum class Extent : u8 {
    Bytes,       // `bytes`
    String,      // up to and including the terminator, at most argument `a` characters
    WideString,  // the same in wchar_t
    Elements,    // `bytes` for each that argument `a` counts
    Product,     // arguments `a` * `b`
    ResultMore,  // `bytes` more than the result, not more than argument `a`
    ResultTimes, // `bytes` for each that the result counts, not more than argument `a` of them
    ItemsResult, // argument `a` for each that the result counts (fread)
    LengthBehind, // a u32 that argument `a` points to says how many: before the call, and if smaller afterwards
  };
  static constexpr u8 kNoArgument = 15, kResult = 14;

  Kind kind = Kind::None;
  Extent extent = Extent::Bytes;
  u8 argument = 0;        // kResult: what the function returns
  bool is_behind = false; // the argument points to the pointer that is meant
  u8 a = kNoArgument, b = kNoArgument;
  bool is_int = false;      // argument `a` is 32 bits wide
  bool is_returned = false; // only if the result is the argument
  u32 bytes = 0;

  constexpr MemoryUse of(u32 n) const { return with(Extent::Bytes, kNoArgument, kNoArgument, n); }
  constexpr MemoryUse string(u8 most = kNoArgument) const {
    return with(Extent::String, most, kNoArgument, 1);
  }
  constexpr MemoryUse wide_string(u8 most = kNoArgument) const {
    return with(Extent::WideString, most, kNoArgument, 4);
  }
  constexpr MemoryUse counted(u8 count, u32 size = 1) const {
    return with(Extent::Elements, count, kNoArgument, size);
  }
  constexpr MemoryUse counted_int(u8 count, u32 size = 1) const { return counted(count, size).as_int(); }
  constexpr MemoryUse as_int() const {
    MemoryUse use = *this;
    use.is_int = true;
    return use;
  }
  constexpr MemoryUse if_returned() const {
    MemoryUse use = *this;
    use.is_returned = true;
    return use;
  }
  constexpr MemoryUse product(u8 x, u8 y) const { return with(Extent::Product, x, y, 1); }
  constexpr MemoryUse result(u32 more = 0, u8 most = kNoArgument) const {
    return with(Extent::ResultMore, most, kNoArgument, more);
  }
  constexpr MemoryUse result_times(u32 size, u8 most = kNoArgument) const {
    return with(Extent::ResultTimes, most, kNoArgument, size);
  }
  constexpr MemoryUse items(u8 size) const { return with(Extent::ItemsResult, size, kNoArgument, 1); }
  constexpr MemoryUse length_behind(u8 length) const {
    return with(Extent::LengthBehind, length, kNoArgument, 1);
  }
  constexpr MemoryUse behind() const {
    MemoryUse use = *this;
    use.is_behind = true;
    return use;
  }

private:
  constexpr MemoryUse with(Extent e, u8 x, u8 y, u32 n) const {
    MemoryUse use = *this;
    use.extent = e, use.a = x, use.b = y, use.bytes = n;
    return use;
  }
};

namespace memory_uses {
constexpr MemoryUse use(MemoryUse::Kind kind, u8 argument) {
  MemoryUse made;
  made.kind = kind;
  made.argument = argument;
  return made;
}
constexpr MemoryUse read(u8 argument) { return use(MemoryUse::Kind::Read, argument); }
constexpr MemoryUse written(u8 argument) { return use(MemoryUse::Kind::Written, argument); }
constexpr MemoryUse both(u8 argument) {
  return use(MemoryUse::Kind::Both, argument);
} // read before, written afterwards
constexpr MemoryUse returned() {
  return use(MemoryUse::Kind::Written, MemoryUse::kResult);
} // static memory that the function fills
} // namespace memory_uses

} // namespace footrace
