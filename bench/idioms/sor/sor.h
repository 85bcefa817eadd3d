// What the styles of sor share: the start and the expected checksum.
// Successive over-relaxation of an n x n grid, rows coloured red and black (bench/programs/sor.cpp).
// Sharing: in each half step a thread writes every second row of its own band and reads the rows above and below; at the
// edges of the band those were written by its neighbours in the half step before. A barrier follows each half step.
#pragma once

#include "bench/programs/numeric.h"

namespace bench::sor {

constexpr int half_steps = 200;
constexpr double omega = 1.25, quarter = omega * 0.25, keep = 1 - omega;

inline size_t side_of(const Config& config) { return config.pick<size_t>(250, 850, 2'000); }

class Values { // of the cells, row by row
public:
  double next() { return random_.unit() * 1e-6; }

private:
  Random random_{10101010};
};

// Of the sum of all cells, row by row.
inline uint64_t checksum(double total) { return rounded(total); }
inline int run(int argc, char** argv, uint64_t (*body)(const Config&)) {
  return run_program(argc, argv, false, {0x60afb8d1b7c7b028, 0x3df446c9b540bdd2, 0x8ed5a30df92eb137}, body);
}

} // namespace bench::sor
