#include "bench/scaling.h"

#include "bench/build.h"

#include <cstdlib>

namespace footrace::bench {
namespace {

struct Axis {
  const char *name, *title, *unit;
  std::vector<unsigned> points;
};

const Axis axes[] = {
    {"data", "data (x 64 KB)", "word", {64, 128, 256, 512}},
    {"threads", "threads", "step", {1, 2, 4, 8, 16, 32, 64}},
    {"locks", "locks", "step", {2, 32, 512, 8192}},
    {"live", "live threads", "step", {1, 16, 64, 256}},
};

double units_of(const Measurement& m) {
  size_t at = m.output.find("units ");
  return at == std::string::npos ? 0 : std::strtod(m.output.c_str() + at + 6, nullptr);
}

} // namespace

bool measure_scaling(Workshop& workshop, Report& report) {
  std::string source = checkout() + "/bench/scaling/scaling.cpp";
  auto file = [&](const Tool& tool) { return workshop.options.build_dir + "/" + tool.folder() + "/scaling"; };
  std::vector<BuildJob> jobs;
  size_t steps = 0;
  for (const Tool& tool : workshop.tools) jobs.push_back({source, file(tool), &tool, {}});
  for (const Axis& axis : axes) steps += axis.points.size();
  if (!build_all(jobs, workshop.progress)) return false;

  workshop.progress.total(steps);
  for (const Axis& axis : axes)
    for (unsigned n : axis.points) {
      workshop.progress.step(std::string(axis.title) + ": " + std::to_string(n));
      double units = 0;
      Subject subject = {
          axis.title, Group::Pointer, n,
          [&](const Tool& tool) { return RunRequest{.command = {file(tool), axis.name, std::to_string(n)}}; },
          [&](const Tool&, const Measurement& m) -> std::string {
            units = units_of(m);
            if (m.exit_code == 0 && units > 0) return "";
            return "exit code " + std::to_string(m.exit_code) + ": " + m.errors;
          }};
      for (Row& row : measure_subject(workshop, subject)) {
        for (const std::string& why : row.failures)
          report.failures.push_back(row.program + " " + std::to_string(n) + " with " + row.preset + ": " +
                                    why.substr(0, why.find('\n')));
        if (row.failures.empty())
          report.points.push_back({axis.title, axis.unit, row.preset, n, row.cpu * 1e9 / units, 1, false});
      }
    }
  // By curve; they were measured by point.
  std::vector<Point> by_curve;
  for (const Axis& axis : axes)
    for (const std::string& tool : report.tools)
      for (const Point& p : report.points)
        if (p.axis == axis.title && p.preset == tool) by_curve.push_back(p);
  report.points = by_curve;
  judge_growth(report.points);
  return true;
}

} // namespace footrace::bench
