// matmul, lambdas: entries are inner products of rows of A and rows of the transposed B; a lambda is the loop's body.
#include "matmul.h"

#include <algorithm>
#include <numeric>

using namespace bench;
using namespace bench::matmul;

namespace {

struct Matrix {
  size_t side;
  std::vector<double> entries;
  auto row(size_t i) const { return entries.begin() + std::ptrdiff_t(i * side); }
  auto row(size_t i) { return entries.begin() + std::ptrdiff_t(i * side); }
};

Matrix make_input(size_t n, uint64_t seed) {
  Matrix m{n, std::vector<double>(n * n)};
  std::generate(m.entries.begin(), m.entries.end(),
                [entries = Entries(seed)]() mutable { return entries.next(); });
  return m;
}

Matrix transposed(const Matrix& m) {
  Matrix t = m;
  for (size_t i = 0; i < m.side; ++i)
    for (size_t j = 0; j < m.side; ++j) t.entries[j * m.side + i] = m.entries[i * m.side + j];
  return t;
}

// body(i) for all i in [0, n), by all who call this with the same counter.
template <class Body> void for_each_claimed(std::atomic<size_t>& next, size_t n, Body body) {
  for (size_t i; (i = next.fetch_add(1)) < n;) body(i);
}

void multiply(const Matrix& a, const Matrix& b_transposed, Matrix& c, std::atomic<size_t>& next) {
  for_each_claimed(next, a.side, [&](size_t i) {
    std::generate(c.row(i), c.row(i + 1), [&, j = size_t(0)]() mutable {
      return std::inner_product(a.row(i), a.row(i + 1), b_transposed.row(j++), 0.0);
    });
  });
}

uint64_t multiply_twice(const Config& config) {
  const size_t n = side_of(config);
  const Matrix a = make_input(n, 1), a_transposed = transposed(a),
               b_transposed = transposed(make_input(n, 2));
  Matrix c = a, d = a;
  std::atomic<size_t> next_of_c = 0, next_of_d = 0;
  Barrier barrier(config.threads);
  parallel(config.threads, [&](unsigned) {
    multiply(a, b_transposed, c, next_of_c);
    barrier.wait();
    multiply(c, a_transposed, d, next_of_d);
  });
  Checksum sum;
  std::for_each(d.entries.begin(), d.entries.end(), [&sum](double x) { sum.add(x); });
  return sum.get();
}

} // namespace

int main(int argc, char** argv) { return run(argc, argv, multiply_twice); }
