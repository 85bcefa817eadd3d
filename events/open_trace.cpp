#include "events/open_trace.h"

#include "events/text_source.h"
#include "events/trace_reader.h"

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
  if (S_ISREG(status.st_mode) && status.st_size == 0) {
    close(descriptor);
    error = {file, "is empty: nothing was written to it"};
    return nullptr;
  }
  char magic[sizeof kTraceMagic - 1] = {};
  if (pread(descriptor, magic, sizeof magic, 0) == ssize_t(sizeof magic) &&
      std::string_view(magic, sizeof magic) == kTraceMagic) {
    close(descriptor);
    auto bytes = open_trace_file(file == "-" ? "/dev/stdin" : file, error.reason);
    error.where = file;
    return bytes ? std::make_unique<TraceReader>(std::move(bytes), file) : nullptr;
  }
  return std::make_unique<TextSource>(descriptor, file == "-" ? "standard input" : file);
}

} // namespace footrace
