// Random programs for the placement of checks: multi-threaded C or C++, deterministic by seed, terminating, small, and free of races but
// for those that were planted. Several programs share a translation unit, because starting the compiler is what costs.
//
// Race-free by construction: a thread has slices of arrays and objects of its own (its Environment, passed around as `e`); what is shared
// is guarded by a lock, read-only after the threads start, atomic, or handed over (release store to acquire load, condition variable,
// barrier). Terminating: loops are bounded by lengths, recursion by a depth, and a thread waits only for threads of lower numbers or at
// barriers that all reach.
#pragma once

#include "base/types.h"

#include <string>
#include <vector>

namespace footrace::placement_fuzz {

enum class Language { C, Cxx };

struct Request {
  Language language = Language::C;
  u64 seed = 1;       // of the first program; the others follow
  u64 programs = 10;  // in the translation unit
  bool races = false; // plant races
};

struct Generated {
  std::string source;
  std::vector<std::string> racy; // variables that race in every run; nothing else does
};

Generated generate(const Request& request);

} // namespace footrace::placement_fuzz
