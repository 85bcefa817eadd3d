// crypt, array of structs: a block is a struct of four 16-bit words, a text is a vector of blocks.
#include "crypt.h"

using namespace bench;
using namespace bench::crypt;

namespace {

struct Block {
  uint16_t x1, x2, x3, x4;
  bool operator==(const Block&) const = default;
};

void transform(const Block& in, Block& out, const Keys& keys) {
  Block b = in;
  size_t k = 0;
  for (int round = 0; round < rounds; ++round, k += 6) {
    b.x1 = mul(b.x1, keys[k]);
    b.x2 = uint16_t(b.x2 + keys[k + 1]);
    b.x3 = uint16_t(b.x3 + keys[k + 2]);
    b.x4 = mul(b.x4, keys[k + 3]);
    const uint16_t s = mul(b.x1 ^ b.x3, keys[k + 4]);
    const uint16_t t = mul(uint16_t(s + (b.x2 ^ b.x4)), keys[k + 5]);
    const uint16_t u = uint16_t(s + t);
    b = {uint16_t(b.x1 ^ t), uint16_t(b.x3 ^ t), uint16_t(b.x2 ^ u), uint16_t(b.x4 ^ u)};
  }
  out.x1 = mul(b.x1, keys[k]);
  out.x2 = uint16_t(b.x3 + keys[k + 1]);
  out.x3 = uint16_t(b.x2 + keys[k + 2]);
  out.x4 = mul(b.x4, keys[k + 3]);
}

void transform_all(const std::vector<Block>& in, std::vector<Block>& out, const Keys& keys,
                   unsigned threads) {
  parallel(threads, [&](unsigned me) {
    const Range mine = share(in.size(), me, threads);
    for (size_t i = mine.begin; i < mine.end; ++i) transform(in[i], out[i], keys);
  });
}

uint64_t encrypt_and_decrypt(const Config& config) {
  const Keys encrypt = encryption_keys(), decrypt = decryption_keys(encrypt);
  std::vector<Block> plain(blocks_of(config)), secret(plain.size()), again(plain.size());
  Text text;
  auto next_word = [&text] {
    const uint8_t low = text.next();
    return uint16_t(low | text.next() << 8);
  };
  for (Block& block : plain)
    for (uint16_t* word : {&block.x1, &block.x2, &block.x3, &block.x4}) *word = next_word();

  transform_all(plain, secret, encrypt, config.threads);
  transform_all(secret, again, decrypt, config.threads);
  if (again != plain) return 2;
  Checksum sum;
  for (const Block& block : secret)
    for (uint16_t word : {block.x1, block.x2, block.x3, block.x4})
      sum.add(uint8_t(word)), sum.add(uint8_t(word >> 8));
  return sum.get();
}

} // namespace

int main(int argc, char** argv) { return run(argc, argv, encrypt_and_decrypt); }
