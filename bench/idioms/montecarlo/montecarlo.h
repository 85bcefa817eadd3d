// What the styles of montecarlo share: random numbers, the figures of a year, and the expected checksum.
// Expected return of a stock from random price paths fitted to its history (bench/programs/montecarlo.cpp).
// Sharing: the parameters are only read; each run writes its path, which one thread reads, and leaves one small result in its
// slot of a shared array. Much thread-local memory, few reuses.
#pragma once

#include "bench/programs/numeric.h"

#include <cmath>

namespace bench::montecarlo {

constexpr size_t time_steps = 1000;
constexpr double years_per_step = 1.0 / 256, first_price = 100;

inline size_t runs_of(const Config& config) { return config.pick<size_t>(800, 12'000, 80'000); }
inline uint64_t seed_of(size_t run) { return run * 11 + 1; }

// Normal deviates by Marsaglia's polar method.
class Normal {
public:
  explicit Normal(uint64_t seed) : random_(seed) {}
  double next() {
    if (has_spare_) {
      has_spare_ = false;
      return spare_;
    }
    double u, v, s;
    do {
      u = 2 * random_.unit() - 1;
      v = 2 * random_.unit() - 1;
      s = u * u + v * v;
    } while (s >= 1 || s == 0);
    const double scale = std::sqrt(-2 * std::log(s) / s);
    spare_ = v * scale;
    has_spare_ = true;
    return u * scale;
  }

private:
  Random random_;
  double spare_ = 0;
  bool has_spare_ = false;
};

struct Returns {
  double drift, volatility; // per year
};

// The history that the paths are fitted to.
constexpr Returns fitted = {0.1, 0.25};

// Of the logarithm of the price, in one step.
inline double step_mean(Returns r) { return (r.drift - 0.5 * r.volatility * r.volatility) * years_per_step; }
inline double step_deviation(Returns r) { return r.volatility * std::sqrt(years_per_step); }
inline Returns returns_of(double mean, double variance) {
  return {mean / years_per_step + 0.5 * variance / years_per_step, std::sqrt(variance / years_per_step)};
}

// Of the sums over all runs.
inline uint64_t checksum(double drift, double volatility, double last_price) {
  return mix(mix(rounded(drift), rounded(volatility)), rounded(last_price));
}
inline int run(int argc, char** argv, uint64_t (*body)(const Config&)) {
  return run_program(argc, argv, false, {0x9a581f2e96ed5c47, 0xa7949b4515f5dcca, 0x7123752e8ac30ce6}, body);
}

} // namespace bench::montecarlo
