// Pointers that stores of bytes might change are loaded once where the stores are seen to go elsewhere (instrument/steady_bases.h).
// RUN: %clang -mllvm -footrace-preset=bigfoot -O2 -fno-discard-value-names -fno-vectorize -fno-unroll-loops -S -emit-llvm %s -o - | FileCheck %s
// RUN: %clang -mllvm -footrace-preset=redcard -O2 -fno-discard-value-names -fno-vectorize -fno-unroll-loops -S -emit-llvm %s -o - | FileCheck %s --check-prefix=OTHER
struct Text {
  unsigned char *from, *to;
};
struct Outer {
  struct Text* text;
};

// OTHER-LABEL: define
// OTHER-NOT: changing

// CHECK-LABEL: define {{.*}}@copy(
// CHECK-DAG: steady
// CHECK-DAG: changing
// CHECK: call void @__footrace_write_range
// CHECK: ret void
void copy(struct Text* text, long n) {
  for (long i = 0; i < n; ++i) text->to[i] = text->from[i];
}

// A pointer to the pointer.
// CHECK-LABEL: define {{.*}}@copy_outer(
// CHECK: changing
// CHECK: call void @__footrace_write_range
// CHECK: ret void
void copy_outer(struct Outer* outer, long n) {
  for (long i = 0; i < n; ++i) outer->text->to[i] = outer->text->from[i];
}

// A quotient that is there already.
// CHECK-LABEL: define {{.*}}@copy_part(
// CHECK: changing
// CHECK: call void @__footrace_write_range
// CHECK: ret void
void copy_part(struct Text* text, unsigned long n, unsigned long threads, unsigned long me) {
  for (unsigned long i = n * me / threads, end = n * (me + 1) / threads; i < end; ++i) text->to[i] = 1;
}

// With a loop inside.
// CHECK-LABEL: define {{.*}}@copy_mixed(
// CHECK: changing
// CHECK: call void @__footrace_write_range
// CHECK: ret void
void copy_mixed(struct Text* text, const unsigned* keys, long m, long n) {
  for (long i = 0; i < n; ++i) {
    unsigned mixed = text->from[i];
    for (long k = 0; k < m; ++k) mixed = mixed * 31 + keys[k];
    text->to[i] = (unsigned char)mixed;
  }
}

// How far it goes in an iteration is not known while compiling: what was loaded early goes again.
// CHECK-LABEL: define {{.*}}@copy_spread(
// CHECK-NOT: changing
// CHECK: ret void
void copy_spread(struct Outer* outer, long n, long step) {
  for (long i = 0; i < n; ++i) outer->text->to[i * step] = outer->text->from[i];
}

// The first store may change the pointer behind which the second one looks: that is not read early.
// CHECK-LABEL: define {{.*}}@copy_behind(
// CHECK-NOT: changing
// CHECK: ret void
void copy_behind(unsigned char* bytes, struct Outer* outer, long n) {
  for (long i = 0; i < n; ++i) {
    bytes[i] = 1;
    outer->text->to[i] = 2;
  }
}

// More iterations than an address can count.
// CHECK-LABEL: define {{.*}}@copy_wide(
// CHECK-NOT: changing
// CHECK: ret void
void copy_wide(struct Text* text, __int128 n) {
  for (__int128 i = 0; i < n; ++i) text->to[(long)i] = 1;
}

// Nothing to gain: the loop changes the pointer itself.
// CHECK-LABEL: define {{.*}}@append(
// CHECK-NOT: changing
// CHECK: ret void
void append(struct Text* text, long n) {
  for (long i = 0; i < n; ++i) *text->to++ = text->from[i];
}

// Numbers are not pointers, so they cannot change one.
// CHECK-LABEL: define {{.*}}@numbers(
// CHECK-NOT: changing
// CHECK: ret void
struct Numbers {
  long* at;
};
void numbers(struct Numbers* numbers, long n) {
  for (long i = 0; i < n; ++i) numbers->at[i] = i;
}

// Calls may change everything, atomics order it.
void unknown(void);
// CHECK-LABEL: define {{.*}}@calls(
// CHECK-NOT: changing
// CHECK: ret void
void calls(struct Text* text, long n) {
  for (long i = 0; i < n; ++i) text->to[i] = 1, unknown();
}
// CHECK-LABEL: define {{.*}}@atomics(
// CHECK-NOT: changing
// CHECK: ret void
void atomics(struct Text* text, long n, int* flag) {
  for (long i = 0; i < n; ++i) text->to[i] = (unsigned char)__atomic_load_n(flag, __ATOMIC_ACQUIRE);
}

// Only some iterations load it: it may not be loaded before all of them.
// CHECK-LABEL: define {{.*}}@sometimes(
// CHECK-NOT: changing
// CHECK: ret void
void sometimes(struct Text* text, const long* when, long n) {
  for (long i = 0; i < n; ++i)
    if (when[i]) text->to[i] = 1;
}

// How often is not known before.
// CHECK-LABEL: define {{.*}}@until_zero(
// CHECK-NOT: changing
// CHECK: ret void
void until_zero(struct Text* text) {
  for (long i = 0; text->from[i]; ++i) text->to[i] = text->from[i];
}
