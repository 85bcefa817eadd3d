// moldyn, struct of arrays: one array for each coordinate of all particles.
#include "moldyn.h"

using namespace bench;
using namespace bench::moldyn;

namespace {

struct Particles {
  std::vector<double> x, y, z, vx, vy, vz, fx, fy, fz;
  size_t count() const { return x.size(); }
};

struct Forces { // that one thread has found
  std::vector<double> x, y, z;
  double potential = 0;
};

void move(Particles& p, Range mine, double side) {
  for (size_t i = mine.begin; i < mine.end; ++i) {
    p.vx[i] += 0.5 * time_step * p.fx[i];
    p.vy[i] += 0.5 * time_step * p.fy[i];
    p.vz[i] += 0.5 * time_step * p.fz[i];
    p.x[i] = wrap(p.x[i] + time_step * p.vx[i], side);
    p.y[i] = wrap(p.y[i] + time_step * p.vy[i], side);
    p.z[i] = wrap(p.z[i] + time_step * p.vz[i], side);
  }
}

void find_forces(const Particles& p, Forces& forces, unsigned me, unsigned threads, double side) {
  forces.x.assign(p.count(), 0);
  forces.y.assign(p.count(), 0);
  forces.z.assign(p.count(), 0);
  forces.potential = 0;
  const double limit = cut_off(side) * cut_off(side);
  for (size_t i = me; i < p.count(); i += threads) {
    double fx = 0, fy = 0, fz = 0;
    for (size_t j = i + 1; j < p.count(); ++j) {
      const double dx = nearest_image(p.x[i] - p.x[j], side);
      const double dy = nearest_image(p.y[i] - p.y[j], side);
      const double dz = nearest_image(p.z[i] - p.z[j], side);
      const double r2 = dx * dx + dy * dy + dz * dz;
      if (r2 > limit) continue;
      forces.potential += lennard_jones_potential(r2);
      const double f = lennard_jones_force(r2);
      fx += dx * f, fy += dy * f, fz += dz * f;
      forces.x[j] -= dx * f;
      forces.y[j] -= dy * f;
      forces.z[j] -= dz * f;
    }
    forces.x[i] += fx;
    forces.y[i] += fy;
    forces.z[i] += fz;
  }
}

void apply_forces(Particles& p, const std::vector<Forces>& all, Range mine) {
  for (size_t i = mine.begin; i < mine.end; ++i) {
    p.fx[i] = p.fy[i] = p.fz[i] = 0;
    for (const Forces& forces : all) {
      p.fx[i] += forces.x[i];
      p.fy[i] += forces.y[i];
      p.fz[i] += forces.z[i];
    }
    p.vx[i] += 0.5 * time_step * p.fx[i];
    p.vy[i] += 0.5 * time_step * p.fy[i];
    p.vz[i] += 0.5 * time_step * p.fz[i];
  }
}

uint64_t simulate(const Config& config) {
  Particles p;
  const double side = make_lattice(cells_of(config), [&](auto x, auto y, auto z, auto vx, auto vy, auto vz) {
    p.x.push_back(x), p.y.push_back(y), p.z.push_back(z);
    p.vx.push_back(vx), p.vy.push_back(vy), p.vz.push_back(vz);
  });
  for (auto* f : {&p.fx, &p.fy, &p.fz}) f->resize(p.count());
  std::vector<Forces> forces(config.threads);
  Barrier barrier(config.threads);
  parallel(config.threads, [&](unsigned me) {
    const Range mine = share(p.count(), me, config.threads);
    for (int step = 0; step < steps; ++step) {
      move(p, mine, side);
      barrier.wait();
      find_forces(p, forces[me], me, config.threads, side);
      barrier.wait();
      apply_forces(p, forces, mine);
    }
  });
  double potential = 0, kinetic = 0;
  for (const Forces& f : forces) potential += f.potential;
  for (size_t i = 0; i < p.count(); ++i)
    kinetic += 0.5 * (p.vx[i] * p.vx[i] + p.vy[i] * p.vy[i] + p.vz[i] * p.vz[i]);
  return checksum(potential, kinetic);
}

} // namespace

int main(int argc, char** argv) { return run(argc, argv, simulate); }
