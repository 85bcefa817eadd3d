// sparse, nested vectors and range-for: each row has a vector of its own, with pairs of column and value.
#include "sparse.h"

#include <utility>

using namespace bench;
using namespace bench::sparse;

namespace {

using Row = std::vector<std::pair<uint32_t, double>>;

double product(const Row& row, const std::vector<double>& x) {
  double sum = 0;
  for (const auto& [column, value] : row) sum += value * x[column];
  return sum;
}

uint64_t multiply(const Config& config) {
  const size_t n = rows_of(config);
  std::vector<Row> matrix(n);
  make_entries(n,
               [&](size_t row, uint32_t column, double value) { matrix[row].emplace_back(column, value); });
  const std::vector<double> x = make_vector(n);
  std::vector<double> y(n);

  parallel(config.threads, [&](unsigned me) {
    const Range rows = share(n, me, config.threads);
    for (int i = 0; i < iterations; ++i)
      for (size_t row = rows.begin; row < rows.end; ++row) y[row] += product(matrix[row], x);
  });
  return checksum(y);
}

} // namespace

int main(int argc, char** argv) { return run(argc, argv, multiply); }
