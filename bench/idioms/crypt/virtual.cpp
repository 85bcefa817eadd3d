// crypt, virtual calls: a cipher is an object behind an interface that is called for every block.
#include "crypt.h"

#include <memory>

using namespace bench;
using namespace bench::crypt;

namespace {

class BlockCipher {
public:
  virtual ~BlockCipher() = default;
  virtual size_t size_of_block() const = 0;
  virtual void process(const uint8_t* in, uint8_t* out) const = 0;
};

class Idea : public BlockCipher {
public:
  explicit Idea(const Keys& keys) : keys_(keys) {}
  size_t size_of_block() const override { return block_size; }
  void process(const uint8_t* in, uint8_t* out) const override {
    uint16_t x1 = load(in), x2 = load(in + 2), x3 = load(in + 4), x4 = load(in + 6);
    size_t k = 0;
    for (int round = 0; round < rounds; ++round) {
      x1 = mul(x1, keys_[k++]);
      x2 = uint16_t(x2 + keys_[k++]);
      x3 = uint16_t(x3 + keys_[k++]);
      x4 = mul(x4, keys_[k++]);
      const uint16_t s = mul(x1 ^ x3, keys_[k++]);
      const uint16_t t = mul(uint16_t(s + (x2 ^ x4)), keys_[k++]);
      const uint16_t u = uint16_t(s + t), old_x2 = x2;
      x1 ^= t;
      x4 ^= u;
      x2 = x3 ^ t;
      x3 = old_x2 ^ u;
    }
    store(out, mul(x1, keys_[k]));
    store(out + 2, uint16_t(x3 + keys_[k + 1]));
    store(out + 4, uint16_t(x2 + keys_[k + 2]));
    store(out + 6, mul(x4, keys_[k + 3]));
  }

private:
  static uint16_t load(const uint8_t* p) { return uint16_t(p[0] | p[1] << 8); }
  static void store(uint8_t* p, uint16_t x) { p[0] = uint8_t(x), p[1] = uint8_t(x >> 8); }

  Keys keys_;
};

// Electronic code book: every block by itself.
class Mode {
public:
  Mode(std::unique_ptr<BlockCipher> cipher, unsigned threads)
      : cipher_(std::move(cipher)), threads_(threads) {}
  std::vector<uint8_t> apply(const std::vector<uint8_t>& in) const {
    std::vector<uint8_t> out(in.size());
    const size_t step = cipher_->size_of_block();
    parallel(threads_, [&](unsigned me) {
      const Range mine = share(in.size() / step, me, threads_);
      for (size_t at = mine.begin * step; at < mine.end * step; at += step)
        cipher_->process(&in[at], &out[at]);
    });
    return out;
  }

private:
  std::unique_ptr<BlockCipher> cipher_;
  unsigned threads_;
};

uint64_t encrypt_and_decrypt(const Config& config) {
  const Keys keys = encryption_keys();
  const Mode encrypt(std::make_unique<Idea>(keys), config.threads);
  const Mode decrypt(std::make_unique<Idea>(decryption_keys(keys)), config.threads);
  std::vector<uint8_t> plain(blocks_of(config) * block_size);
  Text text;
  for (uint8_t& byte : plain) byte = text.next();

  const std::vector<uint8_t> secret = encrypt.apply(plain);
  if (decrypt.apply(secret) != plain) return 2;
  Checksum sum;
  for (uint8_t byte : secret) sum.add(byte);
  return sum.get();
}

} // namespace

int main(int argc, char** argv) { return run(argc, argv, encrypt_and_decrypt); }
