// What running a piece of code may do to check placement: a set of effects. Unknown code has all of them.
//
// Acquire and Release are those of the happens-before relation (BigFoot, section 2). The others are what the paper
// leaves out and C and C++ have: ways in which a pending check can be lost, or its address can change its meaning.
#pragma once

#include "base/types.h"

namespace footrace {

enum class Effect : u8 {
  Acquire = 1 << 0,      // may be ordered after something that another thread did
  Release = 1 << 1,      // may order what came before it for another thread
  Throws = 1 << 2,       // may leave by unwinding: an exception, or a thread that is cancelled
  NoReturn = 1 << 3,     // may never come back: exit, longjmp, cancellation, a loop that is not proved finite
  Frees = 1 << 4,        // may end the lifetime of memory or replace it: free, delete, munmap, mmap
  ReturnsTwice = 1 << 5, // may come back more than once: setjmp, vfork
};

class Effects {
public:
  constexpr Effects() = default;
  constexpr Effects(Effect effect) : bits_(static_cast<u8>(effect)) {}

  static constexpr Effects none() { return {}; }
  static constexpr Effects unknown() { return from_bits(0x3f); }
  static constexpr Effects from_bits(u8 bits) {
    Effects effects;
    effects.bits_ = bits & 0x3f;
    return effects;
  }
  constexpr u8 bits() const { return bits_; }

  constexpr bool has(Effect effect) const { return (bits_ & static_cast<u8>(effect)) != 0; }
  constexpr bool has_none() const { return bits_ == 0; }
  friend constexpr Effects operator|(Effects a, Effects b) {
    return from_bits(static_cast<u8>(a.bits_ | b.bits_));
  }
  constexpr Effects& operator|=(Effects other) { return *this = *this | other; }
  constexpr Effects without(Effects other) const { return from_bits(static_cast<u8>(bits_ & ~other.bits_)); }
  constexpr bool operator==(const Effects&) const = default;

  constexpr bool may_acquire() const { return has(Effect::Acquire); }
  constexpr bool may_release() const { return has(Effect::Release); }
  constexpr bool may_throw() const { return has(Effect::Throws); }
  constexpr bool may_not_return() const { return has(Effect::NoReturn); }
  constexpr bool may_free() const { return has(Effect::Frees); }
  constexpr bool may_return_twice() const { return has(Effect::ReturnsTwice); }

private:
  u8 bits_ = 0;
};

constexpr Effects operator|(Effect a, Effect b) { return Effects(a) | Effects(b); }

} // namespace footrace
