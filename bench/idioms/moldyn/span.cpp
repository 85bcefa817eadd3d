// moldyn, std::array and std::span: points are arrays of three, functions get spans of them.
#include "moldyn.h"

#include <array>
#include <span>

using namespace bench;
using namespace bench::moldyn;

namespace {

using Point = std::array<double, 3>;

void move(std::span<Point> positions, std::span<Point> velocities, std::span<const Point> forces,
          double side) {
  for (size_t i = 0; i < positions.size(); ++i)
    for (size_t d = 0; d < 3; ++d) {
      velocities[i][d] += 0.5 * time_step * forces[i][d];
      positions[i][d] = wrap(positions[i][d] + time_step * velocities[i][d], side);
    }
}

Point difference(const Point& a, const Point& b, double side) {
  Point d;
  for (size_t k = 0; k < d.size(); ++k) d[k] = nearest_image(a[k] - b[k], side);
  return d;
}

// The forces between particle `first` of all and those behind it. Returns their potential.
double pairs_of(size_t first, std::span<const Point> positions, std::span<Point> forces, double side) {
  const Point& own = positions[first];
  const auto others = positions.subspan(first + 1);
  const auto their_forces = forces.subspan(first + 1);
  Point total{};
  double potential = 0;
  for (size_t j = 0; j < others.size(); ++j) {
    const Point d = difference(own, others[j], side);
    const double r2 = d[0] * d[0] + d[1] * d[1] + d[2] * d[2];
    if (r2 > cut_off(side) * cut_off(side)) continue;
    potential += lennard_jones_potential(r2);
    const double f = lennard_jones_force(r2);
    for (size_t k = 0; k < d.size(); ++k) {
      total[k] += d[k] * f;
      their_forces[j][k] -= d[k] * f;
    }
  }
  for (size_t k = 0; k < total.size(); ++k) forces[first][k] += total[k];
  return potential;
}

void sum_forces(std::span<Point> sums, std::span<const std::vector<Point>> found, size_t offset) {
  for (size_t i = 0; i < sums.size(); ++i) {
    sums[i] = {};
    for (const auto& forces : found)
      for (size_t d = 0; d < 3; ++d) sums[i][d] += forces[offset + i][d];
  }
}

void accelerate(std::span<Point> velocities, std::span<const Point> forces) {
  for (size_t i = 0; i < velocities.size(); ++i)
    for (size_t d = 0; d < 3; ++d) velocities[i][d] += 0.5 * time_step * forces[i][d];
}

uint64_t simulate(const Config& config) {
  std::vector<Point> positions, velocities;
  const double side = make_lattice(cells_of(config), [&](auto x, auto y, auto z, auto vx, auto vy, auto vz) {
    positions.push_back({x, y, z});
    velocities.push_back({vx, vy, vz});
  });
  const size_t n = positions.size();
  std::vector<Point> forces(n);
  std::vector<std::vector<Point>> found(config.threads);
  std::vector<double> potentials(config.threads);
  Barrier barrier(config.threads);
  parallel(config.threads, [&](unsigned me) {
    const auto [begin, end] = share(n, me, config.threads);
    auto part = [begin = begin, end = end](std::vector<Point>& all) {
      return std::span(all).subspan(begin, end - begin);
    };
    for (int step = 0; step < steps; ++step) {
      move(part(positions), part(velocities), part(forces), side);
      barrier.wait();
      found[me].assign(n, Point{});
      potentials[me] = 0;
      for (size_t i = me; i < n; i += config.threads)
        potentials[me] += pairs_of(i, positions, found[me], side);
      barrier.wait();
      sum_forces(part(forces), found, begin);
      accelerate(part(velocities), part(forces));
    }
  });
  double potential = 0, kinetic = 0;
  for (double one : potentials) potential += one;
  for (const Point& v : velocities)
    for (double x : v) kinetic += 0.5 * x * x;
  return checksum(potential, kinetic);
}

} // namespace

int main(int argc, char** argv) { return run(argc, argv, simulate); }
