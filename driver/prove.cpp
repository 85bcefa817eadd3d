// `footrace prove`: a whole program in, a verdict out. inputs -> program -> analysis -> verdict -> (proofs, runs that confirm) -> output.
#include "driver/analysis.h"
#include "driver/installation.h"
#include "driver/messages.h"
#include "driver/prove_confirm.h"
#include "driver/prove_inputs.h"
#include "driver/prove_limits.h"
#include "driver/prove_options.h"
#include "driver/prove_output.h"
#include "driver/prove_reading.h"
#include "driver/temporary_folder.h"
#include "findings/json.h"
#include "prove/prepare.h"
#include "prove/proof_log.h"
#include "prove/proofs.h"
#include "prove/verdict.h"

#include "llvm/Support/raw_ostream.h"

#include <fstream>

namespace footrace::driver {
namespace {

class Proof {
public:
  Proof(const ProveOptions& options, const Installation& installation)
      : options_(options), installation_(installation), notes_(folder_.path() + "/notes"),
        confirmation_(folder_.path()) {}

  int run() {
    if (!folder_.exists())
      return failure("cannot make a temporary folder; set TMPDIR to one that can be written");
    // Before the work, which may take hours.
    if (!options_.findings_file.empty() && !std::ofstream(options_.findings_file))
      return usage_error("cannot write the findings to '" + options_.findings_file + "'");
    const Limits limits{options_.timeout_seconds, options_.memory_limit_mb};
    if (!limits.any()) return work();
    const LimitedRun run = run_within(limits, [this] { return work(); });
    return run.passed == Passed::Nothing ? run.code : give_up(run.passed);
  }

private:
  int work() {
    begin_stage("compiling");
    ProveInputs inputs(folder_.path());
    if (int code = inputs.gather(options_, installation_)) return code;
    begin_stage("linking");
    llvm::Expected<prove::Program> program = prove::load_program(
        inputs.files(), {installation_.clang, options_.clang_arguments, installation_.runtime_archive});
    if (!program) return failure(llvm::toString(program.takeError()));
    program->files.insert(inputs.headers().begin(), inputs.headers().end());
    if (options_.confirm_runs && !confirmation_.keep(*program->module)) return ExitFailure;
    begin_stage("preparing");
    prove::prepare(*program->module);
    const prove::Analysis analysis = prove::analyse(*program->module, analysis_options());
    begin_stage("concluding");
    prove::Verdict verdict = prove::conclude(analysis, *program, options_.allow_unmodelled);
    verdict.proofs = log_.lines();
    if (!options_.proofs_file.empty())
      if (int code = write_proofs_of(*program, analysis, verdict)) return code;
    if (options_.confirm_runs && !verdict.pairs.empty()) {
      begin_stage("running the program");
      confirmation_.confirm(options_, installation_, verdict.pairs);
    }
    make_readable(verdict);
    if (options_.stats) print_statistics(analysis);
    if (int code = write_findings(verdict, program->files)) return code;
    print_verdict(verdict, options_);
    return exit_code_of(verdict.outcome);
  }

  prove::AnalysisOptions analysis_options() {
    prove::AnalysisOptions options;
    options.pointers = options_.pointers;
    options.pointers.trust_unknown_code = options_.allow_unmodelled;
    options.assume_queue_transfer = options_.assume_queue_transfer;
    options.progress = [this](const char* stage) { begin_stage(stage); };
    options.finished = [this](prove::Stage stage, const prove::Analysis& analysis) {
      log_.finished(stage, analysis);
      if (options_.timeout_seconds || options_.memory_limit_mb) pairs_so_far_ = write_pairs(analysis);
    };
    return options;
  }

  void begin_stage(const std::string& stage) {
    if (options_.progress) note(stage);
    if (options_.timeout_seconds || options_.memory_limit_mb) notes_.leave(stage, pairs_so_far_);
  }

  static std::string write_pairs(const prove::Analysis& analysis) {
    std::string text;
    for (const findings::Finding& pair : prove::pairs_so_far(analysis)) text += findings::write_json(pair);
    return text;
  }

  int write_proofs_of(const prove::Program& program, const prove::Analysis& analysis,
                      const prove::Verdict& verdict) {
    if (!verdict.is_complete)
      return failure("no proofs are written: not everything is modelled, so nothing is proved (see "
                     "--allow-unmodelled)"),
             print_verdict(verdict, options_), ExitUnknown;
    const Proofs proofs = prove::race_free_accesses(program, analysis);
    std::ofstream file(options_.proofs_file);
    if (!(file << write_proofs(proofs)).flush())
      return failure("cannot write '" + options_.proofs_file + "'");
    return 0;
  }

  // The verdict is unknown; what the last stage that ended has left are the pairs so far.
  int give_up(Passed passed) {
    prove::Verdict verdict;
    std::string stage, text;
    notes_.read(stage, text);
    verdict.pairs = findings::parse_findings(text).findings;
    make_readable(verdict);
    verdict.unmodelled.push_back(std::string("out of ") + (passed == Passed::Time ? "time" : "memory") +
                                 " in stage '" + stage + "'; " +
                                 (verdict.pairs.empty() ? "no pairs yet" : "the pairs are those so far"));
    if (int code = write_findings(verdict, {})) return code;
    print_verdict(verdict, options_);
    return ExitUnknown;
  }

  int write_findings(const prove::Verdict& verdict, const std::set<std::string>& sources) {
    if (options_.findings_file.empty()) return 0;
    std::ofstream file(options_.findings_file, std::ios::binary);
    for (const findings::Finding& pair : verdict.pairs) file << findings::write_json(pair);
    if (verdict.outcome == prove::Outcome::RaceFree)
      file << findings::write_json(race_free_finding(verdict, sources));
    if (file.flush()) return 0;
    return failure("cannot write the findings to '" + options_.findings_file + "'");
  }

  // What a scan suspects in these files is settled by it.
  static findings::Finding race_free_finding(const prove::Verdict& verdict,
                                             const std::set<std::string>& sources) {
    findings::Finding finding;
    finding.rule = "race-free";
    finding.part = "prove";
    finding.level = findings::Level::Note;
    finding.sources.assign(sources.begin(), sources.end());
    finding.evidence = {{findings::EvidenceKind::ProvedSafe, 1}};
    for (const std::string& assumption : verdict.assumptions)
      finding.explanation += (finding.explanation.empty() ? "" : "\n") + ("assumed: " + assumption);
    findings::seal(finding);
    return finding;
  }

  const ProveOptions& options_;
  const Installation& installation_;
  TemporaryFolder folder_;
  Notes notes_;
  std::string pairs_so_far_;
  Confirmation confirmation_;
  prove::ProofLog log_;
};

} // namespace

int analyse_prove(const Arguments& arguments) {
  ProveOptions options;
  if (int code = parse_prove_options(arguments, options)) return code;
  std::optional<Installation> installation = find_installation();
  if (!installation) return ExitFailure;
  return Proof(options, *installation).run();
}

} // namespace footrace::driver
