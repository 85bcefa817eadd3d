// matmul, std::array and std::span: a matrix of 8 x 8 tiles, each an array of arrays.
#include "matmul.h"

#include <array>
#include <span>

using namespace bench;
using namespace bench::matmul;

namespace {

constexpr size_t width = 8;
using Tile = std::array<std::array<double, width>, width>;

class Matrix {
public:
  explicit Matrix(size_t n) : across_((n + width - 1) / width), tiles_(across_ * across_) {}
  size_t across() const { return across_; } // in tiles
  std::span<Tile> row(size_t i) { return std::span(tiles_).subspan(i * across_, across_); }
  std::span<const Tile> row(size_t i) const { return std::span(tiles_).subspan(i * across_, across_); }
  double& operator()(size_t i, size_t j) { return row(i / width)[j / width][i % width][j % width]; }

private:
  size_t across_;
  std::vector<Tile> tiles_;
};

Matrix make_input(size_t n, uint64_t seed) {
  Matrix m(n);
  Entries entries(seed);
  for (size_t i = 0; i < n; ++i)
    for (size_t j = 0; j < n; ++j) m(i, j) = entries.next();
  return m;
}

void add_product(const Tile& a, const Tile& b, Tile& c) {
  for (size_t i = 0; i < width; ++i)
    for (size_t k = 0; k < width; ++k)
      for (size_t j = 0; j < width; ++j) c[i][j] += a[i][k] * b[k][j];
}

void multiply(const Matrix& a, const Matrix& b, Matrix& c, std::atomic<size_t>& next) {
  for (size_t i; (i = next++) < a.across();) {
    const std::span<Tile> to = c.row(i);
    for (size_t k = 0; k < a.across(); ++k)
      for (size_t j = 0; j < to.size(); ++j) add_product(a.row(i)[k], b.row(k)[j], to[j]);
  }
}

uint64_t multiply_twice(const Config& config) {
  const size_t n = side_of(config);
  const Matrix a = make_input(n, 1), b = make_input(n, 2);
  Matrix c(n), d(n);
  std::atomic<size_t> next_of_c = 0, next_of_d = 0;
  Barrier barrier(config.threads);
  parallel(config.threads, [&](unsigned) {
    multiply(a, b, c, next_of_c);
    barrier.wait();
    multiply(c, a, d, next_of_d);
  });
  Checksum sum;
  for (size_t i = 0; i < n; ++i)
    for (size_t j = 0; j < n; ++j) sum.add(d(i, j));
  return sum.get();
}

} // namespace

int main(int argc, char** argv) { return run(argc, argv, multiply_twice); }
