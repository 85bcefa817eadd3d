#include "runtime/environment.h"

#include "base/platform.h"
#include "runtime/arena.h"

#include <fcntl.h>
#include <sys/syscall.h>

extern "C" char** environ;

namespace footrace {
namespace {

const char* const* g_environment;

const char* const* copy_of_environ(char** from) {
  u64 count = 0;
  while (from[count]) ++count;
  auto* copy = static_cast<const char**>(arena_allocate((count + 1) * sizeof(char*)));
  for (u64 i = 0; i < count; ++i) copy[i] = arena_copy(from[i], length_of(from[i]));
  return copy;
}

// Before libc's own constructor `environ` is null, but the kernel knows.
const char* const* environment_of_kernel() {
  TextBuffer text;
  read_file("/proc/self/environ", text);
  const char* all = arena_copy(text.data(), text.size());
  u64 count = 0;
  for (u64 i = 0; i < text.size(); ++i) count += !all[i];
  auto* list = static_cast<const char**>(arena_allocate((count + 2) * sizeof(char*)));
  u64 next = 0;
  for (u64 i = 0; i < text.size(); i += length_of(all + i) + 1) list[next++] = all + i;
  return list;
}

} // namespace

const char* const* startup_environment() {
  if (!g_environment) g_environment = environ ? copy_of_environ(environ) : environment_of_kernel();
  return g_environment;
}

const char* environment(const char* name) {
  u64 length = length_of(name);
  for (const char* const* e = startup_environment(); *e; ++e)
    if (length_of(*e) > length && (*e)[length] == '=' && !compare_bytes(*e, name, length))
      return *e + length + 1;
  return nullptr;
}

bool same_text(const char* a, const char* b) {
  u64 length = length_of(a);
  return length == length_of(b) && !compare_bytes(a, b, length);
}

bool read_file(const char* path, TextBuffer& out) {
  i64 fd = sys(SYS_open, u64(path), O_RDONLY | O_CLOEXEC);
  if (fd < 0) return false;
  char chunk[4096];
  i64 n;
  while ((n = sys(SYS_read, u64(fd), u64(chunk), sizeof chunk)) > 0 || n == -4 /* EINTR */)
    if (n > 0) out.add(chunk, u64(n));
  sys(SYS_close, u64(fd));
  return n == 0;
}

void add_absolute(TextBuffer& out, const char* path) {
  char directory[4096];
  i64 n = *path == '/' ? 0 : sys(SYS_getcwd, u64(directory), sizeof directory);
  if (n > 1 && directory[0] == '/') { // the kernel counts the NUL
    out.add(directory, u64(n - 1));
    if (n > 2) out.add('/');
  }
  out.add(path);
}

void say(const char* a, const char* b, const char* c, const char* d, const char* e) {
  TextBuffer line;
  line.add("footrace: ");
  const char* parts[] = {a, b, c, d, e};
  for (const char* part : parts) line.add(part);
  line.add('\n');
  write_error(line.data(), line.size());
}

} // namespace footrace
