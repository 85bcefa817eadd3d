// What users of TSan expect of the front end, at every level.
// RUN: %clangxx -O0 -S -emit-llvm %s -o - | FileCheck %s
// RUN: %clangxx -O1 -S -emit-llvm %s -o - | FileCheck %s
// RUN: %clangxx -O2 -S -emit-llvm %s -o - | FileCheck %s
// RUN: %clangxx -O3 -S -emit-llvm %s -o - | FileCheck %s
// RUN: %clangxx -O2 -g -c %s -o %t.o
// RUN: llvm-nm -u %t.o | FileCheck %s --check-prefix=UNDEFINED

#if !__has_feature(thread_sanitizer)
#error "code that is annotated for ThreadSanitizer must work unchanged"
#endif

// The only symbol of TSan's runtime that is left is its initialiser, which its pass adds after ours.
// UNDEFINED-NOT: __tsan_{{[a-hj-z]}}

// CHECK-LABEL: define {{.*}} @checked
// CHECK: call ptr @__footrace_enter(
// CHECK: call void @__footrace_write4(
// CHECK: call void @__footrace_leave(
extern "C" void checked(int *p) { *p = 1; }

// CHECK-LABEL: define {{.*}} @unchecked
// CHECK-NOT: __footrace_write
// CHECK: call ptr @__footrace_atomic_begin(
// CHECK: call void @__footrace_atomic_end_rmw(
extern "C" __attribute__((no_sanitize("thread"))) int unchecked(int *p, int *a) {
  *p = 1;
  return __atomic_fetch_add(a, 1, __ATOMIC_SEQ_CST);
}

// CHECK-LABEL: define {{.*}} @disabled
// CHECK-NOT: __footrace_
// CHECK: ret void
extern "C" __attribute__((disable_sanitizer_instrumentation)) void disabled(int *p) { *p = 1; }

struct Shape {
  virtual int area();
};
// The vtable field is read, its slot is not, at -O0 as well.
// CHECK-LABEL: define {{.*}} @dispatch
// CHECK: call void @__footrace_read8(
// CHECK-NOT: call void @__footrace_read8(
// CHECK: ret i32
extern "C" int dispatch(Shape *shape) { return shape->area() + 1; }
