// Tables for terminals.
#pragma once

#include <string>
#include <vector>

namespace footrace::replay {

std::string format(const char* how, double value);
// Columns as wide as their widest word; the first one to the left, the others to the right.
std::string write_columns(const std::vector<std::vector<std::string>>& rows);

} // namespace footrace::replay
