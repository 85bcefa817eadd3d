// montecarlo, std::array and std::span: a path is an array on the stack, functions get spans of it.
#include "montecarlo.h"

#include <array>
#include <span>

using namespace bench;
using namespace bench::montecarlo;

namespace {

struct Result {
  Returns returns;
  double last_price;
};

void fill_path(std::span<double> path, uint64_t seed) {
  Normal normal(seed);
  path.front() = first_price;
  for (size_t i = 1; i < path.size(); ++i)
    path[i] = path[i - 1] * std::exp(step_mean(fitted) + step_deviation(fitted) * normal.next());
}

void find_steps(std::span<const double> path, std::span<double> steps) {
  for (size_t i = 0; i < steps.size(); ++i) steps[i] = std::log(path[i + 1] / path[i]);
}

double mean_of(std::span<const double> values) {
  double sum = 0;
  for (double x : values) sum += x;
  return sum / double(values.size());
}

double variance_of(std::span<const double> values, double mean) {
  double squares = 0;
  for (double x : values) squares += (x - mean) * (x - mean);
  return squares / double(values.size() - 1);
}

void run_all(std::span<Result> results, size_t first_run) {
  for (size_t i = 0; i < results.size(); ++i) {
    std::array<double, time_steps> path;
    std::array<double, time_steps - 1> steps;
    fill_path(path, seed_of(first_run + i));
    find_steps(path, steps);
    const double mean = mean_of(steps);
    results[i] = {returns_of(mean, variance_of(steps, mean)), path.back()};
  }
}

uint64_t simulate(const Config& config) {
  std::vector<Result> results(runs_of(config));
  parallel(config.threads, [&](unsigned me) {
    const Range mine = share(results.size(), me, config.threads);
    run_all(std::span(results).subspan(mine.begin, mine.end - mine.begin), mine.begin);
  });

  double drift = 0, volatility = 0, last_price = 0;
  for (const Result& result : results) {
    drift += result.returns.drift;
    volatility += result.returns.volatility;
    last_price += result.last_price;
  }
  return checksum(drift, volatility, last_price);
}

} // namespace

int main(int argc, char** argv) { return run(argc, argv, simulate); }
