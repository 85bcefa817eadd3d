// raytracer, virtual calls: shapes, surfaces and lights are objects on the heap behind interfaces.
#include "raytracer.h"

#include <memory>

using namespace bench;
using namespace bench::raytracer;

namespace {

class Surface {
public:
  virtual ~Surface() = default;
  virtual Vec3 colour() const = 0;
  virtual double reflects() const = 0;
};

class Plastic : public Surface {
public:
  explicit Plastic(Vec3 colour) : colour_(colour) {}
  Vec3 colour() const override { return colour_; }
  double reflects() const override { return specular; }

private:
  Vec3 colour_;
};

class Shape {
public:
  virtual ~Shape() = default;
  virtual double hit(const Ray& ray) const = 0; // the distance, or 0
  virtual Vec3 normal(const Vec3& point) const = 0;
  virtual const Surface& surface() const = 0;
};

class Sphere : public Shape {
public:
  Sphere(Vec3 centre, double size, std::unique_ptr<Surface> surface)
      : centre_(centre), radius_(size), surface_(std::move(surface)) {}
  double hit(const Ray& ray) const override {
    const Vec3 to = centre_ - ray.origin;
    const double along = dot(to, ray.direction);
    const double inside = along * along - dot(to, to) + radius_ * radius_;
    if (inside < 0) return 0;
    const double distance = along - std::sqrt(inside);
    return distance < 1e-6 ? 0 : distance;
  }
  Vec3 normal(const Vec3& point) const override { return unit(point - centre_); }
  const Surface& surface() const override { return *surface_; }

private:
  Vec3 centre_;
  double radius_;
  std::unique_ptr<Surface> surface_;
};

class Light {
public:
  virtual ~Light() = default;
  virtual Vec3 towards(const Vec3& point) const = 0; // from the point to the light
  virtual double brightness() const = 0;
};

class Lamp : public Light {
public:
  Lamp(Vec3 position, double brightness) : position_(position), brightness_(brightness) {}
  Vec3 towards(const Vec3& point) const override { return position_ - point; }
  double brightness() const override { return brightness_; }

private:
  Vec3 position_;
  double brightness_;
};

class Scene {
public:
  void add(std::unique_ptr<Shape> shape) { shapes_.push_back(std::move(shape)); }
  void add(std::unique_ptr<Light> light) { lights_.push_back(std::move(light)); }

  Vec3 trace(const Ray& ray, int depth, double weight) const {
    double distance = 1e30;
    const Shape* shape = nearest(ray, distance);
    if (!shape) return {};
    const Surface& surface = shape->surface();
    const Vec3 point = ray.origin + ray.direction * distance, normal = shape->normal(point);
    const Vec3 mirrored = ray.direction - normal * (2 * dot(normal, ray.direction));
    Vec3 colour = surface.colour() * ambient;
    for (const auto& light : lights_) colour = colour + lit(*light, surface, point, normal, mirrored);
    const double next_weight = weight * surface.reflects();
    if (depth < most_reflections && next_weight > least_weight)
      colour = colour + trace({point, mirrored}, depth + 1, next_weight) * surface.reflects();
    return colour;
  }

private:
  const Shape* nearest(const Ray& ray, double& distance) const {
    const Shape* best = nullptr;
    for (const auto& shape : shapes_) {
      const double at = shape->hit(ray);
      if (at > 0 && at < distance) best = shape.get(), distance = at;
    }
    return best;
  }

  bool has_shadow(const Ray& ray, double distance) const {
    for (const auto& shape : shapes_)
      if (const double at = shape->hit(ray); at > 0 && at < distance) return true;
    return false;
  }

  Vec3 lit(const Light& light, const Surface& surface, const Vec3& point, const Vec3& normal,
           const Vec3& mirrored) const {
    const Vec3 to_light = light.towards(point);
    const double distance = std::sqrt(dot(to_light, to_light));
    const Ray shadow{point, to_light * (1 / distance)};
    const double facing = dot(normal, shadow.direction);
    if (facing <= 0 || has_shadow(shadow, distance)) return {};
    const Vec3 colour = surface.colour() * (diffuse * facing * light.brightness());
    const double glare = dot(mirrored, shadow.direction);
    if (glare <= 0) return colour;
    return colour + Vec3{1, 1, 1} * (shine * power16(glare) * light.brightness());
  }

  std::vector<std::unique_ptr<Shape>> shapes_;
  std::vector<std::unique_ptr<Light>> lights_;
};

uint64_t render(const Config& config) {
  Scene scene;
  make_spheres([&](Vec3 centre, Vec3 colour) {
    scene.add(std::make_unique<Sphere>(centre, radius, std::make_unique<Plastic>(colour)));
  });
  make_lights(
      [&](Vec3 position, double brightness) { scene.add(std::make_unique<Lamp>(position, brightness)); });

  const size_t side = side_of(config);
  std::vector<std::vector<Vec3>> rows(side, std::vector<Vec3>(side));
  std::atomic<size_t> next = 0;
  parallel(config.threads, [&](unsigned) {
    for (size_t y; (y = next++) < side;)
      for (size_t x = 0; x < side; ++x) rows[y][x] = scene.trace(camera_ray(x, y, side), 0, 1);
  });
  Checksum sum;
  for (const auto& row : rows)
    for (const Vec3& colour : row) sum.add(colour);
  return sum.get();
}

} // namespace

int main(int argc, char** argv) { return run(argc, argv, render); }
