// raytracer: a picture of 64 spheres with shadows and reflections (Java Grande).
// Papers: FastTrack Tables 1-3 (one race), RedCard Tables 1-2, BigFoot Tables 1-2.
// Sharing: every thread builds its own copy of the scene and traces every n-th row, so nearly all accesses
// are to thread-local heap objects, whose x, y and z are used together. At its end each thread adds its
// checksum to the common one: under a lock, or with --racy without one, the race that the papers report.
#include "program.h"
#include "vec3.h"

#include <memory>
#include <mutex>

using namespace bench;

namespace {

struct Ray {
  Vec3 origin, direction;
};

struct Surface {
  double specular, shine, diffuse;
  Vec3 colour;
};

struct Sphere {
  Vec3 centre;
  double radius;
  Surface surface;
  // The distance at which the ray enters the sphere, or 0.
  double hit(const Ray& ray) const {
    const Vec3 to = centre - ray.origin;
    const double along = dot(to, ray.direction);
    const double inside = along * along - dot(to, to) + radius * radius;
    if (inside < 0) return 0;
    const double distance = along - std::sqrt(inside);
    return distance < 1e-6 ? 0 : distance;
  }
};

struct Light {
  Vec3 position;
  double brightness;
};

double power16(double x) { return x *= x, x *= x, x *= x, x * x; }

class RayTracer {
public:
  RayTracer(size_t width, size_t height) : row_(width), height_(height) {
    constexpr int n = 4;
    for (int i = 0; i < n; ++i)
      for (int j = 0; j < n; ++j)
        for (int k = 0; k < n; ++k)
          scene_.push_back(std::make_unique<Sphere>(
              Sphere{{20.0 / (n - 1) * i - 10, 20.0 / (n - 1) * j - 10, 20.0 / (n - 1) * k - 10},
                     3,
                     {0.4, 0.5, 0.6, {i / 3.0, j / 3.0, 1 - k / 3.0}}}));
    for (double x : {100.0, -100.0})
      for (double y : {100.0, -100.0}) lights_.push_back(std::make_unique<Light>(Light{{x, y, -50}, 0.6}));
    lights_.push_back(std::make_unique<Light>(Light{{200, 0, -100}, 0.3}));
  }

  uint64_t render_row(size_t y) {
    const Vec3 eye{0, 0, -30};
    for (size_t x = 0; x < row_.size(); ++x) {
      const Vec3 target{24 * (double(x) / double(row_.size()) - 0.5),
                        24 * (double(y) / double(height_) - 0.5), -10};
      row_[x] = trace({eye, unit(target - eye)}, 0, 1);
    }
    uint64_t sum = 0;
    for (const Vec3& c : row_) sum += level(c.x) + level(c.y) + level(c.z);
    return sum;
  }

private:
  struct Hit {
    const Sphere* sphere = nullptr;
    double distance = 1e30;
  };

  static uint64_t level(double c) { return c >= 1 ? 255 : uint64_t(c * 255); }

  Hit nearest(const Ray& ray) const {
    Hit best;
    for (const auto& sphere : scene_) {
      const double distance = sphere->hit(ray);
      if (distance > 0 && distance < best.distance) best = {sphere.get(), distance};
    }
    return best;
  }

  bool has_shadow(const Ray& ray, double distance) const {
    for (const auto& sphere : scene_) {
      const double at = sphere->hit(ray);
      if (at > 0 && at < distance) return true;
    }
    return false;
  }

  Vec3 trace(const Ray& ray, int depth, double weight) const {
    const Hit hit = nearest(ray);
    if (!hit.sphere) return {};
    const Surface& surface = hit.sphere->surface;
    const Vec3 point = ray.origin + ray.direction * hit.distance;
    const Vec3 normal = unit(point - hit.sphere->centre);
    const Vec3 mirrored = ray.direction - normal * (2 * dot(normal, ray.direction));
    Vec3 colour = surface.colour * 0.05;
    for (const auto& light : lights_) {
      const Vec3 to_light = light->position - point;
      const double distance = std::sqrt(dot(to_light, to_light));
      const Ray shadow{point, to_light * (1 / distance)};
      const double facing = dot(normal, shadow.direction);
      if (facing <= 0 || has_shadow(shadow, distance)) continue;
      colour = colour + surface.colour * (surface.diffuse * facing * light->brightness);
      const double glare = dot(mirrored, shadow.direction);
      if (glare > 0) colour = colour + Vec3{1, 1, 1} * (surface.shine * power16(glare) * light->brightness);
    }
    if (depth < 6 && weight * surface.specular > 0.01)
      colour = colour + trace({point, mirrored}, depth + 1, weight * surface.specular) * surface.specular;
    return colour;
  }

  std::vector<std::unique_ptr<Sphere>> scene_;
  std::vector<std::unique_ptr<Light>> lights_;
  std::vector<Vec3> row_;
  size_t height_;
};

uint64_t raytracer(const Config& config) {
  const size_t side = config.pick<size_t>(120, 500, 1'400);
  std::mutex mutex;
  uint64_t checksum = 0;
  parallel(config.threads, [&](unsigned me) {
    const auto tracer = std::make_unique<RayTracer>(side, side);
    uint64_t mine = 0;
    for (size_t y = me; y < side; y += config.threads) mine += tracer->render_row(y);
    if (config.racy) {
      checksum += mine; // nothing orders the threads between their start and their end
    } else {
      std::lock_guard lock(mutex);
      checksum += mine;
    }
  });
  return checksum;
}

} // namespace

int main(int argc, char** argv) {
  return run_program(argc, argv, true, {0x0000000000351b21, 0x00000000039f1681, 0x000000001c68d21f},
                     raytracer);
}
