// lufact, lambdas: the standard algorithms with lambdas do the work on vectors of columns.
#include "lufact.h"

#include <algorithm>

using namespace bench;
using namespace bench::lufact;

namespace {

using Column = std::vector<double>;

std::ptrdiff_t choose_pivot(Column& column, std::ptrdiff_t k) {
  const auto top = column.begin() + k;
  const auto pivot =
      std::max_element(top, column.end(), [](double x, double y) { return std::abs(x) < std::abs(y); });
  std::iter_swap(pivot, top);
  std::transform(top + 1, column.end(), top + 1, [factor = -1 / *top](double x) { return x * factor; });
  return pivot - column.begin();
}

uint64_t factorise(const Config& config) {
  const size_t n = side_of(config);
  std::vector<Column> a(n, Column(n));
  Entries entries;
  for (Column& column : a) std::generate(column.begin(), column.end(), [&] { return entries.next(); });

  std::vector<size_t> pivots(n - 1);
  Barrier barrier(config.threads);
  parallel(config.threads, [&](unsigned me) {
    for (size_t step = 0; step < n - 1; ++step) {
      const auto k = std::ptrdiff_t(step);
      if (me == 0) pivots[step] = size_t(choose_pivot(a[step], k));
      barrier.wait();
      const Column& from = a[step];
      const size_t pivot = pivots[step];
      const Range mine = share(n - step - 1, me, config.threads);
      const auto columns = a.begin() + k + 1;
      std::for_each(columns + std::ptrdiff_t(mine.begin), columns + std::ptrdiff_t(mine.end),
                    [&](Column& to) {
                      std::swap(to[pivot], to[step]);
                      std::transform(from.begin() + k + 1, from.end(), to.begin() + k + 1, to.begin() + k + 1,
                                     [factor = to[step]](double x, double y) { return y + factor * x; });
                    });
      barrier.wait();
    }
  });

  double logs = 0;
  for (size_t k = 0; k < n; ++k) logs += std::log(std::abs(a[k][k]));
  return checksum(pivots, logs);
}

} // namespace

int main(int argc, char** argv) { return run(argc, argv, factorise); }
