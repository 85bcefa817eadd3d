// Random programs for the theorem: no recursion (A5), balanced locks (A2), all branches free (A6).
#pragma once

#include <cstdint>
#include <string>

namespace footrace::scan::theorem {

enum class Language {
  Paper, // Figure 4 exactly: one lock, pointer fields only
  Cpp,   // and several locks of both modes, objects inside objects, addresses, results, globals
  Threads, // and the first method starts other methods on threads, waits for them, and waits at a condition variable
};

// The text of a program (scan/il/text.h); the same for the same seed.
std::string random_program(std::uint64_t seed, Language language);

} // namespace footrace::scan::theorem
