#include "driver/prove_output.h"

#include "driver/messages.h"
#include "findings/json.h"
#include "findings/text.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/Format.h"
#include "llvm/Support/raw_ostream.h"

#include <unistd.h>

namespace footrace::driver {
namespace {

void print_list(const char* title, const std::vector<std::string>& lines) {
  if (lines.empty()) return;
  llvm::outs() << title << ":\n";
  for (const std::string& line : lines) llvm::outs() << "  " << line << '\n';
}

void print_text(const prove::Verdict& verdict) {
  findings::TextOptions options;
  findings::SourceLines source;
  options.color = may_colour(STDOUT_FILENO);
  options.source = &source;
  for (const findings::Finding& pair : verdict.pairs) llvm::outs() << findings::write_text(pair, options);
  if (verdict.outcome == prove::Outcome::RaceFree) print_list("proofs", verdict.proofs);
  print_list("assumptions", verdict.assumptions);
  for (const std::string& what : verdict.unmodelled) llvm::outs() << "not modelled: " << what << '\n';
  llvm::outs() << prove::name_of(verdict.outcome);
  if (!verdict.pairs.empty()) llvm::outs() << ": " << verdict.pairs.size();
  const std::size_t confirmed = prove::count_confirmed(verdict);
  if (confirmed) llvm::outs() << ", " << confirmed << " confirmed by a run";
  llvm::outs() << '\n';
}

// "false" needs a witness, and a proof that fails is none.
const char* sv_answer(const prove::Verdict& verdict) {
  if (prove::count_confirmed(verdict)) return "false";
  return verdict.outcome == prove::Outcome::RaceFree ? "true" : "unknown";
}

} // namespace

int exit_code_of(prove::Outcome outcome) {
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

void print_statistics(const prove::Analysis& analysis) {
  llvm::outs() << llvm::left_justify("stage", 24) << llvm::right_justify("six-tuples", 20)
               << llvm::right_justify("pairs", 12) << llvm::right_justify("seconds", 10) << '\n';
  for (unsigned i = 0; i < prove::stage_count; i++) {
    const prove::StageStatistics& stage = analysis.statistics[i];
    llvm::outs() << llvm::left_justify(prove::name_of(static_cast<prove::Stage>(i)), 24)
                 << llvm::format("%20llu%12llu%10.3f\n", static_cast<unsigned long long>(stage.tuples),
                                 static_cast<unsigned long long>(stage.pairs), stage.seconds);
  }
  if (!analysis.pointers) return;
  llvm::outs() << "instances " << analysis.pointers->instances().size() << ", threads "
               << analysis.pointers->contexts().origin_count() << ", objects "
               << analysis.pointers->memory().object_count() << ", rounds " << analysis.rounds << '\n';
}

void print_verdict(const prove::Verdict& verdict, ProveFormat format) {
  switch (format) {
  case ProveFormat::Text:
    print_text(verdict);
    break;
  case ProveFormat::Json:
    for (const findings::Finding& pair : verdict.pairs) llvm::outs() << findings::write_json(pair);
    break;
  case ProveFormat::Sv:
    llvm::outs() << sv_answer(verdict) << '\n';
    break;
  }
}

} // namespace footrace::driver
