// lufact: LU factorisation of a dense matrix with partial pivoting, then a solve (Java Grande, Linpack).
// Papers: FastTrack Tables 1-3, RedCard Tables 1-2, BigFoot Tables 1-2.
// Sharing: an array of column arrays. For each k one thread finds the pivot and scales column k, a barrier
// publishes it, all threads read it and update their own columns, a second barrier closes the step. The
// columns left shrink with k, so threads are handed different parts at every step.
#include "numeric.h"

#include <algorithm>
#include <cmath>

using namespace bench;

namespace {

using Matrix = std::vector<std::vector<double>>; // a[column][row]

Matrix random_matrix(size_t n) {
  Random random(1325);
  Matrix a(n, std::vector<double>(n));
  for (auto& column : a)
    for (double& x : column) x = random.unit() - 0.5;
  return a;
}

void daxpy(double factor, const std::vector<double>& x, std::vector<double>& y, size_t from) {
  for (size_t i = from; i < x.size(); ++i) y[i] += factor * x[i];
}

// Step k on its own column: the row with the largest entry comes up, the rest becomes the multipliers.
size_t choose_pivot(std::vector<double>& column, size_t k) {
  size_t pivot = k;
  for (size_t i = k + 1; i < column.size(); ++i)
    if (std::abs(column[i]) > std::abs(column[pivot])) pivot = i;
  std::swap(column[pivot], column[k]);
  const double scale = -1 / column[k];
  for (size_t i = k + 1; i < column.size(); ++i) column[i] *= scale;
  return pivot;
}

void factorise(Matrix& a, std::vector<size_t>& pivots, unsigned threads) {
  const size_t n = a.size();
  Barrier barrier(threads);
  parallel(threads, [&](unsigned me) {
    for (size_t k = 0; k + 1 < n; ++k) {
      if (me == 0) pivots[k] = choose_pivot(a[k], k);
      barrier.wait();
      const size_t pivot = pivots[k];
      const Range mine = share(n - k - 1, me, threads);
      for (size_t j = k + 1 + mine.begin; j < k + 1 + mine.end; ++j) {
        std::swap(a[j][pivot], a[j][k]);
        daxpy(a[j][k], a[k], a[j], k + 1);
      }
      barrier.wait();
    }
  });
}

std::vector<double> solve(const Matrix& a, const std::vector<size_t>& pivots, std::vector<double> b) {
  const size_t n = a.size();
  for (size_t k = 0; k + 1 < n; ++k) {
    std::swap(b[k], b[pivots[k]]);
    daxpy(b[k], a[k], b, k + 1);
  }
  for (size_t k = n; k-- > 0;) {
    b[k] /= a[k][k];
    for (size_t i = 0; i < k; ++i) b[i] -= b[k] * a[k][i];
  }
  return b;
}

// The largest |A x - b|, in units of the rounding error that Linpack allows for.
double residual(const Matrix& a, const std::vector<double>& x, const std::vector<double>& b) {
  const size_t n = a.size();
  std::vector<double> r(n);
  for (size_t i = 0; i < n; ++i) r[i] = -b[i];
  for (size_t j = 0; j < n; ++j) daxpy(x[j], a[j], r, 0);
  double worst = 0, x_max = 0;
  for (size_t i = 0; i < n; ++i) {
    worst = std::max(worst, std::abs(r[i]));
    x_max = std::max(x_max, std::abs(x[i]));
  }
  return worst / (double(n) * x_max * 0x1p-52);
}

uint64_t lufact(const Config& config) {
  const size_t n = config.pick<size_t>(480, 1'280, 2'400);
  const Matrix original = random_matrix(n);
  std::vector<double> b(n, 0); // the row sums, so that the solution is all ones
  for (const auto& column : original)
    for (size_t i = 0; i < n; ++i) b[i] += column[i];

  Matrix a = original;
  std::vector<size_t> pivots(n);
  factorise(a, pivots, config.threads);
  const std::vector<double> x = solve(a, pivots, b);
  if (residual(original, x, b) > 100) return 1;
  uint64_t sum = 0;
  for (size_t k = 0; k + 1 < n; ++k) sum = mix(sum, pivots[k]);
  for (double one : x) sum = mix(sum, uint64_t(std::llround(one * 1e4)));
  return sum;
}

} // namespace

int main(int argc, char** argv) {
  return run_program(argc, argv, false, {0x9bb8b67ab3ab4cb1, 0xb012aa741a66e8a3, 0x5e844208181d9551}, lufact);
}
