// What the styles of raytracer share: the scene, the camera and the expected checksum.
// A picture of 64 spheres with shadows and reflections (bench/programs/raytracer.cpp).
// Sharing: the scene is made before the threads start and then only read; rows of the picture are claimed from an atomic
// counter and written by one thread each.
#pragma once

#include "bench/programs/program.h"
#include "bench/programs/vec3.h"

#include <atomic>

namespace bench::raytracer {

constexpr double radius = 3, specular = 0.4, shine = 0.5, diffuse = 0.6, ambient = 0.05;
constexpr int most_reflections = 6;
constexpr double least_weight = 0.01; // of a reflection

inline size_t side_of(const Config& config) { return config.pick<size_t>(120, 440, 1'100); }

struct Ray {
  Vec3 origin, direction;
};

// add(centre, colour) for each sphere.
template <class Add> void make_spheres(Add add) {
  constexpr int n = 4;
  for (int i = 0; i < n; ++i)
    for (int j = 0; j < n; ++j)
      for (int k = 0; k < n; ++k)
        add(Vec3{20.0 / (n - 1) * i - 10, 20.0 / (n - 1) * j - 10, 20.0 / (n - 1) * k - 10},
            Vec3{i / 3.0, j / 3.0, 1 - k / 3.0});
}

// add(position, brightness) for each light.
template <class Add> void make_lights(Add add) {
  for (double x : {100.0, -100.0})
    for (double y : {100.0, -100.0}) add(Vec3{x, y, -50}, 0.6);
  add(Vec3{200, 0, -100}, 0.3);
}

inline Ray camera_ray(size_t x, size_t y, size_t side) {
  const Vec3 eye{0, 0, -30};
  const Vec3 target{24 * (double(x) / double(side) - 0.5), 24 * (double(y) / double(side) - 0.5), -10};
  return {eye, unit(target - eye)};
}

inline double power16(double x) { return x *= x, x *= x, x *= x, x * x; }

// Of all pixels, in any order.
class Checksum {
public:
  void add(const Vec3& colour) { sum_ += level(colour.x) + level(colour.y) + level(colour.z); }
  uint64_t get() const { return sum_; }

private:
  static uint64_t level(double c) { return c >= 1 ? 255 : uint64_t(c * 255); }
  uint64_t sum_ = 0;
};
inline int run(int argc, char** argv, uint64_t (*body)(const Config&)) {
  return run_program(argc, argv, false, {0x0000000000351b21, 0x0000000002cdcaf8, 0x000000001189971b}, body);
}

} // namespace bench::raytracer
