// lufact, std::span: a matrix class with one vector inside whose columns are spans.
#include "lufact.h"

#include <span>

using namespace bench;
using namespace bench::lufact;

namespace {

class Matrix {
public:
  explicit Matrix(size_t n) : n_(n), entries_(n * n) {}
  size_t size() const { return n_; }
  std::span<double> column(size_t j) { return {entries_.data() + j * n_, n_}; }
  double& operator()(size_t i, size_t j) { return entries_[j * n_ + i]; }

private:
  size_t n_;
  std::vector<double> entries_;
};

size_t largest(std::span<const double> x) {
  size_t at = 0;
  for (size_t i = 1; i < x.size(); ++i)
    if (std::abs(x[i]) > std::abs(x[at])) at = i;
  return at;
}

void add_multiple(std::span<double> y, double factor, std::span<const double> x) {
  for (size_t i = 0; i < y.size(); ++i) y[i] += factor * x[i];
}

size_t choose_pivot(Matrix& a, size_t k) {
  const size_t pivot = k + largest(a.column(k).subspan(k));
  std::swap(a(pivot, k), a(k, k));
  const double factor = -1 / a(k, k);
  for (double& x : a.column(k).subspan(k + 1)) x *= factor;
  return pivot;
}

uint64_t factorise(const Config& config) {
  Matrix a(side_of(config));
  const size_t n = a.size();
  Entries entries;
  for (size_t j = 0; j < n; ++j)
    for (double& x : a.column(j)) x = entries.next();

  std::vector<size_t> pivots(n - 1);
  Barrier barrier(config.threads);
  parallel(config.threads, [&](unsigned me) {
    for (size_t k = 0; k < n - 1; ++k) {
      if (me == 0) pivots[k] = choose_pivot(a, k);
      barrier.wait();
      const Range mine = share(n - k - 1, me, config.threads);
      for (size_t j = k + 1 + mine.begin; j < k + 1 + mine.end; ++j) {
        std::swap(a(pivots[k], j), a(k, j));
        add_multiple(a.column(j).subspan(k + 1), a(k, j), a.column(k).subspan(k + 1));
      }
      barrier.wait();
    }
  });

  double logs = 0;
  for (size_t k = 0; k < n; ++k) logs += std::log(std::abs(a(k, k)));
  return checksum(pivots, logs);
}

} // namespace

int main(int argc, char** argv) { return run(argc, argv, factorise); }
