// sparse, struct of arrays: rows, columns and values of the entries in three vectors, as in Java Grande.
#include "sparse.h"

using namespace bench;
using namespace bench::sparse;

namespace {

struct Entries {
  std::vector<uint32_t> row, column;
  std::vector<double> value;
  size_t count() const { return value.size(); }
};

// The first entry of this row or a later one.
size_t first_entry(const Entries& entries, size_t row) {
  size_t k = 0;
  while (k < entries.count() && entries.row[k] < row) ++k;
  return k;
}

uint64_t multiply(const Config& config) {
  const size_t n = rows_of(config);
  Entries m;
  make_entries(n, [&](size_t row, uint32_t column, double value) {
    m.row.push_back(uint32_t(row));
    m.column.push_back(column);
    m.value.push_back(value);
  });
  const std::vector<double> x = make_vector(n);
  std::vector<double> y(n);

  parallel(config.threads, [&](unsigned me) {
    const Range rows = share(n, me, config.threads);
    const size_t first = first_entry(m, rows.begin), last = first_entry(m, rows.end);
    for (int i = 0; i < iterations; ++i)
      for (size_t k = first; k < last; ++k) y[m.row[k]] += x[m.column[k]] * m.value[k];
  });
  return checksum(y);
}

} // namespace

int main(int argc, char** argv) { return run(argc, argv, multiply); }
