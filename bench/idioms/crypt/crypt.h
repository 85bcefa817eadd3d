// What the styles of crypt share: IDEA's arithmetic and key schedules, the text, and the expected checksum.
// IDEA encryption and decryption of a text of 8-byte blocks (bench/programs/crypt.cpp).
// Sharing: each thread works through its own contiguous part of the text; the key schedules are written before the
// threads start and then only read. No locks.
#pragma once

#include "bench/programs/program.h"

#include <array>

namespace bench::crypt {

using Keys = std::array<uint16_t, 52>; // six per round for eight rounds, four for the output transform
constexpr int rounds = 8;
constexpr size_t block_size = 8;

inline size_t blocks_of(const Config& config) { return config.pick<size_t>(80'000, 1'000'000, 8'000'000); }

// Multiplication modulo 2^16 + 1, where 0 stands for 2^16.
inline uint16_t mul(uint32_t a, uint32_t b) {
  if (a == 0) return uint16_t(1 - b);
  if (b == 0) return uint16_t(1 - a);
  const uint32_t p = a * b, low = p & 0xffff, high = p >> 16;
  return uint16_t(low - high + (low < high));
}

inline uint16_t inverse(uint16_t x) {
  uint16_t result = 1, power = x;
  for (uint32_t exponent = 65535; exponent; exponent >>= 1) { // Fermat: x^(p-2)
    if (exponent & 1) result = mul(result, power);
    power = mul(power, power);
  }
  return result;
}

inline Keys encryption_keys() {
  Random random(136506717);
  Keys z;
  for (size_t i = 0; i < 8; ++i) z[i] = uint16_t(random.next());
  for (size_t i = 8; i < 52; ++i) { // the 128-bit key rotated left by 25 bits, again and again
    const size_t group = i / 8 * 8 - 8, j = i % 8;
    z[i] = uint16_t(z[group + (j + 1) % 8] << 9 | z[group + (j + 2) % 8] >> 7);
  }
  return z;
}

inline Keys decryption_keys(const Keys& z) {
  Keys d;
  for (size_t round = 0; round <= 8; ++round) {
    const uint16_t* from = &z[6 * (8 - round)];
    uint16_t* to = &d[6 * round];
    const bool outer = round == 0 || round == 8; // the inner rounds swap their middle words
    to[0] = inverse(from[0]);
    to[1] = uint16_t(-from[outer ? 1 : 2]);
    to[2] = uint16_t(-from[outer ? 2 : 1]);
    to[3] = inverse(from[3]);
    if (round < 8) to[4] = z[6 * (7 - round) + 4], to[5] = z[6 * (7 - round) + 5];
  }
  return d;
}

class Text { // that is encrypted, byte by byte
public:
  uint8_t next() { return uint8_t(random_.next()); }

private:
  Random random_{271828};
};

// Of all bytes of the secret.
class Checksum {
public:
  void add(uint8_t byte) { sum_ = mix(sum_, byte); }
  uint64_t get() const { return sum_; }

private:
  uint64_t sum_ = 0;
};
inline int run(int argc, char** argv, uint64_t (*body)(const Config&)) {
  return run_program(argc, argv, false, {0x7706ac05d46c7066, 0x57aa7a63729daed0, 0x1b2683c77d4ba8d8}, body);
}

} // namespace bench::crypt
