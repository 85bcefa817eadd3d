// Why two accesses that conflict are not reported: every pair that is left out has its reason, which is counted and can be asked for.
#pragma once

#include <array>
#include <cstddef>
#include <set>
#include <string>
#include <string_view>

namespace footrace::scan::domain {

enum class Doubt {
#define DOUBT(name, text) name,
#include "scan/domain/doubts.def"
#undef DOUBT
};

inline constexpr std::array doubt_texts = std::to_array<std::string_view>({
#define DOUBT(name, text) text,
#include "scan/domain/doubts.def"
#undef DOUBT
});

constexpr std::string_view to_text(Doubt doubt) { return doubt_texts[std::size_t(doubt)]; }

// footrace scan --explain=MEMORY: what became of the accesses to it.
struct Explanation {
  std::string memory; // a part of its name, as reports print it
  std::set<std::string> lines;
};

} // namespace footrace::scan::domain
