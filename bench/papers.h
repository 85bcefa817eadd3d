// The figures of papers 004 (FastTrack), 003 (RedCard) and 000 (BigFoot), for comparison. Theirs are for Java
// programs of the same name on other machines: the pattern can be compared, the numbers cannot.
#pragma once

#include <string>

namespace footrace::bench {

// 0 where a paper does not have the program.
struct PaperFigures {
  const char* program;
  double fasttrack_004, memory_004;              // slowdown, memory x
  double fasttrack_003, proxy_003;               // slowdown of FastTrack, with RedCard and proxies
  double checked_redcard_003, checked_proxy_003; // percent of accesses checked
  double ft_000, rc_000, ss_000, sc_000, bf_000; // overhead: additional time, x base
  double check_ratio_bf_000, memory_000;         // BigFoot's check ratio; FastTrack's space overhead
};

const PaperFigures* paper_figures(const std::string& program);

} // namespace footrace::bench
