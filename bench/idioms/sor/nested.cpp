// sor, nested vectors: the grid is a vector of rows, cells are g[i][j].
#include "sor.h"

using namespace bench;
using namespace bench::sor;

namespace {

uint64_t relax(const Config& config) {
  const size_t n = side_of(config);
  std::vector<std::vector<double>> g(n, std::vector<double>(n));
  Values values;
  for (size_t i = 0; i < n; ++i)
    for (size_t j = 0; j < n; ++j) g[i][j] = values.next();

  Barrier barrier(config.threads);
  parallel(config.threads, [&](unsigned me) {
    const Range band = share(n - 2, me, config.threads);
    for (int half = 0; half < half_steps; ++half) {
      for (size_t i = band.begin + 1; i < band.end + 1; ++i) {
        if (i % 2 != size_t(half % 2)) continue;
        for (size_t j = 1; j < n - 1; ++j)
          g[i][j] = quarter * (g[i - 1][j] + g[i + 1][j] + g[i][j - 1] + g[i][j + 1]) + keep * g[i][j];
      }
      barrier.wait();
    }
  });

  double total = 0;
  for (size_t i = 0; i < n; ++i)
    for (size_t j = 0; j < n; ++j) total += g[i][j];
  return checksum(total);
}

} // namespace

int main(int argc, char** argv) { return run(argc, argv, relax); }
