#include "replay/run.h"

#include "replay/clock.h"

#include <algorithm>
#include <tuple>

namespace footrace::replay {
namespace {

using namespace detectors;

void count(TraceCounts& counts, const Event& e) {
  ++counts.events;
  if (has_access(e.kind)) ++(may_write(kind_of(e.kind)) ? counts.writes : counts.reads);
}

} // namespace

Run::Run(std::vector<const Description*> detectors, Partition partition) {
  for (const Description* d : detectors) subjects_.push_back({d, d->make(partition)});
}

bool Run::read(EventSource& source, bool writes_read) {
  if (writes_read || source.may_merge_reads())
    for (Subject& s : subjects_) s.detector->assume_writes_read();
  std::vector<Event> batch;
  for (bool more = true; more;) {
    const double before = cpu_seconds();
    more = read_batch(source, batch);
    reading_seconds_ += cpu_seconds() - before;
    for (u32 i = 0; i < subjects_.size(); ++i) step_all(subjects_[i], i, batch);
    for (const Event& e : batch) count(counts_, e);
  }
  Verdict verdict;
  for (u32 i = 0; i < subjects_.size(); ++i, verdict.clear()) {
    subjects_[i].detector->finish(verdict);
    for (const Warning& warning : verdict.warnings) report(i, counts_.events, Event(), warning);
  }
  return !source.error();
}

void Run::step_all(Subject& subject, u32 number, const std::vector<Event>& batch) {
  const double before = cpu_seconds();
  Verdict verdict;
  for (size_t i = 0; i < batch.size(); ++i) {
    verdict.clear();
    subject.detector->step(batch[i], verdict);
    for (const Warning& warning : verdict.warnings) report(number, counts_.events + i, batch[i], warning);
    subject.warnings += !verdict.warnings.empty();
  }
  subject.seconds += cpu_seconds() - before;
}

// A precise detector warns of a byte once in its life; the others are kept in bounds here.
void Run::report(u32 number, u64 index, const Event& event, const Warning& warning) {
  if (subjects_[number].description->guarantee == Guarantee::Predictive) {
    const u64 key[] = {number,
                       event.site,
                       event.stack,
                       u64(event.kind),
                       event.thread,
                       warning.address,
                       warning.size,
                       warning.previous.thread,
                       u64(warning.previous.kind)};
    if (!known_.emplace(reinterpret_cast<const char*>(key), sizeof key).second) return;
  }
  reports_.push_back({number, index, event, warning});
}

std::vector<Report> Run::take_reports() {
  const auto place = [](const Report& r) {
    return std::tuple(r.index, r.detector, r.warning.address, r.warning.previous.thread,
                      r.warning.previous.kind);
  };
  std::sort(reports_.begin(), reports_.end(),
            [&](const Report& a, const Report& b) { return place(a) < place(b); });
  return std::move(reports_);
}

std::vector<Measured> Run::measured() const {
  std::vector<Measured> all;
  for (const Subject& s : subjects_)
    all.push_back({s.description, s.detector->cost(), s.seconds, s.warnings});
  return all;
}

} // namespace footrace::replay
