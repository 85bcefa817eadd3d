// What the styles of moldyn share: the physics of two particles, the start, and the expected checksum.
// Particles under a Lennard-Jones potential with a cut-off, in a periodic cube (bench/programs/moldyn.cpp).
// Sharing: all threads read all positions. Thread t takes the pairs (i, j), i < j, of every threads-th particle i, and
// adds forces to an array of its own; after a barrier each thread sums those arrays for its part of the particles.
#pragma once

#include "bench/programs/numeric.h"

#include <cmath>

namespace bench::moldyn {

constexpr double time_step = 0.002, density = 0.83134, temperature = 0.722;

constexpr int steps = 40;

inline size_t cells_of(const Config& config) { return config.pick<size_t>(5, 7, 10); }

// A face-centred cubic lattice of cells^3 cells with four particles each and random velocities:
// add(x, y, z, vx, vy, vz) for each of them. Returns the side of the cube.
template <class Add> double make_lattice(size_t cells, Add add) {
  const size_t n = 4 * cells * cells * cells;
  const double side = std::cbrt(double(n) / density), cell = side / double(cells);
  const double corner[4][3] = {{0, 0, 0}, {0.5, 0.5, 0}, {0.5, 0, 0.5}, {0, 0.5, 0.5}};
  Random random(1234);
  auto velocity = [&] { // near enough to normal
    double sum = -6;
    for (int i = 0; i < 12; ++i) sum += random.unit();
    return sum * std::sqrt(temperature);
  };
  for (const auto& c : corner)
    for (size_t i = 0; i < cells; ++i)
      for (size_t j = 0; j < cells; ++j)
        for (size_t k = 0; k < cells; ++k) {
          const double vx = velocity(), vy = velocity(), vz = velocity();
          add((double(i) + c[0]) * cell, (double(j) + c[1]) * cell, (double(k) + c[2]) * cell, vx, vy, vz);
        }
  return side;
}

// Interactions end at this distance.
inline double cut_off(double side) { return side / 4; }

inline double nearest_image(double d, double side) {
  return d < -0.5 * side ? d + side : d > 0.5 * side ? d - side : d;
}
inline double wrap(double x, double side) { return x < 0 ? x + side : x >= side ? x - side : x; }

// Of two particles at the square of this distance; the force is per unit of distance.
inline double lennard_jones_potential(double r2) {
  const double inverse6 = 1 / (r2 * r2 * r2);
  return 4 * inverse6 * (inverse6 - 1);
}
inline double lennard_jones_force(double r2) {
  const double inverse2 = 1 / r2, inverse6 = inverse2 * inverse2 * inverse2;
  return 48 * inverse2 * inverse6 * (inverse6 - 0.5);
}

inline uint64_t checksum(double potential, double kinetic) {
  return mix(rounded(potential), rounded(kinetic));
}
inline int run(int argc, char** argv, uint64_t (*body)(const Config&)) {
  return run_program(argc, argv, false, {0x1e2ec03f020e6e8a, 0x7547f3ca6ffade97, 0xf60e0ec141095560}, body);
}

} // namespace bench::moldyn
