// The site table: file, function, line, column, kind, size and the chain of inlined calls, at every level.
// RUN: %clangxx -O1 -gline-tables-only -S -emit-llvm %s -o %t.ll
// RUN: FileCheck %s < %t.ll
// RUN: %clangxx -O1 -S -emit-llvm %s -o - | FileCheck %s --check-prefix=NODEBUG
// RUN: %clangxx -O1 -gline-tables-only -c %s -o %t.o
// RUN: llvm-readelf -S %t.o | FileCheck %s --check-prefix=ELF

// The linkage names of functions that exist only inlined come from the debug info.
// CHECK-DAG: [[FILE:@__footrace_string[.0-9]*]] = private unnamed_addr constant {{.*}} c"{{/.*}}sites.cpp\00", align 1
// CHECK-DAG: [[OUTER:@__footrace_string[.0-9]*]] = private unnamed_addr constant {{.*}} c"_Z5outerPi\00"
// CHECK-DAG: [[INNER:@__footrace_string[.0-9]*]] = private unnamed_addr constant {{.*}} c"_ZL5innerPi\00"

// CHECK: @__footrace_sites._Z5outerPi = private constant [3 x
// Record 0: the call of inner, of kind Inlined; record 1: the read in inner, inlined at record 0; record 2: the write.
// CHECK-SAME: ptr [[FILE]] to i64{{.*}}ptr [[OUTER]] to i64{{[^}]*}}i32 [[@LINE+13]], i16 11, i8 0, i8 0, i32 0, i32 0,
// CHECK-SAME: ptr [[INNER]] to i64{{[^}]*}}i32 [[@LINE+10]], i16 35, i8 1, i8 0, i32 4, i32 trunc (i64 sub (i64 ptrtoint (ptr @__footrace_sites._Z5outerPi to i64)
// CHECK-SAME: i32 [[@LINE+12]], i16 8, i8 2, i8 0, i32 4, i32 0,
// CHECK-SAME: section "footrace_sites", align 32

// NODEBUG: c"_Z5outerPi\00"
// NODEBUG: @__footrace_sites._Z5outerPi = {{.*}} i32 0, i16 0, i8 1, i8 0, i32 4, i32 0,

// Read-only, aligned to the record, one copy in the group of each inline function.
// ELF: footrace_sites {{.*}} 00 A 0 0 32
// ELF: footrace_sites {{.*}} 00 AG 0 0 32
static int inner(int *p) { return *p; }
int outer(int *p) {
  int v = inner(p);
  p[1] = v;
  return v;
}

template <class T> __attribute__((noinline)) void shared(T *p) { *p = 1; }
template void shared<int>(int *);
// CHECK: @__footrace_sites._Z6sharedIiEvPT_ = {{.*}}, section "footrace_sites", comdat($_Z6sharedIiEvPT_), align 32
