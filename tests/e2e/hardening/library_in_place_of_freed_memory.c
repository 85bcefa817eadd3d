// A library may be loaded where a thread's arena was: the freed blocks that lay there are not its data's past.
// RUN: rm -rf %t && mkdir %t && %cc -O1 -shared -fPIC %S/Inputs/large_data.c -o %t/instrumented.so
// RUN: %llvm-tools/clang -O1 -shared -fPIC %S/Inputs/large_data.c -o %t/foreign.so
// RUN: %cc -O1 %s -o %t/program
// RUN: %exits 0 %t/program %t/instrumented.so
// RUN: %exits 0 %t/program %t/foreign.so
#include "e2e.h"
#include <dlfcn.h>

enum { Blocks = 2000, BlockSize = 100000 };
static struct InvisibleGate gate;

// Far more than one heap of an arena holds; glibc unmaps the heaps when they are empty.
static void* user(void* unused) {
  static char* blocks[Blocks];
  for (int i = 0; i < Blocks; ++i) {
    blocks[i] = malloc(BlockSize);
    for (int at = 0; at < BlockSize; at += 512) blocks[i][at] = 1;
  }
  for (int i = Blocks; i-- > 0;) free(blocks[i]);
  invisible_signal(&gate);
  return NULL;
}

int main(int argc, char** argv) {
  pthread_t thread = start(user, NULL);
  invisible_wait(&gate, 1);
  void* library = dlopen(argv[1], RTLD_NOW);
  require(library != NULL, "dlopen");
  char* data = dlsym(library, "large_data");
  require(data != NULL, "dlsym");
  for (size_t at = 0; at < (60u << 20); at += 512) data[at] = 2;
  join(thread);
}
