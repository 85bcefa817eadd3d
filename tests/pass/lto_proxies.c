// What the link step makes internal is a closed world: variables of two files that are always accessed together have one check. In the compile step
// each file must expect others.
// RUN: %clang -Xclang -load -Xclang %plugin -mllvm -footrace-lto=link -mllvm -footrace-preset=bigfoot -O2 -flto=full -DNEAR -c %s -o %t.near.bc
// RUN: %clang -Xclang -load -Xclang %plugin -mllvm -footrace-lto=link -mllvm -footrace-preset=bigfoot -O2 -flto=full -DFAR -c %s -o %t.far.bc
// RUN: llvm-link %t.near.bc %t.far.bc -o %t.bc
// RUN: %opt_with_plugin -passes='internalize,lto<O2>' -internalize-public-api-list=near,far %t.bc -S | FileCheck %s --check-prefix=LINK
// RUN: %clang -mllvm -footrace-preset=bigfoot -O2 -DNEAR -S -emit-llvm %s -o - | FileCheck %s --check-prefix=COMPILE
extern long low;
extern long high;
#ifdef NEAR
// LINK-LABEL: @near(
// LINK: call void @__footrace_write8(
// LINK-NOT: call void @__footrace_write
// LINK: ret void
// COMPILE-LABEL: @near(
// COMPILE: call void @__footrace_write8(
// COMPILE: call void @__footrace_write8(
void near(long n) {
  low = n;
  high = n;
}
#else
long low, high;
// LINK-LABEL: @far(
// LINK: call void @__footrace_read8(
// LINK-NOT: call void @__footrace_read
// LINK: ret i64
long far(void) { return low + high; }
#endif
