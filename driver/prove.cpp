// `footrace prove`: a whole program in, a verdict out.
#include "driver/commands.h"
#include "driver/installation.h"
#include "driver/messages.h"
#include "findings/json.h"
#include "findings/text.h"
#include "prove/prepare.h"
#include "prove/program.h"
#include "prove/verdict.h"

#include "llvm/Support/Format.h"
#include "llvm/Support/raw_ostream.h"

#include <atomic>
#include <chrono>
#include <fstream>
#include <thread>
#include <unistd.h>

namespace footrace::driver {
namespace {

enum ProveExit : int { ExitPairs = 66, ExitUnknown = 3 };
enum class Format { Text, Json, Sv };

struct ProveRequest {
  std::vector<std::string> files, clang_arguments;
  prove::PointsToOptions pointers;
  Format format = Format::Text;
  bool stats = false, progress = false, allow_unmodelled = false;
  unsigned timeout_seconds = 0;
  unsigned long memory_limit_mb = 0;
};

std::atomic<const char*> current_stage = "compiling";

bool parse_number(const std::string& text, unsigned long& value) {
  return !llvm::StringRef(text).getAsInteger(10, value);
}

// An option with its value, as "--name=VALUE" or "--name VALUE".
bool take_value(const Arguments& arguments, std::size_t& i, const char* name, std::string& value) {
  llvm::StringRef argument = arguments[i];
  if (argument.consume_front(std::string(name) + "=")) {
    value = argument.str();
    return true;
  }
  if (argument != name || i + 1 == arguments.size()) return false;
  value = arguments[++i];
  return true;
}

int parse(const Arguments& arguments, ProveRequest& request) {
  for (std::size_t i = 0; i < arguments.size(); i++) {
    const std::string& argument = arguments[i];
    std::string value;
    unsigned long number = 0;
    if (argument == "--") {
      request.clang_arguments.assign(arguments.begin() + static_cast<std::ptrdiff_t>(i) + 1, arguments.end());
      break;
    }
    if (argument == "--stats") {
      request.stats = true;
    } else if (argument == "--progress") {
      request.progress = true;
    } else if (argument == "--allow-unmodelled") {
      request.allow_unmodelled = true;
    } else if (argument == "--collapse-arrays") {
      request.pointers.collapse_arrays = true;
    } else if (take_value(arguments, i, "-k", value)) {
      if (!parse_number(value, number)) return usage_error("'-k' needs a number, not '" + value + "'");
      request.pointers.k = static_cast<unsigned>(number);
    } else if (take_value(arguments, i, "--timeout", value)) {
      if (!parse_number(value, number)) return usage_error("'--timeout' needs seconds, not '" + value + "'");
      request.timeout_seconds = static_cast<unsigned>(number);
    } else if (take_value(arguments, i, "--memory-limit", value)) {
      if (!parse_number(value, number)) return usage_error("'--memory-limit' needs MB, not '" + value + "'");
      request.memory_limit_mb = number;
    } else if (take_value(arguments, i, "--format", value)) {
      if (value != "text" && value != "json" && value != "sv")
        return usage_error("'--format' is text, json or sv, not '" + value + "'");
      request.format = value == "json" ? Format::Json : value == "sv" ? Format::Sv : Format::Text;
    } else if (argument[0] == '-') {
      return usage_error("unknown option '" + argument +
                         "'; options of clang go after '--'; see 'footrace help prove'");
    } else {
      request.files.push_back(argument);
    }
  }
  return request.files.empty()
             ? usage_error("no file given; usage: footrace prove FILE... [-- CLANG-OPTIONS]")
             : 0;
}

unsigned long resident_mb() {
  std::ifstream statm("/proc/self/statm");
  unsigned long total = 0, resident = 0;
  statm >> total >> resident;
  return resident * static_cast<unsigned long>(sysconf(_SC_PAGESIZE)) / (1024 * 1024);
}

// Ends the process with the verdict "unknown" when a limit is passed, whatever the analysis is doing.
void watch_limits(const ProveRequest& request) {
  if (!request.timeout_seconds && !request.memory_limit_mb) return;
  auto begin = std::chrono::steady_clock::now();
  std::thread([request, begin] {
    while (true) {
      std::this_thread::sleep_for(std::chrono::milliseconds(50));
      bool late = request.timeout_seconds &&
                  std::chrono::steady_clock::now() - begin > std::chrono::seconds(request.timeout_seconds);
      bool large = request.memory_limit_mb && resident_mb() > request.memory_limit_mb;
      if (!late && !large) continue;
      std::string text = request.format == Format::Sv ? "unknown\n" : "";
      if (request.format != Format::Sv)
        text = std::string("UNKNOWN: out of ") + (late ? "time" : "memory") + " in stage " +
               current_stage.load() + "\n";
      [[maybe_unused]] ssize_t written = write(STDOUT_FILENO, text.data(), text.size());
      _exit(ExitUnknown);
    }
  }).detach();
}

void print_statistics(const prove::Analysis& analysis) {
  llvm::outs() << llvm::left_justify("stage", 24) << llvm::right_justify("six-tuples", 14)
               << llvm::right_justify("pairs", 12) << llvm::right_justify("seconds", 10) << '\n';
  for (unsigned i = 0; i < prove::stage_count; i++) {
    const prove::StageStatistics& stage = analysis.statistics[i];
    llvm::outs() << llvm::left_justify(prove::name_of(static_cast<prove::Stage>(i)), 24)
                 << llvm::format("%14llu%12llu%10.3f\n", static_cast<unsigned long long>(stage.tuples),
                                 static_cast<unsigned long long>(stage.pairs), stage.seconds);
  }
  if (!analysis.pointers) return;
  llvm::outs() << "instances " << analysis.pointers->instances().size() << ", threads "
               << analysis.pointers->contexts().origin_count() << ", objects "
               << analysis.pointers->memory().object_count() << ", rounds " << analysis.rounds << '\n';
}

void print_text(const prove::Verdict& verdict) {
  findings::TextOptions options;
  options.color = may_colour(STDOUT_FILENO);
  for (const findings::Finding& pair : verdict.pairs) llvm::outs() << findings::write_text(pair, options);
  for (const std::string& what : verdict.unmodelled) llvm::outs() << "not modelled: " << what << '\n';
  llvm::outs() << prove::name_of(verdict.outcome);
  if (!verdict.pairs.empty()) llvm::outs() << ": " << verdict.pairs.size();
  llvm::outs() << '\n';
}

void print(const prove::Verdict& verdict, Format format) {
  switch (format) {
  case Format::Text:
    print_text(verdict);
    break;
  case Format::Json:
    for (const findings::Finding& pair : verdict.pairs) llvm::outs() << findings::write_json(pair);
    break;
  case Format::Sv: // "false" needs a witness, and a proof that fails is none
    llvm::outs() << (verdict.outcome == prove::Outcome::RaceFree ? "true" : "unknown") << '\n';
    break;
  }
}

int exit_code(prove::Outcome outcome) {
  switch (outcome) {
  case prove::Outcome::RaceFree:
    return ExitSuccess;
  case prove::Outcome::Pairs:
    return ExitPairs;
  case prove::Outcome::Unknown:
    break;
  }
  return ExitUnknown;
}

} // namespace

int command_prove(const Arguments& arguments) {
  ProveRequest request;
  if (int code = parse(arguments, request)) return code;
  std::optional<Installation> installation = find_installation();
  if (!installation) return ExitFailure;
  watch_limits(request);
  llvm::Expected<prove::Program> program =
      prove::load_program(request.files, {installation->clang, request.clang_arguments});
  if (!program) return failure(llvm::toString(program.takeError()));
  prove::prepare(*program->module);
  prove::AnalysisOptions options;
  options.pointers = request.pointers;
  options.progress = [&](const char* stage) {
    current_stage = stage;
    if (request.progress) note(stage);
  };
  prove::Analysis analysis = prove::analyse(*program->module, options);
  prove::Verdict verdict = prove::conclude(analysis, request.allow_unmodelled);
  if (request.stats) print_statistics(analysis);
  print(verdict, request.format);
  return exit_code(verdict.outcome);
}

} // namespace footrace::driver
