// A small module tests all checks of its small functions in line; a large one with many checks only where it matters most.
// RUN: clang --target=x86_64-linux-gnu -Xclang -fsanitize=thread -fpass-plugin=%plugin -O1 -S -emit-llvm %s -o - | FileCheck %s --check-prefixes=SMALL
// RUN: clang --target=x86_64-linux-gnu -Xclang -fsanitize=thread -fpass-plugin=%plugin -O1 -S -emit-llvm -DLARGE %s -o - | FileCheck %s --check-prefixes=LARGE
void unknown(void);

// SMALL-LABEL: define {{.*}}@in_a_loop(
// SMALL: call preserve_mostcc void @__footrace_unseen_write8
// LARGE-LABEL: define {{.*}}@in_a_loop(
// LARGE: call preserve_mostcc void @__footrace_unseen_write8
void in_a_loop(long* p, long n) {
  for (long i = 0; i < n; ++i) {
    unknown();
    *p = i;
  }
}

#define SIX(name)                                                                                            \
  void name(long* p) {                                                                                       \
    p[0] = 1;                                                                                                \
    unknown();                                                                                               \
    p[2] = 2;                                                                                                \
    unknown();                                                                                               \
    p[4] = 3;                                                                                                \
    unknown();                                                                                               \
    p[6] = 4;                                                                                                \
    unknown();                                                                                               \
    p[8] = 5;                                                                                                \
    unknown();                                                                                               \
    p[10] = 6;                                                                                               \
  }

// SMALL-LABEL: define {{.*}}@six_checks(
// SMALL-COUNT-6: call preserve_mostcc void @__footrace_unseen_write8
// LARGE-LABEL: define {{.*}}@six_checks(
// LARGE-NOT: call preserve_mostcc
// LARGE-COUNT-6: call void @__footrace_write8
// LARGE-NOT: call preserve_mostcc
SIX(six_checks)

#ifdef LARGE
#define FOUR(name) SIX(name##a) SIX(name##b) SIX(name##c) SIX(name##d)
#define SIXTEEN(name) FOUR(name##a) FOUR(name##b) FOUR(name##c) FOUR(name##d)
SIXTEEN(a) SIXTEEN(b) SIXTEEN(c) SIXTEEN(d) SIXTEEN(e) SIXTEEN(f) SIXTEEN(g) SIXTEEN(h)
#endif
