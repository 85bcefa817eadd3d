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

// What the pairs are about, where there are more than can be shown.
void print_groups(const std::vector<prove::PairGroup>& groups, std::size_t shown, std::size_t all) {
  constexpr std::size_t most = 20;
  llvm::outs() << "shown: the first " << shown << " of " << all << " pairs (--most-pairs N, 0: all)";
  llvm::outs() << (groups.empty() ? "\n" : "; pairs by memory:\n");
  for (const prove::PairGroup& group : llvm::ArrayRef(groups).take_front(most))
    llvm::outs() << llvm::format("  %8zu  ", group.pairs) << group.memory << '\n';
  if (groups.size() > most) llvm::outs() << "  and " << groups.size() - most << " more kinds of memory\n";
}

void print_pairs(const prove::Verdict& verdict, std::size_t most) {
  findings::TextOptions options;
  findings::SourceLines source;
  options.color = may_colour(STDOUT_FILENO);
  options.source = &source;
  const std::size_t all = verdict.pairs.size(), shown = most && most < all ? most : all;
  for (std::size_t i = 0; i < shown; i++) llvm::outs() << findings::write_text(verdict.pairs[i], options);
  if (shown < all) print_groups(verdict.groups, shown, all);
}

void print_text(const prove::Verdict& verdict, std::size_t most) {
  print_pairs(verdict, most);
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

void print_verdict(const prove::Verdict& verdict, const ProveOptions& options) {
  switch (options.format) {
  case ProveFormat::Text:
    print_text(verdict, options.most_pairs);
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
