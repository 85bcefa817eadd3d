// RUN: %e2e %s
// posix_memalign, aligned_alloc, memalign, valloc, pvalloc, calloc, realloc and reallocarray keep their
// promises.
#include "e2e.h"
#include <malloc.h>
#include <stdint.h>

static void use(void* block, size_t alignment, size_t size) {
  require(block != NULL && (uintptr_t)block % alignment == 0, "the alignment");
  require(malloc_usable_size(block) >= size, "the size");
  ((char*)block)[0] = 1;        // NORACE
  ((char*)block)[size - 1] = 1; // NORACE
}

static void* body(void* unused) {
  for (int i = 0; i < 100; ++i) {
    void* block;
    require(posix_memalign(&block, 256, 300) == 0, "posix_memalign");
    use(block, 256, 300), free(block);
    block = aligned_alloc(64, 128);
    use(block, 64, 128), free(block);
    block = memalign(32, 100);
    use(block, 32, 100), free(block);
    block = valloc(10);
    use(block, 4096, 10), free(block);
    block = pvalloc(10);
    use(block, 4096, 10), free(block);
    block = calloc(10, 7);
    for (int k = 0; k < 70; ++k) require(((char*)block)[k] == 0, "calloc clears"); // NORACE
    block = realloc(block, 500);
    use(block, 16, 500);
    block = reallocarray(block, 100, 8);
    use(block, 16, 800), free(block);
  }
  return NULL;
}

int main(void) { run_many(3, body); }
