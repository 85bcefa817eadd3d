#include "findings/report/report.h"

#include "findings/expression.h"
#include "findings/frames.h"
#include "findings/json.h"

#include <algorithm>
#include <array>

namespace footrace::findings {
namespace {

constexpr std::size_t most_messages = 5; // of one file

// How much a finding tells: stacks and threads of a run, before the lines of an analysis.
int rank_of(const Finding& finding) {
  int rank = finding.part == "dynamic" || finding.part == "replay" ? 4 : finding.part == "prove" ? 2 : 0;
  for (const Access& access : finding.accesses) rank += !access.excerpt.lines.empty();
  return rank;
}

std::vector<SourceLocation> places_of(const Finding& finding) {
  std::vector<SourceLocation> places;
  for (const Access& access : finding.accesses) places.push_back(access.location);
  return places;
}

void add_place(Entry& entry, const Finding& finding) {
  std::vector<SourceLocation> places = places_of(finding);
  if (std::ranges::find(entry.places, places) == entry.places.end())
    entry.places.push_back(std::move(places));
}

void merge(Entry& entry, Finding finding) {
  add_place(entry, finding);
  if (!finding.program.empty()) entry.programs.emplace(file_name(finding.program));
  for (const Evidence& evidence : finding.evidence) add_evidence(entry.finding, evidence);
  Level level = std::min(entry.finding.level, finding.level);
  Confidence confidence = std::min(entry.finding.confidence, finding.confidence);
  if (rank_of(finding) > rank_of(entry.finding)) {
    finding.evidence = std::move(entry.finding.evidence);
    entry.finding = std::move(finding);
  }
  entry.finding.level = level;
  entry.finding.confidence = confidence;
}

bool has_evidence(const Finding& finding, EvidenceKind kind) {
  return std::ranges::any_of(finding.evidence, [&](const Evidence& one) { return one.kind == kind; });
}

} // namespace

std::string_view to_text(State state) {
  static constexpr std::array names = {"", "new", "known", "fixed"};
  return names[static_cast<std::size_t>(state)];
}

bool is_proved_safe(const Finding& finding) {
  return has_evidence(finding, EvidenceKind::ProvedSafe) && !has_evidence(finding, EvidenceKind::Observed) &&
         !has_evidence(finding, EvidenceKind::Confirmed);
}

bool needs_action(const Report& report, const Entry& entry) {
  if (entry.state == State::Fixed || !entry.suppressed.empty() || is_proved_safe(entry.finding)) return false;
  return !report.has_baseline || entry.state == State::New;
}

std::size_t count_of(const Report& report, State state) {
  return static_cast<std::size_t>(std::ranges::count(report.entries, state, &Entry::state));
}

std::size_t count_needing_action(const Report& report) {
  return static_cast<std::size_t>(
      std::ranges::count_if(report.entries, [&](const Entry& entry) { return needs_action(report, entry); }));
}

static std::string global_of(const Finding& finding) {
  const bool is_known =
      finding.memory && finding.memory->region == Region::Global && !finding.memory->name.empty();
  return is_known
             ? finding.memory->name + '+' + std::to_string(finding.memory->address - finding.memory->begin)
             : "";
}

std::vector<Group> groups_of(const Report& report) {
  std::vector<Group> groups;
  std::vector<std::string> globals;         // of each group, if a run has seen which one it is
  std::map<std::string, std::size_t> known; // by key and how it is dealt with
  for (std::size_t number = 0; number < report.entries.size(); ++number) {
    const Entry& entry = report.entries[number];
    const std::string dealt = std::string(to_text(entry.state)) + (needs_action(report, entry) ? "!" : "") +
                              (entry.suppressed.empty() ? "" : "s") + ' ';
    const std::set<std::string> keys = variable_keys(entry.finding);
    const std::string global = global_of(entry.finding);
    auto found = known.end();
    for (const std::string& key : keys)
      if (auto one = known.find(dealt + key); found == known.end() && one != known.end()) {
        std::string& other = globals[one->second];
        if (!global.empty() && !other.empty() && other != global) continue; // one pointer, two variables
        if (other.empty()) other = global;
        found = one;
      }
    const std::size_t group = found == known.end() ? groups.size() : found->second;
    if (found == known.end())
      groups.push_back({number, {}}), globals.push_back(global);
    else
      groups[group].others.push_back(number);
    for (const std::string& key : keys) known.emplace(dealt + key, group);
  }
  return groups;
}

std::vector<std::string> Collector::read(const std::string& file, const std::function<void(Finding)>& take) {
  ReadResult result = visit_findings(file, take);
  could_open_ &= result.could_open;
  has_damage_ |= !result.problems.empty();
  std::vector<std::string> messages = result.messages(file);
  if (messages.size() > most_messages) {
    std::size_t rest = messages.size() - most_messages;
    messages.resize(most_messages);
    messages.push_back(file + ": " + counted(rest, "more line") + " could not be read");
  }
  return messages;
}

std::vector<std::string> Collector::add_file(const std::string& file) {
  ++files_;
  return read(file, [this](Finding finding) { add(std::move(finding)); });
}

std::vector<std::string> Collector::add_baseline(const std::string& file) {
  has_baseline_ = true;
  return read(file, [this](Finding finding) {
    if (finding.rule == "race-free") return;
    std::string fingerprint = finding.fingerprint;
    baseline_.emplace(std::move(fingerprint), std::move(finding));
  });
}

// A process that reports a defect at several pairs of places is one run, and so is an analysis.
void Collector::drop_counted(Finding& finding) {
  const std::string source = finding.fingerprint + finding.part + std::to_string(files_) + ' ' +
                             std::to_string(finding.pid) + finding.program;
  std::erase_if(finding.evidence, [&](const Evidence& one) {
    return !counted_.insert(std::string(to_text(one.kind)) + ' ' + source).second;
  });
}

void Collector::add(Finding finding) {
  ++read_;
  if (finding.rule == "race-free") {
    proofs_.push_back(std::move(finding));
    return;
  }
  drop_counted(finding);
  auto [at, is_first] = by_fingerprint_.emplace(finding.fingerprint, entries_.size());
  if (!is_first) {
    merge(entries_[at->second], std::move(finding));
    return;
  }
  Entry entry;
  add_place(entry, finding);
  if (!finding.program.empty()) entry.programs.emplace(file_name(finding.program));
  entry.finding = std::move(finding);
  entries_.push_back(std::move(entry));
}

void Collector::apply_proofs(Report& report) {
  std::set<std::string, std::less<>> covered;
  for (const Finding& proof : proofs_) {
    std::string files;
    for (const std::string& source : proof.sources) {
      covered.insert(source);
      if (!has_library_code({"", "", {source, 0, 0}, "", 0, false}))
        files += (files.empty() ? "" : ", ") + std::string(file_name(source));
    }
    report.proofs.push_back("race-free: " + files);
  }
  for (Entry& entry : report.entries) {
    Finding& finding = entry.finding;
    bool is_only_suspected =
        !finding.accesses.empty() && std::ranges::all_of(finding.evidence, [](const Evidence& one) {
          return one.kind == EvidenceKind::Suspected;
        });
    if (is_only_suspected && std::ranges::all_of(finding.accesses, [&](const Access& access) {
          return covered.contains(access.location.file);
        })) {
      add_evidence(finding, {EvidenceKind::ProvedSafe, 1});
      finding.level = Level::Note;
    }
  }
}

void Collector::apply_baseline(Report& report) {
  if (!has_baseline_) return;
  for (Entry& entry : report.entries)
    entry.state = baseline_.contains(entry.finding.fingerprint) ? State::Known : State::New;
  for (auto& [fingerprint, finding] : baseline_) {
    if (by_fingerprint_.contains(fingerprint)) continue;
    Entry entry;
    entry.state = State::Fixed;
    add_place(entry, finding);
    entry.finding = std::move(finding);
    report.entries.push_back(std::move(entry));
  }
}

Report Collector::finish(const Suppressions& suppressions, const std::string& today) {
  Report report;
  report.files = files_;
  report.read = read_;
  report.has_baseline = has_baseline_;
  report.entries = std::move(entries_);
  apply_proofs(report);
  apply_baseline(report);
  Suppressions rules = suppressions;
  rules.set_today(today);
  for (Entry& entry : report.entries) {
    if (entry.state == State::Fixed) continue;
    if (const Suppression* rule = rules.match(entry.finding))
      entry.suppressed = rule->reason.empty() ? rule->line : rule->reason;
  }
  for (const Suppression& rule : rules.rules()) {
    if (rule.has_expired(today) && rule.would_hit != 0)
      report.expired.push_back(rule.line);
    else if (rule.hits == 0 && rule.kind == SuppressionKind::Finding)
      report.unused.push_back(rule.line);
  }
  std::ranges::sort(report.entries, {}, [&](const Entry& entry) {
    const Finding& finding = entry.finding;
    EvidenceKind kind = finding.evidence.empty() ? EvidenceKind::ProvedSafe : finding.evidence.front().kind;
    const SourceLocation place = finding.accesses.empty() ? SourceLocation() : finding.accesses[0].location;
    return std::tuple(!needs_action(report, entry), entry.state == State::Fixed, finding.level, kind,
                      finding.confidence, place.file, place.line, finding.fingerprint);
  });
  for (std::size_t number = 0; number < report.entries.size(); ++number)
    for (const std::string& key : memory_keys(report.entries[number].finding))
      report.by_memory.emplace(key, number);
  return report;
}

std::string evidence_text(const Finding& finding) {
  std::string text;
  for (const Evidence& one : finding.evidence) {
    text += (text.empty() ? "" : ", ") + std::string(to_text(one.kind));
    if (one.count > 1)
      text += " " + std::to_string(one.count) + " times";
    else if (one.kind == EvidenceKind::Observed)
      text += " once";
  }
  return text;
}

std::string function_of(const Access& access) {
  if (access.stack.empty()) return "an unknown function";
  const StackFrame& frame = access.stack[user_frame(access)];
  std::string name = plain_function(frame.function);
  return name.empty() ? "an unknown function" : name;
}

std::string use_text(const Access& access) {
  std::string kind(access.kind == AccessKind::Unknown ? "access" : to_text(access.kind));
  if (!access.intercepted.empty()) return kind + " by " + plain_function(access.intercepted);
  return kind;
}

// An address says nothing to a person, and a table of locks has many; the function that takes it names what it is for.
std::string lock_name(const HeldLock& lock) {
  if (!lock.name.empty()) return lock.name;
  if (lock.taken.empty()) return "the mutex at " + to_hex(lock.address);
  std::string function = plain_function(lock.taken[user_frame(lock.taken)].function);
  return function.empty() ? "the mutex at " + to_hex(lock.address) : "a mutex taken in " + function;
}

std::string locks_text(const Access& access) {
  if (access.locks_lost) return "locks not known";
  if (access.locks.empty()) return "no locks";
  std::string text;
  for (const HeldLock& lock : access.locks)
    text += (text.empty() ? "" : ", ") + lock_name(lock) + (lock.mode == LockMode::Shared ? " (shared)" : "");
  return text;
}

std::string thread_name(const Finding& finding, const Access& access) {
  if (!access.thread) return "a thread";
  if (*access.thread == 0) return "main thread";
  std::string name = "T" + std::to_string(*access.thread);
  for (const ThreadInfo& thread : finding.threads)
    if (thread.number == *access.thread && !thread.name.empty()) name += " '" + thread.name + "'";
  return name;
}

std::string counted(std::size_t count, const std::string& noun) {
  return std::to_string(count) + ' ' + noun + (count == 1 ? "" : "s");
}

std::string relative_path(const std::string& file, const std::string& root) {
  if (!root.empty() && file.size() > root.size() && file.starts_with(root) && file[root.size()] == '/')
    return file.substr(root.size() + 1);
  return file;
}

} // namespace footrace::findings
