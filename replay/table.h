// The paper's comparison for one trace (PLDI'09, Figure 2 and Tables 1 to 3).
#pragma once

#include "replay/run.h"

namespace footrace::replay {

struct TableInput {
  TraceCounts counts;
  double reading_seconds = 0;      // part of every detector's time, as the framework is in the paper
  std::vector<Measured> detectors; // Empty is one of them
  std::vector<u64> findings;       // of each detector: pairs of places
  bool with_times = true;          // without: the same trace gives the same bytes
};

std::string write_table(const TableInput& input);

} // namespace footrace::replay
