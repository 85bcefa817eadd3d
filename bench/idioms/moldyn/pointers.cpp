// moldyn, raw pointers: flat arrays of x, y, z, x, y, z, ... that are walked by incrementing pointers.
#include "moldyn.h"

#include <memory>

using namespace bench;
using namespace bench::moldyn;

namespace {

void move(double* position, double* velocity, const double* force, size_t count, double side) {
  for (const double* end = position + 3 * count; position != end; ++position, ++velocity, ++force) {
    *velocity += 0.5 * time_step * *force;
    *position = wrap(*position + time_step * *velocity, side);
  }
}

// Returns the potential.
double find_forces(const double* position, double* forces, size_t n, unsigned me, unsigned threads,
                   double side) {
  std::memset(forces, 0, 3 * n * sizeof *forces);
  const double limit = cut_off(side) * cut_off(side), *end = position + 3 * n;
  double potential = 0;
  double* own = forces + 3 * me;
  for (const double* p = position + 3 * me; p < end; p += 3 * threads, own += 3 * threads) {
    double* other = own + 3;
    for (const double* q = p + 3; q != end; q += 3, other += 3) {
      const double dx = nearest_image(p[0] - q[0], side);
      const double dy = nearest_image(p[1] - q[1], side);
      const double dz = nearest_image(p[2] - q[2], side);
      const double r2 = dx * dx + dy * dy + dz * dz;
      if (r2 > limit) continue;
      potential += lennard_jones_potential(r2);
      const double f = lennard_jones_force(r2);
      own[0] += dx * f;
      own[1] += dy * f;
      own[2] += dz * f;
      other[0] -= dx * f;
      other[1] -= dy * f;
      other[2] -= dz * f;
    }
  }
  return potential;
}

void apply_forces(double* velocity, double* force, double* const* found, unsigned threads, Range mine) {
  for (size_t i = 3 * mine.begin; i < 3 * mine.end; ++i) {
    double sum = 0;
    for (unsigned t = 0; t < threads; ++t) sum += found[t][i];
    force[i] = sum;
    velocity[i] += 0.5 * time_step * sum;
  }
}

uint64_t simulate(const Config& config) {
  const size_t cells = cells_of(config), n = 4 * cells * cells * cells;
  double *position = new double[3 * n], *velocity = new double[3 * n], *force = new double[3 * n]();
  double *next_position = position, *next_velocity = velocity;
  const double side = make_lattice(cells, [&](auto x, auto y, auto z, auto vx, auto vy, auto vz) {
    *next_position++ = x, *next_position++ = y, *next_position++ = z;
    *next_velocity++ = vx, *next_velocity++ = vy, *next_velocity++ = vz;
  });
  double** found = new double*[config.threads];
  double* potentials = new double[config.threads];
  for (unsigned t = 0; t < config.threads; ++t) found[t] = new double[3 * n];

  Barrier barrier(config.threads);
  parallel(config.threads, [&](unsigned me) {
    const Range mine = share(n, me, config.threads);
    const size_t first = 3 * mine.begin;
    for (int step = 0; step < steps; ++step) {
      move(position + first, velocity + first, force + first, mine.end - mine.begin, side);
      barrier.wait();
      potentials[me] = find_forces(position, found[me], n, me, config.threads, side);
      barrier.wait();
      apply_forces(velocity, force, found, config.threads, mine);
    }
  });

  double potential = 0, kinetic = 0;
  for (unsigned t = 0; t < config.threads; ++t) potential += potentials[t];
  for (const double* v = velocity; v != velocity + 3 * n; ++v) kinetic += 0.5 * *v * *v;
  for (unsigned t = 0; t < config.threads; ++t) delete[] found[t];
  delete[] found;
  delete[] potentials;
  delete[] position;
  delete[] velocity;
  delete[] force;
  return checksum(potential, kinetic);
}

} // namespace

int main(int argc, char** argv) { return run(argc, argv, simulate); }
