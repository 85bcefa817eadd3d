// What a loop has accessed is checked before an exception can leave the function: the check stays inside.
// RUN: %clangxx -O2 -mllvm -footrace-preset=bigfoot -S -emit-llvm %s -o - | FileCheck %s
void may_throw(int);
void cannot_throw(int) noexcept;

// CHECK-LABEL: define {{.*}}@_Z10throws_outPil(
// CHECK-NOT: call void @__footrace_write_range
// CHECK: call void @__footrace_write4(
// CHECK: call void @_Z9may_throwi(
// CHECK: ret void
void throws_out(int *p, long n) {
  for (long i = 0; i < n; ++i) {
    p[i] = 0;
    may_throw(1);
  }
}
