// What every benchmark program shares: its command line, its threads, and a checksum that is verified.
//   PROGRAM [--threads N] [--size small|default|large] [--racy]
// Prints "checksum <hex>" and exits 0 when it is the expected one, else says so and exits 3. --racy (where
// the program has it) runs the variant with the known race.
#pragma once

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <functional>
#include <thread>
#include <vector>

namespace bench {

enum class Size { Small, Default, Large };

struct Config {
  unsigned threads = 2;
  Size size = Size::Default;
  bool racy = false;
  template <class T> T pick(T small, T normal, T large) const {
    return size == Size::Small ? small : size == Size::Default ? normal : large;
  }
};

// One expected checksum per size, the same for every number of threads. 0: the program verifies itself and
// returns 0 when all is well.
struct Expected {
  uint64_t small, normal, large;
};

// Runs body(thread number) on `threads` threads and joins them.
template <class Body> void parallel(unsigned threads, Body body) {
  std::vector<std::thread> team;
  for (unsigned i = 0; i < threads; ++i) team.emplace_back([&body, i] { body(i); });
  for (std::thread& t : team) t.join();
}

// The part of [0, n) that thread i of `threads` works on.
struct Range {
  size_t begin, end;
};
inline Range share(size_t n, unsigned i, unsigned threads) {
  return {n * i / threads, n * (i + 1) / threads};
}

// Deterministic random numbers (splitmix64).
class Random {
public:
  explicit Random(uint64_t seed) : state_(seed) {}
  uint64_t next() {
    uint64_t z = (state_ += 0x9e3779b97f4a7c15);
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9;
    z = (z ^ (z >> 27)) * 0x94d049bb133111eb;
    return z ^ (z >> 31);
  }
  uint64_t below(uint64_t n) { return next() % n; }
  double unit() { return double(next() >> 11) * 0x1p-53; }

private:
  uint64_t state_;
};

inline uint64_t mix(uint64_t h, uint64_t x) {
  h ^= x + 0x9e3779b97f4a7c15 + (h << 6) + (h >> 2);
  return h * 0xff51afd7ed558ccd;
}

inline int run_program(int argc, char** argv, bool has_racy_variant, Expected expected,
                       uint64_t (*body)(const Config&)) {
  Config config;
  for (int i = 1; i < argc; ++i) {
    auto is = [&](const char* name) { return !std::strcmp(argv[i], name); };
    const char* value = i + 1 < argc ? argv[i + 1] : "";
    if (is("--threads") && std::atoi(value) > 0) {
      config.threads = unsigned(std::atoi(value)), ++i;
    } else if (is("--size") && (!std::strcmp(value, "small") || !std::strcmp(value, "default") ||
                                !std::strcmp(value, "large"))) {
      config.size = *value == 's' ? Size::Small : *value == 'd' ? Size::Default : Size::Large, ++i;
    } else if (is("--racy") && has_racy_variant) {
      config.racy = true;
    } else {
      std::fprintf(stderr, "%s: bad argument '%s'\nusage: %s [--threads N] [--size small|default|large]%s\n",
                   argv[0], argv[i], argv[0], has_racy_variant ? " [--racy]" : "");
      return 2;
    }
  }
  uint64_t sum = body(config), wanted = config.pick(expected.small, expected.normal, expected.large);
  std::printf("checksum %016llx\n", static_cast<unsigned long long>(sum));
  if (sum == wanted || config.racy) return 0;
  std::fprintf(stderr, "%s: wrong checksum: expected %016llx\n", argv[0],
               static_cast<unsigned long long>(wanted));
  return 3;
}

} // namespace bench
