#include "replay/table.h"

#include "detectors/all.h"
#include "replay/columns.h"

#include <algorithm>
#include <string_view>

namespace footrace::replay {

using namespace detectors;

namespace {

// Figure 2: of all reads that a detector has rules for, how many took which; writes likewise; what is neither stands for itself.
std::string write_rules(const Measured& detector) {
  const auto group_of = [](std::string_view rule) {
    return rule.starts_with("read") ? 0 : rule.starts_with("write") ? 1 : 2;
  };
  u64 sums[3] = {};
  for (const RuleCount& r : detector.cost.rules) sums[group_of(r.rule)] += r.count;
  std::string text;
  for (const RuleCount& r : detector.cost.rules) {
    const u64 sum = sums[group_of(r.rule)];
    const char* of[] = {" of reads", " of writes", ""};
    text += (text.empty() ? "  " : ", ") + std::string(r.rule) + " " + std::to_string(r.count);
    if (sum)
      text +=
          " (" + format("%.1f", 100.0 * double(r.count) / double(sum)) + " %" + of[group_of(r.rule)] + ")";
  }
  return text.empty() ? "" : std::string(detector.description->name) + ":\n" + text + "\n";
}

} // namespace

std::string write_table(const TableInput& in) {
  const auto share = [&](u64 n) {
    return format("%.1f %%", in.counts.events ? 100.0 * double(n) / double(in.counts.events) : 0);
  };
  const u64 other = in.counts.events - in.counts.reads - in.counts.writes;
  std::string text = std::to_string(in.counts.events) + " events: reads " + share(in.counts.reads) +
                     ", writes " + share(in.counts.writes) + ", other " + share(other) + "\n\n";
  double empty = 0;
  for (const Measured& d : in.detectors)
    if (std::string_view(d.description->name) == "Empty") empty = in.reading_seconds + d.seconds;
  std::vector<std::vector<std::string>> rows = {{"detector", "guarantee"}};
  if (in.with_times) rows[0].insert(rows[0].end(), {"ns/event", "x Empty"});
  rows[0].insert(rows[0].end(), {"clocks", "clock ops", "memory", "warnings", "findings"});
  const double events = double(std::max<u64>(in.counts.events, 1));
  for (size_t i = 0; i < in.detectors.size(); ++i) {
    const Measured& d = in.detectors[i];
    const double seconds = in.reading_seconds + d.seconds;
    std::vector<std::string> row = {d.description->name, d.description->guarantee == Guarantee::None
                                                             ? "-"
                                                             : name_of(d.description->guarantee)};
    if (in.with_times)
      row.insert(row.end(),
                 {format("%.1f", seconds / events * 1e9), format("%.2f", empty > 0 ? seconds / empty : 1)});
    row.insert(row.end(), {std::to_string(d.cost.clocks_allocated), std::to_string(d.cost.clock_operations),
                           format("%.1f kB", double(d.cost.memory) / 1000), std::to_string(d.warnings),
                           std::to_string(in.findings[i])});
    rows.push_back(std::move(row));
  }
  text += write_columns(rows) + "\n";
  for (const Measured& d : in.detectors) text += write_rules(d);
  return text;
}

} // namespace footrace::replay
