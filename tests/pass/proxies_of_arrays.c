// An array that only this file knows and that loops always access as a whole is checked in its first cell; one of which an element is accessed alone, or by
// a loop whose length is not known, is checked as before, and so is everything with address precision.
// RUN: %clang -O2 -mllvm -footrace-preset=bigfoot -S -emit-llvm %s -o - | FileCheck %s --check-prefixes=CHECK,FIRST
// RUN: %clang -O2 -mllvm -footrace-preset=bigfoot -mllvm -footrace-precision=address -S -emit-llvm %s -o - | FileCheck %s --check-prefixes=CHECK,WHOLE
// RUN: %clang -O2 -mllvm -footrace-preset=bigfoot -mllvm -footrace-proxies=0 -S -emit-llvm %s -o - | FileCheck %s --check-prefixes=CHECK,WHOLE
enum { count = 200 };
static int row[count], with_element[count], with_length[count];
int known[count];

// CHECK-LABEL: @fill(
// FIRST: call void @__footrace_write8(ptr {{.*}}@row,
// WHOLE: call void @__footrace_write_range(ptr {{.*}}@row, i64 800,
// CHECK-NOT: call void @__footrace_write
// CHECK: ret void
void fill(int n) {
  for (int i = 0; i < count; ++i) row[i] = n + i;
}
// CHECK-LABEL: @sum(
// FIRST: call void @__footrace_read8(ptr {{.*}}@row,
// WHOLE: call void @__footrace_read_range(ptr {{.*}}@row, i64 800,
// CHECK: ret i32
int sum(void) {
  int all = 0;
  for (int i = 0; i < count; ++i) all ^= row[i];
  return all;
}

// CHECK-LABEL: @fill_with_element(
// CHECK: call void @__footrace_write_range(ptr {{.*}}@with_element, i64 800,
void fill_with_element(int n) {
  for (int i = 0; i < count; ++i) with_element[i] = n + i;
}
int element(void) { return with_element[3]; }

// CHECK-LABEL: @fill_with_length(
// CHECK: call void @__footrace_write_range(ptr {{.*}}@with_length, i64 800,
void fill_with_length(int n) {
  for (int i = 0; i < count; ++i) with_length[i] = n + i;
}
int sum_with_length(int n) {
  int all = 0;
  for (int i = 0; i < n; ++i) all ^= with_length[i];
  return all;
}

// CHECK-LABEL: @fill_known(
// CHECK: call void @__footrace_write_range(ptr {{.*}}@known, i64 800,
void fill_known(int n) {
  for (int i = 0; i < count; ++i) known[i] = n + i;
}
