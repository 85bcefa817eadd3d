// What a proof ruled out must not race in any run: random programs run under the detector, and every race that it sees is
// a tuple that the proof left. Proofs with a planted fault (a stage that also drops tuples that it cannot rule out) fail.
#include "findings/json.h"
#include "prove/prepare.h"
#include "prove/program.h"
#include "prove/verdict.h"
#include "tests/prove/random/generator.h"

#include "llvm/IR/DebugInfoMetadata.h"
#include "llvm/IR/InstrTypes.h"

#include <algorithm>
#include <atomic>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <gtest/gtest.h>
#include <map>
#include <set>
#include <thread>
#include <unistd.h>

namespace footrace::prove {
namespace {

namespace fs = std::filesystem;
using Race = std::pair<std::string, std::string>; // "unit3.c:12", "unit3.c:20"
using Races = std::set<Race>;

struct Language {
  const char *name, *extension, *compiler;
  std::vector<std::string> options;
  std::string (*generate)(std::uint64_t seed, unsigned programs);
  unsigned units, programs_per_unit, runs;
  bool may_crash; // a race in a container may end the program: each runs alone
};

const Language c_language = {"C", ".c", "cc", {}, random_unit, 100, 20, 3, false};
const Language cxx_language = {"C++", ".cpp", "c++", {"-std=c++20"}, random_cxx_unit, 24, 3, 1, true};

Race ordered(std::string a, std::string b) { return std::minmax(std::move(a), std::move(b)); }

std::string place(const std::string& file, unsigned line) {
  return fs::path(file).filename().string() + ":" + std::to_string(line);
}

// Where the access itself is, be it in a header; library functions have no place of their own.
std::string place_of(const findings::Access& access) {
  for (const findings::StackFrame& frame : access.stack)
    if (!frame.location.file.empty()) return place(frame.location.file, frame.location.line);
  return "";
}

// What has no line is in a body that prove/library_code.ll.inc gives to a function of the C++ library: a run names its calls.
void add_places(const llvm::Instruction& inst, std::set<const llvm::Function*>& seen,
                std::set<std::string>& places) {
  if (const llvm::DILocation* at = inst.getDebugLoc()) {
    places.insert(place(at->getFilename().str(), at->getLine()));
  } else if (seen.insert(inst.getFunction()).second) {
    for (const llvm::User* user : inst.getFunction()->users())
      if (const auto* call = llvm::dyn_cast<llvm::CallBase>(user)) add_places(*call, seen, places);
  }
}
std::set<std::string> places_of(const Access& access) {
  std::set<const llvm::Function*> seen;
  std::set<std::string> places;
  add_places(*access.inst, seen, places);
  return places;
}

// A vector that threads change without order may end up with any size, and its next copy goes over whatever lies there. No rule of the language speaks of
// what the run does from then on, so no proof does.
bool is_beside_itself(const findings::Finding& finding) {
  constexpr std::uint64_t largest = 1 << 16; // no object of these programs comes near
  return std::ranges::any_of(finding.accesses, [](const auto& access) { return access.size > largest; });
}

Races races_in(const std::vector<findings::Finding>& found) {
  Races races;
  for (const findings::Finding& finding : found) {
    if (is_beside_itself(finding)) break;
    if (finding.accesses.size() == 2)
      races.insert(ordered(place_of(finding.accesses[0]), place_of(finding.accesses[1])));
  }
  return races;
}

struct Unit {
  const Language* language;
  unsigned seed;
  fs::path source;
  Races observed, left;
};

class Folder {
public:
  Folder() : path_(fs::temp_directory_path() / ("footrace-soundness-" + std::to_string(getpid()))) {
    fs::create_directories(path_);
  }
  ~Folder() { fs::remove_all(path_); }
  const fs::path& path() const { return path_; }

private:
  fs::path path_;
};

void run_once(Unit& unit, const std::string& program) {
  const std::string findings = unit.source.string() + ".findings", footrace = FOOTRACE_COMMAND;
  fs::remove(findings);
  int code = std::system(("FOOTRACE_OPTIONS=report_limit=0 timeout 60 " + footrace + " run --findings " +
                          findings + " -- " + program + " >/dev/null 2>&1")
                             .c_str());
  if (!unit.language->may_crash) ASSERT_TRUE(WEXITSTATUS(code) == 0 || WEXITSTATUS(code) == 66) << code;
  if (fs::exists(findings)) unit.observed.merge(races_in(findings::read_findings(findings).findings));
}

// All races of a few runs. -O0, as the proof sees the program.
void run_under_detector(Unit& unit) {
  const Language& language = *unit.language;
  std::string program = unit.source.string() + ".program", options;
  for (const std::string& option : language.options) options += " " + option;
  ASSERT_EQ(std::system((std::string(FOOTRACE_COMMAND) + " " + language.compiler + options +
                         " --preset=fasttrack -w -O0 -g -pthread " + unit.source.string() + " -o " + program)
                            .c_str()),
            0);
  for (unsigned run = 0; run < language.runs; run++)
    if (!language.may_crash)
      run_once(unit, program);
    else
      for (unsigned i = 0; i < language.programs_per_unit; i++)
        run_once(unit, program + " " + std::to_string(i));
  fs::remove(program);
}

class Soundness : public testing::Test {
protected:
  // Examined once: all suites look at the same runs.
  static std::vector<Unit>& units_of(const Language& language) {
    static Folder folder;
    static std::map<const Language*, std::vector<Unit>> examined;
    auto [known, is_new] = examined.try_emplace(&language);
    std::vector<Unit>& units = known->second;
    if (!is_new) return units;
    const char* chosen = std::getenv("FOOTRACE_SEED");
    const unsigned first = chosen ? static_cast<unsigned>(std::atoi(chosen)) : 1;
    for (unsigned seed = first; seed < first + language.units; seed++)
      units.push_back(
          {&language, seed, folder.path() / ("unit" + std::to_string(seed) + language.extension), {}, {}});
    std::atomic<unsigned> next = 0;
    std::vector<std::thread> workers;
    for (unsigned i = 0; i < std::max(1u, std::thread::hardware_concurrency()); i++)
      workers.emplace_back([&] {
        for (unsigned unit = next++; unit < units.size(); unit = next++) examine(units[unit]);
      });
    for (std::thread& worker : workers) worker.join();
    return units;
  }

  static void examine(Unit& unit) {
    std::ofstream(unit.source) << unit.language->generate(unit.seed, unit.language->programs_per_unit);
    run_under_detector(unit);
    unit.left = left_by_proof(unit, {});
  }

  static Races left_by_proof(const Unit& unit, const AnalysisOptions& options) {
    llvm::Expected<Program> program = load_program({unit.source}, {FOOTRACE_CLANG, unit.language->options});
    if (!program) {
      ADD_FAILURE() << llvm::toString(program.takeError());
      return {};
    }
    prepare(*program->module);
    Analysis analysis = analyse(*program->module, options);
    if (!unit.language->may_crash) EXPECT_TRUE(analysis.is_complete());
    Races left;
    for (const Crowd& crowd : analysis.crowds) add_crowd(crowd, *analysis.accesses, left);
    for (const Tuple& tuple : analysis.remaining)
      for (const std::string& a : places_of((*analysis.accesses)[tuple.a]))
        for (const std::string& b : places_of((*analysis.accesses)[tuple.b])) left.insert(ordered(a, b));
    return left;
  }

  // All of a crowd race with each other.
  static void add_crowd(const Crowd& crowd, const Accesses& accesses, Races& left) {
    std::set<std::string> places;
    for (AccessId id : crowd.accesses) places.merge(places_of(accesses[id]));
    for (const std::string& a : places)
      for (const std::string& b : places) left.insert(ordered(a, b));
  }

  static Races missed(const Unit& unit, const Races& left) {
    Races missed;
    for (const Race& race : unit.observed)
      if (!left.contains(race)) missed.insert(race);
    return missed;
  }

  static void expect_nothing_missed(const Language& language) {
    std::size_t observed = 0, left = 0;
    const unsigned programs = language.units * language.programs_per_unit;
    for (const Unit& unit : units_of(language)) {
      observed += unit.observed.size();
      left += unit.left.size();
      for (const auto& [a, b] : missed(unit, unit.left))
        ADD_FAILURE() << unit.source.filename() << ": " << a << " and " << b << " race\n"
                      << std::ifstream(unit.source).rdbuf();
    }
    EXPECT_GT(observed, programs / 4) << "too few races to mean anything";
    std::printf("%u programs in %s: %zu races observed, %zu pairs left\n", programs, language.name, observed,
                left);
  }
};

TEST_F(Soundness, RacesOfRuns_AreLeftByProofs) { expect_nothing_missed(c_language); }

TEST_F(Soundness, RacesOfCxxRuns_AreLeftByProofs) { expect_nothing_missed(cxx_language); }

class Faults : public Soundness, public testing::WithParamInterface<Stage> {};

TEST_P(Faults, StageThatDropsTooMuch_IsFound) {
  AnalysisOptions options;
  options.after_stage = [](Stage stage, std::vector<Tuple>& tuples) {
    if (stage == GetParam())
      std::erase_if(tuples, [](const Tuple& tuple) { return (tuple.a + tuple.b) % 4 == 0; });
  };
  std::size_t found = 0;
  for (const Unit& unit : llvm::ArrayRef(units_of(c_language)).take_front(3))
    found += missed(unit, left_by_proof(unit, options)).size();
  EXPECT_GT(found, 0u);
}

INSTANTIATE_TEST_SUITE_P(Prove, Faults,
                         testing::Values(Stage::Aliasing, Stage::Escaping, Stage::MayHappenInParallel,
                                         Stage::GlobalLock, Stage::LocalLock, Stage::LocalThread));

} // namespace
} // namespace footrace::prove
