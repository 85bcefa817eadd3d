#include "replay/findings.h"

#include "detectors/all.h"

#include <algorithm>
#include <set>

namespace footrace::replay {

using namespace detectors;
using findings::Finding;
using findings::StackFrame;

namespace {

constexpr const char* kFoundBy = "Found by ";

findings::AccessKind access_kind(EventKind kind) {
  if (!has_access(kind)) return findings::AccessKind::Unknown;
  if (kind == EventKind::Free) return findings::AccessKind::Free;
  switch (kind_of(kind)) {
  case AccessKind::Read:
    return findings::AccessKind::Read;
  case AccessKind::Write:
    return findings::AccessKind::Write;
  case AccessKind::AtomicRead:
    return findings::AccessKind::AtomicRead;
  case AccessKind::AtomicWrite:
    return findings::AccessKind::AtomicWrite;
  }
  return findings::AccessKind::Unknown;
}

StackFrame frame_of(const TraceFrame& f, bool inlined) {
  StackFrame frame;
  // Lines are no part of fingerprints; here they are all that tells places apart.
  frame.function = f.function.empty() && f.line ? "line " + std::to_string(f.line) : f.function;
  frame.location = {f.file, f.line, f.column};
  frame.module = f.module;
  frame.offset = f.offset;
  frame.inlined = inlined;
  return frame;
}

// What the guarantee of the detector makes of its warning.
void judge(Finding& finding, Guarantee guarantee) {
  using enum findings::EvidenceKind;
  switch (guarantee) {
  case Guarantee::Precise:
    finding.confidence = findings::Confidence::Certain;
    return findings::add_evidence(finding, {Observed, 1});
  case Guarantee::Predictive:
    finding.confidence = findings::Confidence::Likely;
    return findings::add_evidence(finding, {Suspected, 1});
  default:
    finding.confidence = findings::Confidence::Possible;
    finding.level = findings::Level::Warning;
    return findings::add_evidence(finding, {Suspected, 1});
  }
}

// "Found by A, B." -> A, B.
std::set<std::string> detectors_of(const std::string& explanation) {
  std::set<std::string> names;
  if (!explanation.starts_with(kFoundBy)) return names;
  std::string name;
  for (char c : explanation.substr(std::string_view(kFoundBy).size())) {
    if (c == ',' || c == '.' || c == '\n') names.insert(std::exchange(name, ""));
    if (c == '.' || c == '\n') break;
    if (c != ',' && c != ' ') name += c;
  }
  return names;
}

// In the order of all_detectors(); what is none of them (a second stage) comes last.
std::string found_by(const std::set<std::string>& names) {
  std::string text = kFoundBy;
  const auto add = [&](const std::string& name) { text += (text == kFoundBy ? "" : ", ") + name; };
  for (const Description& d : all_detectors())
    if (names.count(d.name)) add(d.name);
  for (const std::string& name : names)
    if (!find_detector(name)) add(name);
  return text + ".";
}

u64 event_of(const Finding& finding) {
  return finding.accesses.empty() ? 0 : finding.accesses[0].event.value_or(0);
}

} // namespace

void FindingBuilder::append_frames(const TraceFrame& f, bool inlined, findings::Stack& stack) const {
  constexpr u64 kModuleBytes = u64(1) << 40;
  if (!f.function.empty() || f.line || f.module.empty() || !f.offset || f.offset >= kModuleBytes) {
    stack.push_back(frame_of(f, inlined));
    return;
  }
  auto module =
      std::find_if(modules_.begin(), modules_.end(), [&](const auto& m) { return m.path == f.module; });
  if (module == modules_.end()) {
    const u64 base = kModuleBytes * (modules_.size() + 1);
    module = modules_.insert(module, {f.module, base, base, base + kModuleBytes});
    symbolizer_.set_modules(modules_);
  }
  symbolizer_.append_frames({module->base + f.offset}, stack);
}

findings::Stack FindingBuilder::stack_of(const Event& event) const {
  findings::Stack stack;
  const auto append = [&](u32 number) {
    const TraceSite* site = source_.site(number);
    if (!site || site->frames.empty()) {
      StackFrame frame;
      frame.function = "site " + std::to_string(number);
      stack.push_back(frame);
      return;
    }
    for (size_t i = 0; i < site->frames.size(); ++i)
      append_frames(site->frames[i], i + 1 < site->frames.size(), stack);
  };
  if (event.site) append(event.site);
  if (const auto* callers = event.stack ? source_.stack(event.stack) : nullptr)
    for (u32 site : std::vector<u32>(*callers)) append(site);
  return stack;
}

findings::Access FindingBuilder::access_of(const Step& step, const std::vector<Held>& locks) const {
  findings::Access access;
  access.kind = access_kind(step.event.kind);
  if (has_access(step.event.kind)) access.size = step.event.extent;
  if (has_access(step.event.kind)) access.address = step.event.target;
  access.thread = step.event.thread;
  access.event = step.index + 1;
  access.stack = stack_of(step.event);
  for (const Held& held : locks)
    access.locks.push_back({held.lock,
                            {},
                            held.shared ? findings::LockMode::Shared : findings::LockMode::Exclusive,
                            stack_of(held.taken)});
  return access;
}

// The thread and those that created it, by number.
void FindingBuilder::add_thread(u32 number, Finding& finding) const {
  const auto life = threads_.find(number);
  if (life == threads_.end()) return;
  findings::ThreadInfo thread;
  thread.number = number;
  if (const TraceThread* known = source_.thread(number))
    thread.name = known->name, thread.os_id = known->os_id;
  thread.finished = life->second.finished;
  if (life->second.fork)
    thread.parent = life->second.fork->thread, thread.created = stack_of(*life->second.fork);
  const auto at = std::lower_bound(finding.threads.begin(), finding.threads.end(), number,
                                   [](const findings::ThreadInfo& t, u32 n) { return t.number < n; });
  if (at != finding.threads.end() && at->number == number) return;
  const auto parent = thread.parent;
  finding.threads.insert(at, std::move(thread));
  if (parent) add_thread(*parent, finding);
}

Finding FindingBuilder::build(const Race& race, const Description& detector) const {
  Finding finding;
  finding.part = "replay";
  finding.program = source_.program();
  finding.accesses.push_back(access_of({race.report.index, race.report.event}, race.locks));
  if (race.earlier) finding.accesses.push_back(access_of(race.earlier->step, race.earlier->locks));
  findings::Memory memory;
  memory.address = race.report.warning.address;
  if (race.block) {
    memory.region = findings::Region::Heap;
    memory.begin = race.block->begin, memory.size = race.block->size, memory.freed = race.block->freed;
    memory.thread = race.block->allocated.thread;
    memory.allocated = stack_of(race.block->allocated);
  }
  // In a trace without sites, memory is all that tells races apart.
  if (!race.report.event.site) memory.name = findings::to_hex(memory.address);
  finding.memory = memory;
  for (const findings::Access& access : finding.accesses) add_thread(*access.thread, finding);
  judge(finding, detector.guarantee);
  finding.explanation = found_by({detector.name});
  findings::seal(finding);
  return finding;
}

// The step that shows it, and the begin of the block.
Finding FindingBuilder::build(const ComposedReport& report) const {
  const Violation& violation = report.violation;
  Finding finding;
  finding.part = "replay";
  finding.rule = report.choice.checker->rule;
  finding.program = source_.program();
  finding.accesses.push_back(access_of({report.index, report.event}, report.locks));
  if (violation.has_block)
    finding.accesses.push_back(access_of({violation.begin_index, violation.begin}, {}));
  add_thread(report.event.thread, finding);
  if (violation.has_block) finding.accesses[1].thread.reset(); // the same, and its locks are not known
  judge(finding, Guarantee::Imprecise);
  finding.explanation = found_by({name_of(report.choice)}) + "\n";
  if (violation.has_block) finding.explanation += "The second step begins a block that is not atomic. ";
  finding.explanation += violation.why + std::string(".");
  findings::seal(finding);
  return finding;
}

void FindingList::add(Finding finding) {
  const auto [known, is_new] = findings_.try_emplace(findings::repetition_key(finding), finding);
  if (is_new) return;
  Finding &a = known->second, &b = finding;
  auto names = detectors_of(a.explanation);
  names.merge(detectors_of(b.explanation));
  const auto confidence = std::min(a.confidence, b.confidence);
  const auto level = std::min(a.level, b.level);
  const auto evidence = std::min(a.evidence.front().kind, b.evidence.front().kind);
  const auto place = [](const Finding& f) {
    return std::pair(event_of(f), f.memory ? f.memory->address : 0);
  };
  if (place(b) < place(a)) std::swap(a, b);
  a.confidence = confidence, a.level = level, a.evidence = {{evidence, 1}};
  const auto rest = a.explanation.find('\n');
  a.explanation = found_by(names) + (rest == std::string::npos ? "" : a.explanation.substr(rest));
}

std::vector<Finding> FindingList::take() {
  std::multimap<u64, Finding> by_event;
  for (auto& [key, finding] : findings_) by_event.emplace(event_of(finding), std::move(finding));
  findings_.clear();
  std::vector<Finding> list;
  for (auto& [event, finding] : by_event) list.push_back(std::move(finding));
  return list;
}

} // namespace footrace::replay
