// Matrix multiply: C = A * B and then D = C * A, in blocks that fit the cache.
// Sharing: inputs are read-shared; blocks of rows of the result are claimed from an atomic counter and
// written by one thread each; the second product reads what other threads wrote in the first, after a
// barrier.
#include "bench/programs/program.h"

#include <algorithm>
#include <atomic>
#include <barrier>

namespace {

constexpr size_t kBlock = 48;

// Square, row by row. The entries are small integers, so every sum is exact in whatever order it is made.
struct Matrix {
  explicit Matrix(size_t n) : n(n), data(n * n) {}
  size_t n;
  std::vector<double> data;
  double* row(size_t i) { return &data[i * n]; }
  const double* row(size_t i) const { return &data[i * n]; }
};

Matrix make_input(size_t n, uint64_t seed) {
  Matrix m(n);
  bench::Random random(seed);
  for (double& x : m.data) x = double(random.below(17)) - 8;
  return m;
}

// One block of rows of the result, all columns.
void multiply_rows(const Matrix& a, const Matrix& b, Matrix& out, size_t first_row, size_t last_row) {
  const size_t n = a.n;
  for (size_t kk = 0; kk < n; kk += kBlock)
    for (size_t jj = 0; jj < n; jj += kBlock) {
      const size_t k_end = std::min(kk + kBlock, n), j_end = std::min(jj + kBlock, n);
      for (size_t i = first_row; i < last_row; ++i) {
        double* to = out.row(i);
        for (size_t k = kk; k < k_end; ++k) {
          const double factor = a.row(i)[k];
          const double* from = b.row(k);
          for (size_t j = jj; j < j_end; ++j) to[j] += factor * from[j];
        }
      }
    }
}

// Called by every thread of the team.
void multiply(const Matrix& a, const Matrix& b, Matrix& out, std::atomic<size_t>& next) {
  for (size_t row; (row = next.fetch_add(kBlock, std::memory_order_relaxed)) < a.n;)
    multiply_rows(a, b, out, row, std::min(row + kBlock, a.n));
}

uint64_t matmul(const bench::Config& config) {
  const size_t n = config.pick<size_t>(320, 900, 1780);
  const Matrix a = make_input(n, 1), b = make_input(n, 2);
  Matrix c(n), d(n);
  std::atomic<size_t> next_c = 0, next_d = 0;
  std::barrier all_of_c(config.threads);
  bench::parallel(config.threads, [&](unsigned) {
    multiply(a, b, c, next_c);
    all_of_c.arrive_and_wait();
    multiply(c, a, d, next_d);
  });
  uint64_t sum = 0;
  for (double x : d.data) sum = bench::mix(sum, uint64_t(int64_t(x)));
  return sum;
}

} // namespace

int main(int argc, char** argv) {
  return bench::run_program(argc, argv, false, {0x4ae69cfc2678f64d, 0x46c277e427a8a745, 0x8d3d4342e7371407},
                            matmul);
}
