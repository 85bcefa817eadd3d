// Compiles one program of the suite at each optimisation level, runs it on all processors and on one, and
// compares what was reported with what the program's marks (marks.h) say. Presets that place checks elsewhere are
// compared at fewer levels. The verdict is exact: every marked line must be reported, nothing else may be.
#include "marks.h"
#include "process.h"

#include "llvm/Support/JSON.h"
#include "llvm/Support/Regex.h"

#include <algorithm>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <sstream>

namespace footrace::e2e {
namespace {

constexpr int races_found = 66;

struct Settings {
  std::string c_compiler, cxx_compiler, include, suite, work, source;
  std::string only_level;                // one level instead of those of the marks
  std::string only_preset, further_flag; // one preset instead of all, at every level
  std::string recorder, judge; // `footrace`: runs are recorded, and the judge compares trace and findings
  bool records_all = false;    // with `--all`
  bool keep = false;           // leave programs and logs behind
};

struct Finding {
  std::vector<Place> places; // of both accesses
  std::string identity;      // two findings with the same identity are one race reported twice
};

std::string text_of(const Place& place) { return place.first + ":" + std::to_string(place.second); }

// An access belongs to the innermost frame that lies in the suite: the line of the test that called memcpy or
// vector::push_back, not the line inside a library header.
Place place_of(const llvm::json::Object& access, const Settings& settings) {
  Place innermost{"?", 0};
  const llvm::json::Array* stack = access.getArray("stack");
  if (!stack) return innermost;
  for (const llvm::json::Value& entry : *stack) {
    const llvm::json::Object* frame = entry.getAsObject();
    if (!frame) continue;
    std::string file = frame->getString("file").value_or("").str();
    unsigned line = static_cast<unsigned>(frame->getInteger("line").value_or(0));
    if (innermost.second == 0 && line != 0) innermost = {file_name(file), line};
    if (file.rfind(settings.suite + "/", 0) == 0 && file.rfind(settings.include + "/", 0) != 0)
      return {file_name(file), line};
  }
  return innermost;
}

std::string read_findings(const std::string& file, const Settings& settings, std::vector<Finding>& findings) {
  std::istringstream lines(read_file(file));
  for (std::string line; std::getline(lines, line);) {
    if (line.empty()) continue;
    llvm::Expected<llvm::json::Value> value = llvm::json::parse(line);
    if (!value) return "not JSON: " + llvm::toString(value.takeError()) + ": " + line;
    const llvm::json::Object* object = value->getAsObject();
    const llvm::json::Array* accesses = object ? object->getArray("accesses") : nullptr;
    if (!accesses) return "a finding without accesses: " + line;
    Finding finding;
    std::vector<std::string> parts;
    for (const llvm::json::Value& entry : *accesses) {
      const llvm::json::Object* access = entry.getAsObject();
      if (!access) return "an access that is not an object: " + line;
      finding.places.push_back(place_of(*access, settings));
      parts.push_back(text_of(finding.places.back()) + " " + access->getString("kind").value_or("").str());
    }
    std::sort(parts.begin(), parts.end());
    for (const std::string& part : parts) finding.identity += "  " + part;
    if (const llvm::json::Object* memory = object->getObject("memory"))
      finding.identity += "  " + memory->getString("address").value_or("").str();
    findings.push_back(finding);
  }
  return "";
}

void compare_lines(const Marks& marks, bool checks_every_access, const std::vector<Finding>& findings,
                   std::vector<std::string>& errors) {
  std::set<Place> reported;
  for (const Finding& finding : findings) reported.insert(finding.places.begin(), finding.places.end());
  for (const Place& place : marks.racy)
    if (!reported.count(place) && (checks_every_access || !marks.covered.count(place)))
      errors.push_back("missing: " + text_of(place) + " is marked RACE, not reported");
  for (const Place& place : reported)
    if (!marks.racy.count(place))
      errors.push_back("unexpected: " + text_of(place) + " is reported, not marked");
  std::set<std::string> seen;
  for (const Finding& finding : findings)
    if (!seen.insert(finding.identity).second) errors.push_back("reported twice:" + finding.identity);
}

bool may_be_covered(const Marks& marks, const std::set<Place>& places) {
  return std::any_of(places.begin(), places.end(),
                     [&](const Place& place) { return marks.covered.count(place) != 0; });
}

void compare_pairs(const Marks& marks, bool checks_every_access, const std::vector<Finding>& findings,
                   std::vector<std::string>& errors) {
  if (marks.labels.empty()) return;
  std::set<std::string> met;
  for (const Finding& finding : findings) {
    std::set<Place> pair(finding.places.begin(), finding.places.end());
    bool known = false;
    for (const auto& [label, places] : marks.labels)
      if (places == pair) met.insert(label), known = true;
    if (!known) errors.push_back("unexpected pair:" + finding.identity);
  }
  for (const auto& [label, places] : marks.labels)
    if (!met.count(label) && (checks_every_access || !may_be_covered(marks, places)))
      errors.push_back("missing: the race labelled '" + label + "'");
}

void compare_text(const std::vector<std::string>& patterns, const std::string& text, bool wanted,
                  const char* what, std::vector<std::string>& errors) {
  for (const std::string& pattern : patterns) {
    llvm::Regex regex(pattern, llvm::Regex::Newline);
    std::string problem;
    if (!regex.isValid(problem))
      errors.push_back("bad pattern /" + pattern + "/: " + problem);
    else if (regex.match(text) != wanted)
      errors.push_back(std::string(what) + (wanted ? " does not match /" : " matches /") + pattern + "/");
  }
}

// One way to compile a program.
struct Variant {
  std::string preset, level;
  bool pinned; // also run on one processor
  std::string name() const { return preset + "." + level; }
  bool checks_every_access() const { return preset == "fasttrack" || preset == "slimstate"; }
};

// Every level with the preset that checks every access, but for the second one, which is redcard's; bigfoot where the code differs most: as
// written, and optimised.
std::vector<Variant> variants(const Settings& settings, const Marks& marks) {
  std::vector<Variant> result;
  const std::vector<std::string>& levels = marks.levels;
  const std::string all = settings.only_preset.empty() ? "fasttrack" : settings.only_preset;
  const size_t last = levels.size() - 1;
  const bool has_room = settings.only_preset.empty() && last >= 2;
  for (size_t i = 0; i <= last; ++i)
    if (!has_room || i != 1) result.push_back({all, levels[i], marks.pinned});
  if (!settings.only_preset.empty()) return result;
  result.push_back({"redcard", levels[std::min<size_t>(last, 1)], false});
  result.push_back({"bigfoot", levels[0], false});
  if (last > 0) result.push_back({"bigfoot", levels[std::min<size_t>(last, 2)], false});
  return result;
}

class Verifier {
public:
  Verifier(const Settings& settings, const Marks& marks) : settings(settings), marks(marks) {}

  bool verify(const Variant& variant) {
    std::string program = settings.work + "/program." + variant.name(), library;
    if (!marks.library.empty()) {
      library = settings.work + "/library." + variant.name() + ".so";
      if (!compile(marks.library, library, variant, true)) return false;
    }
    if (!compile(settings.source, program, variant, false)) return false;
    bool good = true;
    for (int run = 0; good && run < marks.runs; ++run)
      good = verify_run(program, library, variant, false) &&
             (!variant.pinned || verify_run(program, library, variant, true));
    if (!settings.keep) std::filesystem::remove(program);
    return good;
  }

private:
  bool compile(const std::string& source, const std::string& output, const Variant& variant, bool shared) {
    bool is_c = source.ends_with(".c");
    Command command;
    command.arguments = {is_c ? settings.c_compiler : settings.cxx_compiler,
                         is_c ? "-std=gnu17" : "-std=gnu++20",
                         "-D_GNU_SOURCE",
                         "-Wall",
                         "-Wextra",
                         "-Werror",
                         "-Wno-unused-parameter",
                         "-g",
                         "-" + variant.level,
                         "--preset=" + variant.preset,
                         "-I" + settings.include};
    command.arguments.insert(command.arguments.end(), marks.flags.begin(), marks.flags.end());
    if (!settings.further_flag.empty()) command.arguments.push_back(settings.further_flag);
    if (shared) command.arguments.insert(command.arguments.end(), {"-shared", "-fPIC"});
    command.arguments.insert(command.arguments.end(), {source, "-o", output, "-pthread"});
    command.stdout_file = command.stderr_file = settings.work + "/compile." + variant.name() + ".log";
    command.timeout_seconds = 120;
    Outcome outcome = run_process(command);
    if (outcome.exit_code == 0) return true;
    printf("FAILED %s %s: cannot compile: %s\n", settings.source.c_str(), variant.name().c_str(),
           outcome.text().c_str());
    for (const std::string& argument : command.arguments) printf("%s ", argument.c_str());
    printf("\n%s\n", read_file(command.stderr_file).c_str());
    return false;
  }

  void judge_trace(const std::string& trace, const std::string& findings_file,
                   std::vector<std::string>& errors) {
    Command command;
    command.arguments = {settings.judge, trace, findings_file};
    command.stdout_file = command.stderr_file = trace + ".judged";
    Outcome outcome = run_process(command);
    constexpr int too_long_for_the_oracle = 77;
    if (outcome.exit_code == too_long_for_the_oracle)
      printf("not judged: %s: %s", settings.source.c_str(), read_file(command.stdout_file).c_str());
    else if (outcome.exit_code != 0)
      errors.push_back("the trace says something else: " + outcome.text() + ": " +
                       read_file(command.stdout_file));
    if (!settings.keep) std::filesystem::remove(trace);
  }

  bool verify_run(const std::string& program, const std::string& library, const Variant& variant,
                  bool pinned) {
    std::string prefix = settings.work + "/" + variant.name() + (pinned ? ".pinned" : "");
    std::string findings_file = prefix + ".findings";
    std::filesystem::remove(findings_file);
    Command command;
    const std::string trace = prefix + ".ftr";
    if (!settings.recorder.empty()) command.arguments = {settings.recorder, "record", "-o", trace};
    if (settings.records_all) command.arguments.push_back("--all");
    if (!settings.recorder.empty()) command.arguments.push_back("--");
    command.arguments.push_back(program);
    if (!library.empty()) command.arguments.push_back(library);
    command.arguments.insert(command.arguments.end(), marks.arguments.begin(), marks.arguments.end());
    std::string options = "FOOTRACE_OPTIONS=findings=" + findings_file;
    for (const std::string& option : marks.options) options += ":" + option;
    command.environment = marks.environment;
    command.environment.push_back(options);
    command.stdout_file = prefix + ".stdout";
    command.stderr_file = prefix + ".stderr";
    command.timeout_seconds = marks.timeout_seconds;
    command.one_processor = pinned;
    Outcome outcome = run_process(command);

    std::vector<std::string> errors;
    int wanted = marks.exit_code >= 0 ? marks.exit_code : marks.racy.empty() ? 0 : races_found;
    if (outcome.timed_out || outcome.signal || outcome.exit_code != wanted)
      errors.push_back(outcome.text() + ", expected " + std::to_string(wanted));
    std::vector<Finding> findings;
    std::string problem = read_findings(findings_file, settings, findings);
    if (!problem.empty()) errors.push_back(problem);
    compare_lines(marks, variant.checks_every_access(), findings, errors);
    compare_pairs(marks, variant.checks_every_access(), findings, errors);
    std::string stderr_text = read_file(command.stderr_file), stdout_text = read_file(command.stdout_file);
    compare_text(marks.expected_text, stderr_text, true, "stderr", errors);
    compare_text(marks.rejected_text, stderr_text, false, "stderr", errors);
    compare_text(marks.expected_output, stdout_text, true, "stdout", errors);
    if (!settings.judge.empty()) judge_trace(trace, findings_file, errors);
    if (errors.empty()) return true;

    printf("FAILED %s %s%s\n", settings.source.c_str(), variant.name().c_str(),
           pinned ? " on one processor" : "");
    for (const std::string& error : errors) printf("  %s\n", error.c_str());
    printf("  %s %s\n", options.c_str(), program.c_str());
    printf("--- stdout\n%.4000s--- stderr\n%.12000s---\n", stdout_text.c_str(), stderr_text.c_str());
    return false;
  }

  const Settings& settings;
  const Marks& marks;
};

int usage(const char* problem) {
  fprintf(
      stderr,
      "e2e-verify: %s\nusage: e2e-verify --cc=FILE --cxx=FILE --suite=DIR --work=DIR [--level=O2] "
      "[--preset=NAME] [--flag=FLAG] [--recorder=FOOTRACE --judge=PROGRAM [--record-all]] [--keep] SOURCE\n",
      problem);
  return 2;
}

int verify(int argc, char** argv) {
  Settings settings;
  const std::pair<const char*, std::string*> texts[] = {
      {"--cc=", &settings.c_compiler},    {"--cxx=", &settings.cxx_compiler},
      {"--suite=", &settings.suite},      {"--work=", &settings.work},
      {"--level=", &settings.only_level}, {"--recorder=", &settings.recorder},
      {"--judge=", &settings.judge},      {"--preset=", &settings.only_preset},
      {"--flag=", &settings.further_flag}};
  for (int i = 1; i < argc; ++i) {
    std::string argument = argv[i];
    bool known = argument[0] != '-';
    if (known) settings.source = argument;
    if (argument == "--record-all") known = settings.records_all = true;
    if (argument == "--keep") known = settings.keep = true;
    for (const auto& [name, value] : texts)
      if (argument.rfind(name, 0) == 0) *value = argument.substr(strlen(name)), known = true;
    if (!known) return usage(("unknown argument " + argument).c_str());
  }
  if (settings.source.empty() || settings.work.empty() || settings.suite.empty())
    return usage("too few arguments");
  settings.include = settings.suite + "/include";
  std::filesystem::create_directories(settings.work);

  Marks marks;
  std::string problem = read_marks(settings.source, settings.work, marks);
  if (problem.empty() && !marks.library.empty()) problem = read_marks(marks.library, settings.work, marks);
  if (!problem.empty()) return usage(problem.c_str());
  if (!settings.only_level.empty()) marks.levels = {settings.only_level};
  Verifier verifier(settings, marks);
  bool good = true;
  for (const Variant& variant : variants(settings, marks)) good &= verifier.verify(variant);
  if (good && !settings.keep) std::filesystem::remove_all(settings.work);
  return good ? 0 : 1;
}

} // namespace
} // namespace footrace::e2e

int main(int argc, char** argv) { return footrace::e2e::verify(argc, argv); }
