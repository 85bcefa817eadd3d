// The record of a check that stands for several accesses (role 1) is followed by theirs (role 2), each with its line, kind, size and place in
// the check: offset, and the distance to the same access of the next iteration.
// RUN: %clang -O1 -gline-tables-only -mllvm -footrace-preset=bigfoot -S -emit-llvm %s -o - | FileCheck %s
struct Pair {
  int a, b;
  long c;
};

// CHECK: @__footrace_sites.loop = private constant [3 x
// CHECK-SAME: i32 [[@LINE+5]], i16 12, i8 2, i8 1, i32 0, i32 0, i32 0, i32 2 }
// CHECK-SAME: i32 [[@LINE+4]], i16 12, i8 2, i8 2, i32 4, i32 0, i32 0, i32 16 }
// CHECK-SAME: i32 [[@LINE+4]], i16 12, i8 2, i8 2, i32 4, i32 0, i32 4, i32 16 }
void loop(struct Pair *p, long n) {
  for (long i = 0; i < n; ++i) {
    p[i].a = 1;
    p[i].b = 2;
  }
}

// CHECK: @__footrace_sites.fields = private constant [4 x
// CHECK-SAME: i32 [[@LINE+5]], i16 8, i8 2, i8 1, i32 16, i32 0, i32 0, i32 3 }
// CHECK-SAME: i32 [[@LINE+4]], i16 8, i8 2, i8 2, i32 4, i32 0, i32 0, i32 0 }
// CHECK-SAME: i32 [[@LINE+4]], i16 8, i8 2, i8 2, i32 4, i32 0, i32 4, i32 0 }
// CHECK-SAME: i32 [[@LINE+4]], i16 8, i8 2, i8 2, i32 8, i32 0, i32 8, i32 0 }
void fields(struct Pair *p) {
  p->a = 1;
  p->b = 2;
  p->c = 3;
}
