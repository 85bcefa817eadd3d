// With link-time optimisation the compile step instruments, once, and the link step does not again. The site table is
// not tied to the function's group there: after inlining, another module's code may refer to it.
// RUN: %clangxx -O2 -flto=thin -c %s -o %t.thin.bc
// RUN: llvm-dis %t.thin.bc -o - | FileCheck %s
// RUN: %opt_with_plugin -passes='thinlto<O2>' %t.thin.bc -S | FileCheck %s
// RUN: %clangxx -O2 -flto=full -c %s -o %t.full.bc
// RUN: llvm-dis %t.full.bc -o - | FileCheck %s
// RUN: %opt_with_plugin -passes='lto<O2>' %t.full.bc -S | FileCheck %s
// RUN: %clangxx -O0 -flto=full -c %s -o %t.bc
// RUN: llvm-dis %t.bc -o - | FileCheck %s

// CHECK: @__footrace_sites._Z6sharedIiEvPT_ =
// CHECK-NOT: comdat
// CHECK-SAME: {{$}}
// CHECK-LABEL: define {{.*}} @_Z6sharedIiEvPT_
// CHECK: call void @__footrace_write4(
// CHECK-NOT: call void @__footrace_write4(
// CHECK: ret void
// An instrumented function stays one in the link step: its frame pushes a return address.
// CHECK: define {{.*}} @_Z6callerv() {{.*}}#[[FRAME:[0-9]+]]
// CHECK: call {{.*}} @__footrace_enter(
// CHECK: attributes #[[FRAME]] = { {{.*}}noinline
template <class T> void shared(T *p) { *p = 1; }
template void shared<int>(int *);
void elsewhere();
void caller() {
  elsewhere();
  elsewhere();
}
