// montecarlo, raw pointers: each thread has one buffer for its paths, results are written through a pointer that moves on.
#include "montecarlo.h"

using namespace bench;
using namespace bench::montecarlo;

namespace {

struct Result {
  double drift, volatility, last_price;
};

void fill_path(double* path, double* end, uint64_t seed) {
  Normal normal(seed);
  const double mean = step_mean(fitted), deviation = step_deviation(fitted);
  *path = first_price;
  while (++path != end) *path = path[-1] * std::exp(mean + deviation * normal.next());
}

void analyse(const double* path, const double* end, double* logs, Result* result) {
  double sum = 0, squares = 0, *log = logs;
  for (const double* price = path + 1; price != end; ++price) {
    *log = std::log(price[0] / price[-1]);
    sum += *log++;
  }
  const double n = double(log - logs), mean = sum / n;
  for (const double* p = logs; p != log; ++p) squares += (*p - mean) * (*p - mean);
  const Returns returns = returns_of(mean, squares / (n - 1));
  result->drift = returns.drift;
  result->volatility = returns.volatility;
  result->last_price = end[-1];
}

uint64_t simulate(const Config& config) {
  const size_t runs = runs_of(config);
  Result *results = new Result[runs], *end_of_results = results + runs;
  parallel(config.threads, [&](unsigned me) {
    const Range mine = share(runs, me, config.threads);
    double *path = new double[time_steps], *end = path + time_steps, *logs = new double[time_steps];
    Result* result = results + mine.begin;
    for (size_t run = mine.begin; run < mine.end; ++run) {
      fill_path(path, end, seed_of(run));
      analyse(path, end, logs, result++);
    }
    delete[] path;
    delete[] logs;
  });

  double drift = 0, volatility = 0, last_price = 0;
  for (const Result* r = results; r != end_of_results; ++r) {
    drift += r->drift;
    volatility += r->volatility;
    last_price += r->last_price;
  }
  delete[] results;
  return checksum(drift, volatility, last_price);
}

} // namespace

int main(int argc, char** argv) { return run(argc, argv, simulate); }
