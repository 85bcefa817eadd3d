#include "replay/compose.h"

#include "detectors/all.h"
#include "replay/clock.h"
#include "replay/columns.h"

#include <algorithm>
#include <map>

namespace footrace::replay {

using namespace detectors;

std::string name_of(const Choice& choice) {
  return std::string(choice.prefilter ? choice.prefilter->name : "None") + ":" + choice.checker->name;
}

ComposedRun::ComposedRun(const std::vector<Choice>& choices) {
  for (const Choice& c : choices)
    stages_.push_back({c, c.prefilter ? c.prefilter->make({}) : nullptr, c.checker->make(), 0, 0, {}});
}

void ComposedRun::step_all(Stages& s, const std::vector<Event>& batch) {
  std::vector<std::pair<size_t, Violation>> found;
  Verdict verdict;
  std::vector<Violation> violations;
  const double before = cpu_seconds();
  for (size_t i = 0; i < batch.size(); ++i) {
    const Event& e = batch[i];
    const bool is_plain = e.kind == EventKind::Read || e.kind == EventKind::Write;
    if (s.prefilter) {
      verdict.clear();
      s.prefilter->step(e, verdict);
      if (is_plain && !verdict.may_race) continue;
    }
    s.passed += is_plain;
    s.checker->step(e, events + i, violations);
    for (const Violation& v : violations) found.push_back({i, v});
    violations.clear();
  }
  s.seconds += cpu_seconds() - before;
  if (!found.empty()) collect(s, batch, found);
}

void ComposedRun::collect(Stages& s, const std::vector<Event>& batch,
                          const std::vector<std::pair<size_t, Violation>>& found) {
  HeldByThreads held = held_;
  size_t next = 0;
  for (const auto& [i, violation] : found) {
    for (; next <= i; ++next) held.step(batch[next]);
    const Event& e = batch[i];
    const u64 key[] = {e.site,
                       e.stack,
                       u64(e.kind),
                       violation.begin.site,
                       violation.begin.stack,
                       violation.has_block,
                       e.site ? 0 : e.target};
    if (s.known.emplace(reinterpret_cast<const char*>(key), sizeof key).second)
      reports.push_back({s.choice, events + i, e, held.of(e.thread), violation});
  }
}

bool ComposedRun::read(EventSource& source) {
  const auto empty = find_detector("Empty")->make({});
  std::vector<Event> batch;
  for (bool more = true; more;) {
    const double before = cpu_seconds();
    more = read_batch(source, batch);
    const double between = cpu_seconds();
    Verdict verdict;
    for (const Event& e : batch) verdict.clear(), empty->step(e, verdict);
    empty_seconds += cpu_seconds() - between, reading_seconds += between - before;
    for (Stages& s : stages_) step_all(s, batch);
    for (const Event& e : batch) {
      step(threads_, e);
      held_.step(e);
      accesses += e.kind == EventKind::Read || e.kind == EventKind::Write;
    }
    events += batch.size();
  }
  return !source.error();
}

std::vector<MeasuredChoice> ComposedRun::measured() const {
  std::vector<MeasuredChoice> all;
  for (const Stages& s : stages_) all.push_back({s.choice, s.seconds, s.passed, s.checker->cost()});
  return all;
}

std::string write_composition(const ComposedRun& run, bool with_times) {
  std::vector<std::string> prefilters;
  std::vector<std::pair<std::string, std::map<std::string, std::string>>> rows;
  const double empty = run.reading_seconds + run.empty_seconds;
  for (const MeasuredChoice& m : run.measured()) {
    const std::string prefilter = m.choice.prefilter ? m.choice.prefilter->name : "None";
    if (std::find(prefilters.begin(), prefilters.end(), prefilter) == prefilters.end())
      prefilters.push_back(prefilter);
    auto row = std::find_if(rows.begin(), rows.end(),
                            [&](const auto& r) { return r.first == m.choice.checker->name; });
    if (row == rows.end()) row = rows.insert(row, {m.choice.checker->name, {}});
    row->second[prefilter] =
        with_times ? format("%.2f", empty > 0 ? (run.reading_seconds + m.seconds) / empty : 1)
                   : format("%.1f %%", run.accesses ? 100.0 * double(m.passed) / double(run.accesses) : 0);
  }
  const auto place = [](const std::string& p) {
    return find_detector(p) ? find_detector(p) - &all_detectors()[0] : -1;
  };
  std::sort(prefilters.begin(), prefilters.end(),
            [&](const auto& a, const auto& b) { return place(a) < place(b); });
  std::vector<std::vector<std::string>> table = {{"checker"}};
  table[0].insert(table[0].end(), prefilters.begin(), prefilters.end());
  for (const auto& [checker, cells] : rows) {
    table.push_back({checker});
    for (const std::string& p : prefilters) table.back().push_back(cells.count(p) ? cells.at(p) : "-");
  }
  return (with_times ? "times slower than Empty, by prefilter\n"
                     : "plain accesses that were passed on, by prefilter\n") +
         write_columns(table);
}

} // namespace footrace::replay
