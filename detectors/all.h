// Every detector by name: what --help lists and --detector=all runs.
#pragma once

#include "detectors/common/detector.h"

#include <span>
#include <string_view>

namespace footrace::detectors {

std::span<const Description> all_detectors();
const Description* find_detector(std::string_view name); // in any case; null: there is none
const char* name_of(Guarantee guarantee);

} // namespace footrace::detectors
