#include "bench/results.h"

#include <algorithm>
#include <cmath>
#include <fstream>
#include <set>
#include <sys/utsname.h>
#include <thread>

namespace footrace::bench {
namespace {

class GeometricMean {
public:
  void add(double value) {
    if (value <= 0) return;
    sum_ += std::log(value);
    ++count_;
  }
  void add(const std::optional<double>& value) {
    if (value) add(*value);
  }
  std::optional<double> get() const { return count_ ? std::optional(std::exp(sum_ / count_)) : std::nullopt; }

private:
  double sum_ = 0;
  int count_ = 0;
};

std::optional<Mean> mean_of(const std::vector<Row>& rows, const std::string& group, const std::string& preset,
                            unsigned threads) {
  Mean mean = {.group = group, .preset = preset, .threads = threads};
  GeometricMean cpu, wall, memory, check, slow;
  for (const Row& row : rows) {
    if (row.preset != preset || row.threads != threads || !row.failures.empty()) continue;
    if (group != "all" && group != name_of(row.group)) continue;
    cpu.add(row.slowdown_cpu);
    wall.add(row.slowdown_wall);
    memory.add(row.memory_ratio);
    check.add(row.check_ratio);
    slow.add(row.slow_path_ratio);
    ++mean.programs;
  }
  if (!mean.programs) return std::nullopt;
  mean.slowdown_cpu = cpu.get().value_or(0);
  mean.slowdown_wall = wall.get().value_or(0);
  mean.memory_ratio = memory.get().value_or(0);
  mean.check_ratio = check.get();
  mean.slow_path_ratio = slow.get();
  return mean;
}

// In order of appearance.
template <class T, class Get> std::vector<T> distinct(const std::vector<Row>& rows, Get get) {
  std::vector<T> values;
  for (const Row& row : rows)
    if (std::find(values.begin(), values.end(), get(row)) == values.end()) values.push_back(get(row));
  return values;
}

void relate_to_tsan(std::vector<Mean>& means) {
  for (Mean& mean : means)
    for (const Mean& tsan : means)
      if (tsan.preset == "tsan" && mean.preset != "tsan" && tsan.group == mean.group &&
          tsan.threads == mean.threads && tsan.programs == mean.programs && mean.slowdown_cpu > 0)
        mean.times_tsan = tsan.slowdown_cpu / mean.slowdown_cpu;
}

} // namespace

std::string describe_machine() {
  std::string model = "unknown processor";
  std::ifstream in("/proc/cpuinfo");
  for (std::string line; std::getline(in, line);)
    if (line.starts_with("model name")) {
      model = line.substr(line.find(':') + 2);
      break;
    }
  utsname system = {};
  uname(&system);
  return model + ", " + std::to_string(std::thread::hardware_concurrency()) + " processors, " +
         system.sysname + " " + system.release;
}

void relate_to_base(std::vector<Row>& rows) {
  auto base = std::find_if(rows.begin(), rows.end(), [](const Row& row) { return row.preset == "base"; });
  if (base == rows.end()) return;
  Row reference = *base;
  for (Row& row : rows) {
    row.slowdown_cpu = reference.cpu > 0 ? row.cpu / reference.cpu : 0;
    row.slowdown_wall = reference.wall > 0 ? row.wall / reference.wall : 0;
    row.memory_ratio = reference.peak > 0 ? row.peak / reference.peak : 0;
  }
}

std::vector<Mean> means_of(const std::vector<Row>& rows) {
  std::vector<Mean> means;
  for (unsigned threads : distinct<unsigned>(rows, [](const Row& row) { return row.threads; }))
    for (const char* group : {"all", "array", "pointer"})
      for (const std::string& preset : distinct<std::string>(rows, [](const Row& row) { return row.preset; }))
        if (auto mean = mean_of(rows, group, preset, threads); mean && preset != "base")
          means.push_back(*mean);
  relate_to_tsan(means);
  return means;
}

std::vector<Kernel> kernels_of(const std::vector<Row>& rows) {
  std::vector<Kernel> kernels;
  for (const Row& row : rows) {
    if (row.kernel.empty() || row.preset == "base" || !row.failures.empty() || row.slowdown_cpu <= 0)
      continue;
    auto kernel = std::find_if(kernels.begin(), kernels.end(), [&](const Kernel& k) {
      return k.name == row.kernel && k.preset == row.preset && k.threads == row.threads;
    });
    if (kernel == kernels.end())
      kernel = kernels.insert(kernel, {.name = row.kernel, .preset = row.preset, .threads = row.threads});
    ++kernel->styles;
    if (kernel->styles == 1 || row.slowdown_cpu < kernel->best)
      kernel->best = row.slowdown_cpu, kernel->best_style = row.style;
    if (row.slowdown_cpu > kernel->worst) kernel->worst = row.slowdown_cpu, kernel->worst_style = row.style;
  }
  return kernels;
}

void judge_growth(std::vector<Point>& points) {
  auto cost = [&](const std::string& axis, const std::string& preset, unsigned n) {
    for (const Point& p : points)
      if (p.axis == axis && p.preset == preset && p.n == n) return p.cost;
    return 0.0;
  };
  for (Point& p : points) {
    // The first points can be dear because of the program's start, so the cheapest so far is what counts.
    const Point* reference = nullptr;
    for (const Point& q : points)
      if (q.axis == p.axis && q.preset == p.preset && q.n <= p.n && q.cost > 0)
        if (!reference || q.cost < reference->cost) reference = &q;
    if (!reference || p.cost <= 0) continue;
    double own = p.cost / reference->cost;
    double base_reference = cost(p.axis, "base", reference->n), base = cost(p.axis, "base", p.n);
    // What the program itself pays for more threads or a larger working set is not the tool's.
    double inherent = base_reference > 0 && base > 0 ? std::max(1.0, base / base_reference) : 1;
    p.growth = own;
    p.superlinear = p.preset != "base" && own / inherent > kSuperlinear;
  }
}

const Row* find_row(const Report& report, const std::string& program, const std::string& preset,
                    unsigned threads) {
  for (const Row& row : report.rows)
    if (row.program == program && row.preset == preset && row.threads == threads) return &row;
  return nullptr;
}

} // namespace footrace::bench
