// What a proof ruled out must not race in any run: random programs run under the detector, and every race that it sees is
// a pair that the proof left. Proofs with a planted fault (a stage that also drops tuples that it cannot rule out) fail.
#include "findings/json.h"
#include "prove/prepare.h"
#include "prove/program.h"
#include "prove/verdict.h"
#include "tests/prove/random/generator.h"

#include <atomic>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <gtest/gtest.h>
#include <memory>
#include <thread>
#include <unistd.h>

namespace footrace::prove {
namespace {

namespace fs = std::filesystem;
using Lines = std::pair<unsigned, unsigned>;
using Races = std::set<Lines>;

constexpr unsigned units = 100, programs_per_unit = 20, runs = 3;
constexpr unsigned programs = units * programs_per_unit;

Races races_in(const std::vector<findings::Finding>& found) {
  Races races;
  for (const findings::Finding& finding : found) {
    if (finding.accesses.size() != 2) continue;
    unsigned a = finding.accesses[0].location.line, b = finding.accesses[1].location.line;
    races.insert({std::min(a, b), std::max(a, b)});
  }
  return races;
}

struct Unit {
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

// All races of a few runs. -O0, as the proof sees the program.
void run_under_detector(Unit& unit) {
  std::string program = unit.source.string() + ".program", findings = unit.source.string() + ".findings";
  std::string footrace = FOOTRACE_COMMAND;
  ASSERT_EQ(std::system((footrace + " cc --preset=fasttrack -w -O0 -g -pthread " + unit.source.string() +
                         " -o " + program)
                            .c_str()),
            0);
  for (unsigned run = 0; run < runs; run++) {
    fs::remove(findings);
    int code = std::system(("FOOTRACE_OPTIONS=report_limit=0 " + footrace + " run --findings " + findings +
                            " -- " + program + " >/dev/null 2>&1")
                               .c_str());
    ASSERT_TRUE(WEXITSTATUS(code) == 0 || WEXITSTATUS(code) == 66) << code;
    if (fs::exists(findings)) unit.observed.merge(races_in(findings::read_findings(findings).findings));
  }
}

class Soundness : public testing::Test {
protected:
  static void SetUpTestSuite() {
    if (folder_) return; // both suites look at the same runs
    folder_ = std::make_unique<Folder>();
    for (unsigned i = 0; i < units; i++)
      all_.push_back({folder_->path() / ("unit" + std::to_string(i) + ".c"), {}, {}});
    std::atomic<unsigned> next = 0;
    std::vector<std::thread> workers;
    for (unsigned i = 0; i < std::max(1u, std::thread::hardware_concurrency()); i++)
      workers.emplace_back([&] {
        for (unsigned unit = next++; unit < units; unit = next++) examine(unit);
      });
    for (std::thread& worker : workers) worker.join();
  }

  static void examine(unsigned number) {
    Unit& unit = all_[number];
    std::ofstream(unit.source) << random_unit(1 + number, programs_per_unit);
    run_under_detector(unit);
    unit.left = left_by_proof(unit, {});
  }

  static Races left_by_proof(const Unit& unit, const AnalysisOptions& options) {
    llvm::Expected<Program> program = load_program({unit.source}, {FOOTRACE_CLANG, {}});
    if (!program) {
      ADD_FAILURE() << llvm::toString(program.takeError());
      return {};
    }
    prepare(*program->module);
    Analysis analysis = analyse(*program->module, options);
    EXPECT_TRUE(analysis.is_complete());
    return races_in(conclude(analysis, false).pairs);
  }

  static Races missed(const Unit& unit, const Races& left) {
    Races missed;
    for (const Lines& race : unit.observed)
      if (!left.contains(race)) missed.insert(race);
    return missed;
  }

  static inline std::unique_ptr<Folder> folder_;
  static inline std::vector<Unit> all_;
};

TEST_F(Soundness, RacesOfRuns_AreLeftByProofs) {
  std::size_t observed = 0, left = 0;
  for (const Unit& unit : all_) {
    observed += unit.observed.size();
    left += unit.left.size();
    for (auto [a, b] : missed(unit, unit.left))
      ADD_FAILURE() << unit.source.filename() << ": lines " << a << " and " << b << " race\n"
                    << std::ifstream(unit.source).rdbuf();
  }
  EXPECT_GT(observed, programs / 4) << "too few races to mean anything";
  std::printf("%u programs: %zu races observed, %zu pairs left\n", programs, observed, left);
}

class Faults : public Soundness, public testing::WithParamInterface<Stage> {};

TEST_P(Faults, StageThatDropsTooMuch_IsFound) {
  AnalysisOptions options;
  options.after_stage = [](Stage stage, std::vector<Tuple>& tuples) {
    if (stage == GetParam())
      std::erase_if(tuples, [](const Tuple& tuple) { return (tuple.a + tuple.b) % 4 == 0; });
  };
  std::size_t found = 0;
  for (std::size_t i = 0; i < 3; i++) found += missed(all_[i], left_by_proof(all_[i], options)).size();
  EXPECT_GT(found, 0u);
}

INSTANTIATE_TEST_SUITE_P(Prove, Faults,
                         testing::Values(Stage::Aliasing, Stage::Escaping, Stage::MayHappenInParallel,
                                         Stage::GlobalLock, Stage::LocalLock, Stage::LocalThread));

} // namespace
} // namespace footrace::prove
