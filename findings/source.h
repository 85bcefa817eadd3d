// Lines of source files, for the excerpts in text reports. Files are read once.
#pragma once

#include "findings/finding.h"

#include <map>

namespace footrace::findings {

class SourceLines {
public:
  // Nothing if the file cannot be read or has no such line.
  std::optional<std::string> line(const SourceLocation& location);

private:
  std::map<std::string, std::vector<std::string>, std::less<>> files_;
};

} // namespace footrace::findings
