// Every detector by name: what --help lists and --detector=all runs.
#pragma once

#include "detectors/common/checker.h"

#include <span>
#include <string_view>

namespace footrace::detectors {

std::span<const Description> all_detectors();
const Description* find_detector(std::string_view name); // in any case; null: there is none
// Second stages (section 5.2).
std::span<const CheckerDescription> all_checkers();
const CheckerDescription* find_checker(std::string_view name);
const char* name_of(Guarantee guarantee);

} // namespace footrace::detectors
