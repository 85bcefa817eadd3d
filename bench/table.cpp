#include "bench/table.h"

#include "driver/messages.h"

#include "llvm/Support/raw_ostream.h"
#include <algorithm>
#include <cmath>
#include <unistd.h>

namespace footrace::bench {
namespace {

std::string printed(const char* format, double value) {
  char text[64];
  snprintf(text, sizeof text, format, value);
  return text;
}

// Columns as wide as their widest cell; the first is aligned to the left.
class Columns {
public:
  void row(std::vector<std::string> cells) {
    for (size_t i = 0; i < cells.size(); ++i) {
      if (widths_.size() <= i) widths_.push_back(0);
      widths_[i] = std::max(widths_[i], cells[i].size());
    }
    rows_.push_back(std::move(cells));
  }
  void rule() { rows_.push_back({}); }
  void print(llvm::raw_ostream& out) const {
    size_t total = 0;
    for (size_t width : widths_) total += width + 2;
    for (const auto& cells : rows_) {
      if (cells.empty()) out << std::string(total - 2, '-');
      for (size_t i = 0; i < cells.size(); ++i) {
        std::string fill(widths_[i] - cells[i].size(), ' ');
        bool last = i + 1 == cells.size();
        out << (i ? "  " : "") << (i < 2 ? cells[i] + (last ? "" : fill) : fill + cells[i]);
      }
      out << '\n';
    }
  }

private:
  std::vector<std::vector<std::string>> rows_;
  std::vector<size_t> widths_;
};

void print_rows(const Report& report, unsigned threads) {
  auto& out = llvm::outs();
  out << "\n"
      << threads << (threads == 1 ? " thread" : " threads") << ", size " << report.options.size
      << ", best of " << report.options.runs << " (spread = worst / best - 1)\n";
  Columns table;
  table.row({"program", "tool", "cpu s", "spread", "slowdown cpu", "wall", "check ratio", "slow path",
             "shadow", "memory", ""});
  std::string last;
  for (const Row& row : report.rows) {
    if (row.threads != threads) continue;
    if (row.program != last) table.rule();
    std::string notes =
        row.failures.empty() ? "" : "FAILED: " + row.failures[0].substr(0, row.failures[0].find('\n'));
    if (row.races && *row.races > 0) notes += figure(*row.races) + " reports";
    table.row({row.program == last ? "" : row.program, row.preset, printed("%.3f", row.cpu),
               percent(row.cpu_spread), figure(row.slowdown_cpu), figure(row.slowdown_wall),
               figure(row.check_ratio), figure(row.slow_path_ratio), figure(row.shadow_locations),
               row.preset == "base" ? bytes(row.peak) : figure(row.memory_ratio), notes});
    last = row.program;
  }
  table.rule();
  for (const Mean& mean : report.means)
    if (mean.threads == threads)
      table.row({"geomean " + mean.group + " (" + std::to_string(mean.programs) + ")", mean.preset, "", "",
                 figure(mean.slowdown_cpu), figure(mean.slowdown_wall), figure(mean.check_ratio),
                 figure(mean.slow_path_ratio), "", figure(mean.memory_ratio),
                 mean.times_tsan ? figure(mean.times_tsan) + " times tsan's speed" : ""});
  table.print(out);
}

void print_idioms(const Report& report, unsigned threads) {
  Columns table;
  for (const auto& cells : idiom_cells(report, threads)) table.row(cells);
  llvm::outs() << "\nIdioms: slowdown (CPU) by style, " << threads << (threads == 1 ? " thread" : " threads")
               << "\n";
  table.print(llvm::outs());
}

void print_thread_curve(const Report& report) {
  llvm::outs() << "\nScaling: geomean slowdown (CPU) over all programs by threads\n";
  Columns table;
  std::vector<std::string> head = {"tool", ""};
  for (unsigned threads : report.options.threads) head.push_back(std::to_string(threads));
  table.row(head);
  for (const std::string& tool : report.tools) {
    std::vector<std::string> cells = {tool, ""};
    for (const Mean& mean : report.means)
      if (mean.group == "all" && mean.preset == tool) cells.push_back(figure(mean.slowdown_cpu));
    if (cells.size() > 2) table.row(cells);
  }
  table.print(llvm::outs());
}

void print_points(const Report& report) {
  llvm::outs()
      << "\nCost per unit of work (CPU), and its growth since the cheapest point so far of each curve\n";
  Columns table;
  table.row({"axis", "unit", "n", "tool", "ns per unit", "growth", ""});
  std::string last;
  for (const Point& p : report.points) {
    if (p.axis + p.preset != last) table.rule();
    last = p.axis + p.preset;
    table.row({p.axis, p.unit, std::to_string(p.n), p.preset, figure(p.cost), figure(p.growth),
               p.superlinear ? "SUPERLINEAR" : ""});
  }
  table.print(llvm::outs());
}

} // namespace

std::string figure(double value) {
  if (value == 0) return "0";
  if (value >= 1000) {
    for (const char* unit : {"k", "M", "G"}) {
      value /= 1000;
      if (value < 1000 || *unit == 'G') return printed(value < 10 ? "%.2f" : "%.0f", value) + unit;
    }
  }
  if (value >= 100) return printed("%.0f", value);
  if (value >= 9.995) return printed("%.1f", value);
  if (value >= 0.01) return printed("%.2f", value);
  return printed("%.1e", value);
}
std::string figure(const std::optional<double>& value) { return value ? figure(*value) : "-"; }
std::string percent(double ratio) { return printed("%.0f%%", ratio * 100); }
std::string bytes(double value) { return printed("%.1f MB", value / 1e6); }

namespace {
// Under each tool the largest of the kernels of this name, or with "" of all.
void add_worst_per_best(const Report& report, unsigned threads, const std::string& kernel,
                        std::vector<std::string>& cells) {
  for (const std::string& tool : report.tools) {
    if (tool == "base") continue;
    double most = 0;
    for (const Kernel& k : report.kernels)
      if (k.preset == tool && k.threads == threads && (kernel.empty() || k.name == kernel))
        most = std::max(most, k.worst_per_best());
    cells.push_back(most > 0 ? figure(most) : "-");
  }
}
} // namespace

std::vector<std::vector<std::string>> idiom_cells(const Report& report, unsigned threads) {
  std::vector<std::vector<std::string>> table = {{"kernel", "style", "base, CPU s"}};
  for (const std::string& tool : report.tools)
    if (tool != "base") table[0].push_back(tool);
  std::string kernel;
  auto end_kernel = [&] {
    if (!kernel.empty())
      add_worst_per_best(report, threads, kernel,
                         table.emplace_back(std::vector<std::string>{"", "worst / best", ""}));
  };
  for (const Row& base : report.rows) {
    if (base.kernel.empty() || base.preset != "base" || base.threads != threads) continue;
    if (base.kernel != kernel) end_kernel();
    auto& cells = table.emplace_back();
    cells = {base.kernel == kernel ? "" : base.kernel, base.style, figure(base.cpu)};
    for (const std::string& tool : report.tools) {
      const Row* row = find_row(report, base.program, tool, threads);
      if (tool != "base")
        cells.push_back(row && row->failures.empty() ? figure(row->slowdown_cpu) : "failed");
    }
    kernel = base.kernel;
  }
  if (kernel.empty()) return {};
  end_kernel();
  add_worst_per_best(report, threads, "",
                     table.emplace_back(std::vector<std::string>{"all kernels", "worst / best", ""}));
  return table;
}

void print_table(const Report& report) {
  auto& out = llvm::outs();
  out << report.options.command << "\n" << report.machine << "\n";
  if (!report.rows.empty()) {
    for (unsigned threads : report.options.threads) print_rows(report, threads);
    if (!report.kernels.empty())
      for (unsigned threads : report.options.threads) print_idioms(report, threads);
    if (report.options.threads.size() > 1) print_thread_curve(report);
  }
  if (!report.points.empty()) print_points(report);
  for (const std::string& text : report.skipped) out << "skipped: " << text << "\n";
  bool coloured = driver::may_colour(STDOUT_FILENO);
  for (const std::string& text : report.failures)
    out << (coloured ? "\033[1;31mFAILED:\033[0m " : "FAILED: ") << text << "\n";
  out.flush();
}

} // namespace footrace::bench
