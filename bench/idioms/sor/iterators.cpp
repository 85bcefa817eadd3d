// sor, iterators and range-for: rows and cells are reached by the iterators of their vectors.
#include "sor.h"

#include <iterator>
#include <numeric>

using namespace bench;
using namespace bench::sor;

namespace {

using Row = std::vector<double>;
using Grid = std::vector<Row>;

void relax_row(const Row& above, Row& row, const Row& below) {
  auto up = above.begin() + 1, down = below.begin() + 1;
  for (auto cell = row.begin() + 1; cell != std::prev(row.end()); ++cell, ++up, ++down)
    *cell = quarter * (*up + *down + *std::prev(cell) + *std::next(cell)) + keep * *cell;
}

uint64_t relax(const Config& config) {
  const size_t n = side_of(config);
  Grid grid(n, Row(n));
  Values values;
  for (Row& row : grid)
    for (double& cell : row) cell = values.next();

  Barrier barrier(config.threads);
  parallel(config.threads, [&](unsigned me) {
    const Range band = share(n - 2, me, config.threads);
    const auto first = grid.begin() + std::ptrdiff_t(band.begin) + 1;
    const auto last = grid.begin() + std::ptrdiff_t(band.end) + 1;
    for (int half = 0; half < half_steps; ++half) {
      for (auto row = first; row != last; ++row)
        if ((row - grid.begin()) % 2 == half % 2) relax_row(*std::prev(row), *row, *std::next(row));
      barrier.wait();
    }
  });

  double total = 0;
  for (const Row& row : grid) total = std::accumulate(row.begin(), row.end(), total);
  return checksum(total);
}

} // namespace

int main(int argc, char** argv) { return run(argc, argv, relax); }
