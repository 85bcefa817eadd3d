// RUN: %e2e %s
// Every form of new and delete: blocks are reused between threads without false alarms.
#include "e2e.h"
#include <new>

struct alignas(64) Wide {
  long words[8];
};

static void* body(void*) {
  for (int i = 0; i < 300; ++i) {
    int* one = new int;
    int* many = new int[10];
    int* nothrow = new (std::nothrow) int;
    int* nothrow_many = new (std::nothrow) int[10];
    Wide* wide = new Wide;
    Wide* wides = new Wide[2];
    Wide* nothrow_wide = new (std::nothrow) Wide;
    *one = many[9] = *nothrow = nothrow_many[9] = i;                 // NORACE
    wide->words[7] = wides[1].words[7] = nothrow_wide->words[0] = i; // NORACE
    void* all[] = {one, many, nothrow, nothrow_many, wide, wides, nothrow_wide};
    ESCAPE(all);
    require((unsigned long)wide % 64 == 0 && (unsigned long)wides % 64 == 0, "new respects the alignment");
    delete one;
    delete[] many;
    operator delete(nothrow, sizeof(int));
    operator delete[](nothrow_many, std::nothrow);
    delete wide;
    delete[] wides;
    operator delete(nothrow_wide, sizeof(Wide), std::align_val_t(64));
  }
  return nullptr;
}

int main() { run_many(3, body); }
