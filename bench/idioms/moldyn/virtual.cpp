// moldyn, virtual calls: particles are objects on the heap, what holds between two of them is behind an interface.
#include "moldyn.h"

#include "bench/programs/vec3.h"

#include <memory>

using namespace bench;
using namespace bench::moldyn;

namespace {

class Interaction {
public:
  virtual ~Interaction() = default;
  virtual double potential(double r2) const = 0;
  virtual double force(double r2) const = 0;
};

class LennardJones : public Interaction {
public:
  double potential(double r2) const override { return lennard_jones_potential(r2); }
  double force(double r2) const override { return lennard_jones_force(r2); }
};

class Body {
public:
  virtual ~Body() = default;
  virtual const Vec3& position() const = 0;
  virtual double kinetic_energy() const = 0;
  virtual void move(double side) = 0;
  virtual void apply(const Vec3& force) = 0;
};

class Particle : public Body {
public:
  Particle(Vec3 position, Vec3 velocity) : position_(position), velocity_(velocity) {}
  const Vec3& position() const override { return position_; }
  double kinetic_energy() const override { return 0.5 * dot(velocity_, velocity_); }
  void move(double side) override {
    velocity_ = velocity_ + force_ * (0.5 * time_step);
    const Vec3 to = position_ + velocity_ * time_step;
    position_ = {wrap(to.x, side), wrap(to.y, side), wrap(to.z, side)};
  }
  void apply(const Vec3& force) override {
    force_ = force;
    velocity_ = velocity_ + force_ * (0.5 * time_step);
  }

private:
  Vec3 position_, velocity_, force_;
};

using Bodies = std::vector<std::unique_ptr<Body>>;

// Of one thread.
class ForceField {
public:
  ForceField(const Interaction& interaction, size_t bodies, double side)
      : interaction_(interaction), forces_(bodies), side_(side) {}
  void clear() {
    for (Vec3& force : forces_) force = {};
    potential_ = 0;
  }
  void add_pairs_of(const Bodies& bodies, size_t i) {
    for (size_t j = i + 1; j < bodies.size(); ++j) {
      const Vec3 d = from_to(*bodies[j], *bodies[i]);
      const double r2 = dot(d, d);
      if (r2 > cut_off(side_) * cut_off(side_)) continue;
      potential_ += interaction_.potential(r2);
      const Vec3 force = d * interaction_.force(r2);
      forces_[i] = forces_[i] + force;
      forces_[j] = forces_[j] - force;
    }
  }
  const Vec3& force(size_t i) const { return forces_[i]; }
  double potential() const { return potential_; }

private:
  Vec3 from_to(const Body& a, const Body& b) const {
    const Vec3 d = b.position() - a.position();
    return {nearest_image(d.x, side_), nearest_image(d.y, side_), nearest_image(d.z, side_)};
  }

  const Interaction& interaction_;
  std::vector<Vec3> forces_;
  double side_, potential_ = 0;
};

uint64_t simulate(const Config& config) {
  Bodies bodies;
  const double side = make_lattice(cells_of(config), [&](auto x, auto y, auto z, auto vx, auto vy, auto vz) {
    bodies.push_back(std::make_unique<Particle>(Vec3{x, y, z}, Vec3{vx, vy, vz}));
  });
  const std::unique_ptr<Interaction> interaction = std::make_unique<LennardJones>();
  std::vector<std::unique_ptr<ForceField>> fields;
  for (unsigned t = 0; t < config.threads; ++t)
    fields.push_back(std::make_unique<ForceField>(*interaction, bodies.size(), side));
  Barrier barrier(config.threads);
  parallel(config.threads, [&](unsigned me) {
    const Range mine = share(bodies.size(), me, config.threads);
    for (int step = 0; step < steps; ++step) {
      for (size_t i = mine.begin; i < mine.end; ++i) bodies[i]->move(side);
      barrier.wait();
      fields[me]->clear();
      for (size_t i = me; i < bodies.size(); i += config.threads) fields[me]->add_pairs_of(bodies, i);
      barrier.wait();
      for (size_t i = mine.begin; i < mine.end; ++i) {
        Vec3 force;
        for (const auto& field : fields) force = force + field->force(i);
        bodies[i]->apply(force);
      }
    }
  });
  double potential = 0, kinetic = 0;
  for (const auto& field : fields) potential += field->potential();
  for (const auto& body : bodies) kinetic += body->kinetic_energy();
  return checksum(potential, kinetic);
}

} // namespace

int main(int argc, char** argv) { return run(argc, argv, simulate); }
