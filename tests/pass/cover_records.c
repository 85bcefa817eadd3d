// A check that stands for several accesses is a row of records: the check (role 1) and how many it covers, then each access (role 2) with its
// line, kind and size, and its place (role 3) in the check: offset, and the distance to the same access of the next iteration.
// The second word holds the column, the kind (times 2 to the 16th) and the role (times 2 to the 24th).
// RUN: %clang -O1 -gline-tables-only -mllvm -footrace-preset=bigfoot -S -emit-llvm %s -o - | FileCheck %s
struct Pair {
  int a, b;
  long c;
};

// CHECK: @__footrace_sites.loop = private constant
// CHECK-SAME: [24 x i32] [i32 [[#@LINE+8]], i32 [[#16777216 + mul(2,65536) + 12]], i32 0, i32 -16,
// CHECK-SAME: i32 0, i32 [[#mul(3,16777216)]], i32 0, i32 2,
// CHECK-SAME: i32 [[#@LINE+6]], i32 [[#mul(2,16777216) + mul(2,65536) + 12]], i32 4, i32 -48,
// CHECK-SAME: i32 0, i32 [[#mul(3,16777216)]], i32 16, i32 0,
// CHECK-SAME: i32 [[#@LINE+5]], i32 [[#mul(2,16777216) + mul(2,65536) + 12]], i32 4, i32 -80,
// CHECK-SAME: i32 4, i32 [[#mul(3,16777216)]], i32 16, i32 0]
void loop(struct Pair *p, long n) {
  for (long i = 0; i < n; ++i) {
    p[i].a = 1;
    p[i].b = 2;
  }
}

// CHECK: @__footrace_sites.fields = private constant
// CHECK-SAME: [32 x i32] [i32 [[#@LINE+9]], i32 [[#16777216 + mul(2,65536) + 8]], i32 16, i32 -16,
// CHECK-SAME: i32 0, i32 [[#mul(3,16777216)]], i32 0, i32 3,
// CHECK-SAME: i32 [[#@LINE+7]], i32 [[#mul(2,16777216) + mul(2,65536) + 8]], i32 4, i32 -48,
// CHECK-SAME: i32 0, i32 [[#mul(3,16777216)]], i32 0, i32 0,
// CHECK-SAME: i32 [[#@LINE+6]], i32 [[#mul(2,16777216) + mul(2,65536) + 8]], i32 4, i32 -80,
// CHECK-SAME: i32 4, i32 [[#mul(3,16777216)]], i32 0, i32 0,
// CHECK-SAME: i32 [[#@LINE+5]], i32 [[#mul(2,16777216) + mul(2,65536) + 8]], i32 8, i32 -112,
// CHECK-SAME: i32 8, i32 [[#mul(3,16777216)]], i32 0, i32 0]
void fields(struct Pair *p) {
  p->a = 1;
  p->b = 2;
  p->c = 3;
}
