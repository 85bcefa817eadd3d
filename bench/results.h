// What a bench has found. Ratios are the result; absolute times are context.
#pragma once

#include "bench/catalog.h"
#include "bench/options.h"

#include <optional>
#include <string>
#include <vector>

namespace footrace::bench {

// One program under one tool with one number of threads.
struct Row {
  std::string program;
  std::string kernel = {}, style = {}; // of an idiom
  Group group = Group::Array;
  std::string preset; // or "base" or "tsan"
  unsigned threads = 0, runs = 0;
  double cpu = 0, wall = 0, peak = 0;     // the best of the runs: seconds, seconds, bytes
  double cpu_spread = 0, wall_spread = 0; // (worst - best) / best
  double slowdown_cpu = 0, slowdown_wall = 0, memory_ratio = 0; // relative to base
  std::optional<double> checks, check_ratio;                    // executed; per access that may race
  std::optional<double> slow_path, slow_path_ratio; // rules applied beyond the fast path; per check
  std::optional<double> shadow_locations;           // cells that hold an access at exit
  std::optional<double> races;                      // reported, where that is no failure (real programs)
  std::vector<std::string> failures;                // such a row is in no mean
};

// Geometric means of one tool over a group of programs.
struct Mean {
  std::string group; // "all", "array", "pointer", "real"
  std::string preset;
  unsigned threads = 0, programs = 0;
  double slowdown_cpu = 0, slowdown_wall = 0, memory_ratio = 0;
  std::optional<double> check_ratio = {}, slow_path_ratio = {};
  std::optional<double> times_tsan = {}; // its speed relative to tsan's, CPU time; over the same programs
};

// One kernel under one tool: its styles that cost least and most.
struct Kernel {
  std::string name, preset;
  unsigned threads = 0, styles = 0;
  double best = 0, worst = 0; // slowdown_cpu
  std::string best_style = {}, worst_style = {};
  double worst_per_best() const { return worst / best; }
};

// One point of a curve of `--scaling`.
struct Point {
  std::string axis, unit, preset;
  unsigned n = 0;
  double cost = 0;          // CPU nanoseconds per unit of work
  double growth = 1;        // of the cost since the cheapest point so far
  bool superlinear = false; // grew by more than kSuperlinear beyond what the uninstrumented program did
};

struct Report {
  Options options;
  std::string machine;
  std::vector<std::string> tools;
  std::vector<Row> rows;
  std::vector<Mean> means;
  std::vector<Kernel> kernels;
  std::vector<Point> points;
  std::vector<std::string> skipped, failures;
};

std::string describe_machine();

// Fills the ratios of all rows of one program and one number of threads; one of them is the base.
void relate_to_base(std::vector<Row>& rows);
std::vector<Mean> means_of(const std::vector<Row>& rows);
// Of the rows of idioms; base is in none.
std::vector<Kernel> kernels_of(const std::vector<Row>& rows);
// Fills growth and superlinear; the points of each curve are in order of n.
void judge_growth(std::vector<Point>& points);
constexpr double kSuperlinear = 1.5;

const Row* find_row(const Report& report, const std::string& program, const std::string& preset,
                    unsigned threads);

} // namespace footrace::bench
