// crypt, raw pointers: the cipher as in C, with pointers to text and keys that move on with every byte and word.
#include "crypt.h"

using namespace bench;
using namespace bench::crypt;

namespace {

uint16_t take(const uint8_t** in) {
  uint16_t word = *(*in)++;
  word = uint16_t(word | *(*in)++ << 8);
  return word;
}

void put(uint8_t** out, uint16_t word) {
  *(*out)++ = uint8_t(word);
  *(*out)++ = uint8_t(word >> 8);
}

void cipher(const uint8_t* in, uint8_t* out, size_t blocks, const uint16_t* keys) {
  while (blocks--) {
    uint16_t x1 = take(&in), x2 = take(&in), x3 = take(&in), x4 = take(&in);
    const uint16_t* key = keys;
    for (int round = 0; round < rounds; ++round) {
      x1 = mul(x1, *key++);
      x2 = uint16_t(x2 + *key++);
      x3 = uint16_t(x3 + *key++);
      x4 = mul(x4, *key++);
      const uint16_t s = mul(x1 ^ x3, *key++);
      const uint16_t t = mul(uint16_t(s + (x2 ^ x4)), *key++);
      const uint16_t u = uint16_t(s + t), old_x2 = x2;
      x1 ^= t;
      x4 ^= u;
      x2 = x3 ^ t;
      x3 = old_x2 ^ u;
    }
    put(&out, mul(x1, *key++));
    put(&out, uint16_t(x3 + *key++));
    put(&out, uint16_t(x2 + *key++));
    put(&out, mul(x4, *key++));
  }
}

void cipher_all(const uint8_t* in, uint8_t* out, size_t blocks, const Keys& keys, unsigned threads) {
  parallel(threads, [&](unsigned me) {
    const Range mine = share(blocks, me, threads);
    cipher(in + mine.begin * block_size, out + mine.begin * block_size, mine.end - mine.begin, keys.data());
  });
}

uint64_t encrypt_and_decrypt(const Config& config) {
  const Keys encrypt = encryption_keys(), decrypt = decryption_keys(encrypt);
  const size_t blocks = blocks_of(config), size = blocks * block_size;
  uint8_t *plain = new uint8_t[size], *secret = new uint8_t[size], *again = new uint8_t[size];
  Text text;
  for (uint8_t* p = plain; p != plain + size; ++p) *p = text.next();

  cipher_all(plain, secret, blocks, encrypt, config.threads);
  cipher_all(secret, again, blocks, decrypt, config.threads);
  const bool same = std::memcmp(plain, again, size) == 0;
  Checksum sum;
  for (const uint8_t* p = secret; p != secret + size; ++p) sum.add(*p);
  delete[] plain;
  delete[] secret;
  delete[] again;
  return same ? sum.get() : 2;
}

} // namespace

int main(int argc, char** argv) { return run(argc, argv, encrypt_and_decrypt); }
