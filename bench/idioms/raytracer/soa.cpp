// raytracer, struct of arrays: one array for each coordinate of the spheres, the lights and the picture.
#include "raytracer.h"

using namespace bench;
using namespace bench::raytracer;

namespace {

struct Spheres {
  std::vector<double> x, y, z, red, green, blue, radius;
  size_t count() const { return x.size(); }
};

struct Lights {
  std::vector<double> x, y, z, brightness;
  size_t count() const { return x.size(); }
};

struct Picture {
  std::vector<double> red, green, blue;
};

struct Scene {
  Spheres spheres;
  Lights lights;
};

constexpr size_t none = size_t(-1);

// The distance at which the ray enters sphere i, or 0.
double hit(const Spheres& s, size_t i, const Ray& ray) {
  const double dx = s.x[i] - ray.origin.x, dy = s.y[i] - ray.origin.y, dz = s.z[i] - ray.origin.z;
  const double along = dx * ray.direction.x + dy * ray.direction.y + dz * ray.direction.z;
  const double inside = along * along - (dx * dx + dy * dy + dz * dz) + s.radius[i] * s.radius[i];
  if (inside < 0) return 0;
  const double distance = along - std::sqrt(inside);
  return distance < 1e-6 ? 0 : distance;
}

bool has_shadow(const Spheres& spheres, const Ray& ray, double distance) {
  for (size_t i = 0; i < spheres.count(); ++i) {
    const double at = hit(spheres, i, ray);
    if (at > 0 && at < distance) return true;
  }
  return false;
}

size_t find_nearest(const Spheres& spheres, const Ray& ray, double& distance) {
  size_t nearest = none;
  distance = 1e30;
  for (size_t i = 0; i < spheres.count(); ++i) {
    const double at = hit(spheres, i, ray);
    if (at > 0 && at < distance) nearest = i, distance = at;
  }
  return nearest;
}

Vec3 trace(const Scene& scene, const Ray& ray, int depth, double weight) {
  const Spheres& s = scene.spheres;
  const Lights& lights = scene.lights;
  double distance;
  const size_t i = find_nearest(s, ray, distance);
  if (i == none) return {};

  const Vec3 point = ray.origin + ray.direction * distance;
  const Vec3 normal = unit(Vec3{point.x - s.x[i], point.y - s.y[i], point.z - s.z[i]});
  const Vec3 mirrored = ray.direction - normal * (2 * dot(normal, ray.direction));
  Vec3 colour = Vec3{s.red[i], s.green[i], s.blue[i]} * ambient;
  for (size_t l = 0; l < lights.count(); ++l) {
    const Vec3 to_light = Vec3{lights.x[l], lights.y[l], lights.z[l]} - point;
    const double to_go = std::sqrt(dot(to_light, to_light));
    const Ray shadow{point, to_light * (1 / to_go)};
    const double facing = dot(normal, shadow.direction);
    if (facing <= 0 || has_shadow(s, shadow, to_go)) continue;
    const double light = diffuse * facing * lights.brightness[l];
    colour = colour + Vec3{s.red[i] * light, s.green[i] * light, s.blue[i] * light};
    const double glare = dot(mirrored, shadow.direction);
    if (glare > 0) colour = colour + Vec3{1, 1, 1} * (shine * power16(glare) * lights.brightness[l]);
  }
  if (depth < most_reflections && weight * specular > least_weight)
    colour = colour + trace(scene, {point, mirrored}, depth + 1, weight * specular) * specular;
  return colour;
}

uint64_t render(const Config& config) {
  Scene scene;
  make_spheres([&s = scene.spheres](Vec3 centre, Vec3 colour) {
    s.x.push_back(centre.x), s.y.push_back(centre.y), s.z.push_back(centre.z);
    s.red.push_back(colour.x), s.green.push_back(colour.y), s.blue.push_back(colour.z);
    s.radius.push_back(radius);
  });
  make_lights([&l = scene.lights](Vec3 position, double brightness) {
    l.x.push_back(position.x), l.y.push_back(position.y), l.z.push_back(position.z);
    l.brightness.push_back(brightness);
  });

  const size_t side = side_of(config), pixels = side * side;
  Picture picture = {std::vector<double>(pixels), std::vector<double>(pixels), std::vector<double>(pixels)};
  std::atomic<size_t> next = 0;
  parallel(config.threads, [&](unsigned) {
    for (size_t y; (y = next++) < side;)
      for (size_t x = 0; x < side; ++x) {
        const Vec3 colour = trace(scene, camera_ray(x, y, side), 0, 1);
        picture.red[y * side + x] = colour.x;
        picture.green[y * side + x] = colour.y;
        picture.blue[y * side + x] = colour.z;
      }
  });
  Checksum sum;
  for (size_t i = 0; i < pixels; ++i) sum.add({picture.red[i], picture.green[i], picture.blue[i]});
  return sum.get();
}

} // namespace

int main(int argc, char** argv) { return run(argc, argv, render); }
