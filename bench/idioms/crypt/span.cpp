// crypt, std::array and std::span: the state is an array of four words, text comes as spans of one block.
#include "crypt.h"

#include <span>

using namespace bench;
using namespace bench::crypt;

namespace {

using State = std::array<uint16_t, 4>;
using RoundKeys = std::span<const uint16_t>;

State load(std::span<const uint8_t, block_size> bytes) {
  State state;
  for (size_t i = 0; i < state.size(); ++i) state[i] = uint16_t(bytes[2 * i] | bytes[2 * i + 1] << 8);
  return state;
}

void store(std::span<uint8_t, block_size> bytes, const State& state) {
  for (size_t i = 0; i < state.size(); ++i) {
    bytes[2 * i] = uint8_t(state[i]);
    bytes[2 * i + 1] = uint8_t(state[i] >> 8);
  }
}

State add_keys(const State& x, RoundKeys keys) {
  return {mul(x[0], keys[0]), uint16_t(x[1] + keys[1]), uint16_t(x[2] + keys[2]), mul(x[3], keys[3])};
}

State one_round(const State& in, RoundKeys keys) {
  const State x = add_keys(in, keys);
  const uint16_t s = mul(x[0] ^ x[2], keys[4]);
  const uint16_t t = mul(uint16_t(s + (x[1] ^ x[3])), keys[5]);
  const uint16_t u = uint16_t(s + t);
  return {uint16_t(x[0] ^ t), uint16_t(x[2] ^ t), uint16_t(x[1] ^ u), uint16_t(x[3] ^ u)};
}

State cipher(State state, std::span<const uint16_t> keys) {
  for (int round = 0; round < rounds; ++round) {
    state = one_round(state, keys.first(6));
    keys = keys.subspan(6);
  }
  std::swap(state[1], state[2]);
  return add_keys(state, keys);
}

void cipher_all(std::span<const uint8_t> in, std::span<uint8_t> out, const Keys& keys, unsigned threads) {
  parallel(threads, [&](unsigned me) {
    const Range mine = share(in.size() / block_size, me, threads);
    for (size_t i = mine.begin; i < mine.end; ++i) {
      const auto from = in.subspan(i * block_size).first<block_size>();
      store(out.subspan(i * block_size).first<block_size>(), cipher(load(from), keys));
    }
  });
}

uint64_t encrypt_and_decrypt(const Config& config) {
  const Keys encrypt = encryption_keys(), decrypt = decryption_keys(encrypt);
  std::vector<uint8_t> plain(blocks_of(config) * block_size), secret(plain.size()), again(plain.size());
  Text text;
  for (uint8_t& byte : plain) byte = text.next();

  cipher_all(plain, secret, encrypt, config.threads);
  cipher_all(secret, again, decrypt, config.threads);
  if (again != plain) return 2;
  Checksum sum;
  for (uint8_t byte : secret) sum.add(byte);
  return sum.get();
}

} // namespace

int main(int argc, char** argv) { return run(argc, argv, encrypt_and_decrypt); }
