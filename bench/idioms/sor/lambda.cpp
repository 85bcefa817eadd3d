// sor, lambdas: cells are reached through a lambda of row and column, the stencil is passed to who walks the cells.
#include "sor.h"

#include <functional>

using namespace bench;
using namespace bench::sor;

namespace {

using Stencil = std::function<void(size_t row)>;

// Of the rows of one colour in a band.
void for_each_row(Range band, size_t colour, const Stencil& stencil) {
  for (size_t i = band.begin; i < band.end; ++i)
    if (i % 2 == colour) stencil(i);
}

uint64_t relax(const Config& config) {
  const size_t n = side_of(config);
  std::vector<double> cells(n * n);
  auto at = [&](size_t i, size_t j) -> double& { return cells[i * n + j]; };
  Values values;
  for (double& cell : cells) cell = values.next();

  Barrier barrier(config.threads);
  parallel(config.threads, [&](unsigned me) {
    const Range inner = share(n - 2, me, config.threads), band = {inner.begin + 1, inner.end + 1};
    const Stencil relax_row = [&](size_t i) {
      for (size_t j = 1; j + 1 < n; ++j)
        at(i, j) = quarter * (at(i - 1, j) + at(i + 1, j) + at(i, j - 1) + at(i, j + 1)) + keep * at(i, j);
    };
    for (int half = 0; half < half_steps; ++half) {
      for_each_row(band, size_t(half % 2), relax_row);
      barrier.wait();
    }
  });

  double total = 0;
  for (double cell : cells) total += cell;
  return checksum(total);
}

} // namespace

int main(int argc, char** argv) { return run(argc, argv, relax); }
