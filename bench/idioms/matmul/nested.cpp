// matmul, nested vectors: the three loops of the textbook on vectors of rows.
#include "matmul.h"

using namespace bench;
using namespace bench::matmul;

namespace {

using Matrix = std::vector<std::vector<double>>;

Matrix make_input(size_t n, uint64_t seed) {
  Matrix m(n, std::vector<double>(n));
  Entries entries(seed);
  for (size_t i = 0; i < n; ++i)
    for (size_t j = 0; j < n; ++j) m[i][j] = entries.next();
  return m;
}

void multiply(const Matrix& a, const Matrix& b, Matrix& c, std::atomic<size_t>& next) {
  const size_t n = a.size();
  for (size_t i; (i = next++) < n;)
    for (size_t j = 0; j < n; ++j) {
      c[i][j] = 0;
      for (size_t k = 0; k < n; ++k) c[i][j] += a[i][k] * b[k][j];
    }
}

uint64_t multiply_twice(const Config& config) {
  const size_t n = side_of(config);
  const Matrix a = make_input(n, 1), b = make_input(n, 2);
  Matrix c(n, std::vector<double>(n)), d = c;
  std::atomic<size_t> next_of_c = 0, next_of_d = 0;
  Barrier barrier(config.threads);
  parallel(config.threads, [&](unsigned) {
    multiply(a, b, c, next_of_c);
    barrier.wait();
    multiply(c, a, d, next_of_d);
  });
  Checksum sum;
  for (const auto& row : d)
    for (double x : row) sum.add(x);
  return sum.get();
}

} // namespace

int main(int argc, char** argv) { return run(argc, argv, multiply_twice); }
