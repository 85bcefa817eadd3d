#include "placement/bigfoot/rules.h"

#include "facts/sync.h"

namespace footrace::bigfoot {
namespace {

const Anticipated& nothing() {
  static const Anticipated empty;
  return empty;
}

// A write check is also a read check.
void close(PathSet& paths) {
  for (const unsigned bit : paths.set_bits())
    if (bit % 2 == 1) paths.set(bit - 1);
}

// The paths of C have been checked.
PathSet check(History& history, PathSet paths) {
  history.checks |= paths;
  return paths;
}

} // namespace

PathSet checks(const History& history, const Anticipated& anticipated) {
  PathSet paths = history.accesses;
  paths.reset(history.checks);
  paths.reset(anticipated);
  close(paths);
  return paths;
}

PathSet checks(const History& history, const PathSet& kept, const Anticipated& anticipated) {
  PathSet paths = history.accesses;
  paths.reset(kept);
  paths.reset(history.checks);
  paths.reset(anticipated);
  close(paths);
  return paths;
}

PathSet acq(History& history) { return check(history, checks(history, nothing())); }
void acq(Anticipated& anticipated) { anticipated.reset(); }

PathSet rel(History& history, const Anticipated& anticipated) {
  PathSet paths = checks(history, anticipated);
  history.accesses.reset();
  history.checks.reset();
  return paths;
}

void assign(History& history, const PathSet& mentioning) {
  history.accesses.reset(mentioning);
  history.checks.reset(mentioning);
}
void assign(Anticipated& anticipated, const PathSet& mentioning) { anticipated.reset(mentioning); }

PathSet rename(History& history, const PathSet& mentioning) {
  PathSet kept = history.accesses;
  kept.reset(mentioning);
  PathSet paths = checks(history, kept, nothing());
  assign(history, mentioning);
  return paths;
}

void new_object(Anticipated& anticipated, const PathSet& mentioning) { assign(anticipated, mentioning); }

void read(History& history, const PathSet& path) { history.accesses |= path; }
void read(Anticipated& anticipated, const PathSet& path, const PathSet* mentioning) {
  if (mentioning != nullptr) assign(anticipated, *mentioning);
  anticipated |= path;
}
void write(History& history, const PathSet& path) { history.accesses |= path; }
void write(Anticipated& anticipated, const PathSet& path) { anticipated |= path; }

void a_read(History& history, const PathSet& path) { read(history, path); }
void a_read(Anticipated& anticipated, const PathSet& path, const PathSet* mentioning) {
  read(anticipated, path, mentioning);
}
void a_write(History& history, const PathSet& path) { write(history, path); }
void a_write(Anticipated& anticipated, const PathSet& path) { write(anticipated, path); }

PathSet call(History& history, const Anticipated& anticipated, Effects effects) {
  if (may_lose_pending_checks(effects)) {
    PathSet paths = acq(history);
    if (kill_set_history(effects).checks) rel(history, nothing());
    return paths;
  }
  if (kill_set_history(effects).checks) {
    PathSet paths = checks(history, kill_set_anticipated(effects).accesses ? nothing() : anticipated);
    rel(history, nothing());
    return paths;
  }
  return kill_set_history(effects).accesses ? acq(history) : PathSet(history.accesses.size());
}

void call(Anticipated& anticipated, Effects effects) {
  if (kill_set_anticipated(effects).accesses || may_prevent_anticipated_accesses(effects)) acq(anticipated);
}

PathSet if_branch(History& history, const PathSet& merged, const Anticipated& out) {
  return check(history, checks(history, merged, out));
}

PathSet loop_in(History& history, const PathSet& invariant, const Anticipated& head, bool endless) {
  return check(history, endless ? checks(history, head) : checks(history, invariant, head));
}

PathSet loop_back(History& history, const PathSet& invariant, const Anticipated& head, bool endless) {
  return check(history, endless ? checks(history, nothing()) : checks(history, invariant, head));
}

PathSet stmt(History& history) { return check(history, checks(history, nothing())); }

} // namespace footrace::bigfoot
