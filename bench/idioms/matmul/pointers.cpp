// matmul, raw pointers: flat matrices, multiples of rows of B are added to a row of C by moving pointers.
#include "matmul.h"

#include <memory>

using namespace bench;
using namespace bench::matmul;

namespace {

// The row c = the row a times B.
void multiply_row(const double* a, const double* b, double* c, size_t n) {
  std::fill(c, c + n, 0.0);
  for (const double* end = a + n; a != end; ++a)
    for (double* to = c; to != c + n; ++to, ++b) *to += *a * *b;
}

void multiply(const double* a, const double* b, double* c, size_t n, std::atomic<size_t>& next) {
  for (size_t i; (i = next++) < n;) multiply_row(a + i * n, b, c + i * n, n);
}

uint64_t multiply_twice(const Config& config) {
  const size_t n = side_of(config);
  auto make_matrix = [n] { return std::make_unique<double[]>(n * n); };
  const auto a = make_matrix(), b = make_matrix(), c = make_matrix(), d = make_matrix();
  Entries entries_of_a(1), entries_of_b(2);
  for (double* p = a.get(); p != a.get() + n * n; ++p) *p = entries_of_a.next();
  for (double* p = b.get(); p != b.get() + n * n; ++p) *p = entries_of_b.next();

  std::atomic<size_t> next_of_c = 0, next_of_d = 0;
  Barrier barrier(config.threads);
  parallel(config.threads, [&](unsigned) {
    multiply(a.get(), b.get(), c.get(), n, next_of_c);
    barrier.wait();
    multiply(c.get(), a.get(), d.get(), n, next_of_d);
  });
  Checksum sum;
  for (const double* p = d.get(); p != d.get() + n * n; ++p) sum.add(*p);
  return sum.get();
}

} // namespace

int main(int argc, char** argv) { return run(argc, argv, multiply_twice); }
