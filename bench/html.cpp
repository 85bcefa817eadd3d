// One page without scripts or references: inline SVG, readable when printed.
#include "bench/table.h"
#include "bench/writers.h"

#include <algorithm>
#include <cmath>
#include <map>

namespace footrace::bench {
namespace {

// Told apart also without colour vision; base is never drawn as a bar.
const char* const kColours[] = {"#9a9a9a", "#d55e00", "#0072b2", "#009e73", "#cc79a7", "#e69f00", "#56b4e9"};

std::string escape(const std::string& text) {
  std::string out;
  for (char c : text) {
    if (c == '<')
      out += "&lt;";
    else if (c == '>')
      out += "&gt;";
    else if (c == '&')
      out += "&amp;";
    else if (c == '"')
      out += "&quot;";
    else
      out += c;
  }
  return out;
}

std::string px(double value) {
  char text[32];
  snprintf(text, sizeof text, "%.1f", value);
  return text;
}

class Page {
public:
  explicit Page(const Report& report) : report_(report) {}
  std::string write() {
    head();
    if (!report_.rows.empty()) {
      for (unsigned threads : report_.options.threads) {
        std::string with = std::to_string(threads) + (threads == 1 ? " thread" : " threads");
        means(threads, with);
        idioms(threads, with);
        bars("Slowdown, CPU time, " + with, threads, [](const Row& row) { return row.slowdown_cpu; });
        bars("Peak memory relative to base, " + with, threads,
             [](const Row& row) { return row.memory_ratio; });
        rows(threads, with);
      }
      if (report_.options.threads.size() > 1) thread_curve();
    }
    for (const std::string& axis : axes()) cost_curve(axis);
    for (const std::string& text : report_.skipped) html_ += "<p>Skipped: " + escape(text) + "</p>\n";
    html_ += "</main></body></html>\n";
    return std::move(html_);
  }

private:
  void head() {
    html_ += "<!doctype html><html lang=\"en\"><head><meta charset=\"utf-8\"><title>footrace bench</title>\n"
             "<meta name=\"viewport\" content=\"width=device-width\"><style>\n"
             "body{font:15px/1.5 system-ui,sans-serif;color:#222;background:#fff;margin:0}\n"
             "main{max-width:62rem;margin:0 auto;padding:1.5rem}\n"
             "h1{font-size:1.6rem}h2{font-size:1.15rem;margin-top:2.2rem}\n"
             ".scroll{overflow-x:auto}table{border-collapse:collapse;font-size:13px}\n"
             "td,th{padding:.2rem .6rem;text-align:right;border-bottom:1px solid #e4e4e4}\n"
             "td:first-child,th:first-child,td:nth-child(2),th:nth-child(2){text-align:left}\n"
             ".bad{color:#b00020;font-weight:600}svg{max-width:100%;height:auto}code{background:#f4f4f4;"
             "padding:.1em .3em}\n"
             "svg text{font:12px system-ui,sans-serif;fill:#333}.note{color:#666}\n"
             "</style></head><body><main><h1>footrace bench</h1>\n";
    html_ += "<p><code>" + escape(report_.options.command) + "</code><br><span class=\"note\">" +
             escape(report_.machine) + "; size " + report_.options.size + ", best of " +
             std::to_string(report_.options.runs) +
             ". Ratios are relative to the uninstrumented program; lower is better.</span></p>\n";
    for (const std::string& text : report_.failures)
      html_ += "<p class=\"bad\">Failed: " + escape(text) + "</p>\n";
  }

  const char* colour(const std::string& tool) const {
    size_t i = size_t(std::find(report_.tools.begin(), report_.tools.end(), tool) - report_.tools.begin());
    return kColours[i % std::size(kColours)];
  }

  void title(const std::string& text) { html_ += "<h2>" + escape(text) + "</h2>\n"; }

  void table(const std::vector<std::vector<std::string>>& rows) {
    html_ += "<div class=\"scroll\"><table>\n";
    for (size_t i = 0; i < rows.size(); ++i) {
      html_ += "<tr>";
      for (const std::string& cell : rows[i])
        html_ += (i ? "<td>" : "<th>") + escape(cell) + (i ? "</td>" : "</th>");
      html_ += "</tr>\n";
    }
    html_ += "</table></div>\n";
  }

  void means(unsigned threads, const std::string& with) {
    title("Geometric means, " + with);
    std::vector<std::vector<std::string>> rows = {{"programs", "tool", "slowdown CPU", "slowdown wall",
                                                   "speed, times tsan's", "memory", "check ratio",
                                                   "slow path"}};
    for (const Mean& m : report_.means)
      if (m.threads == threads)
        rows.push_back({m.group + " (" + std::to_string(m.programs) + ")", m.preset, figure(m.slowdown_cpu),
                        figure(m.slowdown_wall), figure(m.times_tsan), figure(m.memory_ratio),
                        figure(m.check_ratio), figure(m.slow_path_ratio)});
    table(rows);
  }

  void idioms(unsigned threads, const std::string& with) {
    const auto cells = idiom_cells(report_, threads);
    if (cells.empty()) return;
    title("Idioms: slowdown (CPU) by style, " + with);
    table(cells);
  }

  void rows(unsigned threads, const std::string& with) {
    title("All figures, " + with);
    std::vector<std::vector<std::string>> rows = {{"program", "tool", "CPU s", "spread", "slowdown CPU",
                                                   "slowdown wall", "memory", "check ratio", "slow path",
                                                   "shadow locations", ""}};
    for (const Row& row : report_.rows)
      if (row.threads == threads)
        rows.push_back({row.program, row.preset, figure(row.cpu), percent(row.cpu_spread),
                        figure(row.slowdown_cpu), figure(row.slowdown_wall),
                        row.preset == "base" ? bytes(row.peak) : figure(row.memory_ratio),
                        figure(row.check_ratio), figure(row.slow_path_ratio), figure(row.shadow_locations),
                        row.failures.empty() ? "" : "FAILED"});
    table(rows);
  }

  void legend(double x, double y, bool with_base) {
    for (const std::string& tool : report_.tools) {
      if (tool == "base" && !with_base) continue;
      html_ += "<rect x=\"" + px(x) + "\" y=\"" + px(y - 9) + "\" width=\"10\" height=\"10\" fill=\"" +
               colour(tool) + "\"/><text x=\"" + px(x + 14) + "\" y=\"" + px(y) + "\">" + escape(tool) +
               "</text>\n";
      x += 24 + 8.0 * double(tool.size());
    }
  }

  template <class Get> void bars(const std::string& name, unsigned threads, Get get) {
    std::vector<std::string> programs;
    double most = 1;
    size_t tools = 0;
    for (const std::string& tool : report_.tools) tools += tool != "base";
    for (const Row& row : report_.rows) {
      if (row.threads != threads) continue;
      if (programs.empty() || programs.back() != row.program) programs.push_back(row.program);
      if (row.failures.empty()) most = std::max(most, get(row));
    }
    title(name);
    constexpr double left = 150, width = 760, bar = 11, gap = 9, top = 30;
    double group = bar * double(tools) + gap, height = top + group * double(programs.size()) + 8;
    html_ += "<svg role=\"img\" aria-label=\"" + escape(name) + "\" viewBox=\"0 0 " + px(left + width + 60) +
             " " + px(height) + "\" width=\"" + px(left + width + 60) + "\" height=\"" + px(height) + "\">\n";
    legend(left, 14, false);
    double one = left + width / most;
    for (size_t i = 0; i < programs.size(); ++i) {
      double y = top + group * double(i);
      html_ += "<text text-anchor=\"end\" x=\"" + px(left - 8) + "\" y=\"" +
               px(y + bar * double(tools) / 2 + 4) + "\">" + escape(programs[i]) + "</text>\n";
      for (const std::string& tool : report_.tools) {
        if (tool == "base") continue;
        const Row* row = find_row(report_, programs[i], tool, threads);
        bool failed = !row || !row->failures.empty();
        double value = failed ? 0 : get(*row), length = width * value / most;
        html_ += "<rect x=\"" + px(left) + "\" y=\"" + px(y) + "\" width=\"" + px(length) + "\" height=\"" +
                 px(bar - 1) + "\" fill=\"" + colour(tool) + "\"/><text x=\"" + px(left + length + 4) +
                 "\" y=\"" + px(y + bar - 2) + "\"" + (failed ? " style=\"fill:#b00020\"" : "") + ">" +
                 (failed ? "failed" : figure(value)) + "</text>\n";
        y += bar;
      }
    }
    html_ += "<line x1=\"" + px(one) + "\" x2=\"" + px(one) + "\" y1=\"" + px(top - 6) + "\" y2=\"" +
             px(height - 6) + "\" stroke=\"#888\" stroke-dasharray=\"3 3\"/>\n</svg>\n";
  }

  using Curve = std::vector<std::pair<double, double>>;
  // x on a logarithmic scale, y from 0.
  void curves(const std::string& name, const std::string& x_label,
              const std::map<std::string, Curve>& lines) {
    double x_low = 1e300, x_high = 0, most = 0;
    std::map<double, bool> ticks;
    for (const auto& [tool, curve] : lines)
      for (auto [x, y] : curve) {
        x_low = std::min(x_low, x), x_high = std::max(x_high, x), most = std::max(most, y);
        ticks[x] = true;
      }
    if (most <= 0) return;
    title(name);
    constexpr double left = 60, width = 700, top = 30, height = 260;
    double range = std::max(1e-9, std::log(x_high / x_low));
    auto at_x = [&](double x) { return left + width * std::log(x / x_low) / range; };
    auto at_y = [&](double y) { return top + height * (1 - y / most); };
    html_ += "<svg role=\"img\" aria-label=\"" + escape(name) +
             "\" viewBox=\"0 0 800 340\" width=\"800\" height=\"340\">\n";
    legend(left, 14, true);
    for (int i = 0; i <= 4; ++i) {
      double y = most * i / 4;
      html_ += "<line x1=\"" + px(left) + "\" x2=\"" + px(left + width) + "\" y1=\"" + px(at_y(y)) +
               "\" y2=\"" + px(at_y(y)) + "\" stroke=\"#e4e4e4\"/><text text-anchor=\"end\" x=\"" +
               px(left - 6) + "\" y=\"" + px(at_y(y) + 4) + "\">" + figure(y) + "</text>\n";
    }
    for (auto [x, used] : ticks)
      html_ += "<text text-anchor=\"middle\" x=\"" + px(at_x(x)) + "\" y=\"" + px(top + height + 18) + "\">" +
               figure(x) + "</text>\n";
    html_ += "<text text-anchor=\"middle\" x=\"" + px(left + width / 2) + "\" y=\"" + px(top + height + 38) +
             "\">" + escape(x_label) + "</text>\n";
    for (const auto& [tool, curve] : lines) {
      std::string points;
      for (auto [x, y] : curve) points += px(at_x(x)) + "," + px(at_y(y)) + " ";
      html_ += "<polyline fill=\"none\" stroke-width=\"2\" stroke=\"" + std::string(colour(tool)) +
               "\" points=\"" + points + "\"/>\n";
      for (auto [x, y] : curve)
        html_ += "<circle r=\"3\" cx=\"" + px(at_x(x)) + "\" cy=\"" + px(at_y(y)) + "\" fill=\"" +
                 colour(tool) + "\"><title>" + escape(tool) + ": " + figure(y) + "</title></circle>\n";
    }
    html_ += "</svg>\n";
  }

  void thread_curve() {
    std::map<std::string, Curve> lines;
    for (const Mean& mean : report_.means)
      if (mean.group == "all") lines[mean.preset].push_back({mean.threads, mean.slowdown_cpu});
    curves("Scaling: slowdown by number of threads (geometric mean, CPU time)", "threads", lines);
  }

  std::vector<std::string> axes() const {
    std::vector<std::string> names;
    for (const Point& p : report_.points)
      if (names.empty() || names.back() != p.axis)
        if (std::find(names.begin(), names.end(), p.axis) == names.end()) names.push_back(p.axis);
    return names;
  }

  void cost_curve(const std::string& axis) {
    std::map<std::string, Curve> lines;
    std::string unit, flagged;
    for (const Point& p : report_.points) {
      if (p.axis != axis || p.cost <= 0) continue;
      lines[p.preset].push_back({p.n, p.cost});
      unit = p.unit;
      if (p.superlinear)
        flagged += "<p class=\"bad\">" + escape(p.preset) + " grows by " + figure(p.growth) +
                   "x at n = " + std::to_string(p.n) + "</p>\n";
    }
    curves("Cost as " + axis + " grow: CPU nanoseconds per " + unit, axis, lines);
    html_ += flagged;
  }

  const Report& report_;
  std::string html_;
};

} // namespace

std::string as_html(const Report& report) { return Page(report).write(); }

} // namespace footrace::bench
