// sparse, array of structs: all entries in one vector, each with its column and value.
#include "sparse.h"

using namespace bench;
using namespace bench::sparse;

namespace {

struct Entry {
  uint32_t column;
  double value;
};

struct Matrix {
  std::vector<Entry> entries;
  std::vector<size_t> start; // the entries of row i are [start[i], start[i + 1])
};

uint64_t multiply(const Config& config) {
  const size_t n = rows_of(config);
  Matrix m;
  make_entries(n, [&](size_t row, uint32_t column, double value) {
    if (m.start.size() == row) m.start.push_back(m.entries.size());
    m.entries.push_back({column, value});
  });
  m.start.push_back(m.entries.size());
  const std::vector<double> x = make_vector(n);
  std::vector<double> y(n);

  parallel(config.threads, [&](unsigned me) {
    const Range rows = share(n, me, config.threads);
    for (int i = 0; i < iterations; ++i)
      for (size_t row = rows.begin; row < rows.end; ++row) {
        double sum = 0;
        for (size_t k = m.start[row]; k < m.start[row + 1]; ++k)
          sum += x[m.entries[k].column] * m.entries[k].value;
        y[row] += sum;
      }
  });
  return checksum(y);
}

} // namespace

int main(int argc, char** argv) { return run(argc, argv, multiply); }
