// Preset bigfoot checks what a loop accesses once, and before the vectoriser runs: the loop is vectorised as without checks, and what was
// covered is not checked again.
// RUN: %clang -O2 -gline-tables-only -mllvm -footrace-preset=bigfoot -S -emit-llvm %s -o - | FileCheck %s
// The negative twin: with a check at every access the vectorised loop has a check at each of its accesses.
// RUN: %clang -O2 -gline-tables-only -mllvm -footrace-preset=fasttrack -S -emit-llvm %s -o - | FileCheck %s --check-prefix=EVERY

// CHECK-LABEL: define {{.*}}@contiguous(
// CHECK-NOT: @__footrace_{{read|write}}
// CHECK: load <4 x i32>
// CHECK-NOT: @__footrace_{{read|write}}
// CHECK: store <4 x i32>
// CHECK-NOT: @__footrace_{{read|write}}{{[0-9]}}
// CHECK-DAG: call void @__footrace_read_range(
// CHECK-DAG: call void @__footrace_write_range(
// CHECK-NOT: @__footrace_{{read|write}}
// EVERY-LABEL: define {{.*}}@contiguous(
// EVERY: call void @__footrace_read16(
// EVERY: load <4 x i32>
void contiguous(int *restrict to, const int *restrict from, long n) {
  for (long i = 0; i < n; ++i) to[i] = from[i] + 1;
}

// CHECK-LABEL: define {{.*}}@strided(
// CHECK-NOT: @__footrace_write4
// CHECK: call void @__footrace_write_strided(ptr %{{.*}}, i64 4, i64 12, i64 %
// CHECK-NOT: @__footrace_write
struct Point {
  int x, y, z;
};
void strided(struct Point *p, long n) {
  for (long i = 0; i < n; ++i) p[i].x = 0;
}

// A loop that waits for memory to change is not known to end: what it reads is checked when it begins, not when it has ended.
// CHECK-LABEL: define {{.*}}@spin(
// CHECK: call void @__footrace_read4(
// CHECK: load volatile i32
// CHECK: br i1
void spin(volatile int *flag) {
  while (!*flag) {
  }
}

// A call that may do anything: neither before nor after the loop could a check stand for all of it.
// CHECK-LABEL: define {{.*}}@loop_with_unknown_call(
// CHECK-NOT: @__footrace_write_range
// CHECK: call void @__footrace_write4(
// CHECK: call void @unknown(
// CHECK-NOT: @__footrace_write_range
void unknown(void);
void loop_with_unknown_call(int *p, long n) {
  for (long i = 0; i < n; ++i) {
    p[i] = 0;
    unknown();
  }
}

// Marks are not left behind at the accesses.
// CHECK-LABEL: define {{.*}}@last(
// CHECK-NOT: !llvm.access.group
void last(void) {}
