// RUN: %e2e %s
// Loops whose array must be looked up again for every element: what they access waits in runs. Neighbouring halves do not race, also where they
// share a word; one element too many does, and is told with its own size.
// EXPECT-TEXT: rite of size 2
#include "e2e.h"

#include <vector>

struct Picture {
  std::vector<unsigned char> bytes = std::vector<unsigned char>(2000);
  std::vector<unsigned short> shorts = std::vector<unsigned short>(2000);
};
static Picture picture;

__attribute__((noinline)) static void fill_bytes(Picture& p, unsigned from, unsigned to) {
  for (unsigned i = from; i < to; ++i) {
    p.bytes[i] = (unsigned char)(i * 7); // NORACE
  }
}
__attribute__((noinline)) static void fill_shorts(Picture& p, unsigned from, unsigned to) {
  for (unsigned i = from; i < to; ++i) {
    p.shorts[i] = (unsigned short)(i * 7); // RACE
    p.bytes[i] ^= 1;                       // NORACE
  }
}

static void* low(void*) {
  fill_bytes(picture, 0, 1003);
  fill_shorts(picture, 0, 1003);
  picture.shorts[1003] = 1; // RACE
  return nullptr;
}
static void* high(void*) {
  fill_bytes(picture, 1003, 2000);
  fill_shorts(picture, 1003, 2000);
  return nullptr;
}

int main() { run_two(low, high); }
