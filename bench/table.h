// The report as text on standard output.
#pragma once

#include "bench/results.h"

namespace footrace::bench {

void print_table(const Report& report);

// What is told about idioms, as cells: a head, the slowdown of each style under each tool, for each kernel worst / best,
// and in the last row the largest of these. Empty if there are none.
std::vector<std::vector<std::string>> idiom_cells(const Report& report, unsigned threads);

// "3.42", "12.3", "148", "0.00031"; "-" for nothing.
std::string figure(double value);
std::string figure(const std::optional<double>& value);
std::string percent(double ratio);
std::string bytes(double value);

} // namespace footrace::bench
