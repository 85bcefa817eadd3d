// Small random programs for proofs: a few threads, locks, barriers, conditions and records, locked or not,
// published and handed over in order or not. A unit holds several programs with variables of their own, which main runs
// one after the other; every statement has a line of its own. They terminate, and have no undefined behaviour but their
// races.
#pragma once

#include <cstdint>
#include <string>

namespace footrace::prove {

std::string random_unit(std::uint64_t seed, unsigned programs);
std::string random_cxx_unit(std::uint64_t seed, unsigned programs);

} // namespace footrace::prove
