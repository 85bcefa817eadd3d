#include "scan/domain/report.h"

#include "findings/expression.h"
#include "scan/il/dispatch.h"
#include "scan/il/threads.h"

#include <unordered_map>

namespace footrace::scan::domain {

namespace {

using ShownNames = std::unordered_map<il::Name, il::Name>;

ShownNames shown_names(const il::Program& program) {
  ShownNames names;
  for (const il::Method& method : program.methods)
    names.emplace(method.name, method.shown.empty() ? method.name : method.shown);
  return names;
}

findings::SourceLocation location_of(const il::Location& at) { return {at.file.text(), at.line, at.column}; }

findings::StackFrame frame(il::Name function, const il::Location& at, const ShownNames& names) {
  auto shown = names.find(function);
  findings::StackFrame result;
  result.function = (shown == names.end() ? function : shown->second).text();
  result.location = location_of(at);
  return result;
}

// Innermost first: the access is in the last callee, every call in the function before it.
findings::Stack stack_of(const Side& side, const ShownNames& names) {
  findings::Stack stack;
  const std::vector<CallSite> calls = side.place.calls.list();
  il::Location at = side.place.at;
  for (std::size_t i = calls.size(); i > 0; --i) {
    stack.push_back(frame(calls[i - 1].callee, at, names));
    at = calls[i - 1].at;
  }
  stack.push_back(frame(side.method->name, at, names));
  return stack;
}

std::vector<findings::HeldLock> locks_of(const Side& side) {
  std::vector<findings::HeldLock> locks;
  for (const auto& [key, count] : side.access.locks->held) {
    if (is_ticket_lock(key.lock)) continue;
    findings::HeldLock lock;
    lock.name = is_unknown(key.lock) ? "some lock" : describe(key.lock, *side.names);
    lock.mode = key.mode == il::LockMode::Shared ? findings::LockMode::Shared : findings::LockMode::Exclusive;
    locks.push_back(std::move(lock));
  }
  return locks;
}

findings::Access access_of(const Side& side, const ShownNames& names) {
  findings::Access access;
  access.kind =
      side.access.kind == AccessKind::Write ? findings::AccessKind::Write : findings::AccessKind::Read;
  access.stack = stack_of(side, names);
  access.expression = findings::plain_path(describe_access(side));
  access.locks = locks_of(side);
  return access;
}

findings::Finding report(const Race& race, const ShownNames& names) {
  findings::Finding finding;
  finding.rule = to_text(race.rule);
  finding.part = "scan";
  finding.level = findings::Level::Warning;
  finding.confidence = findings::Confidence::Likely;
  finding.accesses = {access_of(race.weak, names), access_of(race.other, names)};
  finding.memory.emplace();
  finding.memory->name = describe_access(race.weak);
  if (race.weak.access.path->root.kind == il::RootKind::Global)
    finding.memory->region = findings::Region::Global;
  finding.explanation = "Believed to run at the same time: " + race.why + ".";
  findings::seal(finding);
  return finding;
}

} // namespace

findings::Finding report(const Race& race, const il::Program& program) {
  return report(race, shown_names(program));
}

std::vector<findings::Finding> report(const std::vector<Race>& races, const il::Program& program) {
  ShownNames names = shown_names(program);
  std::vector<findings::Finding> found;
  for (const Race& race : races) found.push_back(report(race, names));
  return found;
}

std::vector<findings::Finding> scan(const il::Program& program, const Options& options,
                                    PairingCounts* counts) {
  il::Program resolved = program;
  il::resolve_dispatch(resolved);
  il::expose_threads(resolved);
  Summaries summaries = summarize(resolved, options);
  return report(find_races(resolved, summaries, options, counts), resolved);
}

} // namespace footrace::scan::domain
