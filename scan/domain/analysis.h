// Methods -> summaries (RacerDX, POPL'19, Figure 7 and Section 4), bottom-up over the strongly connected components of the
// call graph. Deviation from A5: recursion is analysed, by a bounded number of rounds from the empty summary.
#pragma once

#include "scan/domain/rules.h"

#include <unordered_map>

namespace footrace::scan::domain {

using Summaries = std::unordered_map<il::Name, Summary>;

// [[C]]# of one method, given those of its callees.
Summary summarize(const il::Method& method, const Options& options, const Rules& rules,
                  const Summaries& callees);

// Summaries of earlier runs; scan/store keeps them in a file.
class KnownSummaries {
public:
  virtual ~KnownSummaries() = default;
  // Methods that call each other, after all that they call. True: nothing that they depend on has changed, and their summaries
  // are now among `summaries`.
  virtual bool recall(const std::vector<const il::Method*>& members, Summaries& summaries) = 0;
  virtual void keep(const std::vector<const il::Method*>& members, const Summaries& summaries) = 0;
};

Summaries summarize(const il::Program& program, const Options& options, const Rules& rules = {},
                    KnownSummaries* known = nullptr);

} // namespace footrace::scan::domain
