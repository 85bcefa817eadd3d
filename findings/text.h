// A finding as a person reads it.
#pragma once

#include "findings/finding.h"
#include "findings/source.h"

namespace footrace::findings {

struct TextOptions {
  bool color = false;
  bool all_frames = false;       // also what lies below main or a thread's entry
  SourceLines* source = nullptr; // excerpts are printed when given
  std::string strip_prefix{};    // of paths: they are printed from behind its first occurrence
};

std::string write_text(const Finding& finding, const TextOptions& options);

// color=auto|always|never: `auto` means a terminal that is not dumb, without NO_COLOR.
bool wants_color(std::string_view option, int fd);

} // namespace footrace::findings
