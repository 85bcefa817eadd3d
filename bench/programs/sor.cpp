// sor: successive over-relaxation of an n x n grid, rows coloured red and black (Java Grande).
// Papers: FastTrack Tables 1-3, RedCard Tables 1-2, BigFoot Tables 1-2.
// Sharing: an array of row arrays. In each half step a thread writes every second row of its own band and
// reads the rows above and below; at the edges of the band those were written by its neighbours in the half
// step before. A barrier follows each half step.
#include "numeric.h"

using namespace bench;

namespace {

using Grid = std::vector<std::vector<double>>;

void relax_row(Grid& g, size_t i, double omega) {
  std::vector<double>& row = g[i];
  const std::vector<double>&above = g[i - 1], &below = g[i + 1];
  const double quarter = omega * 0.25, keep = 1 - omega;
  for (size_t j = 1; j + 1 < row.size(); ++j)
    row[j] = quarter * (above[j] + below[j] + row[j - 1] + row[j + 1]) + keep * row[j];
}

uint64_t sor(const Config& config) {
  const size_t n = config.pick<size_t>(270, 1'100, 2'800);
  constexpr int iterations = 100;
  constexpr double omega = 1.25;
  Random random(10101010);
  Grid g(n, std::vector<double>(n));
  for (auto& row : g)
    for (double& x : row) x = random.unit() * 1e-6;

  Barrier barrier(config.threads);
  parallel(config.threads, [&](unsigned me) {
    const Range inner = share(n - 2, me, config.threads);
    for (int half = 0; half < 2 * iterations; ++half) {
      for (size_t i = inner.begin + 1; i < inner.end + 1; ++i)
        if (i % 2 == size_t(half % 2)) relax_row(g, i, omega);
      barrier.wait();
    }
  });

  double total = 0;
  for (const auto& row : g)
    for (double x : row) total += x;
  return rounded(total);
}

} // namespace

int main(int argc, char** argv) {
  return run_program(argc, argv, false, {0x4889622c4ea4c9f5, 0xfb751abdcfb9000c, 0xe400fe5abbb7b6a4}, sor);
}
