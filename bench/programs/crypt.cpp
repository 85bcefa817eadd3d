// crypt: IDEA encryption and decryption of a byte array (Java Grande).
// Papers: FastTrack Tables 1-3, RedCard Tables 1-2, BigFoot Tables 1-2.
// Sharing: each thread works through its own contiguous part of three shared byte arrays; the two key
// schedules are written before the threads start and then only read. No locks.
#include "program.h"

#include <array>

using namespace bench;

namespace {

using Keys = std::array<uint16_t, 52>; // six per round for eight rounds, four for the output transform

// Multiplication modulo 2^16 + 1, where 0 stands for 2^16.
inline uint16_t mul(uint32_t a, uint32_t b) {
  if (a == 0) return uint16_t(1 - b);
  if (b == 0) return uint16_t(1 - a);
  const uint32_t p = a * b, low = p & 0xffff, high = p >> 16;
  return uint16_t(low - high + (low < high));
}

uint16_t inverse(uint16_t x) {
  uint16_t result = 1, power = x;
  for (uint32_t exponent = 65535; exponent; exponent >>= 1) { // Fermat: x^(p-2)
    if (exponent & 1) result = mul(result, power);
    power = mul(power, power);
  }
  return result;
}

Keys encryption_keys(const std::array<uint16_t, 8>& user) {
  Keys z;
  for (size_t i = 0; i < 8; ++i) z[i] = user[i];
  for (size_t i = 8; i < 52; ++i) { // the 128-bit key rotated left by 25 bits, again and again
    const size_t group = i / 8 * 8 - 8, j = i % 8;
    z[i] = uint16_t(z[group + (j + 1) % 8] << 9 | z[group + (j + 2) % 8] >> 7);
  }
  return z;
}

Keys decryption_keys(const Keys& z) {
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

inline uint16_t load(const uint8_t* p) { return uint16_t(p[0] | p[1] << 8); }
inline void store(uint8_t* p, uint16_t x) { p[0] = uint8_t(x), p[1] = uint8_t(x >> 8); }

void cipher(const std::vector<uint8_t>& in, std::vector<uint8_t>& out, const Keys& keys, Range blocks) {
  for (size_t at = blocks.begin * 8; at < blocks.end * 8; at += 8) {
    uint16_t x1 = load(&in[at]), x2 = load(&in[at + 2]), x3 = load(&in[at + 4]), x4 = load(&in[at + 6]);
    size_t k = 0;
    for (int round = 0; round < 8; ++round, k += 6) {
      x1 = mul(x1, keys[k]);
      x2 = uint16_t(x2 + keys[k + 1]);
      x3 = uint16_t(x3 + keys[k + 2]);
      x4 = mul(x4, keys[k + 3]);
      const uint16_t s = mul(x1 ^ x3, keys[k + 4]);
      const uint16_t t = mul(uint16_t(s + (x2 ^ x4)), keys[k + 5]);
      const uint16_t u = uint16_t(s + t), old_x2 = x2;
      x1 ^= t;
      x4 ^= u;
      x2 = x3 ^ t;
      x3 = old_x2 ^ u;
    }
    store(&out[at], mul(x1, keys[k]));
    store(&out[at + 2], uint16_t(x3 + keys[k + 1]));
    store(&out[at + 4], uint16_t(x2 + keys[k + 2]));
    store(&out[at + 6], mul(x4, keys[k + 3]));
  }
}

// The published test vector of IDEA.
bool known_answer_holds() {
  const Keys keys = encryption_keys({1, 2, 3, 4, 5, 6, 7, 8});
  const std::vector<uint8_t> plain{0, 0, 1, 0, 2, 0, 3, 0};
  std::vector<uint8_t> secret(8);
  cipher(plain, secret, keys, {0, 1});
  return load(&secret[0]) == 0x11fb && load(&secret[2]) == 0xed2b && load(&secret[4]) == 0x0198 &&
         load(&secret[6]) == 0x6de5;
}

uint64_t crypt(const Config& config) {
  if (!known_answer_holds()) return 1;
  const size_t blocks = config.pick<size_t>(160'000, 2'400'000, 16'000'000);
  Random random(136506717);
  std::array<uint16_t, 8> user;
  for (uint16_t& word : user) word = uint16_t(random.next());
  const Keys encrypt = encryption_keys(user), decrypt = decryption_keys(encrypt);

  std::vector<uint8_t> plain(blocks * 8), secret(blocks * 8), again(blocks * 8);
  for (size_t i = 0; i < plain.size(); ++i) plain[i] = uint8_t(random.next());
  auto run = [&](const std::vector<uint8_t>& in, std::vector<uint8_t>& out, const Keys& keys) {
    parallel(config.threads, [&](unsigned me) { cipher(in, out, keys, share(blocks, me, config.threads)); });
  };
  run(plain, secret, encrypt);
  run(secret, again, decrypt);
  if (again != plain) return 2;
  uint64_t sum = 0;
  for (size_t i = 0; i < secret.size(); i += 8) sum = mix(sum, load(&secret[i]));
  return sum;
}

} // namespace

int main(int argc, char** argv) {
  return run_program(argc, argv, false, {0x90b886aa3ba4501f, 0xdbefb01f046cbc7c, 0xf085d7b09e5aecc7}, crypt);
}
