// A folder that goes away with the object, unless it is kept.
#pragma once

#include <string>

namespace footrace::driver {

class TemporaryFolder {
public:
  TemporaryFolder();
  ~TemporaryFolder();
  TemporaryFolder(const TemporaryFolder&) = delete;
  TemporaryFolder& operator=(const TemporaryFolder&) = delete;

  bool exists() const { return exists_; }
  void keep() { kept_ = true; }
  const std::string& path() const { return path_; }

private:
  std::string path_;
  bool exists_, kept_ = false;
};

} // namespace footrace::driver
