#include "events/open_trace.h"

#include "events/text_source.h"

#include <cerrno>
#include <cstring>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

namespace footrace {

std::unique_ptr<EventSource> open_trace(const std::string& file, TraceError& error) {
  const int descriptor = file == "-" ? dup(0) : open(file.c_str(), O_RDONLY | O_CLOEXEC);
  struct stat status = {};
  if (descriptor < 0 || fstat(descriptor, &status) != 0) {
    error = {file, std::string("cannot be opened: ") + std::strerror(errno)};
    return nullptr;
  }
  if (S_ISDIR(status.st_mode)) {
    close(descriptor);
    error = {file, "is a folder, not a trace"};
    return nullptr;
  }
  return std::make_unique<TextSource>(descriptor, file == "-" ? "standard input" : file);
}

} // namespace footrace
