// Steps: plan (scan/witness) -> compile with the flags of the unit -> link, if need be with the rest of the project -> run -> compare
// what the runtime saw with what was reported.
#include "driver/scan_witness.h"

#include "driver/build_flags.h"
#include "driver/jobs.h"
#include "driver/messages.h"
#include "driver/process.h"
#include "findings/json.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/MemoryBuffer.h"

#include <filesystem>
#include <fstream>

namespace fs = std::filesystem;

namespace footrace::driver {
namespace {

using scan::units::CompileCommand;

constexpr const char* kRounds = "100";
constexpr int kRuns = 3;
// A witness that has not ended by then has locked itself out, or waits for somebody.
constexpr const char *kSecondsToRun = "60", *kSecondsToCompile = "300";

// In the folder, for a limited time, with all output in the log.
std::vector<std::string> logged(const std::string& folder, const std::string& log,
                                const std::vector<std::string>& command,
                                const char* seconds = kSecondsToCompile) {
  std::vector<std::string> words = {
      "/bin/sh", "-c",   R"(cd "$1" && exec >"$2" 2>&1 && shift 2 && timeout -k 5 "$@")", "sh", folder,
      log,       seconds};
  words.insert(words.end(), command.begin(), command.end());
  return words;
}

bool is_c(const std::string& source) { return llvm::StringRef(source).ends_with(".c"); }

// The first line that says what is wrong.
std::string first_error(const std::string& log) {
  auto buffer = llvm::MemoryBuffer::getFile(log);
  if (!buffer) return "there is no log";
  llvm::StringRef rest = (*buffer)->getBuffer(), last;
  while (!rest.empty()) {
    auto [line, more] = rest.split('\n');
    rest = more;
    if (line.contains("error:") || line.contains("undefined reference") || line.contains("undefined symbol"))
      return line.str();
    if (!line.trim().empty()) last = line;
  }
  return last.str();
}

// "Class::get" -> "Class_get": good for a file.
std::string file_part(llvm::StringRef name) {
  std::string result;
  for (char c : name.take_front(60))
    if (llvm::isAlnum(c))
      result += c;
    else if (!result.empty() && result.back() != '_')
      result += '_';
  return result;
}

bool has_frame_at(const findings::Access& seen, const findings::SourceLocation& place) {
  return llvm::any_of(seen.stack, [&](const findings::StackFrame& frame) {
    return frame.location.line == place.line &&
           findings::file_name(frame.location.file) == findings::file_name(place.file);
  });
}

// The runtime saw two accesses on the two lines that were reported.
bool is_race_of(const findings::Finding& seen, const findings::Finding& reported) {
  if (seen.accesses.size() != 2 || reported.accesses.size() != 2) return false;
  const auto& a = reported.accesses[0].stack.front().location;
  const auto& b = reported.accesses[1].stack.front().location;
  return (has_frame_at(seen.accesses[0], a) && has_frame_at(seen.accesses[1], b)) ||
         (has_frame_at(seen.accesses[0], b) && has_frame_at(seen.accesses[1], a));
}

} // namespace

Witnesses::Witnesses(const Installation& installation, std::vector<CompileCommand> commands,
                     std::string folder, std::string scratch, unsigned jobs,
                     std::vector<std::string> link_flags)
    : installation_(installation), commands_(std::move(commands)), folder_(std::move(folder)),
      scratch_(std::move(scratch)), archive_(scratch_ + "/libproject.a"), link_flags_(std::move(link_flags)),
      jobs_(jobs) {}

const CompileCommand* Witnesses::command_of(const std::string& source) const {
  auto at = llvm::find_if(commands_, [&](const CompileCommand& command) { return command.source == source; });
  return at == commands_.end() ? nullptr : &*at;
}

std::vector<std::string> Witnesses::compile_command(const CompileCommand& unit, const std::string& source,
                                                    const std::string& object) const {
  std::vector<std::string> words = {installation_.driver + (is_c(source) ? "-clang" : "-clang++")};
  for (std::string& flag : flags_of(unit)) words.push_back(std::move(flag));
  // Headers beside the unit are found as before.
  words.insert(words.end(), {"-iquote", fs::path(unit.source).parent_path(), "-g", "-w", "-pthread", "-c",
                             source, "-o", object});
  return words;
}

// The function nearest to the access that makes it with the same locks: what lies between the two in the chain of calls only
// has to be got through, and takes arguments that are hard to make up. Of globals: an object would have to be passed down.
static scan::domain::Side innermost(const scan::domain::Side& side, const scan::il::Program& program,
                                    const scan::domain::Summaries& summaries) {
  if (side.access.path->root.kind != scan::il::RootKind::Global) return side;
  const auto makes_it = [&](scan::il::Name method) {
    auto summary = summaries.find(method);
    return summary != summaries.end() && llvm::any_of(summary->second.accesses.all(), [&](const auto& entry) {
             return entry.second.at == side.place.at && entry.first.path == side.access.path &&
                    entry.first.kind == side.access.kind &&
                    entry.first.locks->depth() == side.access.locks->depth();
           });
  };
  scan::domain::Side nearest = side;
  for (scan::domain::CallChain rest = side.place.calls; !rest.empty(); rest = rest.rest()) {
    if (!makes_it(rest.front().callee)) continue;
    for (const scan::il::Method& method : program.methods)
      if (method.name == rest.front().callee) {
        nearest.method = nearest.names = &method;
        nearest.place.calls = rest.rest();
      }
  }
  return nearest;
}

bool Witnesses::confirm(const scan::domain::Race& race, const scan::il::Program& program,
                        const scan::domain::Summaries& summaries, const scan::witness::Library& library,
                        findings::Finding& finding) {
  std::string where, why_not;
  scan::domain::Race inner = race;
  inner.weak = innermost(race.weak, program, summaries);
  inner.other = innermost(race.other, program, summaries);
  const bool is_other = inner.weak.method != race.weak.method || inner.other.method != race.other.method;
  bool confirmed = is_other && attempt(inner, program, library, finding, where).empty();
  if (!confirmed) {
    why_not = attempt(race, program, library, finding, where);
    confirmed = why_not.empty();
  }
  if (!confirmed) {
    finding.explanation += " Not confirmed by a run: " + why_not + ".";
    return false;
  }
  finding.confidence = findings::Confidence::Certain;
  findings::add_evidence(finding, {findings::EvidenceKind::Confirmed, 1});
  finding.explanation += " Confirmed by a run of " + where + ".";
  return true;
}

std::string Witnesses::attempt(const scan::domain::Race& race, const scan::il::Program& program,
                               const scan::witness::Library& library, const findings::Finding& finding,
                               std::string& where) {
  const scan::witness::Witness witness = scan::witness::plan(race, program, library);
  if (!witness.missing.empty()) return witness.missing;
  const std::string name = file_part(race.weak.method->shown.text()) + "_" +
                           file_part(race.other.method->shown.text()) + "_" +
                           finding.fingerprint.substr(0, 8);
  Attempt attempt;
  attempt.program = scratch_ + "/" + name;
  attempt.log = scratch_ + "/" + name + ".log";
  if (std::string wrong = write_files(witness, name, attempt); !wrong.empty()) return wrong;
  where = attempt.files.front().source;
  std::string why_not = build(attempt);
  if (why_not.empty()) {
    if (observe(attempt, finding, why_not)) return "";
    if (!attempt.unlinked.empty())
      why_not = attempt.unlinked + " (libraries are named with --witness-flags); without that " + why_not;
  }
  return why_not + ": " + put_aside(attempt);
}

// A folder of tests has those that show a race; the others are kept apart from them, to be looked at.
std::string Witnesses::put_aside(const Attempt& attempt) const {
  const fs::path aside = fs::path(folder_) / "unconfirmed";
  std::error_code error;
  fs::create_directories(aside, error);
  for (const File& file : attempt.files) {
    const fs::path source(file.source);
    fs::rename(source, aside / source.filename(), error);
  }
  return aside / fs::path(attempt.files.front().source).filename();
}

std::string Witnesses::write_files(const scan::witness::Witness& witness, const std::string& name,
                                   Attempt& attempt) {
  using scan::witness::Part;
  std::vector<const CompileCommand*> commands;
  for (const std::string& source : witness.sources) {
    commands.push_back(command_of(source));
    if (!commands.back()) return "the flags of '" + source + "' are not known";
  }
  const auto c_file = [](const CompileCommand* command) { return is_c(command->source); };
  const bool c = c_file(commands.front());
  if (!witness.is_apart() && llvm::any_of(commands, [&](const auto* unit) { return c_file(unit) != c; }))
    return "one of the two functions is in C and the other in C++";
  if (c && !witness.setup.empty())
    return "both functions are given an object, which a test in C does not make up";
  const auto add = [&](const CompileCommand& unit, const std::string& file, auto write) {
    const std::string source = folder_ + "/" + file;
    const std::string object = scratch_ + "/" + file + ".o";
    std::vector<std::string> shown = compile_command(unit, source, file + ".o");
    shown.front() = is_c(file) ? "footrace-clang" : "footrace-clang++";
    std::ofstream(source) << write(as_shell_command(shown));
    attempt.files.push_back({source, object, compile_command(unit, source, object), unit.folder});
  };
  if (witness.is_apart()) {
    CompileCommand plain;
    plain.folder = folder_;
    plain.source = folder_ + "/" + name + ".c";
    add(plain, name + ".c", [&](const std::string& how) { return write_meeting(witness, how); });
    for (Part part : {Part::First, Part::Second}) {
      const CompileCommand& unit = *commands[part == Part::First ? 0 : 1];
      add(unit, name + (part == Part::First ? "_first" : "_second") + (is_c(unit.source) ? ".c" : ".cpp"),
          [&](const std::string& how) { return write_call(witness, part, how, is_c(unit.source)); });
    }
    return "";
  }
  const bool exceptions = !llvm::is_contained(commands.front()->arguments, "-fno-exceptions");
  add(*commands.front(), name + (c ? ".c" : ".cpp"), [&](const std::string& how) {
    return c ? write_c_program(witness, how) : write_program(witness, how, exceptions);
  });
  return "";
}

std::string Witnesses::build(Attempt& attempt) {
  for (const File& file : attempt.files)
    if (run_and_wait(logged(file.folder, attempt.log, file.flags)) != 0)
      return "the test does not compile: " + first_error(attempt.log);
  // Most classes need little else: the rest of the project is compiled only for one that does.
  if (link(attempt, {}).empty()) return "";
  build_project();
  std::vector<std::string> project;
  if (fs::exists(archive_)) project.push_back(archive_);
  attempt.unlinked = link(attempt, project);
  if (attempt.unlinked.empty()) return "";
  // What is missing may not be called before the race.
  project.insert(project.end(), {"-no-pie", "-Wl,--unresolved-symbols=ignore-all"});
  return link(attempt, project).empty() ? "" : attempt.unlinked;
}

std::string Witnesses::link(const Attempt& attempt, const std::vector<std::string>& more) {
  std::vector<std::string> words = {installation_.driver + "-clang++", "-pthread", "-o", attempt.program};
  for (const File& file : attempt.files) words.push_back(file.object);
  words.insert(words.end(), more.begin(), more.end());
  words.insert(words.end(), link_flags_.begin(), link_flags_.end());
  if (run_and_wait(logged(scratch_, attempt.log, words)) == 0) return "";
  return "the test does not link: " + first_error(attempt.log);
}

void Witnesses::build_project() {
  if (project_built_) return;
  project_built_ = true;
  note("compiling the project for its witnesses (" + llvm::Twine(commands_.size()) + " files)");
  std::vector<Job> jobs;
  std::vector<std::string> objects;
  for (const CompileCommand& command : commands_) {
    const std::string base = scratch_ + "/unit" + std::to_string(jobs.size());
    objects.push_back(base + ".o");
    jobs.push_back(
        {logged(command.folder, base + ".log", compile_command(command, command.source, base + ".o"))});
  }
  std::vector<std::string> archive = {"ar", "rcs", archive_};
  run_jobs(jobs, jobs_, [&](size_t index, int code) {
    if (code == 0)
      archive.push_back(objects[index]);
    else
      note("'" + commands_[index].source + "' does not compile with footrace; witnesses do without it");
  });
  if (archive.size() == 3) return;
  if (run_and_wait(logged(scratch_, scratch_ + "/ar.log", archive)) != 0)
    note("the compiled project cannot be put together: " + first_error(scratch_ + "/ar.log"));
}

bool Witnesses::observe(const Attempt& attempt, const findings::Finding& finding, std::string& why_not) {
  const std::string seen = attempt.program + ".jsonl";
  std::error_code ignored;
  for (int run = 0; run < kRuns; ++run) {
    fs::remove(seen, ignored);
    const int code = run_and_wait(logged(
        scratch_, attempt.log,
        {"/usr/bin/env", "FOOTRACE_OPTIONS=findings=" + seen, attempt.program, kRounds}, kSecondsToRun));
    for (const findings::Finding& one : findings::read_findings(seen).findings)
      if (is_race_of(one, finding)) return true;
    if (code == 124 || code == 137) {
      why_not = "the witness did not end within " + std::string(kSecondsToRun) + " seconds";
      return false;
    }
    if (code > 128) why_not = "the witness was stopped by signal " + std::to_string(code - 128);
  }
  if (why_not.empty())
    why_not = "the witness ran " + std::to_string(kRuns) + " times " + kRounds + " rounds without this race";
  return false;
}

} // namespace footrace::driver
