// A library may be loaded where other memory was whose end nobody has seen: that is not its data's past.
// RUN: rm -rf %t && mkdir %t && %cc -O1 -shared -fPIC %S/Inputs/large_data.c -o %t/library.so
// RUN: %cc -O1 %s -o %t/program
// RUN: %exits 0 %t/program %t/library.so
// RUN: %exits 0 %t/program %t/library.so
// RUN: %exits 0 %t/program %t/library.so
// The kernel puts the library there in most runs, which is why there are several.
#include "e2e.h"
#include <dlfcn.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

enum { Size = 60 << 20, Step = 512 };
static struct InvisibleGate gate;
static void* slot;
static int own;

// As allocators do that talk to the kernel directly.
static void* user(void* unused) {
  own = 1; // whatever a thread needs at its first access is mapped now
  invisible_signal(&gate);
  invisible_wait(&gate, 2);
  char* area = invisible_load(&slot);
  for (size_t at = 0; at < (size_t)Size; at += Step) area[at] = 1;
  syscall(SYS_munmap, area, (size_t)Size);
  invisible_signal(&gate);
  return NULL;
}

int main(int argc, char** argv) {
  pthread_t thread = start(user, NULL);
  invisible_wait(&gate, 1);
  // The first load tells where the second will lie.
  void* library = dlopen(argv[1], RTLD_NOW);
  require(library != NULL, "dlopen");
  char* data = dlsym(library, "large_data");
  dlclose(library);
  char* area = (char*)syscall(SYS_mmap, data - (size_t)data % 4096, (size_t)Size, PROT_READ | PROT_WRITE,
                              MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED_NOREPLACE, -1, 0);
  require(area != MAP_FAILED, "mmap");
  invisible_store(&slot, area);
  invisible_signal(&gate);
  invisible_wait(&gate, 3);
  library = dlopen(argv[1], RTLD_NOW);
  require(library != NULL, "dlopen");
  data = dlsym(library, "large_data");
  size_t first = Step - (size_t)data % Step; // the same bytes
  for (size_t at = first; at < Size; at += Step) data[at] = 2;
  join(thread);
}
