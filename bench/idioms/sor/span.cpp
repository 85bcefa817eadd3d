// sor, std::span: a grid class with one vector inside that gives out its rows as spans.
#include "sor.h"

#include <span>

using namespace bench;
using namespace bench::sor;

namespace {

class Grid {
public:
  explicit Grid(size_t side) : side_(side), cells_(side * side) {}
  size_t side() const { return side_; }
  std::span<double> row(size_t i) { return std::span(cells_).subspan(i * side_, side_); }
  std::span<const double> row(size_t i) const { return std::span(cells_).subspan(i * side_, side_); }
  std::span<double> cells() { return cells_; }

private:
  size_t side_;
  std::vector<double> cells_;
};

void relax_row(Grid& grid, size_t i) {
  const std::span<double> row = grid.row(i);
  const std::span<const double> above = grid.row(i - 1), below = grid.row(i + 1);
  for (size_t j = 1; j + 1 < row.size(); ++j)
    row[j] = quarter * (above[j] + below[j] + row[j - 1] + row[j + 1]) + keep * row[j];
}

uint64_t relax(const Config& config) {
  Grid grid(side_of(config));
  Values values;
  for (double& cell : grid.cells()) cell = values.next();

  Barrier barrier(config.threads);
  parallel(config.threads, [&](unsigned me) {
    const Range band = share(grid.side() - 2, me, config.threads);
    for (int half = 0; half < half_steps; ++half) {
      for (size_t i = band.begin + 1; i < band.end + 1; ++i)
        if (i % 2 == size_t(half % 2)) relax_row(grid, i);
      barrier.wait();
    }
  });

  double total = 0;
  for (double cell : grid.cells()) total += cell;
  return checksum(total);
}

} // namespace

int main(int argc, char** argv) { return run(argc, argv, relax); }
