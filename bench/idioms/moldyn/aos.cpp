// moldyn, array of structs: a particle is a struct of three vectors, which have operators.
#include "moldyn.h"

#include "bench/programs/vec3.h"

using namespace bench;
using namespace bench::moldyn;

namespace {

struct Particle {
  Vec3 position, velocity, force;
};

struct Found { // by one thread
  std::vector<Vec3> forces;
  double potential = 0;
};

void move(std::vector<Particle>& particles, Range mine, double side) {
  for (size_t i = mine.begin; i < mine.end; ++i) {
    Particle& p = particles[i];
    p.velocity = p.velocity + p.force * (0.5 * time_step);
    const Vec3 to = p.position + p.velocity * time_step;
    p.position = {wrap(to.x, side), wrap(to.y, side), wrap(to.z, side)};
  }
}

void find_forces(const std::vector<Particle>& particles, Found& found, unsigned me, unsigned threads,
                 double side) {
  found.forces.assign(particles.size(), Vec3{});
  found.potential = 0;
  const double limit = cut_off(side) * cut_off(side);
  for (size_t i = me; i < particles.size(); i += threads)
    for (size_t j = i + 1; j < particles.size(); ++j) {
      Vec3 d = particles[i].position - particles[j].position;
      d = {nearest_image(d.x, side), nearest_image(d.y, side), nearest_image(d.z, side)};
      const double r2 = dot(d, d);
      if (r2 > limit) continue;
      found.potential += lennard_jones_potential(r2);
      const Vec3 force = d * lennard_jones_force(r2);
      found.forces[i] = found.forces[i] + force;
      found.forces[j] = found.forces[j] - force;
    }
}

void apply_forces(std::vector<Particle>& particles, const std::vector<Found>& found, Range mine) {
  for (size_t i = mine.begin; i < mine.end; ++i) {
    Particle& p = particles[i];
    p.force = {};
    for (const Found& one : found) p.force = p.force + one.forces[i];
    p.velocity = p.velocity + p.force * (0.5 * time_step);
  }
}

uint64_t simulate(const Config& config) {
  std::vector<Particle> particles;
  const double side = make_lattice(cells_of(config), [&](auto x, auto y, auto z, auto vx, auto vy, auto vz) {
    particles.push_back({{x, y, z}, {vx, vy, vz}, {}});
  });
  std::vector<Found> found(config.threads);
  Barrier barrier(config.threads);
  parallel(config.threads, [&](unsigned me) {
    const Range mine = share(particles.size(), me, config.threads);
    for (int step = 0; step < steps; ++step) {
      move(particles, mine, side);
      barrier.wait();
      find_forces(particles, found[me], me, config.threads, side);
      barrier.wait();
      apply_forces(particles, found, mine);
    }
  });
  double potential = 0, kinetic = 0;
  for (const Found& one : found) potential += one.potential;
  for (const Particle& p : particles) kinetic += 0.5 * dot(p.velocity, p.velocity);
  return checksum(potential, kinetic);
}

} // namespace

int main(int argc, char** argv) { return run(argc, argv, simulate); }
