// What the styles of lufact share: the matrix and the expected checksum.
// LU factorisation of a dense matrix with partial pivoting, column by column (bench/programs/lufact.cpp).
// Sharing: for each k one thread finds the pivot and scales column k, a barrier publishes it, all threads read it and
// update their own columns, a second barrier closes the step. The columns left shrink with k, so threads are handed
// different parts at every step.
#pragma once

#include "bench/programs/numeric.h"

#include <cmath>

namespace bench::lufact {

inline size_t side_of(const Config& config) { return config.pick<size_t>(350, 1'200, 2'200); }

class Entries { // of the matrix, column by column
public:
  double next() { return random_.unit() - 0.5; }

private:
  Random random_{1325};
};

// Of the row that came up in each step, and of the sum of the logarithms of |diagonal|.
inline uint64_t checksum(const std::vector<size_t>& pivots, double log_determinant) {
  uint64_t sum = rounded(log_determinant);
  for (size_t pivot : pivots) sum = mix(sum, pivot);
  return sum;
}
inline int run(int argc, char** argv, uint64_t (*body)(const Config&)) {
  return run_program(argc, argv, false, {0x029dfb762e689585, 0x7432def33c174c73, 0x16a80f51916afdf2}, body);
}

} // namespace bench::lufact
