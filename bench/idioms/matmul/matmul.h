// What the styles of matmul share: the entries and the expected checksum.
// Matrix multiply: C = A * B and then D = C * A (bench/programs/matmul.cpp).
// Sharing: A and B are read-shared; rows of a result are claimed from an atomic counter and written by one thread each; the
// second product reads what other threads wrote in the first, after a barrier.
#pragma once

#include "bench/programs/numeric.h"

#include <atomic>

namespace bench::matmul {

inline size_t side_of(const Config& config) { return config.pick<size_t>(160, 600, 1'000); }

// Small integers, row by row, so that every sum is exact in whatever order it is made.
class Entries {
public:
  explicit Entries(uint64_t seed) : random_(seed) {}
  double next() { return double(random_.below(17)) - 8; }

private:
  Random random_;
};

// Of all entries of D, row by row.
class Checksum {
public:
  void add(double x) { sum_ = mix(sum_, uint64_t(int64_t(x))); }
  uint64_t get() const { return sum_; }

private:
  uint64_t sum_ = 0;
};
inline int run(int argc, char** argv, uint64_t (*body)(const Config&)) {
  return run_program(argc, argv, false, {0x2c262d82cdc50e6b, 0xec4315cd35c79b64, 0x365787583bdfaa42}, body);
}

} // namespace bench::matmul
