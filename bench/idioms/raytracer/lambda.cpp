// raytracer, lambdas: a shape is a std::function that a ray is given to, shading goes through the standard algorithms.
#include "raytracer.h"

#include <algorithm>
#include <functional>
#include <numeric>
#include <optional>

using namespace bench;
using namespace bench::raytracer;

namespace {

struct Hit {
  double distance;
  Vec3 point, normal, colour;
};

using Distance = std::function<std::optional<double>(const Ray&)>;
using Look = std::function<Hit(const Ray&, double distance)>;
using Shade = std::function<Vec3(const Hit&, const Vec3& mirrored)>;

struct Shape {
  Distance distance;
  Look look;
};

Shape sphere(Vec3 centre, Vec3 colour) {
  return {[centre](const Ray& ray) -> std::optional<double> {
            const Vec3 to = centre - ray.origin;
            const double along = dot(to, ray.direction);
            const double inside = along * along - dot(to, to) + radius * radius;
            if (inside < 0) return std::nullopt;
            const double distance = along - std::sqrt(inside);
            return distance < 1e-6 ? std::nullopt : std::optional(distance);
          },
          [centre, colour](const Ray& ray, double distance) {
            const Vec3 point = ray.origin + ray.direction * distance;
            return Hit{distance, point, unit(point - centre), colour};
          }};
}

Shade lamp(const std::vector<Shape>& shapes, Vec3 position, double brightness) {
  return [&shapes, position, brightness](const Hit& hit, const Vec3& mirrored) {
    const Vec3 to_light = position - hit.point;
    const double distance = std::sqrt(dot(to_light, to_light));
    const Ray shadow{hit.point, to_light * (1 / distance)};
    const double facing = dot(hit.normal, shadow.direction);
    auto is_between = [&](const Shape& shape) {
      return shape.distance(shadow).value_or(distance) < distance;
    };
    if (facing <= 0 || std::any_of(shapes.begin(), shapes.end(), is_between)) return Vec3{};
    const double glare = std::max(0.0, dot(mirrored, shadow.direction));
    return hit.colour * (diffuse * facing * brightness) +
           Vec3{1, 1, 1} * (shine * power16(glare) * brightness);
  };
}

std::optional<Hit> nearest(const std::vector<Shape>& shapes, const Ray& ray) {
  const Shape* best = nullptr;
  double best_distance = 1e30;
  std::for_each(shapes.begin(), shapes.end(), [&](const Shape& shape) {
    const double distance = shape.distance(ray).value_or(1e30);
    if (distance < best_distance) best = &shape, best_distance = distance;
  });
  if (!best) return std::nullopt;
  return best->look(ray, best_distance);
}

uint64_t render(const Config& config) {
  std::vector<Shape> shapes;
  make_spheres([&](Vec3 centre, Vec3 colour) { shapes.push_back(sphere(centre, colour)); });
  std::vector<Shade> lights;
  make_lights(
      [&](Vec3 position, double brightness) { lights.push_back(lamp(shapes, position, brightness)); });

  const std::function<Vec3(const Ray&, int, double)> trace = [&](const Ray& ray, int depth, double weight) {
    const std::optional<Hit> hit = nearest(shapes, ray);
    if (!hit) return Vec3{};
    const Vec3 mirrored = ray.direction - hit->normal * (2 * dot(hit->normal, ray.direction));
    const Vec3 colour =
        std::accumulate(lights.begin(), lights.end(), hit->colour * ambient,
                        [&](const Vec3& sum, const Shade& shade) { return sum + shade(*hit, mirrored); });
    if (depth == most_reflections || weight * specular <= least_weight) return colour;
    return colour + trace({hit->point, mirrored}, depth + 1, weight * specular) * specular;
  };

  const size_t side = side_of(config);
  std::vector<Vec3> picture(side * side);
  std::atomic<size_t> next = 0;
  parallel(config.threads, [&](unsigned) {
    for (size_t y; (y = next++) < side;) {
      const auto row = picture.begin() + std::ptrdiff_t(y * side);
      std::generate_n(row, side,
                      [&, x = size_t(0)]() mutable { return trace(camera_ray(x++, y, side), 0, 1); });
    }
  });
  Checksum sum;
  std::for_each(picture.begin(), picture.end(), [&](const Vec3& colour) { sum.add(colour); });
  return sum.get();
}

} // namespace

int main(int argc, char** argv) { return run(argc, argv, render); }
