// moldyn, nested vectors: position[i][d], and loops over the three dimensions.
#include "moldyn.h"

using namespace bench;
using namespace bench::moldyn;

namespace {

using Points = std::vector<std::vector<double>>; // [particle][dimension]
constexpr size_t dimensions = 3;

struct World {
  Points position, velocity, force;
  std::vector<Points> found; // forces that each thread has found
  std::vector<double> potential;
  double side = 0;
};

void move(World& w, Range mine) {
  for (size_t i = mine.begin; i < mine.end; ++i)
    for (size_t d = 0; d < dimensions; ++d) {
      w.velocity[i][d] += 0.5 * time_step * w.force[i][d];
      w.position[i][d] = wrap(w.position[i][d] + time_step * w.velocity[i][d], w.side);
    }
}

void find_forces(World& w, unsigned me, unsigned threads) {
  const size_t n = w.position.size();
  Points& found = w.found[me];
  for (size_t i = 0; i < n; ++i)
    for (size_t d = 0; d < dimensions; ++d) found[i][d] = 0;
  double potential = 0;
  for (size_t i = me; i < n; i += threads)
    for (size_t j = i + 1; j < n; ++j) {
      double delta[dimensions], r2 = 0;
      for (size_t d = 0; d < dimensions; ++d) {
        delta[d] = nearest_image(w.position[i][d] - w.position[j][d], w.side);
        r2 += delta[d] * delta[d];
      }
      if (r2 > cut_off(w.side) * cut_off(w.side)) continue;
      potential += lennard_jones_potential(r2);
      const double f = lennard_jones_force(r2);
      for (size_t d = 0; d < dimensions; ++d) {
        found[i][d] += delta[d] * f;
        found[j][d] -= delta[d] * f;
      }
    }
  w.potential[me] = potential;
}

void apply_forces(World& w, Range mine) {
  for (size_t i = mine.begin; i < mine.end; ++i)
    for (size_t d = 0; d < dimensions; ++d) {
      w.force[i][d] = 0;
      for (size_t thread = 0; thread < w.found.size(); ++thread) w.force[i][d] += w.found[thread][i][d];
      w.velocity[i][d] += 0.5 * time_step * w.force[i][d];
    }
}

uint64_t simulate(const Config& config) {
  World w;
  w.side = make_lattice(cells_of(config), [&](auto x, auto y, auto z, auto vx, auto vy, auto vz) {
    w.position.push_back({x, y, z});
    w.velocity.push_back({vx, vy, vz});
  });
  const size_t n = w.position.size();
  w.force = Points(n, std::vector<double>(dimensions));
  w.found.assign(config.threads, w.force);
  w.potential.resize(config.threads);
  Barrier barrier(config.threads);
  parallel(config.threads, [&](unsigned me) {
    const Range mine = share(n, me, config.threads);
    for (int step = 0; step < steps; ++step) {
      move(w, mine);
      barrier.wait();
      find_forces(w, me, config.threads);
      barrier.wait();
      apply_forces(w, mine);
    }
  });
  double potential = 0, kinetic = 0;
  for (double one : w.potential) potential += one;
  for (const auto& v : w.velocity)
    for (double x : v) kinetic += 0.5 * x * x;
  return checksum(potential, kinetic);
}

} // namespace

int main(int argc, char** argv) { return run(argc, argv, simulate); }
