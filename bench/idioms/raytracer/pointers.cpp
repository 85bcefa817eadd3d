// raytracer, raw pointers: spheres and lights are linked lists, vectors are passed by pointer, as in C.
#include "raytracer.h"

using namespace bench;
using namespace bench::raytracer;

namespace {

struct Sphere {
  Vec3 centre, colour;
  double radius;
  Sphere* next;
};

struct Light {
  Vec3 position;
  double brightness;
  Light* next;
};

struct Scene {
  Sphere* spheres = nullptr;
  Light* lights = nullptr;
};

void subtract(const Vec3* a, const Vec3* b, Vec3* out) {
  out->x = a->x - b->x;
  out->y = a->y - b->y;
  out->z = a->z - b->z;
}

// to += from * factor
void add_multiple(Vec3* to, const Vec3* from, double factor) {
  to->x += from->x * factor;
  to->y += from->y * factor;
  to->z += from->z * factor;
}

double product(const Vec3* a, const Vec3* b) { return a->x * b->x + a->y * b->y + a->z * b->z; }

// Returns the length that it had.
double normalise(Vec3* v) {
  const double length = std::sqrt(product(v, v)), factor = 1 / length;
  v->x *= factor;
  v->y *= factor;
  v->z *= factor;
  return length;
}

// The distance at which the ray enters the sphere, or 0.
double hit(const Sphere* sphere, const Ray* ray) {
  Vec3 to;
  subtract(&sphere->centre, &ray->origin, &to);
  const double along = product(&to, &ray->direction);
  const double inside = along * along - product(&to, &to) + sphere->radius * sphere->radius;
  if (inside < 0) return 0;
  const double distance = along - std::sqrt(inside);
  return distance < 1e-6 ? 0 : distance;
}

bool has_shadow(const Scene* scene, const Ray* ray, double distance) {
  for (const Sphere* s = scene->spheres; s; s = s->next) {
    const double at = hit(s, ray);
    if (at > 0 && at < distance) return true;
  }
  return false;
}

void trace(const Scene* scene, const Ray* ray, int depth, double weight, Vec3* colour) {
  const Sphere* nearest = nullptr;
  double nearest_distance = 1e30;
  for (const Sphere* s = scene->spheres; s; s = s->next) {
    const double distance = hit(s, ray);
    if (distance > 0 && distance < nearest_distance) nearest = s, nearest_distance = distance;
  }
  *colour = Vec3{};
  if (!nearest) return;

  Ray mirrored = *ray;
  add_multiple(&mirrored.origin, &ray->direction, nearest_distance);
  Vec3 normal;
  subtract(&mirrored.origin, &nearest->centre, &normal);
  normalise(&normal);
  add_multiple(&mirrored.direction, &normal, -2 * product(&normal, &ray->direction));
  add_multiple(colour, &nearest->colour, ambient);
  for (const Light* light = scene->lights; light; light = light->next) {
    Ray shadow;
    shadow.origin = mirrored.origin;
    subtract(&light->position, &shadow.origin, &shadow.direction);
    const double distance = normalise(&shadow.direction);
    const double facing = product(&normal, &shadow.direction);
    if (facing <= 0 || has_shadow(scene, &shadow, distance)) continue;
    add_multiple(colour, &nearest->colour, diffuse * facing * light->brightness);
    const double glare = product(&mirrored.direction, &shadow.direction);
    const Vec3 white{1, 1, 1};
    if (glare > 0) add_multiple(colour, &white, shine * power16(glare) * light->brightness);
  }
  if (depth < most_reflections && weight * specular > least_weight) {
    Vec3 reflected;
    trace(scene, &mirrored, depth + 1, weight * specular, &reflected);
    add_multiple(colour, &reflected, specular);
  }
}

uint64_t render(const Config& config) {
  Scene scene;
  Sphere** last_sphere = &scene.spheres;
  make_spheres([&](Vec3 centre, Vec3 colour) {
    *last_sphere = new Sphere{centre, colour, radius, nullptr};
    last_sphere = &(*last_sphere)->next;
  });
  Light** last_light = &scene.lights;
  make_lights([&](Vec3 position, double brightness) {
    *last_light = new Light{position, brightness, nullptr};
    last_light = &(*last_light)->next;
  });

  const size_t side = side_of(config);
  Vec3* picture = new Vec3[side * side];
  std::atomic<size_t> next = 0;
  parallel(config.threads, [&](unsigned) {
    for (size_t y; (y = next++) < side;) {
      Vec3* pixel = picture + y * side;
      for (size_t x = 0; x < side; ++x) {
        const Ray ray = camera_ray(x, y, side);
        trace(&scene, &ray, 0, 1, pixel++);
      }
    }
  });

  Checksum sum;
  for (const Vec3* pixel = picture; pixel != picture + side * side; ++pixel) sum.add(*pixel);
  delete[] picture;
  while (Sphere* sphere = scene.spheres) scene.spheres = sphere->next, delete sphere;
  while (Light* light = scene.lights) scene.lights = light->next, delete light;
  return sum.get();
}

} // namespace

int main(int argc, char** argv) { return run(argc, argv, render); }
