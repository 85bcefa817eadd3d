#include "bench/subject.h"

#include <algorithm>
#include <filesystem>

namespace fs = std::filesystem;

namespace footrace::bench {
namespace {

// Seconds. What noise adds to a run that is longer is small beside it, and five presets of 25 programs must fit into a coffee break.
constexpr double kLongRun = 1.5;

// The extremes of the runs so far.
struct Extremes {
  double best_cpu = 0, worst_cpu = 0, best_wall = 0, worst_wall = 0, peak = 0;
  unsigned runs = 0;
  void add(const Measurement& m) {
    best_cpu = runs ? std::min(best_cpu, m.cpu) : m.cpu;
    worst_cpu = std::max(worst_cpu, m.cpu);
    best_wall = runs ? std::min(best_wall, m.wall) : m.wall;
    worst_wall = std::max(worst_wall, m.wall);
    peak = runs ? std::min(peak, m.peak) : m.peak;
    ++runs;
  }
};

void fill(Row& row, const Extremes& e) {
  row.runs = e.runs;
  row.cpu = e.best_cpu;
  row.wall = e.best_wall;
  row.peak = e.peak;
  row.cpu_spread = e.best_cpu > 0 ? (e.worst_cpu - e.best_cpu) / e.best_cpu : 0;
  row.wall_spread = e.best_wall > 0 ? (e.worst_wall - e.best_wall) / e.best_wall : 0;
}

void take_counters(Row& row, const std::string& file) {
  auto counters = read_counters(file);
  auto take = [&](const char* name, std::optional<double>& into) {
    if (auto found = counters.find(name); found != counters.end()) into = found->second;
  };
  take("slow_path", row.slow_path);
  take("shadow_locations", row.shadow_locations);
}

} // namespace

void fail(Workshop& workshop, Row& row, const std::string& why) {
  row.failures.push_back(why);
  workshop.progress.failed(row.program + " with " + row.preset + ", " + std::to_string(row.threads) +
                           " threads: " + why);
}

std::vector<Row> measure_subject(Workshop& workshop, const Subject& subject) {
  std::vector<Row> rows;
  for (const Tool& tool : workshop.tools) {
    Row row;
    row.program = subject.program;
    row.group = subject.group;
    row.preset = tool.name;
    row.threads = subject.threads;
    rows.push_back(row);
  }
  std::vector<Extremes> extremes(rows.size());
  std::string counters = workshop.scratch() + "/counters";
  unsigned runs = workshop.options.runs;
  for (unsigned run = 0; run < runs; ++run)
    for (size_t i = 0; i < rows.size(); ++i) {
      const Tool& tool = workshop.tools[i];
      if (!rows[i].failures.empty() || extremes[i].best_wall > kLongRun) continue;
      workshop.progress.detail(subject.program + " with " + tool.name + ", run " + std::to_string(run + 1) +
                               " of " + std::to_string(runs));
      RunRequest request = subject.request(tool);
      bool counts = tool.kind == ToolKind::Preset && run == 0;
      if (counts) {
        fs::remove(counters);
        std::string* options = nullptr;
        for (auto& [name, value] : request.environment)
          if (name == "FOOTRACE_OPTIONS") options = &value;
        if (!options) options = &request.environment.emplace_back("FOOTRACE_OPTIONS", "").second;
        *options += (options->empty() ? "stats_file='" : ":stats_file='") + counters + "'";
      }
      Measurement m = workshop.run(request);
      if (std::string why = subject.judge(tool, m); !why.empty()) {
        fail(workshop, rows[i], why);
        continue;
      }
      extremes[i].add(m);
      if (counts) take_counters(rows[i], counters);
    }
  for (size_t i = 0; i < rows.size(); ++i) fill(rows[i], extremes[i]);
  relate_to_base(rows);
  return rows;
}

} // namespace footrace::bench
