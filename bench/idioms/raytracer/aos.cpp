// raytracer, array of structs: vectors of spheres and lights, which are structs of vectors and numbers.
#include "raytracer.h"

using namespace bench;
using namespace bench::raytracer;

namespace {

struct Sphere {
  Vec3 centre, colour;
  double radius;
};

struct Light {
  Vec3 position;
  double brightness;
};

struct Scene {
  std::vector<Sphere> spheres;
  std::vector<Light> lights;
};

// The distance at which the ray enters the sphere, or 0.
double hit(const Sphere& sphere, const Ray& ray) {
  const Vec3 to = sphere.centre - ray.origin;
  const double along = dot(to, ray.direction);
  const double inside = along * along - dot(to, to) + sphere.radius * sphere.radius;
  if (inside < 0) return 0;
  const double distance = along - std::sqrt(inside);
  return distance < 1e-6 ? 0 : distance;
}

bool has_shadow(const Scene& scene, const Ray& ray, double distance) {
  for (const Sphere& sphere : scene.spheres) {
    const double at = hit(sphere, ray);
    if (at > 0 && at < distance) return true;
  }
  return false;
}

Vec3 trace(const Scene& scene, const Ray& ray, int depth, double weight) {
  const Sphere* nearest = nullptr;
  double nearest_distance = 1e30;
  for (const Sphere& sphere : scene.spheres) {
    const double distance = hit(sphere, ray);
    if (distance > 0 && distance < nearest_distance) nearest = &sphere, nearest_distance = distance;
  }
  if (!nearest) return {};

  const Vec3 point = ray.origin + ray.direction * nearest_distance;
  const Vec3 normal = unit(point - nearest->centre);
  const Vec3 mirrored = ray.direction - normal * (2 * dot(normal, ray.direction));
  Vec3 colour = nearest->colour * ambient;
  for (const Light& light : scene.lights) {
    const Vec3 to_light = light.position - point;
    const double distance = std::sqrt(dot(to_light, to_light));
    const Ray shadow{point, to_light * (1 / distance)};
    const double facing = dot(normal, shadow.direction);
    if (facing <= 0 || has_shadow(scene, shadow, distance)) continue;
    colour = colour + nearest->colour * (diffuse * facing * light.brightness);
    const double glare = dot(mirrored, shadow.direction);
    if (glare > 0) colour = colour + Vec3{1, 1, 1} * (shine * power16(glare) * light.brightness);
  }
  if (depth < most_reflections && weight * specular > least_weight)
    colour = colour + trace(scene, {point, mirrored}, depth + 1, weight * specular) * specular;
  return colour;
}

uint64_t render(const Config& config) {
  Scene scene;
  make_spheres([&](Vec3 centre, Vec3 colour) { scene.spheres.push_back({centre, colour, radius}); });
  make_lights([&](Vec3 position, double brightness) { scene.lights.push_back({position, brightness}); });

  const size_t side = side_of(config);
  std::vector<Vec3> picture(side * side);
  std::atomic<size_t> next = 0;
  parallel(config.threads, [&](unsigned) {
    for (size_t y; (y = next++) < side;)
      for (size_t x = 0; x < side; ++x) picture[y * side + x] = trace(scene, camera_ray(x, y, side), 0, 1);
  });
  Checksum sum;
  for (const Vec3& colour : picture) sum.add(colour);
  return sum.get();
}

} // namespace

int main(int argc, char** argv) { return run(argc, argv, render); }
