// Programs with a known verdict. "VERDICT: race-free by STAGE" also says which stage ruled out the last tuple; lines
// marked RACE must be reported, those marked IMPRECISE are reported though they cannot race, and no others are. RACE INSIDE
// marks a call of library code that races: its line is known as long as callers are told apart.
#include "prove/prepare.h"
#include "prove/program.h"
#include "prove/proofs.h"
#include "prove/verdict.h"

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <gtest/gtest.h>

namespace footrace::prove {
namespace {

namespace fs = std::filesystem;

struct Expectation {
  std::string verdict, stage;
  bool assumes_queues = false;     // "// ASSUME: queue-transfer"
  std::set<unsigned> lines, races; // reported; of which these race
};

Expectation read_expectation(const fs::path& file) {
  Expectation expected;
  std::ifstream in(file);
  std::string line;
  for (unsigned number = 1; std::getline(in, line); number++) {
    if (std::size_t at = line.find("// VERDICT: "); at != std::string::npos) {
      std::string text = line.substr(at + 12);
      std::size_t by = text.find(" by ");
      expected.verdict = text.substr(0, by);
      if (by != std::string::npos) expected.stage = text.substr(by + 4);
    } else if (line == "// ASSUME: queue-transfer") {
      expected.assumes_queues = true;
    } else if (line.ends_with("// RACE") || line.ends_with("// RACE INSIDE") ||
               line.ends_with("// IMPRECISE")) {
      expected.lines.insert(number);
      if (line.ends_with("// RACE")) expected.races.insert(number);
    }
  }
  return expected;
}

llvm::Expected<Program> load(const fs::path& file) {
  const bool is_cxx = file.extension() == ".cpp";
  return load_program({file}, {FOOTRACE_CLANG, {is_cxx ? "-std=c++20" : "-std=gnu17"}});
}

std::string word_for(Outcome outcome) {
  return outcome == Outcome::RaceFree ? "race-free" : outcome == Outcome::Pairs ? "pairs" : "unknown";
}

// The last stage that had something to rule out.
std::string last_stage(const Analysis& analysis) {
  for (unsigned i = static_cast<unsigned>(Stage::Aliasing); i < stage_count; i++)
    if (analysis.statistics[i].tuples == 0) return name_of(static_cast<Stage>(i));
  return "";
}

std::vector<std::string> programs() {
  std::vector<std::string> files;
  for (const fs::directory_entry& entry : fs::directory_iterator(FOOTRACE_PROVE_PROGRAMS))
    files.push_back(entry.path().filename());
  std::ranges::sort(files);
  return files;
}

// Of the program itself; a header of the standard library has no marks.
std::set<unsigned> reported_lines(const Verdict& verdict, const std::string& program) {
  std::set<unsigned> lines;
  for (const findings::Finding& pair : verdict.pairs)
    for (const findings::Access& access : pair.accesses)
      if (fs::path(access.location.file).filename() == program) lines.insert(access.location.line);
  return lines;
}

std::vector<std::string> racing_programs() {
  std::vector<std::string> racing = programs();
  std::erase_if(racing, [](const std::string& name) {
    return read_expectation(fs::path(FOOTRACE_PROVE_PROGRAMS) / name).races.empty();
  });
  return racing;
}

std::string test_name(const testing::TestParamInfo<std::string>& info) {
  std::string name = info.param;
  std::ranges::replace(name, '.', '_');
  return name;
}

class Programs : public testing::TestWithParam<std::string> {};
class RacingPrograms : public testing::TestWithParam<std::string> {};

TEST_P(Programs, HasItsVerdict) {
  fs::path file = fs::path(FOOTRACE_PROVE_PROGRAMS) / GetParam();
  Expectation expected = read_expectation(file);
  ASSERT_FALSE(expected.verdict.empty()) << "no VERDICT line";
  llvm::Expected<Program> program = load(file);
  ASSERT_TRUE(static_cast<bool>(program)) << llvm::toString(program.takeError());
  prepare(*program->module);
  AnalysisOptions options;
  options.assume_queue_transfer = expected.assumes_queues;
  Analysis analysis = analyse(*program->module, options);
  Verdict verdict = conclude(analysis, false);
  std::string unmodelled;
  for (const std::string& what : verdict.unmodelled) unmodelled += what + "; ";
  EXPECT_EQ(word_for(verdict.outcome), expected.verdict) << unmodelled;
  if (!expected.stage.empty()) EXPECT_EQ(last_stage(analysis), expected.stage);
  EXPECT_EQ(reported_lines(verdict, GetParam()), expected.lines);
}

// What keeps the cost of large programs down only makes the abstraction coarser.
TEST_P(RacingPrograms, TightLimits_MissNoRace) {
  fs::path file = fs::path(FOOTRACE_PROVE_PROGRAMS) / GetParam();
  const std::set<unsigned> races = read_expectation(file).races;
  llvm::Expected<Program> program = load(file);
  ASSERT_TRUE(static_cast<bool>(program)) << llvm::toString(program.takeError());
  prepare(*program->module);
  AnalysisOptions coarse;
  coarse.pointers.pool_limit = coarse.pointers.instance_budget = coarse.pointers.origin_limit = 1;
  std::set<unsigned> reported =
      reported_lines(conclude(analyse(*program->module, coarse), false), GetParam());
  EXPECT_TRUE(std::ranges::includes(reported, races));
  AnalysisOptions crowded;
  crowded.crowd_limit = 1;
  EXPECT_NE(conclude(analyse(*program->module, crowded), true).outcome, Outcome::RaceFree);
}

TEST(Crowds, AreNeverRaceFree) {
  fs::path file = fs::path(FOOTRACE_PROVE_PROGRAMS) / "figure1_coarse.c";
  llvm::Expected<Program> program = load(file);
  ASSERT_TRUE(static_cast<bool>(program)) << llvm::toString(program.takeError());
  prepare(*program->module);
  EXPECT_EQ(conclude(analyse(*program->module), true).outcome, Outcome::RaceFree);
  AnalysisOptions crowded;
  crowded.crowd_limit = 1;
  Analysis analysis = analyse(*program->module, crowded);
  ASSERT_FALSE(analysis.crowds.empty());
  EXPECT_NE(conclude(analysis, true).outcome, Outcome::RaceFree);
  for (const FunctionProof& function : race_free_accesses(*program, analysis).functions)
    for (const Crowd& crowd : analysis.crowds)
      for (AccessId id : crowd.accesses) {
        const llvm::DebugLoc& at = (*analysis.accesses)[id].inst->getDebugLoc();
        EXPECT_FALSE(function.race_free.contains({at.getLine(), at.getCol(), true}));
      }
}

// Facts and disjoint reachability still speak of what is in no crowd.
TEST(Crowds, DoNotHideOtherMemory) {
  llvm::Expected<Program> program = load(fs::path(FOOTRACE_PROVE_PROGRAMS) / "section52_beside_crowd.c");
  ASSERT_TRUE(static_cast<bool>(program)) << llvm::toString(program.takeError());
  prepare(*program->module);
  AnalysisOptions crowded;
  crowded.crowd_limit = 100;
  Analysis analysis = analyse(*program->module, crowded);
  ASSERT_EQ(analysis.crowds.size(), 1u);
  const Memory& memory = analysis.pointers->memory();
  for (const Tuple& tuple : analysis.remaining)
    for (LocationId location : analysis.accesses->locations(tuple.a))
      EXPECT_EQ(memory.object_of(location), analysis.crowds[0].object);
}

INSTANTIATE_TEST_SUITE_P(Prove, Programs, testing::ValuesIn(programs()), test_name);
INSTANTIATE_TEST_SUITE_P(Prove, RacingPrograms, testing::ValuesIn(racing_programs()), test_name);

} // namespace
} // namespace footrace::prove
