// Deliberate mistakes in the rules: each must make the theorem's test fail, or the test proves nothing.
#pragma once

#include "scan/domain/rules.h"
#include "scan/theorem/generator.h"

#include <string_view>
#include <vector>

namespace footrace::scan::theorem {

struct Fault {
  std::string_view name;
  domain::Rules rules;
  Language language; // in which it shows
  domain::Wobbling wobbling;
};

const std::vector<Fault>& faults();

} // namespace footrace::scan::theorem
