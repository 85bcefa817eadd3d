#include "driver/temporary_folder.h"

#include <cstdlib>
#include <filesystem>

namespace footrace::driver {

TemporaryFolder::TemporaryFolder() {
  const char* parent = getenv("TMPDIR");
  path_ = std::string(parent && *parent ? parent : "/tmp") + "/footrace-XXXXXX";
  exists_ = mkdtemp(path_.data()) != nullptr;
}

TemporaryFolder::~TemporaryFolder() {
  std::error_code ignored;
  if (exists_ && !kept_) std::filesystem::remove_all(path_, ignored);
}

} // namespace footrace::driver
