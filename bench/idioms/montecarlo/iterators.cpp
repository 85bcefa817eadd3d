// montecarlo, iterators: a path is a new vector, and the standard algorithms fill it and fold it.
#include "montecarlo.h"

#include <algorithm>
#include <numeric>

using namespace bench;
using namespace bench::montecarlo;

namespace {

using Path = std::vector<double>;

Path random_path(uint64_t seed) {
  Path path(time_steps, first_price);
  std::generate(path.begin() + 1, path.end(), [normal = Normal(seed)]() mutable {
    return std::exp(step_mean(fitted) + step_deviation(fitted) * normal.next());
  });
  std::partial_sum(path.begin(), path.end(), path.begin(), std::multiplies<>());
  return path;
}

Returns fit(const Path& path) {
  Path logs(path.size());
  std::transform(path.begin(), path.end(), logs.begin(), [](double price) { return std::log(price); });
  Path steps(logs.size());
  std::adjacent_difference(logs.begin(), logs.end(), steps.begin());
  steps.erase(steps.begin());
  const double n = double(steps.size()), mean = std::accumulate(steps.begin(), steps.end(), 0.0) / n;
  double squares = 0;
  for (double step : steps) squares += (step - mean) * (step - mean);
  return returns_of(mean, squares / (n - 1));
}

struct Result {
  Returns returns;
  double last_price = 0;
};

uint64_t simulate(const Config& config) {
  std::vector<Result> results(runs_of(config));
  parallel(config.threads, [&](unsigned me) {
    const Range mine = share(results.size(), me, config.threads);
    const auto begin = results.begin() + std::ptrdiff_t(mine.begin);
    const auto end = results.begin() + std::ptrdiff_t(mine.end);
    for (auto result = begin; result != end; ++result) {
      const Path path = random_path(seed_of(size_t(result - results.begin())));
      *result = {fit(path), path.back()};
    }
  });

  Result sum{};
  for (const auto& [returns, last_price] : results) {
    sum.returns.drift += returns.drift;
    sum.returns.volatility += returns.volatility;
    sum.last_price += last_price;
  }
  return checksum(sum.returns.drift, sum.returns.volatility, sum.last_price);
}

} // namespace

int main(int argc, char** argv) { return run(argc, argv, simulate); }
