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
constexpr const char* kSeconds = "60"; // a witness that has not ended by then has locked itself out

// In the folder, for a limited time, with all output in the log.
std::vector<std::string> logged(const std::string& folder, const std::string& log,
                                const std::vector<std::string>& command) {
  std::vector<std::string> words = {
      "/bin/sh", "-c",    R"(cd "$1" && exec >"$2" 2>&1 && shift 2 && timeout -k 5 "$@")", "sh", folder,
      log,       kSeconds};
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
                     std::string folder, std::string scratch, unsigned jobs)
    : installation_(installation), commands_(std::move(commands)), folder_(std::move(folder)),
      scratch_(std::move(scratch)), archive_(scratch_ + "/libproject.a"), jobs_(jobs) {}

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

bool Witnesses::confirm(const scan::domain::Race& race, const scan::il::Program& program,
                        const scan::witness::Library& library, findings::Finding& finding) {
  const auto not_confirmed = [&](const std::string& why) {
    finding.evidence += " Not confirmed by a run: " + why + ".";
    return false;
  };
  const scan::witness::Witness witness = scan::witness::plan(race, program, library);
  if (!witness.missing.empty()) return not_confirmed(witness.missing);
  Attempt attempt;
  attempt.command = command_of(witness.sources.front());
  if (!attempt.command) return not_confirmed("the flags of '" + witness.sources.front() + "' are not known");
  const bool c = is_c(witness.sources.front());
  if (llvm::any_of(witness.sources, [&](const std::string& source) { return is_c(source) != c; }))
    return not_confirmed("one of the two functions is in C and the other in C++");
  if (c && !witness.setup.empty())
    return not_confirmed("both functions are given an object, which a test in C does not make up");

  const std::string name = file_part(race.weak.method->shown.text()) + "_" +
                           file_part(race.other.method->shown.text()) + "_" +
                           finding.fingerprint.substr(0, 8);
  attempt.source = folder_ + "/" + name + (c ? ".c" : ".cpp");
  attempt.object = scratch_ + "/" + name + ".o";
  attempt.program = scratch_ + "/" + name;
  attempt.log = scratch_ + "/" + name + ".log";
  std::vector<std::string> shown = compile_command(*attempt.command, attempt.source, name + ".o");
  shown.front() = c ? "footrace-clang" : "footrace-clang++";
  const bool exceptions = !llvm::is_contained(attempt.command->arguments, "-fno-exceptions");
  std::ofstream(attempt.source) << (c ? scan::witness::write_c_program(witness, as_shell_command(shown))
                                      : scan::witness::write_program(witness, as_shell_command(shown),
                                                                     exceptions));

  if (std::string wrong = build(attempt); !wrong.empty()) return not_confirmed(wrong);
  std::string why_not;
  if (!observe(attempt, finding, why_not)) return not_confirmed(why_not + ": " + attempt.source);
  finding.confidence = findings::Confidence::Certain;
  finding.evidence += " Confirmed by a run of " + attempt.source + ".";
  return true;
}

std::string Witnesses::build(const Attempt& attempt) {
  const std::vector<std::string> compile = compile_command(*attempt.command, attempt.source, attempt.object);
  if (run_and_wait(logged(attempt.command->folder, attempt.log, compile)) != 0)
    return attempt.source + " does not compile: " + first_error(attempt.log);
  // Most classes need little else: the rest of the project is compiled only for one that does.
  if (link(attempt, /*with_project=*/false).empty()) return "";
  build_project();
  return link(attempt, /*with_project=*/true);
}

std::string Witnesses::link(const Attempt& attempt, bool with_project) {
  std::vector<std::string> words = {installation_.driver + "-clang++", "-pthread", attempt.object, "-o",
                                    attempt.program};
  if (with_project && fs::exists(archive_)) words.push_back(archive_);
  if (run_and_wait(logged(scratch_, attempt.log, words)) == 0) return "";
  return attempt.source + " does not link: " + first_error(attempt.log);
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
    const int code =
        run_and_wait(logged(scratch_, attempt.log,
                            {"/usr/bin/env", "FOOTRACE_OPTIONS=findings=" + seen, attempt.program, kRounds}));
    for (const findings::Finding& one : findings::read_findings(seen).findings)
      if (is_race_of(one, finding)) return true;
    if (code == 124 || code == 137) {
      why_not = "the witness did not end";
      return false;
    }
    if (code > 128) why_not = "the witness was stopped by signal " + std::to_string(code - 128);
  }
  if (why_not.empty())
    why_not = "the witness ran " + std::to_string(kRuns) + " times " + kRounds + " rounds without this race";
  return false;
}

} // namespace footrace::driver
