// What the styles of sparse share: the matrix, the vector and the expected checksum.
// Repeated multiplication of a sparse matrix with a vector (bench/programs/sparse.cpp).
// Sharing: all threads read the whole of x in no order that a compiler could know; each writes its own part of y. The
// matrix is written before the threads start.
#pragma once

#include "bench/programs/numeric.h"

namespace bench::sparse {

constexpr int iterations = 160;

inline size_t rows_of(const Config& config) { return config.pick<size_t>(10'000, 100'000, 400'000); }

// add(row, column, value) for each entry, row by row; five in a row on average.
template <class Add> void make_entries(size_t n, Add add) {
  Random random(10101010);
  for (size_t row = 0; row < n; ++row)
    for (size_t left = 1 + random.below(9); left; --left) {
      const uint32_t column = uint32_t(random.below(n));
      add(row, column, random.unit());
    }
}

inline std::vector<double> make_vector(size_t n) {
  Random random(20202020);
  std::vector<double> x(n);
  for (double& value : x) value = random.unit() * 1e-6;
  return x;
}

inline uint64_t checksum(const std::vector<double>& y) {
  double total = 0;
  for (double value : y) total += value;
  return rounded(total);
}
inline int run(int argc, char** argv, uint64_t (*body)(const Config&)) {
  return run_program(argc, argv, false, {0xf0561277f1fbe63b, 0x96fa64b29126b5d2, 0x89b431dd9fa81e63}, body);
}

} // namespace bench::sparse
