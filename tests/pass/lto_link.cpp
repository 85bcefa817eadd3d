// With -footrace-lto=link the compile step only leaves a mark, and the link step, which sees the bodies of other files, places
// the checks: a call into another file is what its summary says, not everything.
// RUN: %clangxx -Xclang -load -Xclang %plugin -mllvm -footrace-lto=link -mllvm -footrace-preset=bigfoot -O2 -flto=full -DNEAR -c %s -o %t.near.bc
// RUN: %clangxx -Xclang -load -Xclang %plugin -mllvm -footrace-lto=link -mllvm -footrace-preset=bigfoot -O2 -flto=full -DFAR -c %s -o %t.far.bc
// RUN: llvm-dis %t.near.bc -o - | FileCheck %s --check-prefix=LEFT
// RUN: llvm-link %t.near.bc %t.far.bc -o %t.bc
// RUN: %opt_with_plugin -passes='lto<O2>' %t.bc -S | FileCheck %s
// Not optimised, the link step runs none of our passes: the compile step does it all.
// RUN: %clangxx -Xclang -load -Xclang %plugin -mllvm -footrace-lto=link -O0 -flto=thin -DNEAR -c %s -o %t.o0.bc
// RUN: llvm-dis %t.o0.bc -o - | FileCheck %s --check-prefix=O0

// A link step without the plugin finds a symbol missing.
// LEFT-DAG: @__footrace_link_step_without_load_pass_plugin = external
// LEFT-DAG: !{i32 1, !"footrace-link-step", !"bigfoot call"}
// LEFT-NOT: call void @__footrace_write4
// O0-NOT: footrace_link_step
// O0: call void @__footrace_write4

#ifdef NEAR
int shared;
void far(int);
void far_locks(int);
// CHECK-NOT: footrace_link_step
// CHECK-LABEL: define {{.*}}@_Z22call_keeps_the_historyi(
// CHECK: call void @__footrace_write4(
// CHECK-NOT: call void @__footrace_write4(
// CHECK: ret void
__attribute__((noinline)) void call_keeps_the_history(int n) {
  shared = n;
  [[clang::noinline]] far(n);
  shared = n + 1;
}
// CHECK-LABEL: define {{.*}}@_Z22call_kills_the_historyi(
// CHECK: call void @__footrace_write4(
// CHECK: call {{.*}}@_Z9far_locksi(
// CHECK: call void @__footrace_write4(
// CHECK: ret void
__attribute__((noinline)) void call_kills_the_history(int n) {
  shared = n;
  [[clang::noinline]] far_locks(n);
  shared = n + 1;
}
#endif

#ifdef FAR
extern int shared;
int state;
extern "C" int pthread_mutex_lock(void *);
extern "C" int pthread_mutex_unlock(void *);
long mutex[8];
void far(int n) { state = n + shared; }
void far_locks(int n) {
  pthread_mutex_lock(mutex);
  state = n + shared;
  pthread_mutex_unlock(mutex);
}
#endif
