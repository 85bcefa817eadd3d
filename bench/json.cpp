#include "bench/writers.h"

#include "llvm/Support/JSON.h"
#include "llvm/Support/raw_ostream.h"

namespace footrace::bench {
namespace {

using llvm::json::Array;
using llvm::json::Object;
using llvm::json::Value;

Value text(const std::string& value) { return value.empty() ? Value(nullptr) : Value(value); }
Value number(const std::optional<double>& value) { return value ? Value(*value) : Value(nullptr); }

Object as_object(const Row& row) {
  return Object{{"program", row.program},
                {"kernel", text(row.kernel)},
                {"style", text(row.style)},
                {"group", name_of(row.group)},
                {"preset", row.preset},
                {"threads", row.threads},
                {"runs", row.runs},
                {"cpu_seconds", row.cpu},
                {"cpu_spread", row.cpu_spread},
                {"wall_seconds", row.wall},
                {"wall_spread", row.wall_spread},
                {"peak_bytes", row.peak},
                {"slowdown_cpu", row.slowdown_cpu},
                {"slowdown_wall", row.slowdown_wall},
                {"memory_ratio", row.memory_ratio},
                {"checks", number(row.checks)},
                {"check_ratio", number(row.check_ratio)},
                {"slow_path", number(row.slow_path)},
                {"slow_path_ratio", number(row.slow_path_ratio)},
                {"shadow_locations", number(row.shadow_locations)},
                {"races", number(row.races)},
                {"failures", Array(row.failures)}};
}

Object as_object(const Mean& mean) {
  return Object{{"group", mean.group},
                {"preset", mean.preset},
                {"threads", mean.threads},
                {"programs", mean.programs},
                {"slowdown_cpu", mean.slowdown_cpu},
                {"slowdown_wall", mean.slowdown_wall},
                {"memory_ratio", mean.memory_ratio},
                {"check_ratio", number(mean.check_ratio)},
                {"slow_path_ratio", number(mean.slow_path_ratio)},
                {"times_tsan", number(mean.times_tsan)}};
}

Object as_object(const Kernel& kernel) {
  return Object{{"kernel", kernel.name},
                {"preset", kernel.preset},
                {"threads", kernel.threads},
                {"styles", kernel.styles},
                {"best", kernel.best},
                {"best_style", kernel.best_style},
                {"worst", kernel.worst},
                {"worst_style", kernel.worst_style},
                {"worst_per_best", kernel.worst_per_best()}};
}

Object as_object(const Point& point) {
  return Object{{"axis", point.axis},
                {"unit", point.unit},
                {"n", point.n},
                {"preset", point.preset},
                {"cost_ns", point.cost},
                {"growth", point.growth},
                {"superlinear", point.superlinear}};
}

template <class T> Array as_array(const std::vector<T>& values) {
  Array array;
  for (const T& value : values) array.push_back(as_object(value));
  return array;
}

} // namespace

std::string as_json(const Report& report) {
  Object document{{"format", 1},
                  {"command", report.options.command},
                  {"machine", report.machine},
                  {"size", report.options.size},
                  {"runs", report.options.runs},
                  {"tools", Array(report.tools)},
                  {"rows", as_array(report.rows)},
                  {"means", as_array(report.means)},
                  {"kernels", as_array(report.kernels)},
                  {"points", as_array(report.points)},
                  {"skipped", Array(report.skipped)},
                  {"failures", Array(report.failures)}};
  // Program output can hold any bytes.
  std::string text;
  llvm::raw_string_ostream out(text);
  llvm::json::OStream(out, 2).value(std::move(document));
  return text + "\n";
}

} // namespace footrace::bench
