// sparse, raw pointers: compressed rows that are walked by incrementing pointers.
#include "sparse.h"

#include <memory>

using namespace bench;
using namespace bench::sparse;

namespace {

// y[0 .. rows) += the rows that `start` points to * x.
void multiply_add(const uint32_t* start, size_t rows, const uint32_t* columns, const double* values,
                  const double* x, double* y) {
  const uint32_t* column = columns + *start;
  const double* value = values + *start;
  for (double* end = y + rows; y != end; ++y) {
    const uint32_t* last = columns + *++start;
    while (column != last) *y += x[*column++] * *value++;
  }
}

uint64_t multiply(const Config& config) {
  const size_t n = rows_of(config);
  const auto start = std::make_unique<uint32_t[]>(n + 1);
  make_entries(n, [&](size_t row, uint32_t, double) { ++start[row + 1]; });
  for (size_t row = 0; row < n; ++row) start[row + 1] += start[row];
  const auto columns = std::make_unique<uint32_t[]>(start[n]);
  const auto values = std::make_unique<double[]>(start[n]);
  uint32_t* next_column = columns.get();
  double* next_value = values.get();
  make_entries(
      n, [&](size_t, uint32_t column, double value) { *next_column++ = column, *next_value++ = value; });
  const std::vector<double> x = make_vector(n);
  std::vector<double> y(n);

  parallel(config.threads, [&](unsigned me) {
    const Range rows = share(n, me, config.threads);
    for (int i = 0; i < iterations; ++i)
      multiply_add(&start[rows.begin], rows.end - rows.begin, columns.get(), values.get(), x.data(),
                   y.data() + rows.begin);
  });
  return checksum(y);
}

} // namespace

int main(int argc, char** argv) { return run(argc, argv, multiply); }
