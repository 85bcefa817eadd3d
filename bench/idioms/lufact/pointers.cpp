// lufact, raw pointers: an array of pointers to columns, and Linpack's routines on pointers and lengths.
#include "lufact.h"

using namespace bench;
using namespace bench::lufact;

namespace {

// The index of the largest of n numbers.
size_t idamax(size_t n, const double* x) {
  const double* largest = x;
  for (const double *p = x, *end = x + n; p != end; ++p)
    if (std::fabs(*p) > std::fabs(*largest)) largest = p;
  return size_t(largest - x);
}

// x *= factor
void dscal(size_t n, double factor, double* x) {
  for (double* end = x + n; x != end; ++x) *x *= factor;
}

// y += factor * x
void daxpy(size_t n, double factor, const double* x, double* y) {
  for (const double* end = x + n; x != end; ++x, ++y) *y += factor * *x;
}

uint64_t factorise(const Config& config) {
  const size_t n = side_of(config);
  double** a = new double*[n];
  Entries entries;
  for (double** column = a; column != a + n; ++column) {
    *column = new double[n];
    for (double* p = *column; p != *column + n; ++p) *p = entries.next();
  }

  std::vector<size_t> pivots(n - 1);
  Barrier barrier(config.threads);
  parallel(config.threads, [&](unsigned me) {
    for (size_t k = 0; k < n - 1; ++k) {
      double* from = a[k];
      if (me == 0) {
        const size_t pivot = k + idamax(n - k, from + k);
        pivots[k] = pivot;
        std::swap(from[pivot], from[k]);
        dscal(n - k - 1, -1 / from[k], from + k + 1);
      }
      barrier.wait();
      const Range mine = share(n - k - 1, me, config.threads);
      for (double** column = a + k + 1 + mine.begin; column != a + k + 1 + mine.end; ++column) {
        double* to = *column;
        std::swap(to[pivots[k]], to[k]);
        daxpy(n - k - 1, to[k], from + k + 1, to + k + 1);
      }
      barrier.wait();
    }
  });

  double logs = 0;
  for (size_t k = 0; k < n; ++k) logs += std::log(std::fabs(a[k][k]));
  for (double** column = a; column != a + n; ++column) delete[] *column;
  delete[] a;
  return checksum(pivots, logs);
}

} // namespace

int main(int argc, char** argv) { return run(argc, argv, factorise); }
