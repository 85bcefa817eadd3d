// The object that tells a program where footrace-reporter is: a copy of lib/footrace/reporter_path.o with the
// path filled in.
#pragma once

#include "driver/installation.h"

#include <string>

namespace footrace::driver {

// The object as a file in memory. While this lives, programs that are started inherit it and can open it by
// name.
class ReporterObject {
public:
  ReporterObject() = default;
  ~ReporterObject() { close(); }
  ReporterObject(const ReporterObject&) = delete;
  ReporterObject& operator=(const ReporterObject&) = delete;

  // On failure says why and returns false.
  bool open(const Installation& installation);
  void close();
  std::string name() const { return "/proc/self/fd/" + std::to_string(descriptor_); }

private:
  int descriptor_ = -1;
};

// Writes the object to a file. On failure says why and returns false.
bool write_reporter_object(const Installation& installation, const std::string& file);

} // namespace footrace::driver
