// Which proofs were used: what each stage has ruled out, and about which memory.
#pragma once

#include "prove/analysis.h"

#include <map>

namespace footrace::prove {

class ProofLog {
public:
  // For AnalysisOptions::finished.
  void finished(Stage stage, const Analysis& analysis);

  // One line per stage that has ruled out anything: "global-lock: 3 pairs on 'x' under 'm'".
  std::vector<std::string> lines() const;

private:
  struct Entry {
    std::uint64_t pairs = 0;
    std::set<std::string> objects, locks;
  };

  std::map<Stage, std::vector<Tuple>> left_; // by the stages that others start from
  std::map<Stage, Entry> entries_;           // of the last time that a stage ran
};

} // namespace footrace::prove
