// montecarlo: expected return of a stock, from random price paths fitted to its history (Java Grande).
// Papers: FastTrack Tables 1-3, RedCard Tables 1-2, BigFoot Tables 1-2.
// Sharing: every task allocates its own path arrays, fills and reads them once, and leaves one small result
// object in its slot of a shared array; the parameters are only read. Much thread-local memory, few reuses.
#include "numeric.h"

#include <cmath>
#include <memory>

using namespace bench;

namespace {

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

constexpr size_t time_steps = 1000;
constexpr double years_per_step = 1.0 / 256;

Returns fit(const std::vector<double>& prices) {
  const size_t n = prices.size() - 1;
  std::vector<double> logs(n);
  for (size_t i = 0; i < n; ++i) logs[i] = std::log(prices[i + 1] / prices[i]);
  double mean = 0, variance = 0;
  for (double x : logs) mean += x / double(n);
  for (double x : logs) variance += (x - mean) * (x - mean) / double(n - 1);
  return {mean / years_per_step + 0.5 * variance / years_per_step, std::sqrt(variance / years_per_step)};
}

std::vector<double> random_path(double start, Returns returns, uint64_t seed) {
  Normal normal(seed);
  std::vector<double> fluctuations(time_steps);
  const double mean = (returns.drift - 0.5 * returns.volatility * returns.volatility) * years_per_step;
  const double deviation = returns.volatility * std::sqrt(years_per_step);
  for (double& f : fluctuations) f = mean + deviation * normal.next();
  std::vector<double> path(time_steps);
  path[0] = start;
  for (size_t i = 1; i < time_steps; ++i) path[i] = path[i - 1] * std::exp(fluctuations[i]);
  return path;
}

struct Result {
  Returns returns;
  double last_price;
};

uint64_t montecarlo(const Config& config) {
  const size_t runs = config.pick<size_t>(1'000, 16'000, 128'000);
  const std::vector<double> history = random_path(100, {0.1, 0.25}, 4711);
  const Returns fitted = fit(history);
  std::vector<std::unique_ptr<Result>> results(runs);
  parallel(config.threads, [&](unsigned me) {
    const Range mine = share(runs, me, config.threads);
    for (size_t run = mine.begin; run < mine.end; ++run) {
      const std::vector<double> path = random_path(history.back(), fitted, run * 11 + 1);
      results[run] = std::make_unique<Result>(Result{fit(path), path.back()});
    }
  });

  double drift = 0, volatility = 0, price = 0;
  for (const auto& result : results) {
    drift += result->returns.drift;
    volatility += result->returns.volatility;
    price += result->last_price;
  }
  return mix(mix(rounded(drift), rounded(volatility)), rounded(price));
}

} // namespace

int main(int argc, char** argv) {
  return run_program(argc, argv, false, {0x3a6221f12aff4e4f, 0x96917b73764158e1, 0xbe87dbb42e9b7b2b},
                     montecarlo);
}
