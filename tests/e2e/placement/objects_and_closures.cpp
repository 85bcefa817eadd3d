// RUN: %e2e %s
// Iterators, closures, virtual calls, members through references, std::function, strings and maps: checks of what the program's own lines access.
#include "e2e.h"

#include <algorithm>
#include <functional>
#include <list>
#include <memory>
#include <numeric>
#include <vector>

struct Shape {
  long touched = 0, area_cache = 0;
  virtual ~Shape() = default;
  virtual long area() = 0;
};
struct Square final : Shape {
  long side = 3;
  long area() override {
    area_cache = side * side; // RACE(cache)
    return area_cache;
  }
};
struct Circle final : Shape {
  long radius = 2;
  long area() override { return 3 * radius * radius; } // RACE(radius)
};

std::vector<std::unique_ptr<Shape>> shapes;
std::vector<int> numbers(64);
std::list<int> chain(10);
long total, untouched;
int triple[3];

namespace {

InvisibleGate gate;

__attribute__((noinline)) void apply(const std::function<void(int)>& f, int n) {
  for (int i = 0; i < n; ++i) f(i);
}

void* walker(void*) {
  long sum = 0;
  for (const auto& shape : shapes) sum += shape->area();
  for (auto i = numbers.begin() + 10; i != numbers.begin() + 20; ++i) *i += 1; // RACE(iterator)
  for (int& element : chain) element = 7;                                      // RACE(list)
  apply([&](int i) { total += i; }, 5);                                        // RACE(closure)
  auto& [a, b, c] = triple;
  a = 1;
  c = 3; // RACE(binding)
  KEEP(sum);
  invisible_signal(&gate);
  return nullptr;
}

void* visitor(void*) {
  invisible_wait(&gate, 1);
  auto& square = static_cast<Square&>(*shapes[0]);
  auto& circle = static_cast<Circle&>(*shapes[1]);
  square.touched = 1;
  circle.area_cache = 1;
  square.area_cache = 1; // RACE(cache)
  circle.radius = 5;     // RACE(radius)
  numbers[9] = numbers[20] = 1;
  numbers[19] = 1;  // RACE(iterator)
  chain.back() = 1; // RACE(list)
  untouched = 1;
  total = 1; // RACE(closure)
  triple[1] = 1;
  triple[2] = 1; // RACE(binding)
  return nullptr;
}

} // namespace

int main() {
  shapes.push_back(std::make_unique<Square>());
  shapes.push_back(std::make_unique<Circle>());
  run_two(walker, visitor);
}
