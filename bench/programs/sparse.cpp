// sparse: repeated multiplication of a sparse matrix, in compressed rows, with a vector (Java Grande).
// Papers: FastTrack Tables 1-3, RedCard Tables 1-2, BigFoot Tables 1-2.
// Sharing: all threads read the whole of x through an index array, in no order that a compiler could know;
// each writes its own part of y, in order. The matrix is written before the threads start.
#include "numeric.h"

using namespace bench;

namespace {

struct CompressedRows {
  std::vector<uint32_t> start; // row i is [start[i], start[i + 1]) of the two others
  std::vector<uint32_t> column;
  std::vector<double> value;
};

CompressedRows random_rows(size_t n, Random& random) {
  CompressedRows m;
  m.start.push_back(0);
  for (size_t row = 0; row < n; ++row) {
    const size_t entries = 1 + random.below(9); // five on average
    for (size_t k = 0; k < entries; ++k) {
      m.column.push_back(uint32_t(random.below(n)));
      m.value.push_back(random.unit());
    }
    m.start.push_back(uint32_t(m.column.size()));
  }
  return m;
}

void multiply_add(const CompressedRows& m, const std::vector<double>& x, std::vector<double>& y, Range rows) {
  for (size_t row = rows.begin; row < rows.end; ++row)
    for (uint32_t k = m.start[row]; k < m.start[row + 1]; ++k) y[row] += x[m.column[k]] * m.value[k];
}

uint64_t sparse(const Config& config) {
  const size_t n = config.pick<size_t>(20'000, 100'000, 200'000);
  const int iterations = config.pick(150, 300, 1'120);
  Random random(10101010);
  const CompressedRows m = random_rows(n, random);
  std::vector<double> x(n), y(n);
  for (double& value : x) value = random.unit() * 1e-6;

  parallel(config.threads, [&](unsigned me) {
    const Range mine = share(n, me, config.threads);
    for (int i = 0; i < iterations; ++i) multiply_add(m, x, y, mine);
  });

  double total = 0;
  for (double value : y) total += value;
  return rounded(total);
}

} // namespace

int main(int argc, char** argv) {
  return run_program(argc, argv, false, {0x2272e0f6b9893c15, 0x1e5514baee369245, 0x6f5b2dc64aa176e7}, sparse);
}
