// lufact, nested vectors: a vector of columns, entries are a[j][i].
#include "lufact.h"

using namespace bench;
using namespace bench::lufact;

namespace {

using Matrix = std::vector<std::vector<double>>; // [column][row]

size_t find_pivot(const Matrix& a, size_t k) {
  size_t pivot = k;
  for (size_t i = k + 1; i < a.size(); ++i)
    if (std::abs(a[k][i]) > std::abs(a[k][pivot])) pivot = i;
  return pivot;
}

uint64_t factorise(const Config& config) {
  const size_t n = side_of(config);
  Matrix a(n, std::vector<double>(n));
  Entries entries;
  for (size_t j = 0; j < n; ++j)
    for (size_t i = 0; i < n; ++i) a[j][i] = entries.next();

  std::vector<size_t> pivots(n - 1);
  Barrier barrier(config.threads);
  parallel(config.threads, [&](unsigned me) {
    for (size_t k = 0; k < n - 1; ++k) {
      if (me == 0) {
        pivots[k] = find_pivot(a, k);
        std::swap(a[k][pivots[k]], a[k][k]);
        for (size_t i = k + 1; i < n; ++i) a[k][i] /= -a[k][k];
      }
      barrier.wait();
      const Range mine = share(n - k - 1, me, config.threads);
      for (size_t j = k + 1 + mine.begin; j < k + 1 + mine.end; ++j) {
        std::swap(a[j][pivots[k]], a[j][k]);
        for (size_t i = k + 1; i < n; ++i) a[j][i] += a[j][k] * a[k][i];
      }
      barrier.wait();
    }
  });

  double logs = 0;
  for (size_t k = 0; k < n; ++k) logs += std::log(std::abs(a[k][k]));
  return checksum(pivots, logs);
}

} // namespace

int main(int argc, char** argv) { return run(argc, argv, factorise); }
