// mtrt: a ray tracer over an octree of triangles and spheres (SPEC JVM98).
// Papers: FastTrack Tables 1-3, RedCard Tables 1-2. (Their version has one benign race; this one has none.)
// Sharing: one scene graph of nodes, list cells and virtual objects, built before the threads start, that
// all threads walk pointer by pointer and never write. Each bounce of a ray is a short-lived heap object.
// The picture is written in bands of rows, one per thread.
#include "program.h"
#include "vec3.h"

#include <algorithm>
#include <memory>

using namespace bench;

namespace {

struct Ray {
  Vec3 origin, direction;
};

struct Box {
  Vec3 low, high;
  bool may_hit(const Ray& ray, double limit) const {
    double near = 0, far = limit;
    auto clip = [&](double from, double to, double o, double d) {
      const double inverse = 1 / d;
      double a = (from - o) * inverse, b = (to - o) * inverse;
      if (a > b) std::swap(a, b);
      near = std::max(near, a);
      far = std::min(far, b);
    };
    clip(low.x, high.x, ray.origin.x, ray.direction.x);
    clip(low.y, high.y, ray.origin.y, ray.direction.y);
    clip(low.z, high.z, ray.origin.z, ray.direction.z);
    return near <= far;
  }
  bool has_inside(const Box& b) const {
    return b.low.x >= low.x && b.low.y >= low.y && b.low.z >= low.z && b.high.x <= high.x &&
           b.high.y <= high.y && b.high.z <= high.z;
  }
};

struct Material {
  Vec3 colour;
  double mirror;
};

struct Object {
  explicit Object(const Material* m) : material(m) {}
  virtual ~Object() = default;
  virtual double hit(const Ray& ray) const = 0; // the distance, or 0
  virtual Vec3 normal(const Vec3& point) const = 0;
  virtual Box bounds() const = 0;
  const Material* material;
};

struct Sphere : Object {
  Sphere(const Material* m, Vec3 c, double r) : Object(m), centre(c), radius(r) {}
  double hit(const Ray& ray) const override {
    const Vec3 to = centre - ray.origin;
    const double along = dot(to, ray.direction), inside = along * along - dot(to, to) + radius * radius;
    return inside < 0 ? 0 : along - std::sqrt(inside);
  }
  Vec3 normal(const Vec3& point) const override { return unit(point - centre); }
  Box bounds() const override {
    const Vec3 r{radius, radius, radius};
    return {centre - r, centre + r};
  }
  Vec3 centre;
  double radius;
};

struct Triangle : Object {
  Triangle(const Material* m, Vec3 p, Vec3 q, Vec3 r) : Object(m), corner(p), side1(q - p), side2(r - p) {}
  double hit(const Ray& ray) const override {
    const Vec3 p = cross(ray.direction, side2);
    const double det = dot(side1, p);
    if (std::abs(det) < 1e-12) return 0;
    const Vec3 from = ray.origin - corner, q = cross(from, side1);
    const double u = dot(from, p) / det, v = dot(ray.direction, q) / det;
    return u < 0 || v < 0 || u + v > 1 ? 0 : dot(side2, q) / det;
  }
  Vec3 normal(const Vec3&) const override { return unit(cross(side1, side2)); }
  Box bounds() const override {
    const Vec3 p = corner, q = corner + side1, r = corner + side2;
    return {{std::min({p.x, q.x, r.x}), std::min({p.y, q.y, r.y}), std::min({p.z, q.z, r.z})},
            {std::max({p.x, q.x, r.x}), std::max({p.y, q.y, r.y}), std::max({p.z, q.z, r.z})}};
  }
  Vec3 corner, side1, side2;
};

struct ListCell {
  std::unique_ptr<Object> object;
  std::unique_ptr<ListCell> next;
};

struct Hit {
  const Object* object = nullptr;
  double distance = 1e30;
};

// An object lives in the smallest node that holds all of it.
struct OctNode {
  OctNode(Box b, int levels) : box(b), levels_below(levels) {}

  void insert(std::unique_ptr<Object> object) {
    const Box wanted = object->bounds();
    for (int i = 0; levels_below > 0 && i < 8; ++i) {
      const Vec3 half = (box.high - box.low) * 0.5;
      const Vec3 low = box.low + Vec3{i & 1 ? half.x : 0, i & 2 ? half.y : 0, i & 4 ? half.z : 0};
      const Box part{low, low + half};
      if (!part.has_inside(wanted)) continue;
      if (!child[i]) child[i] = std::make_unique<OctNode>(part, levels_below - 1);
      return child[i]->insert(std::move(object));
    }
    list = std::make_unique<ListCell>(ListCell{std::move(object), std::move(list)});
  }

  void find(const Ray& ray, Hit& best) const {
    if (!box.may_hit(ray, best.distance)) return;
    for (const ListCell* cell = list.get(); cell; cell = cell->next.get()) {
      const double distance = cell->object->hit(ray);
      if (distance > 1e-6 && distance < best.distance) best = {cell->object.get(), distance};
    }
    for (const auto& c : child)
      if (c) c->find(ray, best);
  }

  Box box;
  int levels_below;
  std::unique_ptr<ListCell> list;
  std::unique_ptr<OctNode> child[8];
};

struct Scene {
  std::vector<std::unique_ptr<Material>> materials;
  OctNode root{{{-10, -10, -10}, {10, 10, 10}}, 5};
  Vec3 light{-30, 40, -50};
};

void build(Scene& scene, size_t objects) {
  Random random(98);
  auto between = [&](double from, double to) { return from + (to - from) * random.unit(); };
  auto place = [&](double reach) {
    return Vec3{between(-reach, reach), between(-reach, reach), between(-reach, reach)};
  };
  for (int i = 0; i < 12; ++i)
    scene.materials.push_back(std::make_unique<Material>(
        Material{{random.unit(), random.unit(), random.unit()}, random.unit() * 0.6}));
  for (size_t i = 0; i < objects; ++i) {
    const Material* material = scene.materials[random.below(scene.materials.size())].get();
    const Vec3 at = place(8.5);
    if (i % 4 == 0)
      scene.root.insert(std::make_unique<Sphere>(material, at, between(0.1, 0.4)));
    else
      scene.root.insert(std::make_unique<Triangle>(material, at, at + place(0.7), at + place(0.7)));
  }
}

struct Bounce { // one leg of a path of light
  Ray ray;
  double weight;
  int depth;
};

Vec3 trace(const Scene& scene, std::unique_ptr<Bounce> bounce) {
  Hit hit;
  scene.root.find(bounce->ray, hit);
  if (!hit.object) return Vec3{0.1, 0.15, 0.3} * bounce->weight;
  const Vec3 point = bounce->ray.origin + bounce->ray.direction * hit.distance;
  Vec3 normal = hit.object->normal(point);
  if (dot(normal, bounce->ray.direction) > 0) normal = normal * -1;
  const auto shadow = std::make_unique<Ray>(Ray{point, unit(scene.light - point)});
  Hit blocker;
  scene.root.find(*shadow, blocker);
  const Material* material = hit.object->material;
  const double facing = blocker.object ? 0 : std::max(0.0, dot(normal, shadow->direction));
  Vec3 colour = material->colour * ((0.15 + facing) * (1 - material->mirror) * bounce->weight);
  const double weight = bounce->weight * material->mirror;
  if (bounce->depth < 5 && weight > 0.02) {
    const Vec3 d = bounce->ray.direction, mirrored = d - normal * (2 * dot(normal, d));
    colour =
        colour + trace(scene, std::make_unique<Bounce>(Bounce{{point, mirrored}, weight, bounce->depth + 1}));
  }
  return colour;
}

uint64_t mtrt(const Config& config) {
  const size_t side = config.pick<size_t>(80, 440, 1'100);
  const auto scene = std::make_unique<Scene>();
  build(*scene, 1'000);
  std::vector<uint32_t> picture(side * side);
  parallel(config.threads, [&](unsigned me) {
    const Range rows = share(side, me, config.threads);
    const Vec3 eye{0, 0, -25};
    for (size_t y = rows.begin; y < rows.end; ++y)
      for (size_t x = 0; x < side; ++x) {
        const Vec3 target{20 * (double(x) + 0.5) / double(side) - 10,
                          20 * (double(y) + 0.5) / double(side) - 10, -5};
        const Vec3 c = trace(*scene, std::make_unique<Bounce>(Bounce{{eye, unit(target - eye)}, 1, 0}));
        auto level = [](double v) { return uint32_t(std::clamp(v, 0.0, 1.0) * 255); };
        picture[y * side + x] = level(c.x) << 16 | level(c.y) << 8 | level(c.z);
      }
  });
  uint64_t sum = 0;
  for (uint32_t pixel : picture) sum = mix(sum, pixel);
  return sum;
}

} // namespace

int main(int argc, char** argv) {
  return run_program(argc, argv, false, {0x8452c6b668454a72, 0x882074f3c8cedff2, 0x9ca91aad642bd77b}, mtrt);
}
