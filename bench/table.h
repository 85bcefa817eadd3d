// The report as text on standard output.
#pragma once

#include "bench/results.h"

namespace footrace::bench {

void print_table(const Report& report);

// "3.42", "12.3", "148", "0.00031"; "-" for nothing.
std::string figure(double value);
std::string figure(const std::optional<double>& value);
std::string percent(double ratio);
std::string bytes(double value);

} // namespace footrace::bench
