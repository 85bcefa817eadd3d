// moldyn: particles under a Lennard-Jones potential with a cut-off, in a periodic cube (Java Grande).
// Papers: FastTrack Tables 1-3, RedCard Tables 1-2, BigFoot Tables 1-2.
// Sharing: all threads read all positions; each writes the forces it finds into force arrays of its own
// (one per block of particles, so that the sums do not depend on the number of threads), which are summed
// into the particles after a barrier. Four barriers per step, no locks otherwise.
#include "numeric.h"

#include <cmath>

using namespace bench;

namespace {

struct Particle {
  double x, y, z, vx, vy, vz, fx, fy, fz;
};

struct Force {
  double x, y, z;
};

constexpr unsigned blocks = 16;
constexpr double time_step = 0.002, density = 0.83134, temperature = 0.722;

struct Block {
  std::vector<Force> forces;
  double potential = 0;
};

struct World {
  std::vector<Particle> particles;
  std::vector<Block> block = std::vector<Block>(blocks);
  double side, cut_off;
  double potential = 0, kinetic = 0;
};

// A face-centred cubic lattice of cells^3 cells, four particles each, with random velocities.
World lattice(size_t cells) {
  World w;
  const size_t n = 4 * cells * cells * cells;
  w.side = std::cbrt(double(n) / density);
  w.cut_off = w.side / 4;
  const double cell = w.side / double(cells);
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
        for (size_t k = 0; k < cells; ++k)
          w.particles.push_back({(double(i) + c[0]) * cell, (double(j) + c[1]) * cell,
                                 (double(k) + c[2]) * cell, velocity(), velocity(), velocity(), 0, 0, 0});
  for (Block& b : w.block) b.forces.resize(n);
  return w;
}

double nearest_image(double d, double side) {
  return d < -0.5 * side ? d + side : d > 0.5 * side ? d - side : d;
}

double wrap(double x, double side) { return x < 0 ? x + side : x >= side ? x - side : x; }

void move(World& w, Range mine) {
  for (size_t i = mine.begin; i < mine.end; ++i) {
    Particle& p = w.particles[i];
    p.vx += 0.5 * time_step * p.fx, p.vy += 0.5 * time_step * p.fy, p.vz += 0.5 * time_step * p.fz;
    p.x = wrap(p.x + time_step * p.vx, w.side);
    p.y = wrap(p.y + time_step * p.vy, w.side);
    p.z = wrap(p.z + time_step * p.vz, w.side);
  }
}

// The pairs (i, j), i < j, whose i belongs to this block.
void find_forces(World& w, size_t number) {
  Block& block = w.block[number];
  block.forces.assign(block.forces.size(), {0, 0, 0});
  block.potential = 0;
  const double limit = w.cut_off * w.cut_off;
  for (size_t i = number; i < w.particles.size(); i += blocks) {
    const Particle& p = w.particles[i];
    Force total{0, 0, 0};
    for (size_t j = i + 1; j < w.particles.size(); ++j) {
      const Particle& q = w.particles[j];
      const double dx = nearest_image(p.x - q.x, w.side);
      const double dy = nearest_image(p.y - q.y, w.side);
      const double dz = nearest_image(p.z - q.z, w.side);
      const double r2 = dx * dx + dy * dy + dz * dz;
      if (r2 > limit) continue;
      const double inverse2 = 1 / r2, inverse6 = inverse2 * inverse2 * inverse2;
      block.potential += 4 * inverse6 * (inverse6 - 1);
      const double f = 48 * inverse2 * inverse6 * (inverse6 - 0.5);
      total.x += dx * f, total.y += dy * f, total.z += dz * f;
      Force& other = block.forces[j];
      other.x -= dx * f, other.y -= dy * f, other.z -= dz * f;
    }
    Force& own = block.forces[i];
    own.x += total.x, own.y += total.y, own.z += total.z;
  }
}

void apply_forces(World& w, Range mine) {
  for (size_t i = mine.begin; i < mine.end; ++i) {
    Particle& p = w.particles[i];
    p.fx = p.fy = p.fz = 0;
    for (const Block& b : w.block) p.fx += b.forces[i].x, p.fy += b.forces[i].y, p.fz += b.forces[i].z;
    p.vx += 0.5 * time_step * p.fx, p.vy += 0.5 * time_step * p.fy, p.vz += 0.5 * time_step * p.fz;
  }
}

void add_energies(World& w) {
  w.potential = w.kinetic = 0;
  for (const Block& b : w.block) w.potential += b.potential;
  for (const Particle& p : w.particles) w.kinetic += 0.5 * (p.vx * p.vx + p.vy * p.vy + p.vz * p.vz);
}

uint64_t moldyn(const Config& config) {
  World w = lattice(config.pick<size_t>(5, 8, 10));
  const int steps = config.pick(20, 34, 74);
  const size_t n = w.particles.size();
  Barrier barrier(config.threads);
  double first_energy = 0;
  parallel(config.threads, [&](unsigned me) {
    const Range mine = share(n, me, config.threads), my_blocks = share(blocks, me, config.threads);
    for (int step = 0; step < steps; ++step) {
      move(w, mine);
      barrier.wait();
      for (size_t b = my_blocks.begin; b < my_blocks.end; ++b) find_forces(w, b);
      barrier.wait();
      apply_forces(w, mine);
      barrier.wait();
      if (me == 0) {
        if (step == 1) add_energies(w), first_energy = w.potential + w.kinetic;
        if (step == steps - 1) add_energies(w);
      }
      barrier.wait();
    }
  });
  const double energy = w.potential + w.kinetic; // the integrator conserves it, up to what the cut-off leaks
  if (std::abs(energy - first_energy) > 0.02 * std::abs(first_energy)) return 1;
  return mix(rounded(w.potential), rounded(w.kinetic));
}

} // namespace

int main(int argc, char** argv) {
  return run_program(argc, argv, false, {0x4639c8cf6d2d1014, 0x1ba2b2e77362c003, 0x635058efcf8fe215}, moldyn);
}
