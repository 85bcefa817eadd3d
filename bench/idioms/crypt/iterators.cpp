// crypt, iterators: a cipher from an input range to an output iterator, as a template like those of <algorithm>.
#include "crypt.h"

#include <algorithm>
#include <iterator>

using namespace bench;
using namespace bench::crypt;

namespace {

template <class In> uint16_t read_word(In& in) {
  const uint8_t low = *in++;
  return uint16_t(low | *in++ << 8);
}

template <class Out> void write_word(Out& out, uint16_t word) {
  *out++ = uint8_t(word);
  *out++ = uint8_t(word >> 8);
}

template <class In, class Out> Out cipher(In first, In last, Out out, const Keys& keys) {
  while (first != last) {
    uint16_t x1 = read_word(first), x2 = read_word(first), x3 = read_word(first), x4 = read_word(first);
    auto key = keys.begin();
    for (int round = 0; round < rounds; ++round) {
      x1 = mul(x1, *key++);
      x2 = uint16_t(x2 + *key++);
      x3 = uint16_t(x3 + *key++);
      x4 = mul(x4, *key++);
      const uint16_t s = mul(x1 ^ x3, *key++);
      const uint16_t t = mul(uint16_t(s + (x2 ^ x4)), *key++);
      const uint16_t u = uint16_t(s + t);
      x1 ^= t;
      x4 ^= u;
      x2 ^= u;
      x3 ^= t;
      std::swap(x2, x3);
    }
    write_word(out, mul(x1, *key++));
    write_word(out, uint16_t(x3 + *key++));
    write_word(out, uint16_t(x2 + *key++));
    write_word(out, mul(x4, *key++));
  }
  return out;
}

using Bytes = std::vector<uint8_t>;

void cipher_all(const Bytes& in, Bytes& out, const Keys& keys, unsigned threads) {
  parallel(threads, [&](unsigned me) {
    const Range mine = share(in.size() / block_size, me, threads);
    auto at = [](auto begin, size_t block) { return std::next(begin, std::ptrdiff_t(block * block_size)); };
    cipher(at(in.begin(), mine.begin), at(in.begin(), mine.end), at(out.begin(), mine.begin), keys);
  });
}

uint64_t encrypt_and_decrypt(const Config& config) {
  const Keys encrypt = encryption_keys(), decrypt = decryption_keys(encrypt);
  Bytes plain(blocks_of(config) * block_size), secret(plain.size()), again(plain.size());
  Text text;
  std::generate(plain.begin(), plain.end(), [&text] { return text.next(); });

  cipher_all(plain, secret, encrypt, config.threads);
  cipher_all(secret, again, decrypt, config.threads);
  if (!std::equal(plain.begin(), plain.end(), again.begin())) return 2;
  Checksum sum;
  for (uint8_t byte : secret) sum.add(byte);
  return sum.get();
}

} // namespace

int main(int argc, char** argv) { return run(argc, argv, encrypt_and_decrypt); }
