// series: the first n Fourier coefficients of (x+1)^x on [0, 2], by the trapezoid rule (Java Grande).
// Papers: FastTrack Tables 1-3, RedCard Tables 1-2, BigFoot Tables 1-2.
// Sharing: nearly none. Each thread computes a long time in registers and libm for each element that it
// writes into its own part of two shared arrays, so any detector should cost next to nothing here.
#include "numeric.h"

#include <cmath>
#include <numbers>

using namespace bench;

namespace {

enum class Term { Constant, Cosine, Sine };

double function(double x, double omega_n, Term term) {
  const double y = std::pow(x + 1, x);
  switch (term) {
  case Term::Constant:
    return y;
  case Term::Cosine:
    return y * std::cos(omega_n * x);
  case Term::Sine:
    return y * std::sin(omega_n * x);
  }
  return 0;
}

double trapezoid(double from, double to, int steps, double omega_n, Term term) {
  const double dx = (to - from) / steps;
  double x = from, sum = function(from, omega_n, term) / 2;
  for (int i = 1; i < steps; ++i) {
    x += dx;
    sum += function(x, omega_n, term);
  }
  return (sum + function(to, omega_n, term) / 2) * dx;
}

uint64_t series(const Config& config) {
  const size_t n = config.pick<size_t>(500, 9'000, 52'000);
  constexpr int steps = 1000;
  constexpr double omega = std::numbers::pi; // 2 pi over the period, 2
  std::vector<double> a(n), b(n);
  parallel(config.threads, [&](unsigned me) {
    const Range mine = share(n, me, config.threads);
    for (size_t i = mine.begin; i < mine.end; ++i) {
      if (i == 0) {
        a[0] = trapezoid(0, 2, steps, 0, Term::Constant) / 2;
        continue;
      }
      a[i] = trapezoid(0, 2, steps, omega * double(i), Term::Cosine);
      b[i] = trapezoid(0, 2, steps, omega * double(i), Term::Sine);
    }
  });

  // The first coefficients by a step a thousand times finer.
  const double known_a[] = {2.88191814, 1.13403560, 0.36222047, 0.17031708};
  const double known_b[] = {0, -1.88209027, -1.16480641, -0.81470932};
  for (size_t i = 0; i < 4; ++i)
    if (std::abs(a[i] - known_a[i]) > 1e-4 || std::abs(b[i] - known_b[i]) > 1e-4) return 1;
  double sum = 0;
  for (size_t i = 0; i < n; ++i) sum += std::abs(a[i]) + std::abs(b[i]);
  return rounded(sum);
}

} // namespace

int main(int argc, char** argv) {
  return run_program(argc, argv, false, {0x18a021d0d4241df4, 0x35b5f0ce52544d65, 0x8b1dae92785405b5}, series);
}
