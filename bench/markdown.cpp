// docs/results.md: one section per kind of run, between markers, so that each can be made anew by itself.
#include "bench/catalog.h"
#include "bench/papers.h"
#include "bench/table.h"
#include "bench/writers.h"

#include <algorithm>

namespace footrace::bench {
namespace {

class MarkdownTable {
public:
  explicit MarkdownTable(const std::vector<std::string>& head) {
    add(head);
    text_ += "|";
    for (size_t i = 0; i < head.size(); ++i) text_ += i ? "---:|" : "---|";
    text_ += "\n";
  }
  void add(const std::vector<std::string>& cells) {
    text_ += "|";
    for (const std::string& cell : cells) text_ += " " + cell + " |";
    text_ += "\n";
  }
  std::string take() { return text_ + "\n"; }

private:
  std::string text_;
};

std::string paper(double value) { return value > 0 ? figure(value) : "-"; }
// 000 gives additional time; + 1 makes it a slowdown like the others.
std::string paper_slowdown(double overhead) { return overhead > 0 ? figure(overhead + 1) : "-"; }

std::vector<std::string> programs_of(const Report& report) {
  std::vector<std::string> names;
  for (const Row& row : report.rows)
    if (std::find(names.begin(), names.end(), row.program) == names.end()) names.push_back(row.program);
  return names;
}

std::string slowdown(const Row* row) {
  if (!row) return "-";
  if (!row->failures.empty()) return "failed";
  return figure(row->slowdown_cpu) + " (" + figure(row->slowdown_wall) + ")";
}

std::string slowdowns(const Report& report, unsigned threads, bool with_papers) {
  std::vector<std::string> head = {"program", "base, CPU s", "spread"};
  for (const std::string& tool : report.tools)
    if (tool != "base") head.push_back(tool);
  if (with_papers)
    head.insert(head.end(), {"004 FastTrack", "003 FastTrack", "003 RC+Proxy", "000 FastTrack", "000 RedCard",
                             "000 SlimState", "000 SlimCard", "000 BigFoot"});
  MarkdownTable table(head);
  for (const std::string& program : programs_of(report)) {
    const Row* base = find_row(report, program, "base", threads);
    if (!base) continue;
    double spread = 0;
    for (const std::string& tool : report.tools)
      if (const Row* row = find_row(report, program, tool, threads))
        spread = std::max(spread, row->cpu_spread);
    std::vector<std::string> cells = {program, figure(base->cpu), percent(spread)};
    for (const std::string& tool : report.tools)
      if (tool != "base") cells.push_back(slowdown(find_row(report, program, tool, threads)));
    const PaperFigures* p = paper_figures(program);
    if (with_papers)
      cells.insert(cells.end(), {p ? paper(p->fasttrack_004) : "-", p ? paper(p->fasttrack_003) : "-",
                                 p ? paper(p->proxy_003) : "-", p ? paper_slowdown(p->ft_000) : "-",
                                 p ? paper_slowdown(p->rc_000) : "-", p ? paper_slowdown(p->ss_000) : "-",
                                 p ? paper_slowdown(p->sc_000) : "-", p ? paper_slowdown(p->bf_000) : "-"});
    table.add(cells);
  }
  for (const char* group : {"all", "array", "pointer"}) {
    std::vector<std::string> cells = {std::string("**geomean ") + group + "**", "", ""};
    for (const std::string& tool : report.tools)
      for (const Mean& mean : report.means)
        if (mean.group == group && mean.preset == tool && mean.threads == threads)
          cells.push_back("**" + figure(mean.slowdown_cpu) + "** (" + figure(mean.slowdown_wall) + ")");
    if (cells.size() == 3) continue;
    if (with_papers) cells.insert(cells.end(), 8, "");
    table.add(cells);
  }
  return table.take();
}

// One row per program, and per preset what `cell` says.
template <class Cell>
std::string per_preset(const Report& report, unsigned threads, const std::vector<std::string>& columns,
                       bool with_tsan, Cell cell, std::vector<std::string> paper_columns,
                       std::vector<std::string> (*paper_cells)(const PaperFigures*)) {
  std::vector<std::string> head = {"program"};
  auto for_tools = [&](auto fn) {
    for (const std::string& tool : report.tools)
      if (tool != "base" && (with_tsan || tool != "tsan")) fn(tool);
  };
  for_tools([&](const std::string& tool) {
    for (const std::string& column : columns) head.push_back(tool + column);
  });
  head.insert(head.end(), paper_columns.begin(), paper_columns.end());
  MarkdownTable table(head);
  for (const std::string& program : programs_of(report)) {
    std::vector<std::string> cells = {program};
    for_tools([&](const std::string& tool) {
      const Row* row = find_row(report, program, tool, threads);
      for (size_t i = 0; i < columns.size(); ++i)
        cells.push_back(row && row->failures.empty() ? cell(*row, i) : "-");
    });
    std::vector<std::string> theirs = paper_cells(paper_figures(program));
    cells.insert(cells.end(), theirs.begin(), theirs.end());
    table.add(cells);
  }
  return table.take();
}

std::string check_ratios(const Report& report, unsigned threads) {
  return per_preset(
      report, threads, {": checks", ": check ratio", ": slow path", ": shadow locations"}, false,
      [](const Row& row, size_t i) {
        const std::optional<double>* values[] = {&row.checks, &row.check_ratio, &row.slow_path_ratio,
                                                 &row.shadow_locations};
        return figure(*values[i]);
      },
      {"003 RedCard", "003 RC+Proxy", "000 BigFoot"},
      [](const PaperFigures* p) -> std::vector<std::string> {
        if (!p) return {"-", "-", "-"};
        return {paper(p->checked_redcard_003 / 100), paper(p->checked_proxy_003 / 100),
                paper(p->check_ratio_bf_000)};
      });
}

std::string memory(const Report& report, unsigned threads) {
  return per_preset(
      report, threads, {""}, true, [](const Row& row, size_t) { return figure(row.memory_ratio); },
      {"004 FastTrack (fine)", "000 FastTrack"},
      [](const PaperFigures* p) -> std::vector<std::string> {
        if (!p) return {"-", "-"};
        return {paper(p->memory_004), paper_slowdown(p->memory_000)};
      });
}

std::string geometric_means(const Report& report, unsigned threads) {
  MarkdownTable table({"programs", "tool", "slowdown, CPU", "slowdown, wall", "speed, times tsan's", "memory",
                       "check ratio"});
  for (const Mean& mean : report.means)
    if (mean.threads == threads)
      table.add({mean.group + " (" + std::to_string(mean.programs) + ")", mean.preset,
                 figure(mean.slowdown_cpu), figure(mean.slowdown_wall), figure(mean.times_tsan),
                 figure(mean.memory_ratio), figure(mean.check_ratio)});
  return table.take();
}

std::string programs_section(const Report& report) {
  std::string text = "## The programs\n\n";
  for (unsigned threads : report.options.threads) {
    std::string with = std::to_string(threads) + (threads == 1 ? " thread" : " threads");
    text += "### Geometric means, " + with + "\n\n" + geometric_means(report, threads) +
            "### Table 1: slowdowns, " + with + "\n\n" +
            "CPU time relative to `clang++ -O2`, wall time in parentheses; *spread* is the largest of the "
            "row's tools. The "
            "papers' columns are their own figures for the Java program of the same name (overheads of 000 "
            "plus 1).\n\n" +
            slowdowns(report, threads, true) + "### Table 2: checks, " + with + "\n\n" +
            "*check ratio*: checks executed per access that may race; *slow path*: rules applied beyond the "
            "fast path, "
            "per check. The papers' columns are check ratios.\n\n" +
            check_ratios(report, threads) + "### Table 3: peak memory, " + with + "\n\n" +
            "Relative to the uninstrumented program.\n\n" + memory(report, threads);
  }
  return text;
}

std::string idioms_section(const Report& report) {
  std::string text =
      "## Idioms\n\nThe papers' kernels in several styles ([benchmarks.md](benchmarks.md#idioms)). CPU time "
      "relative to `clang++ -O2`; *worst / best* is between the styles of one kernel, and in the last row "
      "the "
      "largest of these.\n\n";
  for (unsigned threads : report.options.threads) {
    text += "### " + std::to_string(threads) + (threads == 1 ? " thread" : " threads") + "\n\n";
    const auto cells = idiom_cells(report, threads);
    if (cells.empty()) continue;
    MarkdownTable table(cells[0]);
    for (size_t i = 1; i < cells.size(); ++i) table.add(cells[i]);
    text += table.take() + geometric_means(report, threads);
  }
  return text;
}

std::string real_section(const Report& report) {
  std::string text =
      "## Real programs\n\nFrom Debian's source packages. CPU time relative to `clang -O2`, wall time in "
      "parentheses; outputs were compared.\n\n";
  unsigned threads = report.options.threads[0];
  text += slowdowns(report, threads, false) + "Peak memory relative to the uninstrumented program:\n\n" +
          per_preset(
              report, threads, {" memory", " reports"}, true,
              [](const Row& row, size_t i) { return i ? figure(row.races) : figure(row.memory_ratio); }, {},
              [](const PaperFigures*) { return std::vector<std::string>(); });
  return text;
}

// The page is committed: files of the checkout are named as they are there.
std::string in_checkout(std::string text) {
  const std::string folder = checkout() + "/";
  for (size_t at; (at = text.find(folder)) != std::string::npos;) text.erase(at, folder.size());
  return text;
}

std::string scaling_section(const Report& report) {
  std::string text =
      "## Scaling\n\nCPU time per unit of work as one thing grows; *growth* is relative to the curve's "
      "cheapest "
      "point so far. A tool's curve that grows by more than 1.5x beyond the program's own is marked.\n\n";
  MarkdownTable table({"axis", "unit", "n", "tool", "ns per unit", "growth", ""});
  for (const Point& p : report.points)
    table.add({p.axis, p.unit, std::to_string(p.n), p.preset, figure(p.cost), figure(p.growth),
               p.superlinear ? "superlinear" : ""});
  return text + table.take();
}

std::string results_of(const Report& report) {
  switch (report.options.what) {
  case What::Programs:
    return programs_section(report);
  case What::Idioms:
    return idioms_section(report);
  case What::Real:
    return real_section(report);
  case What::Scaling:
    return scaling_section(report);
  }
  return "";
}

std::string section(const Report& report) {
  std::string text = results_of(report);
  text += "Made by `" + report.options.command + "` on " + report.machine + "; size " + report.options.size +
          ", best of " + std::to_string(report.options.runs) + ".\n";
  for (const std::string& why : report.skipped) text += "\nSkipped: " + in_checkout(why) + ".\n";
  for (const std::string& why : report.failures) text += "\n**Failed**: " + in_checkout(why) + "\n";
  return text;
}

} // namespace

std::string with_section(const std::string& page, const Report& report) {
  std::string name = name_of(report.options.what);
  std::string begin = "<!-- begin " + name + " -->\n", end = "<!-- end " + name + " -->\n";
  std::string block = begin + section(report) + end;
  std::string text =
      page.empty() ? "# Results\n\nWritten by `footrace bench --results`; [benchmarks.md](benchmarks.md) "
                     "explains the method. Do not edit.\n\n"
                   : page;
  size_t from = text.find(begin), to = text.find(end);
  if (from == std::string::npos || to == std::string::npos || to < from) return text + block + "\n";
  return text.replace(from, to + end.size() - from, block);
}

} // namespace footrace::bench
