#include "driver/reporter_object.h"

#include "driver/messages.h"

#include "llvm/Support/MemoryBuffer.h"
#include <cerrno>
#include <cstring>
#include <fcntl.h>
#include <optional>
#include <sys/mman.h>
#include <unistd.h>

namespace footrace::driver {

static constexpr llvm::StringRef marker = "@footrace-reporter-path@";
static constexpr size_t room = 4096; // as in reporter_path.s

static std::optional<std::string> filled_template(const Installation& installation) {
  auto file = llvm::MemoryBuffer::getFile(installation.reporter_template);
  if (!file) {
    failure("cannot read '" + installation.reporter_template + "': " + file.getError().message());
    return std::nullopt;
  }
  std::string object((*file)->getBuffer());
  size_t at = object.find(marker);
  if (at == std::string::npos || object.size() - at < room) {
    failure("'" + installation.reporter_template + "' is damaged; build and install Footrace again");
    return std::nullopt;
  }
  if (installation.reporter.size() >= room) {
    failure("the path '" + installation.reporter + "' is too long; install Footrace in a shorter one");
    return std::nullopt;
  }
  object.replace(at, marker.size(), marker.size(), '\0');
  object.replace(at, installation.reporter.size(), installation.reporter);
  return object;
}

static bool write_all(int descriptor, const std::string& bytes) {
  for (size_t done = 0; done < bytes.size();) {
    ssize_t n = write(descriptor, bytes.data() + done, bytes.size() - done);
    if (n < 0 && errno == EINTR) continue;
    if (n <= 0) return false;
    done += static_cast<size_t>(n);
  }
  return true;
}

bool ReporterObject::open(const Installation& installation) {
  std::optional<std::string> object = filled_template(installation);
  if (!object) return false;
  descriptor_ =
      memfd_create("footrace-reporter-path", 0); // not close-on-exec: clang hands it on to the linker
  if (descriptor_ >= 0 && write_all(descriptor_, *object)) return true;
  failure(llvm::Twine("cannot keep an object file in memory: ") + strerror(errno));
  return false;
}

void ReporterObject::close() {
  if (descriptor_ >= 0) ::close(descriptor_);
  descriptor_ = -1;
}

bool write_reporter_object(const Installation& installation, const std::string& file) {
  std::optional<std::string> object = filled_template(installation);
  if (!object) return false;
  int descriptor = ::open(file.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
  bool written = descriptor >= 0 && write_all(descriptor, *object);
  if (!written) failure("cannot write '" + file + "': " + strerror(errno));
  if (descriptor >= 0) close(descriptor);
  return written;
}

} // namespace footrace::driver
