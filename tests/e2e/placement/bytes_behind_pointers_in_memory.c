// RUN: %e2e %s
// A store of a byte may change the pointer that it goes through, as far as the compiler knows. Such loops run in a version that counts on the pointer staying as
// it is, where it does, and in another one where it does not (instrument/steady_bases.h). Both report what raced, with its line, and compute the same.
// EXPECT-TEXT: [Ww]rite of size 1
// EXPECT-TEXT: [Rr]ead of size 8
// REJECT-TEXT: ([Rr]ead|[Ww]rite) of size [0-9][0-9]
#include "e2e.h"
#include <stdlib.h>

enum { count = 500 };
struct Text {
  unsigned char *from, *to;
};
static unsigned char source[count], target[count], elsewhere[64];
static struct InvisibleGate gate;

__attribute__((noinline)) static void translate(struct Text* text, long n) {
  for (long i = 0; i < n; ++i) text->to[i] = text->from[i] ^ 1; // RACE(target,pointer)
}

__attribute__((noinline)) static void fill(struct Text* text, long n) {
  for (long i = 0; i < n; ++i) text->to[i] = text->from[i]; // RACE(elsewhere)
}

// The text is written over its own pointer, whose low byte changes: what comes behind goes elsewhere.
static void tie_a_knot(void) {
  struct Text* text = aligned_alloc(64, 64);
  unsigned char* self = (unsigned char*)&text->to;
  unsigned char bytes[] = {(unsigned char)((unsigned long)self + 8), 7, 7};
  text->from = bytes, text->to = self;
  fill(text, 3);
  if (text->to != self + 8 || self[9] != 7 || self[10] != 7) abort();
  free(text);
}

struct Text shared = {source, target}, other = {source, elsewhere};
static void* translator(void* unused) {
  translate(&shared, count);
  tie_a_knot();
  fill(&other, 32);
  invisible_signal(&gate);
  return NULL;
}

static void* visitor(void* unused) {
  invisible_wait(&gate, 1);
  KEEP(target[count / 2]); // RACE(target)
  shared.to = source;      // RACE(pointer)
  KEEP(elsewhere[31]);     // RACE(elsewhere)
  KEEP(elsewhere[32]);     // NORACE: nobody writes it
  return NULL;
}

int main(void) { run_two(translator, visitor); }
