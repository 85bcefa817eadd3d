// sor, raw pointers: one block of memory, a row is relaxed by three pointers that move along it together.
#include "sor.h"

using namespace bench;
using namespace bench::sor;

namespace {

void relax_row(double* row, size_t n) {
  const double *above = row - n + 1, *below = row + n + 1;
  for (double *cell = row + 1, *last = row + n - 1; cell != last; ++cell, ++above, ++below)
    *cell = quarter * (*above + *below + cell[-1] + cell[1]) + keep * *cell;
}

uint64_t relax(const Config& config) {
  const size_t n = side_of(config);
  double *grid = static_cast<double*>(std::malloc(n * n * sizeof(double))), *end = grid + n * n;
  if (!grid) return 0;
  Values values;
  for (double* cell = grid; cell != end; ++cell) *cell = values.next();

  Barrier barrier(config.threads);
  parallel(config.threads, [&](unsigned me) {
    const Range band = share(n - 2, me, config.threads);
    for (int half = 0; half < half_steps; ++half) {
      size_t i = band.begin + 1;
      if (i % 2 != size_t(half % 2)) ++i;
      for (double* row = grid + i * n; row < grid + (band.end + 1) * n; row += 2 * n) relax_row(row, n);
      barrier.wait();
    }
  });

  double total = 0;
  for (const double* cell = grid; cell != end; ++cell) total += *cell;
  std::free(grid);
  return checksum(total);
}

} // namespace

int main(int argc, char** argv) { return run(argc, argv, relax); }
